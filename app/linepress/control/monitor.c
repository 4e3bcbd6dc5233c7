/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <string.h>

#include "app_books.h"
#include "app_policy.h"
#include "counter.h"
#include "links.h"
#include "log.h"
#include "monitor.h"
#include "report.h"
#include "report_port.h"
#include "signals.h"
#include "verbose.h"

#define LOOK_PERIOD_S 1.0

/** What the monitor remembers between its ticks. */
static struct {
	double looked_s;
	double printed_s;
	bool has_warned;
	uint64_t miscoded;	   /* frames already told of */
	struct stats_base printed; /* what the devices had counted */
} state;

/* A wrong key or codebook makes a dead link of a running box: say so while it runs. */
static void
warn_of_strangers(const struct stream_map *map)
{
	uint64_t strangers = 0;

	for (uint32_t i = 0; i < map->nb_streams; i++) {
		const struct stream *stream = map->stream[i];
		const struct lp_press *press;

		for (uint32_t k = 0; (press = stream_press(stream, k)) != NULL; k++) {
			const struct lp_press_stats *stats = lp_press_stats(press, LP_DIR_RESTORE);

			strangers += counter_read(&stats->passed[LP_PASS_BAD_TAG]) +
					counter_read(&stats->passed[LP_PASS_UNKNOWN_BOOK]);
		}
	}
	if (strangers == 0)
		return;
	LOG(WARNING, "frames arrive that look coded, but not with our key and codebooks, and are forwarded as they are: are --key-file and --codebooks the same on both boxes?");
	state.has_warned = true;
}

/* A fault of kernel, memory or processor, found by `set verify on`. */
static void
look_for_miscoded(struct app *app)
{
	uint64_t miscoded = 0;

	for (uint32_t i = 0; i < app->map.nb_streams; i++) {
		const struct stream *stream = app->map.stream[i];
		const struct lp_press *press;

		for (uint32_t k = 0; (press = stream_press(stream, k)) != NULL; k++)
			miscoded += counter_read(&lp_press_stats(press, LP_DIR_COMPRESS)
								  ->passed[LP_PASS_MISCODED]);
	}
	if (miscoded > state.miscoded) {
		LOG(ERR,
				"%" PRIu64
				" frames would not have been restored and were sent as they are: the fault is in a kernel, memory or the processor",
				miscoded);
		app_kernel_disable(app);
	}
	state.miscoded = miscoded;
}

static void
look_after(struct app *app)
{
	app_books_expire(app);
	if (!state.has_warned)
		warn_of_strangers(&app->map);
	look_for_miscoded(app);
}

static void
print_progress(struct app *app, double now_s)
{
	const double since_s = RTE_MAX(state.printed_s, app->started_s);
	const struct fwd_stats *stats = app_stats(app);

	if (state.printed_s < app->started_s)
		memset(&state.printed, 0, sizeof(state.printed));
	report_progress(&app->ports, &app->map, now_s - app->started_s, now_s - since_s,
			&state.printed, stats);
	for (uint32_t i = 0; i < stats->nb_ports; i++)
		state.printed.device[i] = stats->port[i].device;
	report_xstats_progress(&app->ports, now_s - app->started_s);
	state.printed_s = now_s;
}

void
monitor_tick(struct app *app)
{
	const struct options *opts = &app->opts;
	const double now_s = app_now_s();

	if (!app->is_forwarding)
		return;
	verbose_print();
	peers_tell(app->peers);
	links_tick(app, now_s);
	if (opts->duration_s != 0 && now_s - app->started_s >= opts->duration_s)
		stop_request();
	if (now_s - state.looked_s >= LOOK_PERIOD_S) {
		state.looked_s = now_s;
		look_after(app);
	}
	if (opts->stats_period_s != 0 &&
			now_s - RTE_MAX(state.printed_s, app->started_s) >= opts->stats_period_s)
		print_progress(app, now_s);
}
