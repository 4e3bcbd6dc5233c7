/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>

#include "report.h"

#define HZ_PER_MHZ 1000000

/*
 * Layout of testpmd 22.11, fwd_stats_display(), fwd_stream_stats_display() and
 * pkt_burst_stats_display().
 */
#define DASHES "----------------------"
#define PLUSES "+++++++++++++++"

/*
 * Polls without frames, the two most frequent sizes of bursts, and the rest; in whole percent, of
 * which the last one gets what the others leave.
 */
static void
report_bursts(const uint64_t *bursts)
{
	unsigned int size[3] = { 0 };
	uint64_t total = bursts[0], rest;
	int percent_left = 100;

	for (unsigned int n = 1; n <= BURST_MAX; n++) {
		total += bursts[n];
		if (bursts[n] > 0 && (size[1] == 0 || bursts[n] > bursts[size[1]])) {
			size[2] = size[1];
			size[1] = n;
		} else if (bursts[n] > 0 && (size[2] == 0 || bursts[n] > bursts[size[2]])) {
			size[2] = n;
		}
	}
	if (total == 0)
		return;
	printf("  RX-bursts : %" PRIu64 " [", total);
	rest = total;
	for (unsigned int i = 0; i < RTE_DIM(size); i++) {
		const int percent = (int)(100.0 * (double)bursts[size[i]] / (double)total);

		rest -= bursts[size[i]];
		if (rest == 0) {
			printf("%d%% of %u pkts]\n", percent_left, size[i]);
			return;
		}
		printf("%d%% of %u pkts + ", percent, size[i]);
		percent_left -= percent;
	}
	printf("%d%% of other]\n", percent_left);
}

static void
report_stream(const struct stream *stream, const struct stream_counters *counters,
		const uint64_t *rx_bursts)
{
	if (counters->rx_pkts == 0 && counters->tx_pkts == 0 && counters->tx_full_pkts == 0)
		return;
	printf("\n  ------- Forward Stats for RX Port=%2u/Queue=%2u -> TX Port=%2u/Queue=%2u "
	       "-------\n",
			stream->rx_port, stream->rx_queue, stream->tx_port, stream->tx_queue);
	printf("  RX-packets: %-14" PRIu64 " TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64
	       "\n",
			counters->rx_pkts, counters->tx_pkts, counters->tx_full_pkts);
	if (rx_bursts != NULL)
		report_bursts(rx_bursts);
}

static void
report_rows(const struct port_stats *stats)
{
	const struct rte_eth_stats *device = &stats->device;
	const uint64_t tx_dropped = stats->tx_full_pkts + device->oerrors;

	printf("  RX-packets: %-14" PRIu64 " RX-dropped: %-14" PRIu64 "RX-total: %" PRIu64 "\n",
			device->ipackets, device->imissed, device->ipackets + device->imissed);
	if (device->ierrors + device->rx_nombuf > 0) {
		printf("  RX-error: %" PRIu64 "\n", device->ierrors);
		printf("  RX-nombufs: %-14" PRIu64 "\n", device->rx_nombuf);
	}
	printf("  TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64 "TX-total: %" PRIu64 "\n",
			device->opackets, tx_dropped, device->opackets + tx_dropped);
}

static void
add_port(struct port_stats *sum, const struct port_stats *stats)
{
	sum->device.ipackets += stats->device.ipackets;
	sum->device.opackets += stats->device.opackets;
	sum->device.imissed += stats->device.imissed;
	sum->device.ierrors += stats->device.ierrors;
	sum->device.rx_nombuf += stats->device.rx_nombuf;
	sum->device.oerrors += stats->device.oerrors;
	sum->tx_full_pkts += stats->tx_full_pkts;
}

static void
report_port_bursts(uint16_t port_id, const struct stream_map *map, const struct fwd_stats *stats)
{
	uint64_t sum[BURST_MAX + 1] = { 0 };

	for (uint32_t i = 0; i < map->nb_streams; i++)
		for (unsigned int n = 0; map->stream[i]->rx_port == port_id && n <= BURST_MAX; n++)
			sum[n] += stats->rx_bursts[i][n];
	report_bursts(sum);
}

void
report_forward(const struct port_table *ports, const struct stream_map *map,
		const struct fwd_stats *stats)
{
	const bool by_stream = map->nb_streams > ports->count;
	struct port_stats sum = { 0 };

	for (uint32_t i = 0; by_stream && i < map->nb_streams; i++)
		report_stream(map->stream[i], &stats->stream[i],
				stats->rx_bursts != NULL ? stats->rx_bursts[i] : NULL);
	for (uint16_t i = 0; i < ports->count; i++) {
		printf("\n  %s Forward statistics for port %-2u %s\n", DASHES, ports->port[i].id,
				DASHES);
		report_rows(&stats->port[i]);
		if (!by_stream && stats->rx_bursts != NULL)
			report_port_bursts(ports->port[i].id, map, stats);
		printf("  %s--------------------------------%s\n", DASHES, DASHES);
		add_port(&sum, &stats->port[i]);
	}
	printf("\n  %s Accumulated forward statistics for all ports%s\n", PLUSES, PLUSES);
	report_rows(&sum);
	printf("  %s++++++++++++++++++++++++++++++++++++++++++++++%s\n", PLUSES, PLUSES);
}

void
report_cycles(enum fwd_mode mode, const struct fwd_stats *stats)
{
	uint64_t cycles = 0, pkts = 0;

	for (uint32_t i = 0; i < stats->nb_streams; i++) {
		cycles += stats->stream[i].busy_cycles;
		pkts += stats->stream[i].rx_pkts;
	}
	if (pkts == 0)
		return;
	printf("\n  CPU cycles/packet=%.2F (total cycles=%" PRIu64 " / total %s packets=%" PRIu64
	       ") at %" PRIu64 " MHz Clock\n",
			(double)cycles / (double)pkts, cycles, fwd_mode_name(mode), pkts,
			rte_get_tsc_hz() / HZ_PER_MHZ);
}
