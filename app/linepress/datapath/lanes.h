/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_LANES_H
#define LINEPRESS_APP_LANES_H

/**
 * @file
 * Lanes: how frames get from the lcore that polls the queues to those that press them, and back.
 *
 * There is one lane for each stream and worker, with a ring in each direction, so that each ring
 * has one lcore at either end.
 */

#include <rte_ring.h>

#include "streams.h"

/** Slots of each ring: two of the largest bursts, so that one may wait while another is pressed. */
#define LANE_SLOTS (2 * BURST_MAX)

/** Frames that the rings of a lane can hold, and more. */
#define LANE_PKTS (2 * LANE_SLOTS)

/** Counters of a lane. Written by its worker alone, read by anyone. */
struct lane_counters {
	uint64_t pkts;		 /**< taken from the ring */
	uint64_t differing_pkts; /**< verify: frames that did not come back equal */
	uint64_t busy_cycles;	 /**< TSC cycles from taking frames to giving them back */
};

/** What one worker does for one stream. */
struct lane {
	enum stream_action action;
	struct lp_press *press; /**< NULL unless the action needs one */
	struct rte_ring *in;	/**< to the worker */
	struct rte_ring *out;	/**< back */
	struct lane_counters counters;
} __rte_cache_aligned;

/**
 * Give each stream of a plan a lane to each worker: all lcores but the first. They have neither
 * rings nor presses yet.
 *
 * @return
 *   0, or a negative errno after one line on stderr; lanes_free() is then still due.
 */
int lanes_plan(struct stream_map *map);

/** Create the rings. As lanes_plan(). */
int lanes_open(struct stream_map *map);

/** Release rings, which must be empty, and lanes. */
void lanes_free(struct stream_map *map);

#endif /* LINEPRESS_APP_LANES_H */
