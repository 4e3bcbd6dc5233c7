/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_STATS_H
#define LINEPRESS_APP_STATS_H

/**
 * @file
 * Statistics, collected here and printed elsewhere.
 *
 * While lcores forward, each value is correct but they are not of one instant.
 */

#include <stdint.h>

#include <rte_ethdev.h>

#include "linepress/press.h"
#include "ports.h"
#include "streams.h"

/** A port since forwarding began. */
struct port_stats {
	struct rte_eth_stats device; /**< what the device counted */
	uint64_t tx_dropped_pkts;    /**< frames it did not take, and its transmit errors */
	uint64_t tx_taken_pkts;	     /**< frames it took, as the streams count them */
};

/** All streams with one action. `rx = tx + press_drop + tx_full`, see stats_balance(). */
struct action_stats {
	uint32_t nb_streams;
	uint64_t press_drop_pkts; /**< as counted by the presses */
	struct stream_counters sum;
};

/** Everything worth printing, except the streams one by one. */
struct fwd_stats {
	struct port_stats port[RTE_MAX_ETHPORTS]; /**< by position in the port table */
	struct action_stats action[STREAM_ACTION_COUNT];
	struct lp_press_stats press[LP_DIR_COUNT]; /**< of all lcores */
};

/** Device counters when forwarding began, by position in the port table. */
struct stats_base {
	struct rte_eth_stats device[RTE_MAX_ETHPORTS];
};

/** Remember the device counters, which later ones are counted from. */
void stats_begin(const struct port_table *ports, struct stats_base *base);

/** Collect the statistics. */
void stats_collect(const struct port_table *ports, const struct stream_map *map,
		const struct stats_base *base, struct fwd_stats *stats);

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

/** Sum of the reasons to pass. */
uint64_t stats_press_passed(const struct lp_press_stats *press);

/** Sum of the reasons to drop. */
uint64_t stats_press_dropped(const struct lp_press_stats *press);

/** Share of `before` that `after` saves, in percent; negative if it is more. */
double stats_saved_percent(uint64_t before, uint64_t after);

#endif /* LINEPRESS_APP_STATS_H */
