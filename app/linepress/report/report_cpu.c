/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <string.h>

#include "report_cpu.h"

/* What was counted when it was last shown. */
static struct {
	double started_s;
	struct lcore_stats lcore[RTE_MAX_LCORE]; /* by position */
} shown;

static double
ratio(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0.0 : (double)part / (double)whole;
}

static void
report_lcore(unsigned int lcore_id, const struct lcore_stats *now, const struct lcore_stats *before)
{
	const uint64_t busy = now->busy_cycles - before->busy_cycles;
	const uint64_t idle = now->own.idle_cycles - before->own.idle_cycles;

	printf("  lcore %u: busy: %.1f %% since last show, %.1f %% since start"
	       "  CPU cycles/packet: %.1f since last show, %.1f since start\n",
			lcore_id, 100 * ratio(busy, busy + idle),
			100 * ratio(now->busy_cycles, now->busy_cycles + now->own.idle_cycles),
			ratio(busy, now->rx_pkts - before->rx_pkts),
			ratio(now->busy_cycles, now->rx_pkts));
}

void
report_cpu(const struct stream_map *map, const struct fwd_stats *stats, double started_s)
{
	if (shown.started_s < started_s)
		memset(&shown, 0, sizeof(shown));
	shown.started_s = started_s;
	for (uint32_t i = 0; i < stats->nb_lcores; i++) {
		report_lcore(map->lcore[i]->lcore_id, &stats->lcore[i], &shown.lcore[i]);
		shown.lcore[i] = stats->lcore[i];
	}
}
