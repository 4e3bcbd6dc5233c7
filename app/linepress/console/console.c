/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmdline_socket.h>
#include <rte_string_fns.h>

#include "commands.h"
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

/* ---- commands of a file ---- */

static void
complain(int parsed, const char *line)
{
	const int len = (int)strcspn(line, "\n");

	switch (parsed) {
	case CMDLINE_PARSE_AMBIGUOUS:
		app_error("ambiguous command: %.*s", len, line);
		break;
	case CMDLINE_PARSE_BAD_ARGS:
		app_error("bad arguments: %.*s (see `help all`)", len, line);
		break;
	default:
		app_error("command not found: %.*s (see `help all`)", len, line);
		break;
	}
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
	const int parsed = cmdline_parse(cl, line);

	if (parsed < 0)
		complain(parsed, line);
	cmdline_free(cl);
	fflush(stdout);
	return app_error_count() == errors ? 0 : -EINVAL;
}

/* ---- the prompt ---- */

/* Returns false at the end of the input. */
static bool
take_input(struct cmdline *cl)
{
	char buf[READ_BYTES];
	const ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n > 0 && cmdline_in(cl, buf, (int)n) >= 0;
}

int
console_interact(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	struct cmdline *cl = isatty(STDIN_FILENO)
			? cmdline_stdin_new(context, PROMPT)
			: cmdline_new(context, PROMPT, STDIN_FILENO, STDOUT_FILENO);

	if (cl == NULL) {
		app_error("cannot open the prompt");
		return -ENOMEM;
	}
	while (!stop_requested()) {
		if (poll(&input, 1, MONITOR_TICK_MS) > 0 && !take_input(cl))
			stop_request();
		fflush(stdout);
		monitor_tick(commanded);
	}
	if (isatty(STDIN_FILENO))
		cmdline_stdin_exit(cl);
	else
		cmdline_free(cl);
	printf("\n");
	return 0;
}
