/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "report.h"

#define CLEAR_SCREEN "\033[2J\033[1;1H"

static double
rate(uint64_t before, uint64_t now, double interval_s)
{
	return interval_s > 0 ? (double)(now - before) / interval_s : 0.0;
}

static void
report_port(uint16_t port_id, double elapsed_s, double interval_s,
		const struct rte_eth_stats *before, const struct rte_eth_stats *now)
{
	printf("%8.1f s  port %u: RX-packets: %" PRIu64 " RX-missed: %" PRIu64
	       " RX-errors: %" PRIu64 " RX-nombuf: %" PRIu64
	       " Rx-pps: %.0f Rx-bps: %.0f TX-packets: %" PRIu64 " TX-errors: %" PRIu64
	       " Tx-pps: %.0f Tx-bps: %.0f\n",
			elapsed_s, port_id, now->ipackets, now->imissed, now->ierrors,
			now->rx_nombuf, rate(before->ipackets, now->ipackets, interval_s),
			8 * rate(before->ibytes, now->ibytes, interval_s), now->opackets,
			now->oerrors, rate(before->opackets, now->opackets, interval_s),
			8 * rate(before->obytes, now->obytes, interval_s));
}

static void
report_action(double elapsed_s, enum distribution distribution, enum stream_action action,
		const struct fwd_stats *now)
{
	const struct stream_counters *sum = &now->action[action];

	printf("%8.1f s  %s: received: %" PRIu64 " transmitted: %" PRIu64 " tx_full: %" PRIu64,
			elapsed_s, stream_action_name(action), sum->rx_pkts, sum->tx_pkts,
			sum->tx_full_pkts);
	if (distribution == DISTRIBUTION_FLOW)
		printf(" dist_full: %" PRIu64, sum->dist_full_pkts);
	if (action == STREAM_COMPRESS || action == STREAM_RESTORE) {
		const enum lp_dir dir = action == STREAM_COMPRESS ? LP_DIR_COMPRESS
								  : LP_DIR_RESTORE;
		const struct lp_press_stats *press = &now->press[dir];
		const bool is_compress = dir == LP_DIR_COMPRESS;

		printf(" coded: %" PRIu64 " passed: %" PRIu64 " dropped: %" PRIu64
		       " saved: %.2f %%",
				press->coded_pkts, stats_press_passed(press),
				stats_press_dropped(press),
				stats_saved_percent(is_compress ? press->rx_bytes : press->tx_bytes,
						is_compress ? press->tx_bytes : press->rx_bytes));
		if (press->passed[LP_PASS_BAD_TAG] + press->passed[LP_PASS_UNKNOWN_BOOK] > 0)
			printf(" bad_tag: %" PRIu64 " unknown_book: %" PRIu64,
					press->passed[LP_PASS_BAD_TAG],
					press->passed[LP_PASS_UNKNOWN_BOOK]);
	} else if (action == STREAM_VERIFY) {
		printf(" differing: %" PRIu64, sum->differing_pkts);
	}
	printf("\n");
}

void
report_progress(const struct port_table *ports, const struct stream_map *map, double elapsed_s,
		double interval_s, const struct stats_base *before, const struct fwd_stats *now)
{
	if (isatty(STDOUT_FILENO))
		fputs(CLEAR_SCREEN, stdout);
	for (uint16_t i = 0; i < ports->count; i++)
		report_port(ports->port[i].id, elapsed_s, interval_s, &before->device[i],
				&now->port[i].device);
	for (int action = 0; action < STREAM_ACTION_COUNT; action++)
		if (stats_has_action(map, (enum stream_action)action))
			report_action(elapsed_s, map->distribution, (enum stream_action)action,
					now);
	fflush(stdout);
}
