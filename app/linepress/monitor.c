/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <time.h>

#include <rte_cycles.h>

#include "monitor.h"
#include "report.h"
#include "signals.h"

#define TICK_US 20000 /* longest time until a stop is noticed */

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void *
monitor_run(void *arg)
{
	const struct monitor *monitor = arg;
	const struct options *opts = monitor->opts;
	const double start_s = now_s();
	struct fwd_stats stats[2] = { 0 };
	unsigned int current = 0;
	double printed_s = start_s;

	while (!stop_requested()) {
		struct timespec tick = { .tv_nsec = TICK_US * 1000 };

		nanosleep(&tick, NULL); /* cut short by a signal */
		const double t = now_s();

		if (opts->duration_s != 0 && t - start_s >= opts->duration_s)
			stop_request();
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
