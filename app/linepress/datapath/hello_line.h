/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_HELLO_LINE_H
#define LINEPRESS_APP_HELLO_LINE_H

/**
 * @file
 * Hellos between the lcores that own the queues of a line port and the thread that knows its peer.
 */

#include <rte_ring.h>

#include "linepress/hello.h"

struct rte_mbuf;
struct stream;

/** Bytes of a frame that are looked at: more than any version of a hello has. */
#define HELLO_LINE_READ_MAX 2048

/** Hellos of a line port, on their way in either direction. */
struct hello_line {
	struct lp_key key;     /**< key of the pair */
	struct rte_ring *in;   /**< received ones, from any lcore */
	struct rte_ring *out;  /**< ones to send, to the lcore of the port's first transmit queue */
	struct rte_mbuf *next; /**< of that lcore: the queue was full, it is sent before all else */
};

/**
 * Create the rings.
 *
 * @return
 *   0, or -ENOMEM; hello_line_close() is then still due.
 */
int hello_line_open(struct hello_line *line, const struct lp_key *key, int socket);

/** Release the rings and all hellos in them. No lcore may be using them. */
void hello_line_close(struct hello_line *line);

/**
 * Read a frame as a hello of this line.
 *
 * @param scratch
 *   Room for a frame in several mbufs, HELLO_LINE_READ_MAX bytes.
 * @return
 *   As lp_hello_read().
 */
enum lp_hello_verdict hello_line_read(const struct hello_line *line, const struct rte_mbuf *pkt,
		uint8_t *scratch, struct lp_hello *hello);

/*
 * For forwarding lcores.
 */

/**
 * Take the hellos of the pair out of a burst; they end here. From the line they are handed on to
 * the peer; from a host, who cannot make any, they are recorded ones, which is all that is wrong
 * with them. Whatever only looks like one stays, in its place.
 *
 * @return
 *   Frames that are left, the first ones of `pkts`.
 */
uint16_t hello_line_take(struct stream *stream, struct rte_mbuf **pkts, uint16_t nb_pkts);

/** Are there hellos to send? */
static inline bool
hello_line_has_news(const struct hello_line *line)
{
	return line->next != NULL || !rte_ring_empty(line->out);
}

/**
 * Send the newest hello that waits in `stream->hellos_out`; those before it are of no use any more.
 * If the queue is full, which is when the peer must not take us for dead, it waits on.
 */
void hello_line_transmit(struct stream *stream);

/** Throw away the hello that waits, as if the line had lost it. */
void hello_line_give_up(struct hello_line *line);

#endif /* LINEPRESS_APP_HELLO_LINE_H */
