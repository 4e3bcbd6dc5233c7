/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What frames are pressed by, changed while they are forwarded. */

#include <stdio.h>
#include <string.h>

#include "app_books.h"
#include "app_policy.h"
#include "commands.h"
#include "links.h"
#include "log.h"
#include "numbers.h"
#include "report_rules.h"

#define CHECK_EVERY_MAX 1000000

static void
set_rules(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	struct words *words = parsed;
	const char *path = command_trim(words->rest);
	const bool is_none = strcmp(path, "none") == 0;
	struct app *app = console_app();

	if (app_rules_set(app, is_none ? NULL : path) < 0)
		return;
	if (is_none)
		printf("No rules: all eligible frames are coded\n");
	else
		printf("Rules loaded from %s: %u\n", path, lp_rules_count(app->rules));
}

static void
show_rules(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct app *app = console_app();

	report_rules(app->rules, &app->map);
}

static void
set_verify(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	uint32_t every;

	if (strcmp(words->w[2], "off") == 0) {
		every = 0;
	} else if (strcmp(words->w[2], "on") == 0) {
		every = 1;
	} else if (strncmp(words->w[2], "1/", 2) != 0 ||
			!number_parse(words->w[2] + 2, 1, CHECK_EVERY_MAX, &every)) {
		app_error("set verify %s: must be on, off, or 1/N with N of 1 to %u", words->w[2],
				CHECK_EVERY_MAX);
		return;
	}
	if (app_set_checks(console_app(), every) < 0)
		return;
	if (every > 1)
		printf("One in %u coded frames is checked before it is sent\n", every);
	else
		printf("Coded frames are %s before they are sent\n",
				every == 1 ? "checked" : "not checked");
}

bool
command_load_codebook(const char *text)
{
	static const char head[] = "codebook ";
	char path[CONSOLE_LINE_MAX];
	uint32_t id;

	if (strncmp(text, head, sizeof(head) - 1) != 0)
		return false;
	const char *after = text + sizeof(head) - 1;

	snprintf(path, sizeof(path), "%s", after + strspn(after, " "));
	char *number = strrchr(path, ' ');

	if (number != NULL) {
		*number++ = '\0';
		command_trim(path);
	}
	char *word = strrchr(path, ' ');

	if (number == NULL || word == NULL || strcmp(word, " id") != 0) {
		app_error("load %s: must be load codebook FILE id N", text);
	} else if (!number_parse(number, 1, LP_BOOK_IDS - 1, &id)) {
		app_error("load %s: id must be 1 to %u", text, LP_BOOK_IDS - 1);
	} else {
		*word = '\0';
		app_book_add(console_app(), command_trim(path), id);
	}
	return true;
}

static void
retire_codebook(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	uint32_t id;

	if (number_parse(words->w[2], 1, LP_BOOK_IDS - 1, &id))
		app_book_retire(console_app(), id);
	else
		app_error("retire codebook %s: must be 1 to %u", words->w[2], LP_BOOK_IDS - 1);
}

COMMAND(cmd_set_rules, set_rules,
		"set rules FILE|none: code by the rules of a file, or all eligible frames",
		WORD(0, "set"), WORD(1, "rules"), REST());
COMMAND(cmd_show_rules, show_rules, "show rules: the rules, and what they have matched",
		WORD(0, "show"), WORD(1, "rules"));
COMMAND(cmd_set_verify, set_verify,
		"set verify on|off|1/N: decode what was coded, all or one in N, and compare it before it is sent",
		WORD(0, "set"), WORD(1, "verify"), ANY(2));

static void
set_link_propagation(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct app *app = console_app();

	app->opts.no_link_propagation = strcmp(words->w[2], "off") == 0;
	if (app->opts.no_link_propagation)
		links_release(app);
	printf("Links of hosts %s those of lines\n",
			app->opts.no_link_propagation ? "do not follow" : "follow");
}

COMMAND(cmd_set_link_propagation, set_link_propagation,
		"set link-propagation on|off: let links of hosts go down and up with those of lines",
		WORD(0, "set"), WORD(1, "link-propagation"), WORD(2, "on#off"));
COMMAND(cmd_retire_codebook, retire_codebook,
		"retire codebook N: code no more with it, restore with it for a while, then forget it",
		WORD(0, "retire"), WORD(1, "codebook"), ANY(2));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_set_rules,
	&cmd_show_rules,
	&cmd_set_verify,
	&cmd_retire_codebook,
	&cmd_set_link_propagation,
	NULL,
};

const struct command_section commands_rules = { "rules",
	"Rules, checks and codebooks, also while forwarding", commands };
