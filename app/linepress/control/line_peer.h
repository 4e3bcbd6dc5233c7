/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_LINE_PEER_H
#define LINEPRESS_APP_LINE_PEER_H

/**
 * @file
 * The far box behind one port: its hellos, our counters for it, and the news of it in the log.
 * Nothing here locks; times are as in linepress/peer.h. Who lets time pass must never wait for a
 * log that nobody reads, so news are logged by another thread.
 */

#include <rte_ether.h>
#include <rte_mempool.h>

#include "linepress/peer.h"
#include "options.h"
#include "streams.h"

/** States that wait to be logged; of more than that at a time, the newest ones count. */
#define LINE_PEER_NEWS 16

/** Why nothing of the far box is heard that counts. The last one that is so is told. */
enum line_peer_cause {
	LINE_PEER_HEARD,	  /**< it is heard, or has been and nothing is known */
	LINE_PEER_NO_ANSWER,	  /**< no hello since start */
	LINE_PEER_OTHER_KEY,	  /**< hellos of another key arrive */
	LINE_PEER_NOT_UNDERSTOOD, /**< hellos of our key, but of another version or wrong */
	LINE_PEER_LOOPED,	  /**< our own hellos arrive */
	LINE_PEER_CAUSE_COUNT,
};

/** What the log does not know yet. */
struct line_peer_news {
	enum lp_peer_state state[LINE_PEER_NEWS];
	unsigned int count;
	enum line_peer_cause cause; /**< LINE_PEER_HEARD: nothing new */
};

/** The far box behind a port. */
struct line_peer {
	uint16_t port_id;
	uint16_t tx_queue;	      /**< takes its hellos */
	struct rte_ether_addr source; /**< of our hellos */
	struct hello_line line;
	struct lp_peer *peer;
	enum lp_peer_state noted; /**< the last state that was news */
	/** hellos by cause, when the far box was last heard */
	uint64_t refused_before[LINE_PEER_CAUSE_COUNT];
	enum line_peer_cause noted_cause; /**< the last one that was news since then */
	struct line_peer_news news;
};

/**
 * Create the peer that a stream compresses to.
 *
 * @param socket
 *   Of its port.
 * @return
 *   The peer, or NULL after one line on stderr.
 */
struct line_peer *line_peer_create(const struct options *opts, enum lp_peer_mode mode,
		const struct stream *stream, int socket, uint64_t now_ms);

/** Release a peer; NULL is allowed. No lcore may use its gate or its line. */
void line_peer_free(struct line_peer *of);

/**
 * Let time pass: read what the peer has sent, tell it what the lcores of the plan have counted,
 * give the lcores a hello if one is due.
 *
 * @param pool
 *   Of the mbufs of hellos.
 * @param now_tsc
 *   rte_rdtsc() at `now_ms`, or before.
 */
void line_peer_tick(struct line_peer *of, const struct stream_map *map, struct rte_mempool *pool,
		uint64_t now_ms, uint64_t now_tsc);

/** Take the news since the last time. */
struct line_peer_news line_peer_take_news(struct line_peer *of);

/** Log the news of the peer of a port: whether frames are coded, and if not, why. */
void line_peer_tell(uint16_t port_id, const struct line_peer_news *news);

#endif /* LINEPRESS_APP_LINE_PEER_H */
