/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <rte_common.h>

#include "counter.h"
#include "stats.h"

void
stats_begin(const struct port_table *ports, struct stats_base *base)
{
	for (uint16_t i = 0; i < ports->count; i++)
		if (ports->port[i].is_closed ||
				rte_eth_stats_get(ports->port[i].id, &base->device[i]) < 0)
			memset(&base->device[i], 0, sizeof(base->device[i]));
}

static void
collect_port(const struct port *port, const struct rte_eth_stats *base, struct port_stats *stats)
{
	struct rte_eth_stats *device = &stats->device;

	if (port->is_closed || rte_eth_stats_get(port->id, device) < 0)
		return;
	device->ipackets -= base->ipackets;
	device->opackets -= base->opackets;
	device->ibytes -= base->ibytes;
	device->obytes -= base->obytes;
	device->imissed -= base->imissed;
	device->ierrors -= base->ierrors;
	device->oerrors -= base->oerrors;
	device->rx_nombuf -= base->rx_nombuf;
	stats->tx_dropped_pkts += device->oerrors;
}

static void
collect_stream(const struct stream *stream, struct fwd_stats *stats)
{
	const struct stream_counters *counters = &stream->counters;
	struct action_stats *action = &stats->action[stream->action];

	action->nb_streams++;
	action->sum.rx_pkts += counter_read(&counters->rx_pkts);
	action->sum.tx_pkts += counter_read(&counters->tx_pkts);
	action->sum.tx_full_pkts += counter_read(&counters->tx_full_pkts);
	action->sum.tx_retries += counter_read(&counters->tx_retries);
	action->sum.differing_pkts += counter_read(&counters->differing_pkts);
}

void
stats_collect(const struct port_table *ports, const struct stream_map *map,
		const struct stats_base *base, struct fwd_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		const struct stream *stream = map->stream[i];

		struct port_stats *tx = &stats->port[ports_position(ports, stream->tx_port)];

		collect_stream(stream, stats);
		for (int dir = 0; stream->press != NULL && dir < LP_DIR_COUNT; dir++)
			lp_press_stats_add(&stats->press[dir],
					lp_press_stats(stream->press, (enum lp_dir)dir));
		tx->tx_taken_pkts += counter_read(&stream->counters.tx_pkts);
		tx->tx_dropped_pkts += counter_read(&stream->counters.tx_full_pkts);
	}
	for (uint16_t i = 0; i < ports->count; i++)
		collect_port(&ports->port[i], &base->device[i], &stats->port[i]);
	stats->action[STREAM_COMPRESS].press_drop_pkts = stats_press_dropped(
			&stats->press[LP_DIR_COMPRESS]);
	stats->action[STREAM_RESTORE].press_drop_pkts = stats_press_dropped(
			&stats->press[LP_DIR_RESTORE]);
}

int64_t
stats_balance(const struct fwd_stats *stats, enum stream_action action)
{
	const struct action_stats *a = &stats->action[action];

	/* verify forwards originals: drops of its copies are no drops of frames */
	if (a->nb_streams == 0)
		return 0;
	return (int64_t)(a->sum.rx_pkts - a->sum.tx_pkts - a->press_drop_pkts -
			a->sum.tx_full_pkts);
}

uint64_t
stats_not_sent(const struct port_stats *port)
{
	if (port->device.opackets >= port->tx_taken_pkts)
		return 0;
	return RTE_MIN(port->device.oerrors, port->tx_taken_pkts - port->device.opackets);
}

uint64_t
stats_press_passed(const struct lp_press_stats *press)
{
	uint64_t sum = 0;

	for (int i = 0; i < LP_PASS_COUNT; i++)
		sum += press->passed[i];
	return sum;
}

uint64_t
stats_press_dropped(const struct lp_press_stats *press)
{
	uint64_t sum = 0;

	for (int i = 0; i < LP_DROP_COUNT; i++)
		sum += press->dropped[i];
	return sum;
}

double
stats_saved_percent(uint64_t before, uint64_t after)
{
	return before == 0 ? 0.0 : 100.0 * (1.0 - (double)after / (double)before);
}
