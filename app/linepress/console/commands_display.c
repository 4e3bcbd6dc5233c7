/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What ports and forwarding have counted, and how they are configured. */

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "log.h"
#include "report.h"
#include "report_port.h"

/* ---- ports ---- */

static void
show_port(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	static const struct {
		const char *name;
		void (*report)(const struct port *port);
	} reports[] = {
		{ "info", report_port_info },
		{ "stats", report_port_stats },
		{ "xstats", report_port_xstats },
	};
	const struct words *words = parsed;
	struct app *app = console_app();
	struct port_set set;
	char what[STR_TOKEN_SIZE + 16];

	snprintf(what, sizeof(what), "show port %s ", words->w[2]);
	if (ports_select(what, words->w[3], &app->ports, &set) < 0)
		return;
	if (strcmp(words->w[2], "summary") == 0)
		report_port_summary(&app->ports, &set);
	for (size_t i = 0; i < RTE_DIM(reports); i++)
		for (uint16_t k = 0; strcmp(words->w[2], reports[i].name) == 0 && k < set.count;
				k++)
			reports[i].report(set.port[k]);
}

static void
show_port_rss(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct port_set set;

	if (ports_select("show port rss-hash ", words->w[2], &console_app()->ports, &set) < 0)
		return;
	for (uint16_t i = 0; i < set.count; i++)
		report_port_rss(set.port[i]);
}

static void
clear_port(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	const bool is_extended = strcmp(words->w[2], "xstats") == 0;
	struct port_set set;

	if (ports_select(is_extended ? "clear port xstats " : "clear port stats ", words->w[3],
			    &console_app()->ports, &set) < 0)
		return;
	for (uint16_t i = 0; i < set.count; i++) {
		if (is_extended)
			report_port_xstats_clear(set.port[i]);
		else
			report_port_stats_clear(set.port[i]);
	}
}

/* ---- forwarding ---- */

static void
show_fwd_stats(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	struct app *app = console_app();
	const struct fwd_stats *stats = app_stats_since_clear(app);

	if (stats == NULL) {
		printf("Packet forwarding not started\n");
		return;
	}
	report_forward(&app->ports, &app->map, stats);
	if (app->opts.record_core_cycles)
		report_cycles(app->map.mode, stats);
	if (app->books != NULL)
		report_press(app->books, stats);
}

static void
clear_fwd_stats(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	for (int part = 0; part < STATS_PART_COUNT; part++)
		app_stats_clear(console_app(), (enum stats_part)part);
}

static void
show_config(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct app *app = console_app();
	struct stream_map plan;

	if (strcmp(words->w[2], "press") == 0) {
		report_pressing(&app->opts, app->books, app->rules);
		return;
	}
	if (app_plan(app, &plan) == 0) {
		if (strcmp(words->w[2], "rxtx") == 0)
			report_rxtx(&app->opts, &app->ports, &plan);
		else if (strcmp(words->w[2], "cores") == 0)
			report_forwarding_lcores(&plan);
		else
			report_streams(&app->ports, &plan);
	}
	streams_free(&plan);
}

COMMAND(cmd_show_port, show_port,
		"show port info|summary|stats|xstats P|all: what a port is, what it has counted",
		WORD(0, "show"), WORD(1, "port"), WORD(2, "info#summary#stats#xstats"), ANY(3));
COMMAND(cmd_show_port_rss, show_port_rss,
		"show port P rss-hash: fields that spread frames over the queues of a port",
		WORD(0, "show"), WORD(1, "port"), ANY(2), WORD(3, "rss-hash"));
COMMAND(cmd_clear_port, clear_port,
		"clear port stats|xstats P|all: count what `show port` shows from now on",
		WORD(0, "clear"), WORD(1, "port"), WORD(2, "stats#xstats"), ANY(3));
COMMAND(cmd_show_fwd_stats, show_fwd_stats,
		"show fwd stats all: what has been forwarded, as `stop` prints it", WORD(0, "show"),
		WORD(1, "fwd"), WORD(2, "stats"), WORD(3, "all"));
COMMAND(cmd_clear_fwd_stats, clear_fwd_stats,
		"clear fwd stats all: count what `show fwd stats all` and `stop` print from now on",
		WORD(0, "clear"), WORD(1, "fwd"), WORD(2, "stats"), WORD(3, "all"));
COMMAND(cmd_show_config, show_config,
		"show config rxtx|cores|fwd|press: queues, lcores and streams of the next start; what frames are pressed by, and whether that is verified",
		WORD(0, "show"), WORD(1, "config"), WORD(2, "rxtx#cores#fwd#press"));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_show_port,
	&cmd_show_port_rss,
	&cmd_clear_port,
	&cmd_show_fwd_stats,
	&cmd_clear_fwd_stats,
	&cmd_show_config,
	NULL,
};

const struct command_section commands_display = { "display", "Display", commands };
