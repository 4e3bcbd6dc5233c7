/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>

#include "af_packet.h"
#include "log.h"
#include "port_conf.h"
#include "ports.h"

/* What the device counts on top of the MTU, as ethdev itself works it out. */
static uint32_t
frame_overhead(const struct rte_eth_dev_info *info)
{
	if (info->max_mtu != UINT16_MAX && info->max_rx_pktlen > info->max_mtu)
		return info->max_rx_pktlen - info->max_mtu;
	return RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
}

/* The largest MTU that the device admits to. */
static uint32_t
device_max_mtu(const struct rte_eth_dev_info *info)
{
	const uint32_t overhead = frame_overhead(info);

	if (info->max_rx_pktlen <= overhead)
		return info->max_mtu;
	return RTE_MIN((uint32_t)info->max_mtu, info->max_rx_pktlen - overhead);
}

/* The only place that derives an MTU. */
static uint32_t
choose_mtu(const struct options *opts, const struct port *port)
{
	const struct rte_eth_dev_info *info = &port->info;
	const uint32_t overhead = frame_overhead(info);
	const uint32_t limit = device_max_mtu(info);
	uint32_t mtu = opts->max_pkt_len - overhead;

	if (port->mtu != 0)
		return RTE_MIN(port->mtu, RTE_MIN(mtu, limit));
	if (mtu > limit) {
		/* its rings, already checked, decide what passes and no MTU does */
		if (!af_packet_drives(port))
			LOG(WARNING, "port %u: --max-pkt-len=%u lowered to %u, all that %s admits to, though it may pass longer frames",
					port->id, opts->max_pkt_len, limit + overhead,
					info->driver_name);
		mtu = limit;
	}
	return mtu;
}

static void
choose_rss(const struct options *opts, const struct port *port, struct rte_eth_conf *conf)
{
	const uint64_t fields = opts->rss_hf & port->info.flow_type_rss_offloads;

	if (opts->rxq == 1 || opts->rss_hf == 0)
		return;
	if (fields == 0) {
		LOG(WARNING, "port %u: %s has no RSS, it decides alone which queue gets a frame",
				port->id, port->info.driver_name);
		return;
	}
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = fields;
}

/* Chains of mbufs are wanted only if a frame may not fit in one, or by --enable-scatter. */
static void
choose_offloads(const struct options *opts, const struct port *port, struct rte_eth_conf *conf)
{
	uint64_t rx = opts->enable_scatter ? RTE_ETH_RX_OFFLOAD_SCATTER : 0, tx = 0;

	if (opts->max_pkt_len > pools_data_room(opts)) {
		rx = RTE_ETH_RX_OFFLOAD_SCATTER;
		tx = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	}
	if ((rx & ~port->info.rx_offload_capa) != 0)
		LOG(WARNING, "port %u: %s does not offer offload %s, frames longer than an mbuf may be lost",
				port->id, port->info.driver_name, rte_eth_dev_rx_offload_name(rx));
	if ((tx & ~port->info.tx_offload_capa) != 0)
		LOG(WARNING, "port %u: %s does not offer offload %s, frames longer than an mbuf may be lost",
				port->id, port->info.driver_name, rte_eth_dev_tx_offload_name(tx));
	conf->rxmode.offloads = rx & port->info.rx_offload_capa;
	conf->txmode.offloads = tx & port->info.tx_offload_capa;
}

static int
setup_queues(const struct options *opts, const struct port *port, const struct rte_eth_conf *conf,
		struct rte_mempool *pool)
{
	struct rte_eth_rxconf rx = port->info.default_rxconf;
	struct rte_eth_txconf tx = port->info.default_txconf;
	int ret;

	rx.offloads = conf->rxmode.offloads;
	tx.offloads = conf->txmode.offloads;
	for (uint16_t q = 0; q < opts->rxq; q++) {
		ret = rte_eth_rx_queue_setup(port->id, q, port->nb_rx_desc,
				(unsigned int)port->socket, &rx, pool);
		if (ret < 0) {
			app_error("port %u: rte_eth_rx_queue_setup of queue %u: %s", port->id, q,
					rte_strerror(-ret));
			return ret;
		}
	}
	for (uint16_t q = 0; q < opts->txq; q++) {
		ret = rte_eth_tx_queue_setup(
				port->id, q, port->nb_tx_desc, (unsigned int)port->socket, &tx);
		if (ret < 0) {
			app_error("port %u: rte_eth_tx_queue_setup of queue %u: %s", port->id, q,
					rte_strerror(-ret));
			return ret;
		}
	}
	return 0;
}

int
port_setup(const struct options *opts, const struct port *port, struct rte_mempool *pool)
{
	const uint16_t rxq = (uint16_t)opts->rxq;
	const uint16_t txq = (uint16_t)opts->txq;
	struct rte_eth_conf conf = { 0 };
	int ret;

	choose_rss(opts, port, &conf);
	choose_offloads(opts, port, &conf);
	conf.rxmode.mtu = choose_mtu(opts, port);
	ret = rte_eth_dev_configure(port->id, rxq, txq, &conf);
	if (ret == -EINVAL) {
		LOG(WARNING, "port %u: %s refuses an MTU of %u, using its default", port->id,
				port->info.driver_name, conf.rxmode.mtu);
		conf.rxmode.mtu = 0;
		ret = rte_eth_dev_configure(port->id, rxq, txq, &conf);
	}
	if (ret < 0) {
		app_error("port %u: rte_eth_dev_configure: %s", port->id, rte_strerror(-ret));
		return ret;
	}
	return setup_queues(opts, port, &conf, pool);
}

static int
accept_unsupported(const struct port *port, const char *call, int ret)
{
	switch (ret) {
	case 0:
	case -ENOSYS:
	case -EOPNOTSUPP:
		return 0;
	default:
		app_error("port %u: %s: %s", port->id, call, rte_strerror(-ret));
		return ret;
	}
}

int
port_receive_all(const struct port *port)
{
	const int ret = accept_unsupported(port, "promiscuous mode",
			port_set_promiscuous(port->id, port->is_promiscuous));

	if (ret < 0)
		return ret;
	return accept_unsupported(port, "multicast mode",
			port_set_allmulticast(port->id, port->is_allmulticast));
}

void
port_mtu_range(const struct options *opts, const struct port *port, uint32_t *min, uint32_t *max)
{
	*min = RTE_MAX(port->info.min_mtu, RTE_ETHER_MIN_MTU);
	*max = RTE_MIN(opts->max_pkt_len - frame_overhead(&port->info),
			device_max_mtu(&port->info));
}

int
port_set_promiscuous(uint16_t id, bool on)
{
	return on ? rte_eth_promiscuous_enable(id) : rte_eth_promiscuous_disable(id);
}

int
port_set_allmulticast(uint16_t id, bool on)
{
	return on ? rte_eth_allmulticast_enable(id) : rte_eth_allmulticast_disable(id);
}
