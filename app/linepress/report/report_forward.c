/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "counter.h"
#include "report.h"

/* Layout of testpmd 22.11, fwd_stats_display() and fwd_stream_stats_display(). */
#define DASHES "----------------------"
#define PLUSES "+++++++++++++++"

static void
report_stream(const struct stream *stream)
{
	const uint64_t rx = counter_read(&stream->counters.rx_pkts);
	const uint64_t tx = counter_read(&stream->counters.tx_pkts);
	const uint64_t dropped = counter_read(&stream->counters.tx_full_pkts);

	if (rx == 0 && tx == 0 && dropped == 0)
		return;
	printf("\n  ------- Forward Stats for RX Port=%2u/Queue=%2u -> TX Port=%2u/Queue=%2u "
	       "-------\n",
			stream->rx_port, stream->rx_queue, stream->tx_port, stream->tx_queue);
	printf("  RX-packets: %-14" PRIu64 " TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64
	       "\n",
			rx, tx, dropped);
}

static void
report_rows(const struct port_stats *stats)
{
	const struct rte_eth_stats *device = &stats->device;

	printf("  RX-packets: %-14" PRIu64 " RX-dropped: %-14" PRIu64 "RX-total: %" PRIu64 "\n",
			device->ipackets, device->imissed, device->ipackets + device->imissed);
	if (device->ierrors + device->rx_nombuf > 0) {
		printf("  RX-error: %" PRIu64 "\n", device->ierrors);
		printf("  RX-nombufs: %-14" PRIu64 "\n", device->rx_nombuf);
	}
	printf("  TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64 "TX-total: %" PRIu64 "\n",
			device->opackets, stats->tx_dropped_pkts,
			device->opackets + stats->tx_dropped_pkts);
}

static void
add_port(struct port_stats *sum, const struct port_stats *stats)
{
	sum->device.ipackets += stats->device.ipackets;
	sum->device.opackets += stats->device.opackets;
	sum->device.imissed += stats->device.imissed;
	sum->device.ierrors += stats->device.ierrors;
	sum->device.rx_nombuf += stats->device.rx_nombuf;
	sum->tx_dropped_pkts += stats->tx_dropped_pkts;
}

void
report_forward(const struct port_table *ports, const struct stream_map *map,
		const struct fwd_stats *stats)
{
	struct port_stats sum = { 0 };

	for (uint32_t i = 0; map->nb_streams > ports->count && i < map->nb_streams; i++)
		report_stream(map->stream[i]);
	for (uint16_t i = 0; i < ports->count; i++) {
		printf("\n  %s Forward statistics for port %-2u %s\n", DASHES, ports->port[i].id,
				DASHES);
		report_rows(&stats->port[i]);
		printf("  %s--------------------------------%s\n", DASHES, DASHES);
		add_port(&sum, &stats->port[i]);
	}
	printf("\n  %s Accumulated forward statistics for all ports%s\n", PLUSES, PLUSES);
	report_rows(&sum);
	printf("  %s++++++++++++++++++++++++++++++++++++++++++++++%s\n", PLUSES, PLUSES);
}
