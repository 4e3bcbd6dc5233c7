/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_STREAMS_H
#define LINEPRESS_APP_STREAMS_H

/**
 * @file
 * Streams: which queue is forwarded to which, by which lcore, and what is done on the way.
 */

#include <stdatomic.h>
#include <stdint.h>

#include <rte_common.h>

#include "hello_line.h"
#include "latency.h"
#include "linepress/gate.h"
#include "linepress/press.h"
#include "options.h"
#include "ports.h"

/** What a stream does with its frames. */
enum stream_action {
	STREAM_IO,
	STREAM_COMPRESS,
	STREAM_RESTORE,
	STREAM_VERIFY,
	STREAM_ACTION_COUNT,
};

/** Counters of a stream. Written by its lcore alone, read by anyone. */
struct stream_counters {
	uint64_t rx_pkts;	   /**< received from the device */
	uint64_t hello_rx_pkts;	   /**< of them, hellos of the peer, which end here */
	uint64_t hello_other_pkts; /**< hellos made with another key, which are forwarded */
	uint64_t hello_tx_pkts;	   /**< hellos of our own that the device took */
	uint64_t tx_pkts;	   /**< taken by the device */
	uint64_t tx_bytes;	   /**< their bytes, without FCS */
	uint64_t tx_full_pkts;	   /**< dropped since the transmit queue stayed full */
	uint64_t tx_full_bytes;	   /**< their bytes */
	uint64_t dist_full_pkts;   /**< dropped since the lane of their flow stayed full */
	uint64_t dist_full_bytes;  /**< their bytes */
	uint64_t tx_retries;	   /**< attempts to transmit after the first */
	uint64_t differing_pkts;   /**< verify: frames that did not come back equal */
	uint64_t busy_cycles;	   /**< TSC cycles of polls that received, until all was sent */
};

struct lane;

/** One receive queue, the transmit queue its frames go to, and what is done between. */
struct stream {
	uint16_t rx_port;
	uint16_t rx_queue;
	uint16_t tx_port;
	uint16_t tx_queue;
	enum stream_action action;
	struct lp_press *press;	    /**< NULL unless the action needs one, and if there are lanes */
	const struct lp_gate *gate; /**< compress: what may be coded; NULL: everything */
	struct hello_line *hellos_in;  /**< where it looks for hellos it receives, or NULL */
	struct hello_line *hellos_out; /**< compress: where hellos to send come from, or NULL */
	uint32_t nb_lanes;	       /**< 0: its lcore does it all */
	struct lane **lane;	       /**< by worker, see lanes.h */
	uint64_t *rx_bursts; /**< polls by frames received, 0 to BURST_MAX; NULL: not recorded */
	struct stream_counters counters;
} __rte_cache_aligned;

/** Counters of a forwarding lcore. As struct stream_counters. */
struct lcore_counters {
	uint64_t rounds;       /**< visits to all streams of the lcore */
	uint64_t empty_rounds; /**< rounds that received nothing */
	uint64_t sleeps;       /**< times it slept, see --idle-sleep-us */
	uint64_t idle_cycles;  /**< TSC cycles of polls that received nothing, sleep included */
};

/** What a forwarding lcore does. */
enum lcore_role {
	LCORE_FORWARDS, /**< all, for queues of its own */
	LCORE_POLLS,	/**< receives and transmits, for all queues */
	LCORE_WORKS,	/**< presses what another lcore has received */
};

/** The lcore that polls, and its workers. */
struct fwd_team {
	atomic_bool is_fed;  /**< workers may get more frames */
	atomic_uint working; /**< workers that have not ended */
};

struct policy_slot;

/** One forwarding lcore. */
struct fwd_lcore {
	unsigned int lcore_id;
	int socket; /**< never SOCKET_ID_ANY */
	uint16_t burst_pkts;
	uint32_t idle_sleep_us;
	enum lcore_role role;
	bool shares_cpu; /**< may run on a processor that another lcore runs on, too */
	const atomic_bool *should_run;
	struct fwd_team *team; /**< NULL if it has none */
	struct policy_slot *policy_slot;
	uint64_t policy_serial; /**< of the policy that its presses have; 0: take the current one */
	uint32_t nb_streams;
	struct stream **stream; /**< part of the map's array */
	uint32_t nb_lanes;
	struct lane **lane; /**< of a worker, one for each stream, in the map's order */
	struct lcore_counters counters;
	/** From the poll that received a frame until all of the burst it is sent in was sent. */
	struct latency latency;
} __rte_cache_aligned;

/** All streams and the lcores that forward them; all zero if there is no plan. */
struct stream_map {
	enum fwd_mode mode;
	enum port_topology topology;
	enum distribution distribution;
	uint16_t burst_pkts;
	uint16_t nb_ports;	/**< forwarding ports */
	atomic_bool should_run; /**< read by the lcores after each round */
	struct fwd_team team;	/**< if distribution is by flow */

	uint32_t nb_streams;
	uint32_t nb_lcores;
	struct stream **stream; /**< lcore by lcore, of each queue by queue and port by port */
	struct fwd_lcore *lcore[RTE_MAX_LCORE];
};

/**
 * Plan the streams and give each an lcore, or all to the first and lanes to the others.
 *
 * Each transmit queue gets exactly one lcore. A port without a socket of its own gets that of
 * the lcore which polls its first queue. Decides which ports face the host.
 *
 * @return
 *   0, or a negative errno after one line on stderr; streams_free() is then still due.
 */
int streams_plan(const struct options *opts, struct port_table *ports, struct stream_map *map);

/** Release all streams and lanes. */
void streams_free(struct stream_map *map);

/** A press of a stream, `i` counted from 0; NULL if it has no more. */
struct lp_press *stream_press(const struct stream *stream, uint32_t i);

/** Name of an action, e.g. "compress". */
const char *stream_action_name(enum stream_action action);

#endif /* LINEPRESS_APP_STREAMS_H */
