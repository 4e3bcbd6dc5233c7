/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PEER_INTERNAL_H
#define LP_PEER_INTERNAL_H

/**
 * @file
 * The parts of a peer: who it is, whether coded frames arrive there, what has failed.
 */

#include "linepress/peer.h"

/**
 * Sent hellos that are remembered, a power of two. An echo counts for up to 3 of our intervals and
 * one of the peer's, and hellos are at least 10 ms apart.
 */
#define LP_PEER_SENT 128

_Static_assert((LP_PEER_DEAD_INTERVALS * LP_PEER_LOSSY_PARTS * LP_HELLO_INTERVAL_MIN +
			       LP_HELLO_INTERVAL_MAX) /
						LP_HELLO_INTERVAL_MIN <
				LP_PEER_SENT,
		"all hellos whose echo counts are remembered");

/** A hello that we have sent. */
struct lp_sent {
	uint64_t ms;			   /**< when */
	uint32_t coded_of[LP_FLOW_GROUPS]; /**< frames we had coded */
};

/** Starts of peers that are remembered after another has taken their place. */
#define LP_PEER_PAST 16

/** A start whose place another has taken. */
struct lp_past {
	uint64_t nonce;
	uint32_t seq; /**< of the last hello of it that was new */
};

/** Do coded frames of a group of flows arrive at the peer's decoder? */
struct lp_guard {
	uint32_t coded;	      /**< our counter at the start of the window */
	uint32_t arrived;     /**< the peer's counter then */
	unsigned int strikes; /**< windows in a row of which nothing has arrived */
	unsigned int holes;   /**< black holes found since something has arrived */
	uint64_t hold_end_ms; /**< coding is tried again then; 0: no hold */
};

/** Frames that we could not restore: the list in our hellos, oldest first. */
struct lp_own_failures {
	struct lp_hello_failure entry[LP_HELLO_FAILURES];
	uint64_t ms[LP_HELLO_FAILURES];
	uint8_t count;
	uint32_t total;
};

/** Frames that the peer could not restore, and what follows. */
struct lp_peer_failures {
	bool known;			      /**< `seen` is of this start of the peer */
	uint32_t seen;			      /**< number of the last one taken from its list */
	uint64_t raw_until_ms[LP_GATE_FLOWS]; /**< by slot of the gate; 0: free */
	uint32_t raw_flow[LP_GATE_FLOWS];
	uint64_t first_ms[LP_BOOK_IDS]; /**< by book, start of the window */
	uint8_t count[LP_BOOK_IDS];	/**< by book, failures in the window */
	struct lp_book_mask stopped;
};

struct lp_peer {
	struct lp_gate gate;
	struct lp_peer_conf conf;
	struct lp_peer_counts counts;

	enum lp_hello_state own_state;
	uint64_t own_digest[LP_BOOK_IDS];
	struct lp_book_mask own_books;
	uint64_t own_books_digest;

	uint32_t seq; /**< of the last hello sent */
	struct lp_sent sent[LP_PEER_SENT];
	bool send_soon;	    /**< there is news: do not wait for the interval */
	uint32_t drain_seq; /**< first hello that said DRAIN */
	uint64_t drain_ms;
	bool peer_stopped; /**< it has answered that it does not code */
	uint64_t peer_stopped_ms;

	bool heard;	      /**< `last` is valid */
	struct lp_hello last; /**< last accepted hello */
	uint64_t last_ms;
	struct lp_past past[LP_PEER_PAST]; /**< a ring */
	unsigned int nb_past;
	uint32_t challenge_seq;	 /**< first hello sent after this start of the peer was heard of */
	bool restarted;		 /**< it is not its first start, and it has not answered */
	bool two_way;		 /**< `last` proves that the peer hears us now */
	bool refused;		 /**< there was one that we do not understand */
	uint64_t refused_ms;	 /**< when */
	uint64_t refused_end_ms; /**< until then, even if the peer is understood in between */
	bool second_box;
	uint64_t second_box_end_ms;
	uint64_t lossy_end_ms; /**< until then, hellos of ours are taken to get lost */

	struct lp_guard guard[LP_FLOW_GROUPS];
	struct lp_own_failures own_failures;
	struct lp_peer_failures failures;

	enum lp_peer_state state;
	uint64_t state_ms; /**< since when */
	struct lp_book_mask usable;

	uint64_t nb_sent;
	uint64_t received[LP_PEER_RECEIPT_COUNT];
	uint64_t refusals[LP_HELLO_VERDICT_COUNT];
	uint64_t entered[LP_PEER_STATE_COUNT];
};

/** Milliseconds since then; 0 if the clock was set back. */
static inline uint64_t
lp_peer_elapsed(uint64_t now_ms, uint64_t then_ms)
{
	return now_ms > then_ms ? now_ms - then_ms : 0;
}

/** How old the last hello of a box may be. */
static inline uint64_t
lp_peer_dead_after_ms(uint16_t interval_ms)
{
	return LP_PEER_DEAD_INTERVALS * (uint64_t)interval_ms;
}

/** Is sequence number `a` equal to `b` or later, modulo 2^32? */
static inline bool
lp_peer_seq_reached(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) >= 0;
}

/** Do hellos of ours get lost on the line? */
static inline bool
lp_peer_is_lossy(const struct lp_peer *peer, uint64_t now_ms)
{
	return now_ms < peer->lossy_end_ms;
}

/** What we remember of a hello that we have sent. */
static inline struct lp_sent *
lp_peer_sent(struct lp_peer *peer, uint32_t seq)
{
	return &peer->sent[seq % LP_PEER_SENT];
}

/** Books that both boxes hold under the same number. */
struct lp_book_mask lp_peer_common_books(const struct lp_peer *peer);

/** Does the peer hold exactly our books? */
bool lp_peer_has_same_books(const struct lp_peer *peer);

/** There was a hello that we do not understand. */
void lp_refused_take(struct lp_peer *peer, uint64_t now_ms);

/** Coding begins: what is coded from now on must arrive. */
void lp_guard_start(struct lp_peer *peer);

/** A hello has come while we are coding that proves itself new. */
void lp_guard_hello(struct lp_peer *peer, uint64_t now_ms);

/** End the holds that are over. Returns the groups of flows to keep raw, a bit for each. */
uint32_t lp_guard_holds(struct lp_peer *peer, uint64_t now_ms);

/** The peer has started anew: forget what has failed there. */
void lp_failures_reset(struct lp_peer *peer);

/** Take what is new from the list in the last hello, which proves itself new. */
void lp_failures_take(struct lp_peer *peer, uint64_t now_ms);

/** A book has another digest, or has gone: it gets another chance. */
void lp_failures_forget_book(struct lp_peer *peer, unsigned int id);

/** Drop what is too old, of both lists. */
void lp_failures_expire(struct lp_peer *peer, uint64_t now_ms);

#endif /* LP_PEER_INTERNAL_H */
