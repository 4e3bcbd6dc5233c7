/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "af_packet.h"
#include "log.h"
#include "numbers.h"
#include "port_conf.h"
#include "ports.h"
#include "signals.h"

#define LINK_CHECK_MS 100
#define LINK_CHECKS 90 /* 9 seconds in all, as in DPDK's examples */

static int
check_queues(const char *what, uint32_t queues, uint16_t max, const struct port *port)
{
	if (queues <= max)
		return 0;
	app_error("%s %u invalid - must be >= 1 && <= %u (port %u, %s)", what, queues, max,
			port->id, port->info.driver_name);
	return -EINVAL;
}

/* Descriptors as asked for, else the device's or ethdev's default, within the device's limits. */
static int
choose_descriptors(const struct options *opts, struct port *port)
{
	port->nb_rx_desc = (uint16_t)opts->rxd;
	if (port->nb_rx_desc == 0)
		port->nb_rx_desc = port->info.default_rxportconf.ring_size;
	if (port->nb_rx_desc == 0)
		port->nb_rx_desc = RTE_ETH_DEV_FALLBACK_RX_RINGSIZE;
	port->nb_tx_desc = (uint16_t)opts->txd;
	if (port->nb_tx_desc == 0)
		port->nb_tx_desc = port->info.default_txportconf.ring_size;
	if (port->nb_tx_desc == 0)
		port->nb_tx_desc = RTE_ETH_DEV_FALLBACK_TX_RINGSIZE;

	const int ret = rte_eth_dev_adjust_nb_rx_tx_desc(
			port->id, &port->nb_rx_desc, &port->nb_tx_desc);
	if (ret < 0) {
		app_error("port %u: rte_eth_dev_adjust_nb_rx_tx_desc: %s", port->id,
				rte_strerror(-ret));
		return ret;
	}
	if (opts->rxd != 0 && port->nb_rx_desc != opts->rxd)
		LOG(WARNING, "port %u: rxd %u adjusted to %u by the device", port->id, opts->rxd,
				port->nb_rx_desc);
	if (opts->txd != 0 && port->nb_tx_desc != opts->txd)
		LOG(WARNING, "port %u: txd %u adjusted to %u by the device", port->id, opts->txd,
				port->nb_tx_desc);
	return 0;
}

static int
port_check(const struct options *opts, struct port *port)
{
	int ret;

	ret = check_queues("rxq", opts->rxq, port->info.max_rx_queues, port);
	if (ret == 0)
		ret = check_queues("txq", opts->txq, port->info.max_tx_queues, port);
	if (ret == 0)
		ret = choose_descriptors(opts, port);
	if (ret == 0)
		ret = af_packet_check(opts, port);
	return ret;
}

int
ports_check(const struct options *opts, struct port_table *ports)
{
	struct port checked[RTE_MAX_ETHPORTS];

	memcpy(checked, ports->port, sizeof(checked));
	for (uint16_t i = 0; i < ports->count; i++) {
		const int ret = checked[i].is_closed ? 0 : port_check(opts, &checked[i]);

		if (ret < 0)
			return ret;
	}
	memcpy(ports->port, checked, sizeof(checked));
	return 0;
}

int
ports_position(const struct port_table *ports, unsigned int port_id)
{
	for (int i = 0; i < ports->count; i++)
		if (ports->port[i].id == port_id)
			return i;
	return -1;
}

const char *
ports_list(const struct port_table *ports, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint16_t i = 0; i < ports->count && used < size; i++) {
		if (ports->port[i].is_closed)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%u", used > 0 ? "," : "",
				ports->port[i].id);
	}
	return text;
}

int
ports_select(const char *what, const char *name, struct port_table *ports, struct port_set *set)
{
	const bool is_all = strcmp(name, "all") == 0;
	char list[PORTS_LIST_MAX];
	uint32_t id = 0;

	set->count = 0;
	if (is_all || number_parse(name, 0, RTE_MAX_ETHPORTS - 1, &id))
		for (uint16_t i = 0; i < ports->count; i++)
			if (!ports->port[i].is_closed && (is_all || ports->port[i].id == id))
				set->port[set->count++] = &ports->port[i];
	if (set->count > 0)
		return 0;
	ports_list(ports, list, sizeof(list));
	if (list[0] == '\0')
		app_error("%s%s: all ports are closed", what, name);
	else
		app_error("%s%s: must be all or one of the open ports, %s", what, name, list);
	return -ENODEV;
}

