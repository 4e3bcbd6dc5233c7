/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "lanes.h"
#include "log.h"
#include "streams.h"

static const char *const action_names[STREAM_ACTION_COUNT] = {
	[STREAM_IO] = "io",
	[STREAM_COMPRESS] = "compress",
	[STREAM_RESTORE] = "restore",
	[STREAM_VERIFY] = "verify",
};

const char *
stream_action_name(enum stream_action action)
{
	return action_names[action];
}

struct lp_press *
stream_press(const struct stream *stream, uint32_t i)
{
	if (stream->nb_lanes > 0)
		return i < stream->nb_lanes ? stream->lane[i]->press : NULL;
	return i == 0 ? stream->press : NULL;
}

/* ---- lcores ---- */

/* The main lcore forwards only if there is no other. */
static uint32_t
forwarding_lcores(unsigned int *lcore_ids)
{
	uint32_t count = 0;
	unsigned int id;

	RTE_LCORE_FOREACH_WORKER(id)
	lcore_ids[count++] = id;
	if (count == 0)
		lcore_ids[count++] = rte_get_main_lcore();
	return count;
}

static int
fold_socket(int socket)
{
	return socket >= 0 && socket < RTE_MAX_NUMA_NODES ? socket : 0;
}

static bool
is_among(const unsigned int *ids, uint32_t count, unsigned int id)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* May it run on a processor on which another lcore runs, too? */
static bool
shares_cpu(unsigned int lcore_id)
{
	const rte_cpuset_t own = rte_lcore_cpuset(lcore_id);
	unsigned int other;

	RTE_LCORE_FOREACH(other)
	{
		const rte_cpuset_t others = rte_lcore_cpuset(other);
		rte_cpuset_t both;

		CPU_AND(&both, &own, &others);
		if (other != lcore_id && CPU_COUNT(&both) > 0)
			return true;
	}
	return false;
}

static enum lcore_role
choose_role(const struct options *opts, uint32_t position)
{
	if (opts->distribution == DISTRIBUTION_QUEUE)
		return LCORE_FORWARDS;
	return position == 0 ? LCORE_POLLS : LCORE_WORKS;
}

/* The lcores that shall forward, in `chosen`. */
static int
choose_lcores(const struct options *opts, unsigned int *chosen)
{
	unsigned int available[RTE_MAX_LCORE];
	const uint32_t count = forwarding_lcores(available);

	if (opts->nb_cores > count) {
		app_error("nb-cores %u: must be 1 to %u, the lcores of -l or --lcores without the main lcore",
				opts->nb_cores, count);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < opts->nb_cores; i++) {
		chosen[i] = opts->nb_corelist > 0 ? opts->corelist[i] : available[i];
		if (!is_among(available, count, chosen[i])) {
			app_error("lcore %u: cannot forward, it must be one of the lcores of -l or --lcores and not the main lcore (%u)",
					chosen[i], rte_get_main_lcore());
			return -EINVAL;
		}
	}
	return 0;
}

static int
lcores_create(const struct options *opts, struct stream_map *map)
{
	unsigned int lcore_ids[RTE_MAX_LCORE];
	const int ret = choose_lcores(opts, lcore_ids);

	for (uint32_t i = 0; ret == 0 && i < opts->nb_cores; i++) {
		const int socket = fold_socket((int)rte_lcore_to_socket_id(lcore_ids[i]));
		struct fwd_lcore *lcore = rte_zmalloc_socket(
				"fwd_lcore", sizeof(*lcore), RTE_CACHE_LINE_SIZE, socket);

		if (lcore == NULL) {
			app_error("out of memory for lcore %u", lcore_ids[i]);
			return -ENOMEM;
		}
		lcore->lcore_id = lcore_ids[i];
		lcore->socket = socket;
		lcore->burst_pkts = (uint16_t)opts->burst_pkts;
		lcore->idle_sleep_us = opts->idle_sleep_us;
		lcore->role = choose_role(opts, i);
		lcore->shares_cpu = shares_cpu(lcore_ids[i]);
		map->lcore[map->nb_lcores++] = lcore;
	}
	return ret;
}

