/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What is logged and printed beside. */

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_log.h>

#include "commands.h"
#include "log.h"
#include "numbers.h"
#include "verbose.h"

#define TYPE_NAME_MAX 128

/*
 * Does a log type match? EAL takes any expression without a word, and tells its types only by
 * rte_log_dump(), in lines such as "id 5: lib.eal, level is info".
 */
static bool
matches_log_type(const regex_t *expression)
{
	char *text = NULL, name[TYPE_NAME_MAX];
	bool is_found = false;
	size_t size;
	FILE *dump = open_memstream(&text, &size);

	if (dump == NULL)
		return false;
	rte_log_dump(dump);
	fclose(dump);
	for (const char *line = text; line != NULL && !is_found; line = strchr(line + 1, '\n'))
		if (sscanf(line, " id %*u: %127[^,],", name) == 1)
			is_found = regexec(expression, name, 0, NULL, 0) == 0;
	free(text);
	return is_found;
}

static void
set_log(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	const char *type = words->w[2];
	regex_t expression;
	uint32_t level;

	if (!number_parse(words->w[3], 1, RTE_LOG_MAX, &level)) {
		app_error("set log %s %s: the level must be 1 (emergency) to %u (debug)", type,
				words->w[3], RTE_LOG_MAX);
		return;
	}
	if (strcmp(type, "global") == 0) {
		rte_log_set_global_level(level);
		return;
	}
	if (regcomp(&expression, type, REG_NOSUB) != 0) {
		app_error("set log %s: not a regular expression", type);
		return;
	}
	if (!matches_log_type(&expression))
		app_error("set log %s: no type of log has such a name; global sets the limit of all, lp.app and pmd.net.pcap are types",
				type);
	else
		rte_log_set_level_regexp(type, level);
	regfree(&expression);
}

static void
set_verbose(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct app *app = console_app();
	struct options opts = app->opts;
	const uint32_t before = opts.verbose;

	if (!number_parse(words->w[2], VERBOSE_NOTHING, VERBOSE_BOTH, &opts.verbose))
		app_error("set verbose %s: must be 0 (nothing), 1 (frames received), 2 (frames sent) or 3 (both)",
				words->w[2]);
	else if (command_adopt(&opts))
		printf("Change verbose level from %u to %u\n", before, opts.verbose);
}

COMMAND(cmd_set_verbose, set_verbose,
		"set verbose N: print frames received (1), sent (2) or both (3), at most 1000 a second of each queue and at most as fast as the terminal takes them",
		WORD(0, "set"), WORD(1, "verbose"), ANY(2));
COMMAND(cmd_set_log, set_log,
		"set log global|TYPE N: log up to level N, 1 to 8, in all or in the types that the regular expression TYPE matches",
		WORD(0, "set"), WORD(1, "log"), ANY(2), ANY(3));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_set_log,
	&cmd_set_verbose,
	NULL,
};

const struct command_section commands_log = { "log", "Logging", commands };
