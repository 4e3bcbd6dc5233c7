/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <time.h>

#include <rte_cycles.h>

#include "log.h"
#include "monitor.h"
#include "report.h"
#include "signals.h"

#define LOOK_PERIOD_S 1.0
#define TICK_US 20000 /* longest time until a stop is noticed */

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A wrong key or codebook makes a dead link of a running box: say so while it runs. */
static bool
warn_of_strangers(const struct stream_map *map)
{
	uint64_t strangers = 0;

	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		const struct lp_press *press = map->lcore[i]->press;
		const struct lp_press_stats *stats;

		if (press == NULL)
			continue;
		stats = lp_press_stats(press, LP_DIR_RESTORE);
		strangers += stats->passed[LP_PASS_BAD_TAG] + stats->passed[LP_PASS_UNKNOWN_BOOK];
	}
	if (strangers > 0)
		LOG(WARNING, "frames arrive that look coded, but not with our key and codebooks, and are forwarded as they are: are --key-file and --codebooks the same on both boxes?");
	return strangers > 0;
}

void *
monitor_run(void *arg)
{
	const struct monitor *monitor = arg;
	const struct options *opts = monitor->opts;
	const double start_s = now_s();
	struct fwd_stats stats[2] = { 0 };
	unsigned int current = 0;
	double printed_s = start_s, looked_s = start_s;
	bool warned = false;

	while (!stop_requested()) {
		struct timespec tick = { .tv_nsec = TICK_US * 1000 };

		nanosleep(&tick, NULL); /* cut short by a signal */
		const double t = now_s();

		if (opts->duration_s != 0 && t - start_s >= opts->duration_s)
			stop_request();
		if (!warned && t - looked_s >= LOOK_PERIOD_S) {
			looked_s = t;
			warned = warn_of_strangers(monitor->map);
		}
		if (opts->stats_period_s == 0 || t - printed_s < opts->stats_period_s)
			continue;
		current ^= 1;
		stats_collect(monitor->ports, monitor->map, monitor->base, &stats[current]);
		report_progress(monitor->ports, t - start_s, t - printed_s, &stats[current ^ 1],
				&stats[current]);
		printed_s = t;
	}
	return NULL;
}
