/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What the presses have done, how long it took, and with which codebooks. */

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "log.h"
#include "numbers.h"
#include "report.h"
#include "report_codebook.h"
#include "report_cpu.h"
#include "report_peer.h"

/* Statistics since they were cleared; NULL, after a word, before the first start. */
static const struct fwd_stats *
stats_of_run(void)
{
	const struct fwd_stats *stats = app_stats_since_clear(console_app());

	if (stats == NULL)
		printf("Packet forwarding not started\n");
	return stats;
}

/* ---- what was counted ---- */

static void
show_press(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct app *app = console_app();
	const struct fwd_stats *stats = stats_of_run();

	if (stats == NULL)
		return;
	if (stats->press[LP_DIR_COMPRESS].rx_pkts + stats->press[LP_DIR_RESTORE].rx_pkts == 0)
		printf("No frames were compressed or restored\n");
	else
		report_press(app->books, stats);
}

static void
show_latency(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct fwd_stats *stats = stats_of_run();

	if (stats != NULL)
		report_latency(stats);
}

static void
show_cpu(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	struct app *app = console_app();

	if (stats_of_run() != NULL)
		report_cpu(&app->map, app_stats(app), app->started_s);
}

static void
clear_press(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	app_stats_clear(console_app(), STATS_PRESS);
}

static void
clear_latency(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	app_stats_clear(console_app(), STATS_LATENCY);
}

static void
show_peer(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct app *app = console_app();

	report_peers(app->peers, app->is_forwarding);
}

/* ---- codebooks ---- */

/* Number of the book that a user means by its number or name; 0, after a word, if there is none. */
static uint8_t
find_book(const struct lp_bookset *books, const char *text)
{
	uint32_t id;

	if (number_parse(text, 1, LP_BOOK_IDS - 1, &id) && books->book[id] != NULL)
		return (uint8_t)id;
	for (uint16_t i = 0; i < books->count; i++) {
		struct lp_codebook_info info;

		lp_codebook_describe(books->book[books->id[i]], &info);
		if (strcmp(info.name, text) == 0)
			return books->id[i];
	}
	app_error("show codebook %s: there is no such codebook, `show codebook all` lists them",
			text);
	return 0;
}

static void
show_codebook(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct app *app = console_app();
	const struct lp_bookset *books = app->books;
	uint8_t id;

	if (books == NULL)
		app_error("show codebook %s: none is loaded, mode io needs none", words->w[2]);
	else if (strcmp(words->w[2], "all") == 0)
		report_codebooks(books, &app->rotation.installed, app_stats_since_clear(app));
	else if ((id = find_book(books, words->w[2])) != 0)
		report_codebook(books, id, app_stats_since_clear(app));
}

/* ---- what is recorded ---- */

static void
set_core_cycles(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;

	console_app()->opts.record_core_cycles = strcmp(words->w[2], "on") == 0;
}

static void
set_burst_stats(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct app *app = console_app();

	app->opts.record_burst_stats = strcmp(words->w[2], "on") == 0;
	if (app->is_forwarding)
		printf("Configuration changes only become active when forwarding is started/restarted\n");
}

COMMAND(cmd_show_press, show_press,
		"show press stats: what was compressed and restored, by reason, type and codebook",
		WORD(0, "show"), WORD(1, "press"), WORD(2, "stats"));
COMMAND(cmd_clear_press, clear_press, "clear press stats: count it from now on", WORD(0, "clear"),
		WORD(1, "press"), WORD(2, "stats"));
COMMAND(cmd_show_latency, show_latency,
		"show latency: how long frames stay, from receive to transmit", WORD(0, "show"),
		WORD(1, "latency"));
COMMAND(cmd_clear_latency, clear_latency, "clear latency: measure it from now on", WORD(0, "clear"),
		WORD(1, "latency"));
COMMAND(cmd_show_cpu, show_cpu, "show cpu: how busy the lcores are, and cycles a packet",
		WORD(0, "show"), WORD(1, "cpu"));
COMMAND(cmd_show_peer, show_peer,
		"show peer: what the far box has said, and whether frames are coded",
		WORD(0, "show"), WORD(1, "peer"));
COMMAND(cmd_show_codebook, show_codebook,
		"show codebook all|NAME|ID: what codebooks are, and what they have coded",
		WORD(0, "show"), WORD(1, "codebook"), ANY(2));
COMMAND(cmd_set_core_cycles, set_core_cycles,
		"set record-core-cycles on|off: print CPU cycles a packet with the statistics",
		WORD(0, "set"), WORD(1, "record-core-cycles"), WORD(2, "on#off"));
COMMAND(cmd_set_burst_stats, set_burst_stats,
		"set record-burst-stats on|off: count received bursts by size", WORD(0, "set"),
		WORD(1, "record-burst-stats"), WORD(2, "on#off"));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_show_press,
	&cmd_clear_press,
	&cmd_show_latency,
	&cmd_clear_latency,
	&cmd_show_cpu,
	&cmd_show_peer,
	&cmd_show_codebook,
	&cmd_set_core_cycles,
	&cmd_set_burst_stats,
	NULL,
};

const struct command_section commands_press = { "press", "Presses", commands };
