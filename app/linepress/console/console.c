/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* rdline_new */
#define ALLOW_EXPERIMENTAL_API

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmdline_socket.h>
#include <rte_string_fns.h>

#include "commands.h"
#include "complaint.h"
#include "console.h"
#include "log.h"
#include "monitor.h"
#include "signals.h"

#define COMMANDS_MAX 128
#define READ_BYTES 256
#define PROMPT "linepress> "

static const struct command_section *const sections[] = {
	&commands_control,
	&commands_config,
	&commands_ports,
	&commands_display,
	&commands_press,
	&commands_rules,
	&commands_profile,
	&commands_log,
};

char console_sections[SECTIONS_MAX];

static struct app *commanded;
static cmdline_parse_ctx_t context[COMMANDS_MAX + 1]; /* ended by NULL */

struct app *
console_app(void)
{
	return commanded;
}

cmdline_parse_ctx_t *
console_commands(void)
{
	return context;
}

void
console_init(struct app *app)
{
	size_t n = 0;

	commanded = app;
	snprintf(console_sections, sizeof(console_sections), "all");
	for (size_t i = 0; i < RTE_DIM(sections); i++) {
		strlcat(console_sections, "#", sizeof(console_sections));
		strlcat(console_sections, sections[i]->name, sizeof(console_sections));
	}
	for (size_t i = 0; i < RTE_DIM(sections); i++)
		for (cmdline_parse_inst_t *const *c = sections[i]->commands; *c != NULL; c++)
			context[n++] = *c;
	RTE_VERIFY(n <= COMMANDS_MAX);
}

bool
console_help(const char *section)
{
	bool is_found = false;

	for (size_t i = 0; i < RTE_DIM(sections); i++) {
		if (strcmp(section, "all") != 0 && strcmp(section, sections[i]->name) != 0)
			continue;
		is_found = true;
		printf("\n%s (help %s):\n", sections[i]->title, sections[i]->name);
		for (cmdline_parse_inst_t *const *c = sections[i]->commands; *c != NULL; c++)
			printf("  %s\n", (*c)->help_str);
	}
	return is_found;
}

/* ---- one command ---- */

/* The words of librte_cmdline, which users of testpmd look for, and what is wrong. */
static void
complain(int parsed, const char *line, bool is_typed)
{
	char text[COMPLAINT_MAX];

	complaint_describe(context, line, text, sizeof(text));
	if (parsed == CMDLINE_PARSE_BAD_ARGS)
		app_error("%s arguments: %s", is_typed ? "Bad" : "bad", text);
	else if (parsed == CMDLINE_PARSE_NOMATCH)
		app_error("%s not found: %s", is_typed ? "Command" : "command", text);
	else
		app_error("%s command: %s", is_typed ? "Ambiguous" : "ambiguous", text);
}

static void
execute(struct cmdline *cl, const char *line, bool is_typed)
{
	const int parsed = cmdline_parse(cl, line);

	if (parsed < 0)
		complain(parsed, line, is_typed);
	fflush(stdout);
}

int
console_execute(const char *line)
{
	const unsigned int errors = app_error_count();
	struct cmdline *cl = cmdline_new(context, "", -1, STDOUT_FILENO);

	if (cl == NULL) {
		app_error("out of memory for the command line");
		return -ENOMEM;
	}
	execute(cl, line, false);
	cmdline_free(cl);
	return app_error_count() == errors ? 0 : -EINVAL;
}

/* ---- the prompt ---- */

/*
 * cmdline_in() answers a wrong line itself, and says no more than "Bad arguments". Hence keys are
 * given to its editor of lines, with an answer of ours.
 */

static void
take_line(struct rdline *keys, const char *line, unsigned int size __rte_unused)
{
	execute(rdline_get_opaque(keys), line, true);
}

static int
complete_word(struct rdline *keys, const char *line, char *choice, unsigned int size, int *state)
{
	return cmdline_complete(rdline_get_opaque(keys), line, state, choice, size);
}

/* A line that is repeated is remembered once. */
static void
remember(struct rdline *keys)
{
	const char *line = rdline_get_buffer(keys);
	const char *last = rdline_get_history_item(keys, 0);
	const size_t len = strcspn(line, "\n");

	if (len > 0 && (last == NULL || strlen(last) != len || strncmp(last, line, len) != 0))
		rdline_add_history(keys, line);
}

struct rdline *
console_keys(struct cmdline *cl)
{
	struct rdline *keys = rdline_new(cmdline_write_char, take_line, complete_word, cl);

	if (keys != NULL)
		rdline_newline(keys, PROMPT);
	return keys;
}

bool
console_press(struct rdline *keys, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count && !stop_requested(); i++) {
		switch (rdline_char_in(keys, bytes[i])) {
		case RDLINE_RES_VALIDATED:
			remember(keys);
			if (!stop_requested())
				rdline_newline(keys, PROMPT);
			break;
		case RDLINE_RES_EOF:
		case RDLINE_RES_EXITED:
			return false;
		default:
			break;
		}
	}
	return true;
}

/* Returns false at the end of the input. */
static bool
take_input(struct rdline *keys)
{
	char buf[READ_BYTES];
	const ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n > 0 && console_press(keys, buf, (size_t)n);
}

static void
interact(struct rdline *keys)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!stop_requested()) {
		if (poll(&input, 1, MONITOR_TICK_MS) > 0 && !take_input(keys))
			stop_request();
		fflush(stdout);
		monitor_tick(commanded);
	}
}

int
console_interact(void)
{
	const bool is_terminal = isatty(STDIN_FILENO);
	struct cmdline *cl = is_terminal ? cmdline_stdin_new(context, "")
					 : cmdline_new(context, "", STDIN_FILENO, STDOUT_FILENO);
	struct rdline *keys = cl == NULL ? NULL : console_keys(cl);

	if (keys != NULL)
		interact(keys);
	else
		app_error("cannot open the prompt");
	rdline_free(keys);
	if (is_terminal)
		cmdline_stdin_exit(cl);
	else
		cmdline_free(cl);
	printf("\n");
	return keys == NULL ? -ENOMEM : 0;
}
