/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <string.h>

#include "command_file.h"
#include "commands.h"
#include "log.h"
#include "signals.h"

static void
do_start(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	app_forward_start(console_app());
}

static void
refuse_tx_first(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	app_error("start tx_first: refused, linepress sends no frames of its own");
}

static void
do_stop(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	if (!console_app()->is_forwarding)
		printf("Packet forwarding not started\n");
	else if (app_forward_stop(console_app()) < 0)
		app_error("the totals do not add up or were not written, see above");
}

static void
do_quit(void *parsed __rte_unused, struct cmdline *cl, void *data __rte_unused)
{
	stop_request();
	cmdline_quit(cl);
}

char *
command_trim(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && strchr(" \t", text[len - 1]) != NULL)
		text[--len] = '\0';
	return text;
}

static void
do_load(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	struct words *words = parsed;
	const char *path = command_trim(words->rest);

	if (!command_load_codebook(path))
		command_file_run(path);
}

static void
do_help(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	const char *section = words->w[1][0] == '\0' ? "all" : words->w[1];

	console_help(section);
}

COMMAND(cmd_start, do_start, "start: start packet forwarding", WORD(0, "start"));
COMMAND(cmd_start_tx_first, refuse_tx_first,
		"start tx_first: refused, no frames of our own are sent", WORD(0, "start"),
		WORD(1, "tx_first"));
COMMAND(cmd_stop, do_stop, "stop: stop packet forwarding and print the statistics",
		WORD(0, "stop"));
COMMAND(cmd_quit, do_quit, "quit: stop forwarding and end the program", WORD(0, "quit"));
COMMAND(cmd_load, do_load,
		"load FILE: execute the commands of a file; load codebook FILE id N: install one more codebook",
		WORD(0, "load"), REST());
COMMAND(cmd_help, do_help, "help: list all commands and their sections", WORD(0, "help"));
COMMAND(cmd_help_section, do_help, "help SECTION: list the commands of a section", WORD(0, "help"),
		WORD(1, console_sections));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_start,
	&cmd_start_tx_first,
	&cmd_stop,
	&cmd_quit,
	&cmd_load,
	&cmd_help,
	&cmd_help_section,
	NULL,
};

const struct command_section commands_control = { "control", "Control", commands };