int
ports_discover(const struct options *opts, struct port_table *ports)
{
	uint16_t id;

	RTE_ETH_FOREACH_DEV(id)
	{
		struct port *port = &ports->port[ports->count];

		*port = (struct port){ .id = id,
			.needs_setup = true,
			.is_promiscuous = true,
			.is_allmulticast = true };
		const int ret = rte_eth_dev_info_get(id, &port->info);
		if (ret < 0) {
			app_error("port %u: rte_eth_dev_info_get: %s", id, rte_strerror(-ret));
			return ret;
		}
		port->socket = rte_eth_dev_socket_id(id);
		ports->count++;
	}
	for (id = 0; opts->has_host_ports && id < RTE_MAX_ETHPORTS; id++) {
		if (opts->host_port[id] && ports_position(ports, id) < 0) {
			app_error("--host-ports: there is no port %u", id);
			return -EINVAL;
		}
	}
	return ports_check(opts, ports);
}

int
port_start(const struct options *opts, const struct mbuf_pools *pools, struct port *port)
{
	int ret;

	if (port->is_started)
		return 0;
	if (port->needs_setup) {
		printf("Configuring Port %u (socket %d)\n", port->id, port->socket);
		ret = port_setup(opts, port, pools->of_socket[port->socket]);
		if (ret < 0)
			return ret;
		port->needs_setup = false;
		port->nb_rxq = (uint16_t)opts->rxq;
		port->nb_txq = (uint16_t)opts->txq;
	}
	ret = rte_eth_dev_start(port->id);
	if (ret < 0) {
		app_error("port %u: rte_eth_dev_start: %s", port->id, rte_strerror(-ret));
		return ret;
	}
	port->is_started = true;
	return port_receive_all(port);
}

int
ports_start(const struct options *opts, const struct mbuf_pools *pools, struct port_table *ports)
{
	int ret = 0;

	for (uint16_t i = 0; i < ports->count && ret == 0; i++)
		ret = port_start(opts, pools, &ports->port[i]);
	return ret;
}

/* Ports whose link is down; prints them if asked to. */
static uint16_t
links_down(const struct port_table *ports, bool print)
{
	struct rte_eth_link link;
	uint16_t down = 0;

	for (uint16_t i = 0; i < ports->count; i++) {
		const uint16_t id = ports->port[i].id;

		if (!ports->port[i].is_started)
			continue;
		if (rte_eth_link_get_nowait(id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP)
			continue;
		down++;
		if (print)
			LOG(WARNING, "port %u: link is down", id);
	}
	return down;
}

void
ports_link_wait(const struct port_table *ports)
{
	printf("Checking link statuses...\n");
	fflush(stdout);
	for (int i = 0; i < LINK_CHECKS && !stop_requested(); i++) {
		if (links_down(ports, false) == 0)
			break;
		rte_delay_us_sleep(LINK_CHECK_MS * 1000);
	}
	links_down(ports, true);
	printf("Done\n");
}

/* A ring keeps its frames when it is closed, and nobody else would free them. */
static void
drain_ring(const struct port *port)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t drained = 0;

	if (strcmp(port->info.driver_name, "net_ring") != 0)
		return;
	for (uint16_t queue = 0; queue < port->nb_rxq; queue++) {
		uint16_t n;

		while ((n = rte_eth_rx_burst(port->id, queue, pkts, BURST_MAX)) > 0) {
			rte_pktmbuf_free_bulk(pkts, n);
			drained += n;
		}
	}
	if (drained > 0)
		printf("Port %u: %" PRIu64 " frames left in its rings\n", port->id, drained);
}

void
port_stop(struct port *port)
{
	if (!port->is_started)
		return;
	printf("Stopping port %u...\n", port->id);
	drain_ring(port);
	const int ret = rte_eth_dev_stop(port->id);

	if (ret < 0)
		LOG(ERR, "port %u: rte_eth_dev_stop: %s", port->id, rte_strerror(-ret));
	port->is_started = false;
}

void
port_close(struct port *port)
{
	if (port->is_closed)
		return;
	const int ret = rte_eth_dev_close(port->id);

	if (ret < 0)
		LOG(ERR, "port %u: rte_eth_dev_close: %s", port->id, rte_strerror(-ret));
	else
		printf("Port %u is closed\n", port->id);
	port->is_closed = true;
}

void
ports_close(struct port_table *ports)
{
	for (uint16_t i = 0; i < ports->count; i++)
		port_stop(&ports->port[i]);
	for (uint16_t i = 0; i < ports->count; i++)
		port_close(&ports->port[i]);
}
