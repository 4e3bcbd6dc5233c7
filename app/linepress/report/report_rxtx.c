/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* rte_eth_dev_conf_get */
#define ALLOW_EXPERIMENTAL_API

#include <inttypes.h>
#include <stdio.h>

#include <rte_ethdev.h>

#include "report.h"

/* Layout of testpmd 22.11, rxtx_config_display(): of the first queue only. */

static void
report_rx_queue(const struct port *port)
{
	struct rte_eth_rxq_info queue;

	if (rte_eth_rx_queue_info_get(port->id, 0, &queue) < 0)
		queue = (struct rte_eth_rxq_info){ .conf = port->info.default_rxconf,
			.nb_desc = port->nb_rx_desc };
	printf("    RX queue: 0\n");
	printf("      RX desc=%u - RX free threshold=%u\n", queue.nb_desc,
			queue.conf.rx_free_thresh);
	printf("      RX threshold registers: pthresh=%u hthresh=%u  wthresh=%u\n",
			queue.conf.rx_thresh.pthresh, queue.conf.rx_thresh.hthresh,
			queue.conf.rx_thresh.wthresh);
	printf("      RX Offloads=0x%" PRIx64 "\n", queue.conf.offloads);
}

static void
report_tx_queue(const struct port *port)
{
	struct rte_eth_txq_info queue;

	if (rte_eth_tx_queue_info_get(port->id, 0, &queue) < 0)
		queue = (struct rte_eth_txq_info){ .conf = port->info.default_txconf,
			.nb_desc = port->nb_tx_desc };
	printf("    TX queue: 0\n");
	printf("      TX desc=%u - TX free threshold=%u\n", queue.nb_desc,
			queue.conf.tx_free_thresh);
	printf("      TX threshold registers: pthresh=%u hthresh=%u  wthresh=%u\n",
			queue.conf.tx_thresh.pthresh, queue.conf.tx_thresh.hthresh,
			queue.conf.tx_thresh.wthresh);
	printf("      TX offloads=0x%" PRIx64 " - TX RS bit threshold=%u\n", queue.conf.offloads,
			queue.conf.tx_rs_thresh);
}

static void
report_port(const struct options *opts, const struct port *port)
{
	struct rte_eth_conf conf;

	printf("  port %u: RX queue number: %u Tx queue number: %u\n", port->id, opts->rxq,
			opts->txq);
	if (rte_eth_dev_conf_get(port->id, &conf) == 0)
		printf("    Rx offloads=0x%" PRIx64 " Tx offloads=0x%" PRIx64 "\n",
				conf.rxmode.offloads, conf.txmode.offloads);
	report_rx_queue(port);
	report_tx_queue(port);
}

void
report_rxtx(const struct options *opts, const struct port_table *ports,
		const struct stream_map *map)
{
	printf("  %s packet forwarding packets/burst=%u\n", fwd_mode_name(map->mode),
			map->burst_pkts);
	printf("  nb forwarding cores=%u - nb forwarding ports=%u\n", map->nb_lcores,
			map->nb_ports);
	for (uint16_t i = 0; i < ports->count; i++)
		if (!ports->port[i].is_closed)
			report_port(opts, &ports->port[i]);
}
