/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_JSON_FILE_H
#define LINEPRESS_JSON_FILE_H

/** @file Reports as JSON; all functions that can fail say why. */

#include <jansson.h>

/** Can a file be written? Better known before a run than after it. 0 or -1; NULL is no file. */
int json_file_check(const char *path);

/** Write a report and release it. 0 or -1. */
int json_file_write(const char *path, json_t *report);

#endif /* LINEPRESS_JSON_FILE_H */
