/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_CONSOLE_H
#define LINEPRESS_APP_CONSOLE_H

/**
 * @file
 * Prompt commands, through librte_cmdline, with testpmd's names and layouts.
 */

#include "app.h"

/** Longest line of a command, in bytes with its end. */
#define CONSOLE_LINE_MAX 4096

struct cmdline;
struct rdline;

/** Tell the console which program it commands. Before all others. */
void console_init(struct app *app);

/**
 * Execute one command.
 *
 * @param line
 *   The command, ended by a newline; a comment or an empty line does nothing.
 * @return
 *   0, or a negative errno after a message on stderr.
 */
int console_execute(const char *line);

/** All commands, for a struct cmdline; ended by NULL. */
struct cmdline_inst **console_commands(void);

/** A prompt for the keys of a user, which is shown; NULL if out of memory. For console_press(). */
struct rdline *console_keys(struct cmdline *cl);

/**
 * Take keys as they are pressed at the prompt, and execute the lines that they end.
 *
 * @return
 *   False at the end of the input.
 */
bool console_press(struct rdline *keys, const char *bytes, size_t count);

/**
 * Read commands from standard input, a terminal or not, until its end, `quit` or a stop signal.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int console_interact(void);

#endif /* LINEPRESS_APP_CONSOLE_H */
