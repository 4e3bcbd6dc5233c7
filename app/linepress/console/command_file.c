/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command_file.h"
#include "console.h"
#include "log.h"
#include "signals.h"

#define DEPTH_MAX 8
#define LINE_BYTES_MAX (CONSOLE_LINE_MAX - 2) /* without its end */

static unsigned int depth;

static bool
says_nothing(const char *line)
{
	line += strspn(line, " \t\r\n");
	return *line == '\0' || *line == '#';
}

/*
 * Read a line, which gets a newline if it has none at the end of the file. Returns 1, 0 at the
 * end, or a negative errno after a message.
 */
static int
read_line(FILE *file, char *line)
{
	size_t len = 0;
	int c;

	while ((c = getc(file)) != EOF && c != '\n') {
		if (c == '\0') {
			app_error("a byte of value 0 in the line");
			return -EINVAL;
		}
		if (len == LINE_BYTES_MAX) {
			app_error("line longer than %d bytes", LINE_BYTES_MAX);
			return -EINVAL;
		}
		line[len++] = (char)c;
	}
	if (ferror(file)) {
		app_error("cannot read: %s", strerror(errno));
		return -EIO;
	}
	if (c == EOF && len == 0)
		return 0;
	/* for the console's library it ends a command, and what follows would be ignored */
	if (memchr(line, '\r', len > 0 ? len - 1 : 0) != NULL) {
		app_error("a carriage return before the end of the line");
		return -EINVAL;
	}
	memcpy(line + len, "\n", 2);
	return 1;
}

static int
run(FILE *file, const char *path)
{
	char line[CONSOLE_LINE_MAX];
	int ret;

	for (unsigned int number = 1; !stop_requested(); number++) {
		const struct app_error_place place = { path, number };
		const struct app_error_place *outer = app_error_set_place(&place);

		ret = read_line(file, line);
		if (ret > 0 && !says_nothing(line)) {
			printf("%s:%u: %s", path, number, line);
			fflush(stdout);
			ret = console_execute(line) < 0 ? -EINVAL : 1;
		}
		app_error_set_place(outer);
		if (ret <= 0)
			return ret;
	}
	return 0;
}

int
command_file_run(const char *path)
{
	if (depth == DEPTH_MAX) {
		app_error("%s: files load each other more than %u deep", path, DEPTH_MAX);
		return -ELOOP;
	}
	FILE *file = fopen(path, "re");

	if (file == NULL) {
		const int err = errno;

		app_error("%s: %s", path, strerror(err));
		return -err;
	}
	depth++;
	const int ret = run(file, path);

	depth--;
	fclose(file);
	return ret;
}
