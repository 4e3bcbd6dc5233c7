/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"

static const char usage[] =
		"Usage: linepress-perf codec [options] [FILE...]\n"
		"       linepress-perf datapath [options] [CAPTURE]\n"
		"       linepress-perf line [options] [CAPTURE]\n"
		"\n"
		"codec     how fast and how tight our codecs and others code packets of tensors\n"
		"datapath  how fast frames are classified, compressed and restored, by stage\n"
		"line      how fast linepress forwards them, and how many lcores a link needs\n"
		"\n"
		"'linepress-perf COMMAND --help' tells the options.\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "codec", codec_command },
	{ "datapath", datapath_command },
	{ "line", line_command },
};

/* What was printed counts only if it got out. */
static int
finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	complain("standard output: %s", strerror(errno));
	return EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage, stdout);
		return finish(EXIT_SUCCESS);
	}
	if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
		puts("linepress-perf " LP_VERSION);
		return finish(EXIT_SUCCESS);
	}
	for (size_t k = 0; argc >= 2 && k < sizeof(commands) / sizeof(commands[0]); k++)
		if (strcmp(argv[1], commands[k].name) == 0)
			return finish(commands[k].run(argc - 1, argv + 1));
	if (argc < 2)
		complain("a command is missing, allowed are codec, datapath and line");
	else
		complain("\"%s\" is unknown, allowed are codec, datapath and line", argv[1]);
	fputs("Try 'linepress-perf --help'.\n", stderr);
	return EXIT_FAILURE;
}
