/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Command files: what the console is given are whole lines, in turn. Options are taken from the
 * same bytes, each line an argument.
 */

#include <stdarg.h>
#include <string.h>

#include "command_file.h"
#include "console.h"
#include "fuzz.h"
#include "log.h"
#include "options.h"
#include "signals.h"

#define ARGUMENTS_MAX 32

static unsigned int complaints, lines;
int lp_app_log;
atomic_bool lp_app_stop;

void
app_error(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	FUZZ_CHECK(vsnprintf(text, sizeof(text), fmt, ap) > 0);
	va_end(ap);
	complaints++;
}

unsigned int
app_error_count(void)
{
	return complaints;
}

const struct app_error_place *
app_error_set_place(const struct app_error_place *place)
{
	static const struct app_error_place *now;
	const struct app_error_place *before = now;

	now = place;
	return before;
}

int
console_execute(const char *line)
{
	const size_t len = strlen(line);

	FUZZ_CHECK(len > 0 && len < CONSOLE_LINE_MAX && line[len - 1] == '\n');
	FUZZ_CHECK(memchr(line, '\n', len - 1) == NULL);
	lines++;
	return line[0] == '!' ? -1 : 0;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_eal_start();
	/* Lines are printed before they are executed. */
	FUZZ_CHECK(freopen("/dev/null", "w", stdout) != NULL);
	return 0;
}

static void
parse_options(const uint8_t *data, size_t size)
{
	static char text[4096];
	char name[] = "linepress", *argv[ARGUMENTS_MAX + 2] = { name };
	struct options opts;
	char *rest = text, *line;
	int argc = 1;

	if (size >= sizeof(text))
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	while (argc <= ARGUMENTS_MAX && (line = strsep(&rest, "\n")) != NULL)
		argv[argc++] = line;
	argv[argc] = NULL;
	options_misplaced(argc, argv);
	const unsigned int before = complaints;

	FUZZ_CHECK((options_parse(argc, argv, &opts) < 0) == (complaints == before + 1));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned int before = complaints;
	const int ret = command_file_run(fuzz_file(data, size));

	/* Refused by the console, or with a message. */
	FUZZ_CHECK(ret == 0 || ret < 0);
	FUZZ_CHECK(ret == 0 ? complaints == before : lines > 0 || complaints > before);
	parse_options(data, size);
	return 0;
}
