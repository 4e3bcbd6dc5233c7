/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>

#include "latency_summary.h"
#include "report.h"

void
report_lcores(const struct stream_map *map, const struct fwd_stats *stats)
{
	printf("\n");
	for (uint32_t i = 0; i < stats->nb_lcores; i++) {
		const struct lcore_counters *own = &stats->lcore[i].own;

		printf("  lcore %u: rounds: %" PRIu64 "  empty: %" PRIu64
		       " (%.1f %%)  sleeps: %" PRIu64 "  frames: %" PRIu64 "\n",
				map->lcore[i]->lcore_id, own->rounds, own->empty_rounds,
				own->rounds == 0 ? 0.0
						 : 100.0 * (double)own->empty_rounds /
								(double)own->rounds,
				own->sleeps, stats->lcore[i].rx_pkts);
	}
}

void
report_latency(const struct fwd_stats *stats)
{
	struct latency_summary latency;

	latency_summarize(stats->latency, stats->nb_lcores, rte_get_tsc_hz(), &latency);
	if (latency.samples == 0) {
		printf("  latency from receive to transmit: no frames\n");
		return;
	}
	printf("  latency from receive to transmit: p50 %" PRIu64 " ns, p90 %" PRIu64
	       " ns, p99 %" PRIu64 " ns, p99.9 %" PRIu64 " ns, max %" PRIu64 " ns of %" PRIu64
	       " frames\n",
			latency.p50_ns, latency.p90_ns, latency.p99_ns, latency.p999_ns,
			latency.max_ns, latency.samples);
}

static void
report_action(enum distribution distribution, enum stream_action action,
		const struct fwd_stats *stats)
{
	const struct stream_counters *sum = &stats->action[action];
	const uint64_t press_drops = stats_press_drops(stats, action);
	const int64_t balance = stats_balance(stats, action);
	const char *name = stream_action_name(action);

	printf("  %s: received %" PRIu64 " = transmitted %" PRIu64 " + dropped %" PRIu64
	       " (press %" PRIu64 ", tx_full %" PRIu64,
			name, sum->rx_pkts, sum->tx_pkts,
			press_drops + sum->tx_full_pkts + sum->dist_full_pkts, press_drops,
			sum->tx_full_pkts);
	if (distribution == DISTRIBUTION_FLOW)
		printf(", dist_full %" PRIu64, sum->dist_full_pkts);
	printf(")");
	if (sum->hello_rx_pkts > 0)
		printf(" + hellos %" PRIu64, sum->hello_rx_pkts);
	if (balance == 0)
		printf(": OK\n");
	else
		printf(": WRONG by %" PRId64 "\n", balance);
	if (sum->tx_retries > 0)
		printf("  %s: tx retries: %" PRIu64 "\n", name, sum->tx_retries);
	if (action == STREAM_VERIFY)
		printf("  verify: %" PRIu64 " frames differ: %s\n", sum->differing_pkts,
				sum->differing_pkts == 0 ? "OK" : "WRONG");
}

/* What the balance cannot know: frames lost before we got them, or after the device took them. */
static void
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
}

void
report_balance(const struct port_table *ports, const struct stream_map *map,
		const struct fwd_stats *stats)
{
	printf("\n");
	for (int action = 0; action < STREAM_ACTION_COUNT; action++)
		if (stats_has_action(map, (enum stream_action)action))
			report_action(map->distribution, (enum stream_action)action, stats);
	for (uint16_t i = 0; i < ports->count; i++)
		report_device_losses(ports->port[i].id, &stats->port[i]);
}
