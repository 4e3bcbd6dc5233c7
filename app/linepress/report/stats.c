/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "counter.h"
#include "lanes.h"
#include "stats.h"

/* ---- memory ---- */

/* Statistics are added, subtracted and copied as arrays of counters. */
#define COUNTERS_OF(object) (sizeof(object) / sizeof(uint64_t))

/* Room for `n` objects, or NULL while there is no memory yet. */
static void *
take(const struct fwd_stats *stats, size_t *used, size_t n, size_t bytes)
{
	void *room = stats->counter == NULL ? NULL : stats->counter + *used;

	*used += n * bytes / sizeof(uint64_t);
	return room;
}

/* Give each array its place. Returns the number of counters. */
static size_t
lay_out(struct fwd_stats *s, bool has_bursts)
{
	size_t used = 0;

	RTE_BUILD_BUG_ON(sizeof(struct port_stats) % sizeof(uint64_t) != 0);
	RTE_BUILD_BUG_ON(sizeof(struct lcore_stats) % sizeof(uint64_t) != 0);
	RTE_BUILD_BUG_ON(sizeof(struct stream_counters) % sizeof(uint64_t) != 0);

	s->begin[STATS_FORWARD] = used;
	s->port = take(s, &used, s->nb_ports, sizeof(*s->port));
	s->stream = take(s, &used, s->nb_streams, sizeof(*s->stream));
	s->action = take(s, &used, STREAM_ACTION_COUNT, sizeof(*s->action));
	s->lcore = take(s, &used, s->nb_lcores, sizeof(*s->lcore));
	if (has_bursts)
		s->rx_bursts = take(s, &used, s->nb_streams, sizeof(*s->rx_bursts));
	s->begin[STATS_PRESS] = used;
	s->port_press = take(s, &used, s->nb_ports, sizeof(*s->port_press));
	s->press = take(s, &used, LP_DIR_COUNT, sizeof(*s->press));
	s->begin[STATS_LATENCY] = used;
	s->latency = take(s, &used, s->nb_lcores, sizeof(*s->latency));
	s->begin[STATS_PART_COUNT] = used;
	return used;
}

struct fwd_stats *
stats_create(const struct port_table *ports, const struct stream_map *map)
{
	const bool has_bursts = map->nb_streams > 0 && map->stream[0]->rx_bursts != NULL;
	struct fwd_stats *stats = calloc(1, sizeof(*stats));

	if (stats == NULL)
		return NULL;
	stats->nb_ports = ports->count;
	stats->nb_streams = map->nb_streams;
	stats->nb_lcores = map->nb_lcores;
	stats->counter = calloc(lay_out(stats, has_bursts), sizeof(uint64_t));
	if (stats->counter == NULL) {
		free(stats);
		return NULL;
	}
	lay_out(stats, has_bursts);
	return stats;
}

void
stats_free(struct fwd_stats *stats)
{
	if (stats != NULL)
		free(stats->counter);
	free(stats);
}

void
stats_copy(struct fwd_stats *to, const struct fwd_stats *from)
{
	memcpy(to->counter, from->counter, from->begin[STATS_PART_COUNT] * sizeof(uint64_t));
}

void
stats_copy_part(struct fwd_stats *to, const struct fwd_stats *from, enum stats_part part)
{
	const size_t begin = from->begin[part];

	memcpy(to->counter + begin, from->counter + begin,
			(from->begin[part + 1] - begin) * sizeof(uint64_t));
}

void
stats_subtract(struct fwd_stats *stats, const struct fwd_stats *before)
{
	for (size_t i = 0; i < stats->begin[STATS_PART_COUNT]; i++)
		stats->counter[i] -= before->counter[i];
}

/* ---- collecting ---- */

static void
add(void *sum, const void *counters, size_t n)
{
	const uint64_t *from = counters;
	uint64_t *to = sum;

	for (size_t i = 0; i < n; i++)
		to[i] += counter_read(&from[i]);
}

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
	const uint64_t *before = (const uint64_t *)base;
	uint64_t *device = (uint64_t *)&stats->device;

	stats->link_losses = port->link_losses;
	if (port->is_closed || rte_eth_stats_get(port->id, &stats->device) < 0)
		return;
	for (size_t i = 0; i < COUNTERS_OF(stats->device); i++)
		device[i] -= before[i];
}

static void
collect_stream(const struct port_table *ports, const struct stream *stream, uint32_t at,
		struct fwd_stats *stats)
{
	const int rx_port = ports_position(ports, stream->rx_port);
	struct stream_counters *counters = &stats->stream[at];
	struct port_stats *tx = &stats->port[ports_position(ports, stream->tx_port)];
	const struct lp_press *press;

