/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_H
#define LINEPRESS_APP_REPORT_H

/**
 * @file
 * What the program prints on stdout. Layouts that testpmd has are testpmd's, to the letter.
 */

#include <stdint.h>

#include "linepress/bookset.h"
#include "linepress/rules.h"
#include "options.h"
#include "ports.h"
#include "stats.h"
#include "streams.h"

/** The codebooks that are loaded: number, name, start of the digest. */
void report_books(const struct lp_bookset *books);

/** The map of streams, as testpmd's `show config fwd`. */
void report_streams(const struct port_table *ports, const struct stream_map *map);

/** Burst, queues and offloads, as testpmd's `show config rxtx`. */
void report_rxtx(const struct options *opts, const struct port_table *ports,
		const struct stream_map *map);

/** The lcores that forward, as testpmd's `show config cores`. */
void report_forwarding_lcores(const struct stream_map *map);

/**
 * What frames are pressed by, and how that is watched: all that may change while lcores forward.
 *
 * @param books
 *   The codebooks, NULL if there are none.
 * @param rules
 *   The rules, NULL if there are none.
 */
void report_pressing(const struct options *opts, const struct lp_bookset *books,
		const struct lp_rules *rules);

/**
 * Statistics of streams, ports and their sum, as testpmd's `show fwd stats all`. Bursts by size,
 * if they were recorded.
 */
void report_forward(const struct port_table *ports, const struct stream_map *map,
		const struct fwd_stats *stats);

/** CPU cycles a frame, as testpmd with --record-core-cycles; nothing without frames. */
void report_cycles(enum fwd_mode mode, const struct fwd_stats *stats);

/** Statistics of the presses, by direction, reason, element type and book. */
void report_press(const struct lp_bookset *books, const struct fwd_stats *stats);

/** How busy the lcores were. */
void report_lcores(const struct stream_map *map, const struct fwd_stats *stats);

/** How long frames stayed, in one line. */
void report_latency(const struct fwd_stats *stats);

/** The balance, and what else stats_is_good() judges. */
void report_balance(const struct port_table *ports, const struct stream_map *map,
		const struct fwd_stats *stats);

/**
 * Progress, one line a port and one for the presses.
 *
 * @param elapsed_s
 *   Seconds since forwarding began.
 * @param interval_s
 *   Seconds since the devices counted `before`.
 * @param before
 *   What they had counted then since forwarding began.
 */
void report_progress(const struct port_table *ports, const struct stream_map *map, double elapsed_s,
		double interval_s, const struct stats_base *before, const struct fwd_stats *now);

#endif /* LINEPRESS_APP_REPORT_H */
