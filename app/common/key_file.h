/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_KEY_FILE_H
#define LINEPRESS_KEY_FILE_H

/**
 * @file
 * The key of a pair of boxes, from a file. It is never taken from the command line and never
 * printed.
 */

#include "linepress/wire.h"

/** Room for the cause when a key file is refused. */
#define KEY_FILE_ERROR_MAX 160

/**
 * Read a key: 32 hexadecimal digits, the 16 bytes in the order of the SipHash paper.
 *
 * @param path
 *   A regular file that neither group nor others can access.
 * @param key
 *   Receives the key.
 * @param error
 *   Receives the cause on failure, KEY_FILE_ERROR_MAX bytes.
 * @return
 *   0 or a negative errno.
 */
int key_file_read(const char *path, struct lp_key *key, char *error);

#endif /* LINEPRESS_KEY_FILE_H */
