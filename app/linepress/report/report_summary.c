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

static bool
report_action(enum stream_action id, const struct fwd_stats *stats)
{
	const struct action_stats *action = &stats->action[id];
	const int64_t balance = stats_balance(stats, id);
	const char *name = stream_action_name(id);

	if (action->nb_streams == 0)
		return true;
	printf("  %s: received %" PRIu64 " = transmitted %" PRIu64 " + dropped %" PRIu64
	       " (press %" PRIu64 ", tx_full %" PRIu64 ")",
			name, action->sum.rx_pkts, action->sum.tx_pkts,
			action->press_drop_pkts + action->sum.tx_full_pkts, action->press_drop_pkts,
			action->sum.tx_full_pkts);
	if (balance == 0)
		printf(": OK\n");
	else
		printf(": WRONG by %" PRId64 "\n", balance);
	if (action->sum.tx_retries > 0)
		printf("  %s: tx retries: %" PRIu64 "\n", name, action->sum.tx_retries);
	return balance == 0;
}

static bool
report_differing(const struct fwd_stats *stats)
{
	const uint64_t differing = stats->action[STREAM_VERIFY].sum.differing_pkts;

	if (stats->action[STREAM_VERIFY].nb_streams == 0)
		return true;
	printf("  verify: %" PRIu64 " frames differ: %s\n", differing,
			differing == 0 ? "OK" : "WRONG");
	return differing == 0;
}

/* What the balance cannot know: frames lost before we got them, or after the device took them. */
static bool
report_device_losses(uint16_t port_id, const struct port_stats *stats)
{
	const struct rte_eth_stats *device = &stats->device;
	const uint64_t not_sent = stats_not_sent(stats);

	if (device->imissed + device->ierrors + device->rx_nombuf > 0)
		printf("  port %u: its driver lost frames before we received them: imissed %" PRIu64
		       ", ierrors %" PRIu64 ", rx_nombuf %" PRIu64 "\n",
				port_id, device->imissed, device->ierrors, device->rx_nombuf);
	if (device->oerrors > 0)
		printf("  port %u: its driver did not send frames: oerrors %" PRIu64
		       ", of them counted as transmitted above %" PRIu64 ": %s\n",
				port_id, device->oerrors, not_sent, not_sent == 0 ? "OK" : "WRONG");
	return not_sent == 0;
}

bool
report_balance(const struct port_table *ports, const struct fwd_stats *stats)
{
	bool is_good = true;

	printf("\n");
	for (int i = 0; i < STREAM_ACTION_COUNT; i++)
		is_good &= report_action((enum stream_action)i, stats);
	is_good &= report_differing(stats);
	for (uint16_t i = 0; i < ports->count; i++)
		is_good &= report_device_losses(ports->port[i].id, &stats->port[i]);
	return is_good;
}
