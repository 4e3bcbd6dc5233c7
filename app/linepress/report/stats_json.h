/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_STATS_JSON_H
#define LINEPRESS_APP_STATS_JSON_H

/**
 * @file
 * The statistics of a run as JSON, for --stats-json. All numbers are counted since forwarding
 * began, whatever was cleared on the prompt. Bytes are those of frames without FCS, cycles those of
 * the TSC.
 *
 * ```
 * version, mode      strings
 * seconds            real; how long frames were forwarded
 * tsc_hz             cycles in a second
 * balance_ok         true if each frame is accounted for, none came back changed (verify) and the
 *                    devices sent what they took
 * ports[]            id, driver, rx_packets, rx_bytes, rx_missed, rx_errors, rx_nombuf,
 *                    tx_packets, tx_bytes, tx_errors: as the device counts them
 *                    tx_dropped: frames it did not take; link_losses: times the line was down
 * streams[]          rx_port, rx_queue, tx_port, tx_queue, action, lcore, rx_packets, tx_packets,
 *                    tx_bytes, tx_dropped, dist_dropped, tx_retries, busy_cycles; rx_hellos,
 *                    tx_hellos: hellos between the boxes, the latter not in tx_packets;
 *                    rx_other_hellos: made with another key, and forwarded
 * lcores[]           id, busy_cycles, idle_cycles, packets, rounds, empty_rounds, sleeps
 * directions{}       by action of the streams: compress, restore, verify, io; those in use
 *   rx_packets, rx_bytes, tx_packets, tx_bytes, tx_retries
 *   rx_hellos        hellos of the peer; they are in rx_packets and end here
 *   coded, stored    frames coded and escaped, or decoded and unwrapped; verify: copies compressed
 *   verified         compress: frames that `set verify` decoded and compared before they were sent
 *   differing        verify: frames that did not come back equal
 *   passed{}         frames forwarded as they were, by reason
 *   dropped{}        frames dropped, by reason; tx_full: the transmit queue stayed full; dist_full:
 *                    a worker of --distribution=flow had no room.
 *                    rx_packets = tx_packets + rx_hellos + their sum
 *   eligible, uncoded, region_bytes, line_bytes
 *                    compress, verify: regions worth coding, those not coded, their bytes before
 *                    and after
 *   ratio_packets[]  compress, verify: coded frames by line bytes of region bytes, 5 % each
 * codebooks[]        id, name, type, kind, symbol, digest, kernel;
 *                    compress{}, restore{}: packets, region_bytes, line_bytes
 * types{}            by element type: compress{}, restore{}: as of codebooks
 * rules[]            text, packets, coded, region_bytes, line_bytes, would_coded, would_line_bytes:
 *                    eligible frames by the rule that they matched since it was loaded; the last
 *                    one has those that no rule matches. Empty without rules
 * peers[]            port, state; usable_books[], stopped_books[]: their numbers; raw_flows,
 *                    raw_groups: flows, and groups of flows, that are sent as they are; hellos:
 *                    sent, received{} by what became of them, refused{} by what was wrong;
 *                    entered{}: how often each state has begun
 * latency_ns         p50, p90, p99, p999, max, from receive to transmit; samples: frames
 * profile{}          since `set profile on`, empty without: every: one region in so many;
 *                    sampled: regions looked at; missed: those that there was no time for;
 *                    stale: those whose codebook was gone; noise: those that no code shortens;
 *                    threshold_percent; alarms_on
 * drift[]            by codebook: number, name, type; regions, region_bytes, body_bytes: sampled
 *                    ones, and what they were coded in, without shims; windows: judged, of the
 *                    last: code_millibits, entropy_millibits, divergence_millibits: a symbol;
 *                    loss_ppm: millionths of the bytes that another codebook would save more;
 *                    alarm: 1: on; alarms: raised so far. Of number 256 and more, name "none": by
 *                    type, what no codebook codes
 * ```
 */

#include <jansson.h>

#include "linepress/bookset.h"
#include "linepress/rules.h"
#include "peers.h"
#include "ports.h"
#include "profiling.h"
#include "stats.h"
#include "streams.h"

/** What there is to write. */
struct stats_run {
	const struct port_table *ports;
	const struct stream_map *map;
	const struct lp_bookset *books; /**< NULL if there are none */
	const struct lp_rules *rules;	/**< NULL if there are none */
	const struct fwd_stats *stats;
	struct peers *peers; /**< NULL if there are none */
	const struct profiling *profiling;
	double seconds;
};

/** All of it as JSON; NULL if out of memory. */
json_t *stats_json(const struct stats_run *run);

#endif /* LINEPRESS_APP_STATS_JSON_H */
