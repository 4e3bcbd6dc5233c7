/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_COMMANDS_H
#define LINEPRESS_APP_COMMANDS_H

/**
 * @file
 * What the files of commands share.
 *
 * A command that cannot do what it was told says so with app_error(), which makes it count as
 * failed: a command file stops there. Values are read as words, so that a wrong one can be named
 * together with what is allowed.
 */

#include <stddef.h>

#include <rte_common.h>

#include <cmdline.h>
#include <cmdline_parse.h>
#include <cmdline_parse_string.h>

#include "app.h"
#include "console.h"

/** Words of the longest command. */
#define COMMAND_WORDS 8

/** A command, parsed. */
struct words {
	cmdline_fixed_string_t w[COMMAND_WORDS];
	cmdline_multi_string_t rest; /**< from the word declared as REST() to the end of the line */
};

/** Word number `i` is one of `choices`, separated by '#'. */
#define WORD(i, choices)                                                  \
	((void *)&(cmdline_parse_token_string_t)TOKEN_STRING_INITIALIZER( \
			struct words, w[i], choices))

/** Word number `i` is anything. */
#define ANY(i) WORD(i, NULL)

/** All that follows, such as the path of a file. */
#define REST()                                                            \
	((void *)&(cmdline_parse_token_string_t)TOKEN_STRING_INITIALIZER( \
			struct words, rest, TOKEN_STRING_MULTI))

/** Define a command; `fn` gets its `struct words`. */
#define COMMAND(name, fn, help, ...)                                                     \
	static cmdline_parse_inst_t name = {                                             \
		.f = fn, .data = NULL, .help_str = help, .tokens = { __VA_ARGS__, NULL } \
	}

/** Commands under one heading of `help`. */
struct command_section {
	const char *name;
	const char *title;
	cmdline_parse_inst_t *const *commands; /**< ended by NULL */
};

/** Start, stop, quit, load, help. */
extern const struct command_section commands_control;
/** What forwarding does from its next start on. */
extern const struct command_section commands_config;

/** Ports: start, stop, configure. */
extern const struct command_section commands_ports;
/** Show and clear what ports and forwarding have counted, and show how they are configured. */
extern const struct command_section commands_display;
/** Presses: what they have done, how long it took, and with which codebooks. */
extern const struct command_section commands_press;
/** Rules, and other things that change while lcores forward. */
extern const struct command_section commands_rules;
/** Profiles of what is forwarded, and whether codebooks fit it. */
extern const struct command_section commands_profile;
/** How much is logged. */
extern const struct command_section commands_log;

/** Bytes of the names of all sections. */
#define SECTIONS_MAX 128

/** Names of all sections as the choices of a word, "all" included. */
extern char console_sections[SECTIONS_MAX];

/** The program that is commanded. */
struct app *console_app(void);

/**
 * Change options for the next start of forwarding, and say so if lcores forward now: as in
 * testpmd, they are not disturbed.
 *
 * @return
 *   True if they were accepted.
 */
bool command_adopt(const struct options *opts);

/** Cut spaces off the end of what REST() has read, as they stand before a comment. Returns it. */
char *command_trim(char *text);

/** Execute `load codebook FILE id N`, of which `text` is what follows `load `; false if it is not.
 */
bool command_load_codebook(const char *text);

/** Print the commands of a section, or of all if it is "all"; false if there is no such section. */
bool console_help(const char *section);

#endif /* LINEPRESS_APP_COMMANDS_H */
