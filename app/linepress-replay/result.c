/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <rte_cycles.h>

#include "result.h"

/* The restoring box keeps no sums of regions, but each book has them. */
static void
sum_books(const struct lp_press_stats *stats, struct replay_summary *sum)
{
	unsigned int id;

	for (id = 0; id < LP_BOOK_IDS; id++) {
		sum->region_bytes += stats->book[id].region_bytes;
		sum->region_line_bytes += stats->book[id].line_bytes;
	}
}

void
result_summarise(const struct replay_result *res, struct replay_summary *sum)
{
	const struct lp_press_stats *first = &res->stats[LP_DIR_COMPRESS];
	const struct lp_press_stats *second = &res->stats[LP_DIR_RESTORE];
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < LP_DROP_COUNT; i++)
		sum->dropped[i] = first->dropped[i] + second->dropped[i];
	if (res->mode == REPLAY_RESTORE) {
		sum->box = second;
		sum->frame_bytes = second->tx_bytes;
		sum->line_bytes = second->rx_bytes;
		sum_books(second, sum);
		sum->lost = second->rx_pkts - second->tx_pkts;
		return;
	}
	sum->box = first;
	sum->frame_bytes = first->rx_bytes;
	sum->line_bytes = first->tx_bytes;
	sum->region_bytes = first->region_bytes;
	sum->region_line_bytes = first->region_line_bytes;
	sum->lost = res->mode == REPLAY_PAIR ? res->compare.lost : first->rx_pkts - first->tx_pkts;
}

double
result_saved_percent(uint64_t bytes, uint64_t line_bytes)
{
	return bytes == 0 ? 0 : 100 * (1 - (double)line_bytes / bytes);
}

double
result_gbps(const struct replay_result *res, enum lp_dir dir, unsigned int extra)
{
	const double bits = 8.0 * (res->original_bytes + res->packets * extra);

	return res->cycles[dir] == 0 ? 0
				     : bits / ((double)res->cycles[dir] / rte_get_tsc_hz()) / 1e9;
}

double
result_cycles_per_packet(const struct replay_result *res, enum lp_dir dir)
{
	return (double)res->cycles[dir] / res->packets;
}

uint64_t
result_refused(const struct replay_result *res)
{
	const struct lp_press_stats *stats = &res->stats[LP_DIR_RESTORE];

	return stats->passed[LP_PASS_NO_CHECK] + stats->passed[LP_PASS_UNKNOWN_BOOK] +
			stats->passed[LP_PASS_BAD_TAG];
}

/*
 * Alone, a restoring box cannot tell a frame that was coded with another key or book from a
 * host's frame that happens to look coded. The first is far more likely, and then what comes
 * out is not the original.
 */
bool
result_is_good(const struct replay_result *res)
{
	struct replay_summary sum;

	result_summarise(res, &sum);
	return sum.lost == 0 && compare_is_clean(&res->compare) &&
			(res->mode != REPLAY_RESTORE || result_refused(res) == 0);
}
