/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_STATS_H
#define LINEPRESS_APP_STATS_H

/**
 * @file
 * Statistics, collected here and printed elsewhere.
 *
 * While lcores forward, each value is correct but they are not of one instant. Nobody but its
 * lcore ever writes a counter: to clear statistics is to remember what they were and to subtract
 * that from then on.
 */

#include <stdint.h>

#include <rte_ethdev.h>

#include "latency.h"
#include "linepress/press.h"
#include "ports.h"
#include "streams.h"

/** A port since forwarding began. */
struct port_stats {
	struct rte_eth_stats device; /**< what the device counted */
	uint64_t tx_full_pkts;	     /**< frames it did not take, as the streams count them */
	uint64_t link_losses;	     /**< times its link was found down, if it faces the line */
	uint64_t tx_taken_pkts;	     /**< frames it took, as the streams count them */
};

/** An lcore, with what its streams count. */
struct lcore_stats {
	struct lcore_counters own;
	uint64_t rx_pkts; /**< received, or of a worker: given to it */
	uint64_t busy_cycles;
};

/** Parts that can be cleared by themselves. */
enum stats_part {
	STATS_FORWARD, /**< ports, streams, lcores */
	STATS_PRESS,
	STATS_LATENCY,
	STATS_PART_COUNT,
};

/** Everything that is counted. All arrays are parts of `counter`. */
struct fwd_stats {
	uint32_t nb_ports;   /**< of the port table */
	uint32_t nb_streams; /**< of the map */
	uint32_t nb_lcores;  /**< of the map */

	/* STATS_FORWARD */
	struct port_stats *port;	      /**< by position in the port table */
	struct stream_counters *stream;	      /**< by position in the map */
	struct stream_counters *action;	      /**< sums of streams, by enum stream_action */
	struct lcore_stats *lcore;	      /**< by position in the map */
	uint64_t (*rx_bursts)[BURST_MAX + 1]; /**< by stream; NULL if not recorded */

	/* STATS_PRESS */
	struct lp_press_stats (*port_press)[LP_DIR_COUNT]; /**< by receiving port's position */
	struct lp_press_stats *press; /**< sums, by enum lp_dir; verify counts in both */

	/* STATS_LATENCY */
	struct latency *latency; /**< by position of the lcore in the map */

	size_t begin[STATS_PART_COUNT + 1]; /**< of each part in `counter`, and the end */
	uint64_t *counter;
};

/** Device counters of some moment, by position in the port table. */
struct stats_base {
	struct rte_eth_stats device[RTE_MAX_ETHPORTS];
};

/** Remember the device counters, which later ones are counted from. */
void stats_begin(const struct port_table *ports, struct stats_base *base);

/**
 * Room for the statistics of a plan that is prepared, all zero.
 *
 * @return
 *   To be released with stats_free(); NULL if out of memory.
 */
struct fwd_stats *stats_create(const struct port_table *ports, const struct stream_map *map);

/** Release statistics; NULL is allowed. */
void stats_free(struct fwd_stats *stats);

/** Collect the statistics since forwarding began; `stats` must have been made for this plan. */
void stats_collect(const struct port_table *ports, const struct stream_map *map,
		const struct stats_base *base, struct fwd_stats *stats);

/** Copy statistics that were made for the same plan. */
void stats_copy(struct fwd_stats *to, const struct fwd_stats *from);

/** Copy one part of statistics that were made for the same plan. */
void stats_copy_part(struct fwd_stats *to, const struct fwd_stats *from, enum stats_part part);

/** Leave what was counted since statistics, of the same plan, were `before`. */
void stats_subtract(struct fwd_stats *stats, const struct fwd_stats *before);

/**
 * Frames of streams with one action that were received and are neither transmitted nor
 * counted as dropped; negative if there are too many of the latter. 0 once all lcores have
 * returned, unless something is broken.
 */
int64_t stats_balance(const struct fwd_stats *stats, enum stream_action action);

/**
 * Frames that the streams count as transmitted and the device as transmit errors. Some drivers
 * count frames they do not take as errors, too; those the streams do not count as transmitted.
 */
uint64_t stats_not_sent(const struct port_stats *port);

/**
 * Is every received frame accounted for, did every verified one come back equal and did the
 * devices send what they took? Not of statistics that were cleared while lcores forward.
 */
bool stats_is_good(const struct fwd_stats *stats);

/** Name of a direction of a press: "compress" or "restore". */
const char *stats_dir_name(enum lp_dir dir);

/** Is there a stream with this action? */
bool stats_has_action(const struct stream_map *map, enum stream_action action);

/** Frames that the presses of streams with one action dropped. */
uint64_t stats_press_drops(const struct fwd_stats *stats, enum stream_action action);

/** Sum of the reasons to pass. */
uint64_t stats_press_passed(const struct lp_press_stats *press);

/** Sum of the reasons to drop. */
uint64_t stats_press_dropped(const struct lp_press_stats *press);

/** Share of `before` that `after` saves, in percent; negative if it is more. */
double stats_saved_percent(uint64_t before, uint64_t after);

#endif /* LINEPRESS_APP_STATS_H */
