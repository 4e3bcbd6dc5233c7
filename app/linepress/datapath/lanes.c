/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "lanes.h"
#include "log.h"

static int
out_of_memory(const struct fwd_lcore *lcore)
{
	app_error("lcore %u: out of memory for lanes", lcore->lcore_id);
	return -ENOMEM;
}

static int
worker_plan(struct stream_map *map, struct fwd_lcore *worker)
{
	worker->lane = calloc(map->nb_streams, sizeof(*worker->lane));
	if (worker->lane == NULL)
		return out_of_memory(worker);
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		struct stream *stream = map->stream[i];
		struct lane *lane = rte_zmalloc_socket(
				"lane", sizeof(*lane), RTE_CACHE_LINE_SIZE, worker->socket);

		if (lane == NULL)
			return out_of_memory(worker);
		lane->action = stream->action;
		worker->lane[worker->nb_lanes++] = lane;
		stream->lane[stream->nb_lanes++] = lane;
	}
	return 0;
}

int
lanes_plan(struct stream_map *map)
{
	int ret = 0;

	for (uint32_t i = 0; i < map->nb_streams; i++) {
		struct stream *stream = map->stream[i];

		stream->lane = calloc(map->nb_lcores, sizeof(*stream->lane));
		if (stream->lane == NULL)
			return out_of_memory(map->lcore[0]);
	}
	for (uint32_t i = 1; i < map->nb_lcores && ret == 0; i++)
		ret = worker_plan(map, map->lcore[i]);
	return ret;
}

/* Not by name: the lanes of the next start exist beside those of the last. */
static struct rte_ring *
ring_create(int socket)
{
	const ssize_t bytes = rte_ring_get_memsize(LANE_SLOTS);
	struct rte_ring *ring = bytes < 0
			? NULL
			: rte_zmalloc_socket("lane", (size_t)bytes, RTE_CACHE_LINE_SIZE, socket);

	if (ring != NULL)
		rte_ring_init(ring, "lane", LANE_SLOTS, RING_F_SP_ENQ | RING_F_SC_DEQ);
	return ring;
}

int
lanes_open(struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		const struct fwd_lcore *worker = map->lcore[i];

		for (uint32_t k = 0; k < worker->nb_lanes; k++) {
			struct lane *lane = worker->lane[k];

			lane->in = ring_create(worker->socket);
			lane->out = ring_create(worker->socket);
			if (lane->in == NULL || lane->out == NULL)
				return out_of_memory(worker);
		}
	}
	return 0;
}

void
lanes_free(struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		struct fwd_lcore *worker = map->lcore[i];

		for (uint32_t k = 0; k < worker->nb_lanes; k++) {
			rte_free(worker->lane[k]->in);
			rte_free(worker->lane[k]->out);
			rte_free(worker->lane[k]);
		}
		free(worker->lane);
	}
	for (uint32_t i = 0; i < map->nb_streams; i++)
		free(map->stream[i]->lane);
}
