/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_COMPLAINT_H
#define LINEPRESS_APP_COMPLAINT_H

/**
 * @file
 * What is wrong with a line that is no command: the first word that does not fit, and what may
 * stand there. librte_cmdline itself says no more than "Bad arguments".
 */

#include <stddef.h>

#include <cmdline_parse.h>

/** Bytes of the longest complaint, with its end. */
#define COMPLAINT_MAX 1024

/**
 * Describe the first word that fits no command.
 *
 * @param commands
 *   All commands, ended by NULL.
 * @param line
 *   A line that cmdline_parse() has refused.
 * @param text
 *   Filled with one line of text without its end; longer ones are cut.
 * @param size
 *   Bytes of room, COMPLAINT_MAX or less.
 */
void complaint_describe(
		cmdline_parse_inst_t *const *commands, const char *line, char *text, size_t size);

#endif /* LINEPRESS_APP_COMPLAINT_H */