/* ---- ports ---- */

/* The forwarding ports, in their order. */
struct fwd_ports {
	uint16_t count;
	struct port *port[RTE_MAX_ETHPORTS];
};

static int
take_port(struct port_table *ports, unsigned int port_id, struct fwd_ports *fwd)
{
	const int at = ports_position(ports, port_id);

	if (at < 0 || ports->port[at].is_closed) {
		char list[PORTS_LIST_MAX];

		app_error("port %u %s, the open ports are %s", port_id,
				at < 0 ? "does not exist" : "is closed",
				ports_list(ports, list, sizeof(list)));
		return -ENODEV;
	}
	fwd->port[fwd->count++] = &ports->port[at];
	return 0;
}

static int
choose_ports(const struct options *opts, struct port_table *ports, struct fwd_ports *fwd)
{
	fwd->count = 0;
	for (uint32_t i = 0; i < opts->nb_portlist; i++) {
		const int ret = take_port(ports, opts->portlist[i], fwd);

		if (ret < 0)
			return ret;
	}
	for (uint16_t i = 0; opts->nb_portlist == 0 && i < ports->count; i++)
		if (!ports->port[i].is_closed)
			fwd->port[fwd->count++] = &ports->port[i];
	if (fwd->count == 0) {
		app_error("all ports are closed");
		return -ENODEV;
	}
	for (uint16_t i = 0; i < fwd->count; i++)
		fwd->port[i]->faces_host = opts->has_host_ports ? opts->host_port[fwd->port[i]->id]
								: i % 2 == 0;
	return 0;
}

/* ---- streams ---- */

/* Position of the port that sends what the port at position `rx` receives. */
static uint16_t
tx_position(enum port_topology topology, uint16_t rx, uint16_t count)
{
	switch (topology) {
	case TOPOLOGY_CHAINED:
		return (uint16_t)((rx + 1) % count);
	case TOPOLOGY_LOOP:
		return rx;
	default:
		return (rx ^ 1) < count ? rx ^ 1 : rx;
	}
}

static enum stream_action
choose_action(enum fwd_mode mode, const struct port *rx)
{
	switch (mode) {
	case FWD_COMPRESS:
		return STREAM_COMPRESS;
	case FWD_RESTORE:
		return STREAM_RESTORE;
	case FWD_VERIFY:
		return STREAM_VERIFY;
	case FWD_PRESS:
		return rx->faces_host ? STREAM_COMPRESS : STREAM_RESTORE;
	default:
		return STREAM_IO;
	}
}

/*
 * Contiguous blocks of queues, as in testpmd: lcores then share both directions of a pair
 * evenly, while dealing streams out one by one would give one lcore all that compresses. A
 * queue beyond txq shares its transmit queue with an earlier one and so its lcore.
 */
static uint32_t
lcore_position(const struct options *opts, uint16_t nb_ports, uint16_t queue, uint16_t port)
{
	const uint32_t tx_queues = RTE_MIN(opts->rxq, opts->txq);
	const uint32_t owner = (queue % tx_queues) * nb_ports + port;

	if (opts->distribution == DISTRIBUTION_FLOW)
		return 0;
	return owner * opts->nb_cores / (tx_queues * nb_ports);
}

static int
check_owners(const struct options *opts, const struct fwd_ports *ports)
{
	const uint32_t owners = RTE_MIN(opts->rxq, opts->txq) * ports->count;

	if (opts->distribution == DISTRIBUTION_FLOW) {
		if (opts->nb_cores == 1) {
			app_error("nb-cores 1: must be at least 2 with distribution=flow, where one lcore receives and transmits and the others press");
			return -EINVAL;
		}
	} else if (opts->nb_cores > owners) {
		app_error("nb-cores %u: must be 1 to %u with %u ports, --rxq=%u and --txq=%u, since each transmit queue belongs to one lcore",
				opts->nb_cores, owners, ports->count, opts->rxq, opts->txq);
		return -EINVAL;
	}
	if (opts->txq > opts->rxq)
		LOG(WARNING, "--txq=%u: only %u transmit queues of each port are used, one for each receive queue",
				opts->txq, opts->rxq);
	if (opts->topology == TOPOLOGY_PAIRED && ports->count % 2 != 0)
		LOG(WARNING, "port-topology=paired and odd forward ports number, the last port will pair with itself");
	return 0;
}