	add(counters, &stream->counters, COUNTERS_OF(*counters));
	for (uint32_t i = 0; i < stream->nb_lanes; i++) {
		const struct lane_counters *lane = &stream->lane[i]->counters;

		counters->differing_pkts += counter_read(&lane->differing_pkts);
		counters->busy_cycles += counter_read(&lane->busy_cycles);
	}
	add(&stats->action[stream->action], counters, COUNTERS_OF(*counters));
	tx->tx_taken_pkts += counters->tx_pkts + counters->hello_tx_pkts;
	tx->tx_full_pkts += counters->tx_full_pkts;
	if (stats->rx_bursts != NULL)
		add(stats->rx_bursts[at], stream->rx_bursts, COUNTERS_OF(stats->rx_bursts[at]));
	for (uint32_t i = 0; (press = stream_press(stream, i)) != NULL; i++)
		for (int dir = 0; dir < LP_DIR_COUNT; dir++)
			lp_press_stats_add(&stats->port_press[rx_port][dir],
					lp_press_stats(press, (enum lp_dir)dir));
}

static void
collect_lcore(const struct fwd_lcore *lcore, uint32_t at, struct fwd_stats *stats)
{
	struct lcore_stats *counters = &stats->lcore[at];

	add(&counters->own, &lcore->counters, COUNTERS_OF(counters->own));
	add(&stats->latency[at], &lcore->latency, COUNTERS_OF(stats->latency[at]));
	for (uint32_t i = 0; i < lcore->nb_streams; i++) {
		counters->rx_pkts += counter_read(&lcore->stream[i]->counters.rx_pkts);
		counters->busy_cycles += counter_read(&lcore->stream[i]->counters.busy_cycles);
	}
	for (uint32_t i = 0; i < lcore->nb_lanes; i++) {
		counters->rx_pkts += counter_read(&lcore->lane[i]->counters.pkts);
		counters->busy_cycles += counter_read(&lcore->lane[i]->counters.busy_cycles);
	}
}

void
stats_collect(const struct port_table *ports, const struct stream_map *map,
		const struct stats_base *base, struct fwd_stats *stats)
{
	memset(stats->counter, 0, stats->begin[STATS_PART_COUNT] * sizeof(uint64_t));
	for (uint32_t i = 0; i < map->nb_streams; i++)
		collect_stream(ports, map->stream[i], i, stats);
	for (uint32_t i = 0; i < map->nb_lcores; i++)
		collect_lcore(map->lcore[i], i, stats);
	for (uint16_t i = 0; i < ports->count; i++) {
		collect_port(&ports->port[i], &base->device[i], &stats->port[i]);
		for (int dir = 0; dir < LP_DIR_COUNT; dir++)
			lp_press_stats_add(&stats->press[dir], &stats->port_press[i][dir]);
	}
}

/* ---- what follows from the counters ---- */

const char *
stats_dir_name(enum lp_dir dir)
{
	return stream_action_name(dir == LP_DIR_COMPRESS ? STREAM_COMPRESS : STREAM_RESTORE);
}

bool
stats_has_action(const struct stream_map *map, enum stream_action action)
{
	for (uint32_t i = 0; i < map->nb_streams; i++)
		if (map->stream[i]->action == action)
			return true;
	return false;
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

uint64_t
stats_press_drops(const struct fwd_stats *stats, enum stream_action action)
{
	switch (action) {
	case STREAM_COMPRESS:
		return stats_press_dropped(&stats->press[LP_DIR_COMPRESS]);
	case STREAM_RESTORE:
		return stats_press_dropped(&stats->press[LP_DIR_RESTORE]);
	default: /* verify forwards originals: drops of its copies are no drops of frames */
		return 0;
	}
}

int64_t
stats_balance(const struct fwd_stats *stats, enum stream_action action)
{
	const struct stream_counters *sum = &stats->action[action];

	return (int64_t)(sum->rx_pkts - sum->hello_rx_pkts - sum->tx_pkts -
			stats_press_drops(stats, action) - sum->tx_full_pkts - sum->dist_full_pkts);
}

uint64_t
stats_not_sent(const struct port_stats *port)
{
	if (port->device.opackets >= port->tx_taken_pkts)
		return 0;
	return RTE_MIN(port->device.oerrors, port->tx_taken_pkts - port->device.opackets);
}

bool
stats_is_good(const struct fwd_stats *stats)
{
	bool is_good = true;

	for (int action = 0; action < STREAM_ACTION_COUNT; action++)
		is_good &= stats_balance(stats, (enum stream_action)action) == 0;
	is_good &= stats->action[STREAM_VERIFY].differing_pkts == 0;
	for (uint32_t i = 0; i < stats->nb_ports; i++)
		is_good &= stats_not_sent(&stats->port[i]) == 0;
	return is_good;
}

double
stats_saved_percent(uint64_t before, uint64_t after)
{
	return before == 0 ? 0.0 : 100.0 * (1.0 - (double)after / (double)before);
}
