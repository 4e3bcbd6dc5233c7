/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What is forwarded, and whether codebooks fit it. */

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "log.h"
#include "numbers.h"
#include "report_profile.h"

#define SAMPLE_EVERY_MAX 1000000
#define DRIFT_PERCENT_MAX 50

static void
set_profile(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	uint32_t every;

	if (strncmp(words->w[4], "1/", 2) != 0 ||
			!number_parse(words->w[4] + 2, 1, SAMPLE_EVERY_MAX, &every))
		app_error("set profile on rate %s: must be 1/N with N of 1 to %u", words->w[4],
				SAMPLE_EVERY_MAX);
	else if (profiling_set(console_app(), every) == 0)
		printf("One in %u regions is profiled, up to %u a second\n", every,
				PROFILING_REGIONS_S);
}

static void
set_profile_off(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	if (profiling_set(console_app(), 0) == 0)
		printf("Nothing is profiled any more\n");
}

static void
set_drift(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	uint32_t percent;

	if (!number_parse(words->w[3], 1, DRIFT_PERCENT_MAX, &percent)) {
		app_error("set drift threshold %s: must be 1 to %u percent", words->w[3],
				DRIFT_PERCENT_MAX);
		return;
	}
	profiling_set_threshold(console_app(), percent);
	printf("Drift alarms are raised when more than %u %% could be saved\n", percent);
}

static void
show_profile(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	report_profile(console_app());
}

static void
show_drift(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	report_drift(console_app());
}

static void
save_profile(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	struct words *words = parsed;
	const char *path = command_trim(words->rest);

	if (profiling_save(console_app(), path) == 0)
		printf("Profile saved to %s\n", path);
}

/* A last word that is a type is one. */
static void
suggest_codebook(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	struct words *words = parsed;
	char *path = command_trim(words->rest);
	char *last = strrchr(path, ' ');
	const int type = last == NULL ? -1 : lp_type_from_name(last + 1);

	if (last != NULL && type < 0) {
		app_error("suggest codebook %s: '%s' must be bf16, fp16, fp32, e4m3, e5m2, int8 or bytes",
				path, last + 1);
		return;
	}
	if (last != NULL) {
		*last = '\0';
		command_trim(path);
	}
	profiling_suggest(console_app(), path, type);
}

COMMAND(cmd_set_profile, set_profile,
		"set profile on rate 1/N: profile one in N regions, from now on", WORD(0, "set"),
		WORD(1, "profile"), WORD(2, "on"), WORD(3, "rate"), ANY(4));
COMMAND(cmd_set_profile_off, set_profile_off,
		"set profile off: profile no more, and keep what was counted", WORD(0, "set"),
		WORD(1, "profile"), WORD(2, "off"));
COMMAND(cmd_set_drift, set_drift,
		"set drift threshold P: raise an alarm when other codebooks would save over P percent more, 1 to 50 (5)",
		WORD(0, "set"), WORD(1, "drift"), WORD(2, "threshold"), ANY(3));
COMMAND(cmd_show_profile, show_profile, "show profile: what was profiled, by type", WORD(0, "show"),
		WORD(1, "profile"));
COMMAND(cmd_show_drift, show_drift, "show drift: how well codebooks fit, and alarms",
		WORD(0, "show"), WORD(1, "drift"));
COMMAND(cmd_save_profile, save_profile,
		"save profile FILE: write it for linepress-codebook compare, merge and build",
		WORD(0, "save"), WORD(1, "profile"), REST());
COMMAND(cmd_suggest_codebook, suggest_codebook,
		"suggest codebook FILE [TYPE]: write one for what does not fit or, without alarm, for all of a type; it is not installed",
		WORD(0, "suggest"), WORD(1, "codebook"), REST());

static cmdline_parse_inst_t *const commands[] = {
	&cmd_set_profile,
	&cmd_set_profile_off,
	&cmd_set_drift,
	&cmd_show_profile,
	&cmd_show_drift,
	&cmd_save_profile,
	&cmd_suggest_codebook,
	NULL,
};

const struct command_section commands_profile = { "profile",
	"Profiles of what is forwarded, and drift", commands };
