/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_PEERS_H
#define LINEPRESS_APP_PEERS_H

/**
 * @file
 * The far boxes, one for each port that coded frames are sent to, and the thread that exchanges
 * hellos with them: see linepress/peer.h. It is a thread of its own because hellos must go out in
 * time, whatever command is under way.
 */

#include <stdint.h>

#include "linepress/peer.h"
#include "options.h"
#include "pools.h"
#include "ports.h"
#include "streams.h"

/** The far boxes of a plan. */
struct peers;

/**
 * Create the peers of a plan, and tell its streams of them. Peers are found by hello in mode press,
 * unless the options say static; in the other modes everything may be coded.
 *
 * @param digest
 *   Of the books that are installed, see lp_peer_set_books().
 * @return
 *   The peers, to be released with peers_free(), or NULL after one line on stderr.
 */
struct peers *peers_create(const struct options *opts, const struct port_table *ports,
		const struct mbuf_pools *pools, const uint64_t *digest, struct stream_map *map);

/** Release peers; NULL is allowed. peers_end() must have been called, and no lcore may forward. */
void peers_free(struct peers *peers);

/**
 * Begin to exchange hellos; lcores forward.
 *
 * @param map
 *   The plan that the peers were created for.
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int peers_begin(struct peers *peers, const struct stream_map *map);

/**
 * Ask all peers to stop coding, and wait until they have; lcores still restore what comes.
 * Returns at once if there is no peer, and when the program is asked to stop meanwhile.
 */
void peers_drain(struct peers *peers);

/** End the exchange; NULL is allowed. The peers can still be described. */
void peers_end(struct peers *peers);

/** Do they decide what is coded? Not if they are static; NULL is allowed. */
bool peers_are_asked(const struct peers *peers);

/** Log what is new of them; NULL is allowed. Waits for whoever reads the log. */
void peers_tell(struct peers *peers);

/** Other books are installed; NULL is allowed. See lp_peer_set_books(). */
void peers_set_books(struct peers *peers, const uint64_t *digest);

/**
 * Describe a peer, counted from 0. Any thread may ask.
 *
 * @param port_id
 *   Receives the number of its port.
 * @return
 *   False if there are no more.
 */
bool peers_describe(
		struct peers *peers, uint16_t i, uint16_t *port_id, struct lp_peer_report *report);

#endif /* LINEPRESS_APP_PEERS_H */
