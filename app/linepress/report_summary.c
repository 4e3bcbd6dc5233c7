/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "counter.h"
#include "report.h"

void
report_lcores(const struct stream_map *map)
{
	printf("\n");
	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		const struct fwd_lcore *lcore = map->lcore[i];
		const uint64_t rounds = counter_read(&lcore->counters.rounds);
		const uint64_t empty = counter_read(&lcore->counters.empty_rounds);

		printf("  lcore %u: rounds: %" PRIu64 "  empty: %" PRIu64
		       " (%.1f %%)  sleeps: %" PRIu64 "\n",
				lcore->lcore_id, rounds, empty,
				rounds == 0 ? 0.0 : 100.0 * (double)empty / (double)rounds,
				counter_read(&lcore->counters.sleeps));
	}
}

bool
report_balance(const struct fwd_stats *stats)
{
	bool is_good = true;

	printf("\n");
	for (int i = 0; i < STREAM_ACTION_COUNT; i++) {
		const struct action_stats *action = &stats->action[i];
		const int64_t balance = stats_balance(stats, (enum stream_action)i);

		if (action->nb_streams == 0)
			continue;
		printf("  %s: received %" PRIu64 " = transmitted %" PRIu64 " + dropped %" PRIu64
		       " (press %" PRIu64 ", tx_full %" PRIu64 ")",
				stream_action_name((enum stream_action)i), action->sum.rx_pkts,
				action->sum.tx_pkts,
				action->press_drop_pkts + action->sum.tx_full_pkts,
				action->press_drop_pkts, action->sum.tx_full_pkts);
		if (balance == 0)
			printf(": OK\n");
		else
			printf(": WRONG by %" PRId64 "\n", balance);
		if (action->sum.tx_retries > 0)
			printf("  %s: tx retries: %" PRIu64 "\n",
					stream_action_name((enum stream_action)i),
					action->sum.tx_retries);
		is_good = is_good && balance == 0;
	}
	if (stats->action[STREAM_VERIFY].nb_streams > 0) {
		const uint64_t differing = stats->action[STREAM_VERIFY].sum.differing_pkts;

		printf("  verify: %" PRIu64 " frames differ: %s\n", differing,
				differing == 0 ? "OK" : "WRONG");
		is_good = is_good && differing == 0;
	}
	return is_good;
}