/* Coded frames are for the line alone. */
static int
check_sides(const struct options *opts, const struct fwd_ports *ports)
{
	for (uint16_t i = 0; opts->mode == FWD_PRESS && i < ports->count; i++) {
		const struct port *rx = ports->port[i];
		const struct port *tx = ports->port[tx_position(opts->topology, i, ports->count)];

		if (rx->faces_host != tx->faces_host)
			continue;
		app_error("forward mode press: port %u forwards to port %u, and both face the %s: one must face the host, the other the line, see --host-ports",
				rx->id, tx->id, rx->faces_host ? "host" : "line");
		return -EINVAL;
	}
	return 0;
}

static struct stream *
stream_create(const struct options *opts, const struct fwd_ports *ports, uint16_t queue,
		uint16_t rx_position, int socket)
{
	struct stream *stream = rte_zmalloc_socket(
			"stream", sizeof(*stream), RTE_CACHE_LINE_SIZE, socket);

	if (stream == NULL)
		return NULL;
	const struct port *rx = ports->port[rx_position];
	const struct port *tx = ports->port[tx_position(opts->topology, rx_position, ports->count)];

	stream->rx_port = rx->id;
	stream->rx_queue = queue;
	stream->tx_port = tx->id;
	stream->tx_queue = (uint16_t)(queue % opts->txq);
	stream->action = choose_action(opts->mode, rx);
	return stream;
}

static int
lcore_take_streams(const struct options *opts, struct fwd_ports *ports, uint32_t position,
		struct stream_map *map)
{
	struct fwd_lcore *lcore = map->lcore[position];

	lcore->stream = &map->stream[map->nb_streams];
	for (uint16_t queue = 0; queue < opts->rxq; queue++) {
		for (uint16_t i = 0; i < ports->count; i++) {
			if (lcore_position(opts, ports->count, queue, i) != position)
				continue;
			struct stream *stream = stream_create(opts, ports, queue, i, lcore->socket);

			if (stream == NULL) {
				app_error("out of memory for streams of lcore %u", lcore->lcore_id);
				return -ENOMEM;
			}
			map->stream[map->nb_streams++] = stream;
			lcore->nb_streams++;
			if (queue == 0 && ports->port[i]->socket < 0)
				ports->port[i]->socket = lcore->socket;
		}
	}
	return 0;
}

int
streams_plan(const struct options *opts, struct port_table *ports, struct stream_map *map)
{
	struct fwd_ports fwd;
	int ret;

	*map = (struct stream_map){ .mode = opts->mode,
		.topology = opts->topology,
		.distribution = opts->distribution,
		.burst_pkts = (uint16_t)opts->burst_pkts };
	ret = lcores_create(opts, map);
	if (ret == 0)
		ret = choose_ports(opts, ports, &fwd);
	if (ret == 0)
		ret = check_owners(opts, &fwd);
	if (ret == 0)
		ret = check_sides(opts, &fwd);
	if (ret < 0)
		return ret;
	map->nb_ports = fwd.count;
	map->stream = calloc((size_t)opts->rxq * fwd.count, sizeof(*map->stream));
	if (map->stream == NULL) {
		app_error("out of memory for streams");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < map->nb_lcores && ret == 0; i++)
		ret = lcore_take_streams(opts, &fwd, i, map);
	if (ret == 0 && opts->distribution == DISTRIBUTION_FLOW)
		ret = lanes_plan(map);
	for (uint16_t i = 0; i < ports->count; i++)
		ports->port[i].socket = fold_socket(ports->port[i].socket);
	return ret;
}

void
streams_free(struct stream_map *map)
{
	lanes_free(map);
	for (uint32_t i = 0; i < map->nb_streams; i++)
		rte_free(map->stream[i]);
	for (uint32_t i = 0; i < map->nb_lcores; i++)
		rte_free(map->lcore[i]);
	free(map->stream);
	*map = (struct stream_map){ 0 };
}
