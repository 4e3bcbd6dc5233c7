/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PEER_H
#define LINEPRESS_PEER_H

/**
 * @file
 * The other box of a pair, as one line port knows it from its hellos, and what may be coded
 * towards it.
 *
 * A book may be used only if we are READY, the last hello is not older than 3 of the peer's
 * intervals, and it says that the peer
 * - is READY, with our version of shim and parser,
 * - hears us: it echoes a hello that we have sent after we heard of this start of the peer, and
 *   not longer ago than 3 of our intervals and one of the peer's,
 * - holds a book of this number and this digest,
 * and if no LP_PEER_BOOK_FAILURES flows have failed with this book. Flows whose coded frames do not
 * arrive there travel raw (the guard against black holes, see LP_PEER_HOLD_MS).
 *
 * So after a peer has stopped without a word, coding towards it ends 3 intervals after its last
 * hello. Hellos may be lost, doubled, delayed, reordered and replayed: what a hello allows is only
 * believed if the echo proves it new, what it forbids is believed at once.
 *
 * No threads, no clock, no I/O: one control thread calls these functions, hands in the time and
 * the hellos, and sends those that it is given. Lcores read the gate. `now_ms` is a monotonic
 * time in milliseconds; lp_peer_tick() must be called every LP_PEER_TICK_MS or oftener, since
 * nothing ends by itself in between but what lp_peer_limit_gate() has limited.
 */

#include <stdbool.h>
#include <stdint.h>

#include "linepress/gate.h"
#include "linepress/hello.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Interval between hellos, by default. */
#define LP_PEER_INTERVAL_MS 50

/** Longest time between two calls of lp_peer_tick(). */
#define LP_PEER_TICK_MS 10

/** Intervals without a hello after which a peer is dead. */
#define LP_PEER_DEAD_INTERVALS 3

/**
 * A line that has too much to carry loses hellos like all frames, and has even more to carry when
 * coding ends. What the peer echoes tells whether ours get lost: if it is older than 2 intervals,
 * we send LP_PEER_LOSSY_PARTS hellos in each interval, but not oftener than LP_HELLO_INTERVAL_MIN,
 * for LP_PEER_LOSSY_MS. What hellos prove, and for how long, stays as it is.
 */
#define LP_PEER_LOSSY_PARTS 5
#define LP_PEER_LOSSY_MS 30000

/**
 * Guard against black holes: coding of a group of flows stops if, in 2 windows from hello to hello
 * one after the other, of at least LP_PEER_LOST_MIN coded frames each, not one has arrived at the
 * peer's decoder. A line that has too much to carry loses some of each group, and is no black hole:
 * if our hellos get lost, too, it takes LP_PEER_LOSSY_MIN frames each.
 * The group travels raw for LP_PEER_HOLD_MS and is then tried again with the frames of hosts; each
 * time that fails the hold doubles, up to LP_PEER_HOLD_DOUBLED times, until frames arrive or the
 * peer starts anew.
 */
#define LP_PEER_LOST_MIN 4
#define LP_PEER_LOSSY_MIN 32
#define LP_PEER_HOLD_MS 10000
#define LP_PEER_HOLD_DOUBLED 5

/** How long a flow travels raw after the peer has failed to restore a frame of it. */
#define LP_PEER_FLOW_RAW_MS 60000

/** How long a failure stays on our own list, unless newer ones push it out. */
#define LP_PEER_FAILURE_MS 30000

/**
 * Failures of a book, each with another flow or after the flow was raw, within
 * LP_PEER_BOOK_WINDOW_MS, after which it is not used until the peer or the book changes.
 */
#define LP_PEER_BOOK_FAILURES 4
#define LP_PEER_BOOK_WINDOW_MS 600000

/** How long frames may be under way in the peer after it has said that it does not code. */
#define LP_PEER_SETTLE_MS 10

/** How long to wait at most for a peer that does not stop. */
#define LP_PEER_DRAIN_MS 8000

/** How the usable books are found. */
enum lp_peer_mode {
	LP_PEER_HELLO,	/**< by hello */
	LP_PEER_STATIC, /**< all that are installed, no hello: for replay and one-way taps */
};

/**
 * State of a peer, which is also why nothing is coded: the first of these that holds. Each has a
 * name, see lp_peer_state_name().
 */
enum lp_peer_state {
	LP_PEER_NOT_READY,	/**< we are not READY ourselves */
	LP_PEER_ALWAYS,		/**< mode static: coding */
	LP_PEER_SILENT,		/**< no hello since start */
	LP_PEER_DEAD,		/**< no hello for 3 intervals */
	LP_PEER_REFUSED,	/**< last hello is one of another version, or unusable */
	LP_PEER_SECOND_BOX,	/**< there are hellos of two boxes */
	LP_PEER_SHIM_VERSION,	/**< peer has another version of the shim */
	LP_PEER_PARSER_VERSION, /**< peer has another version of the parser */
	LP_PEER_INIT,		/**< peer is not READY yet */
	LP_PEER_DRAIN,		/**< peer is going to stop */
	LP_PEER_BYPASS,		/**< peer does not restore */
	LP_PEER_RESTARTED,	/**< peer has started anew and has not answered yet */
	LP_PEER_ONE_WAY,	/**< peer does not hear us */
	LP_PEER_NO_BOOK,	/**< no book is usable */
	LP_PEER_BLACK_HOLE,	/**< coding, but not the flows whose coded frames do not arrive */
	LP_PEER_CODING,		/**< coding */
	LP_PEER_STATE_COUNT,
};

/** What became of a hello. Each has a name, see lp_peer_receipt_name(). */
enum lp_peer_receipt {
	LP_PEER_ACCEPTED,
	/** seq has not risen, or the start is over: late, doubled, or recorded by someone */
	LP_PEER_REPLAYED,
	LP_PEER_LOOPED,	 /**< our own: the line leads back to us */
	LP_PEER_SAME_ID, /**< our box id, but not of this start: two boxes share one, or replayed */
	LP_PEER_OTHER_BOX, /**< of a second box, while the first is alive */
	LP_PEER_IGNORED,   /**< mode static */
	LP_PEER_RECEIPT_COUNT,
};

/** Has the peer stopped coding? Not 0: it is safe to stop restoring, or useless to wait. */
enum lp_drain {
	LP_DRAIN_WAITING = 0, /**< not yet, or we are not draining */
	LP_DRAIN_STOPPED,     /**< it has said so */
	LP_DRAIN_NO_PEER,     /**< there is none, it has long been dead, or mode static */
	LP_DRAIN_TIMEOUT,     /**< no for LP_PEER_DRAIN_MS */
};

/** Configuration of a peer. */
struct lp_peer_conf {
	struct lp_key key;    /**< key of the pair */
	uint64_t box_id;      /**< number of our line port, not 0; differs from that of the peer */
	uint64_t nonce;	      /**< random number, new with every start, not 0 */
	uint16_t interval_ms; /**< time between hellos, 10-1000; 0: LP_PEER_INTERVAL_MS */
	/** longest IP packet in a frame without VLAN tags that we can restore, bytes, 68 or more */
	uint16_t host_mtu;
	enum lp_peer_mode mode; /**< how the usable books are found */
};

/** Frames of a line port since start, of all lcores. None may ever decrease. */
struct lp_peer_counts {
	uint64_t coded;	  /**< coded and sent */
	uint64_t decoded; /**< coded ones restored */
	uint64_t failed;  /**< coded ones that could not be restored, for whatever reason */
	uint64_t foreign; /**< hellos of another key, which are not told by lp_peer_refuse() */
	uint32_t coded_of[LP_FLOW_GROUPS];   /**< coded, by group of flows, modulo 2^32 */
	uint32_t arrived_of[LP_FLOW_GROUPS]; /**< coded ones that arrived, likewise */
};

/** All there is to know of a peer. */
struct lp_peer_report {
	enum lp_peer_mode mode;	       /**< of the configuration, as the next two */
	uint64_t box_id;	       /**< ours */
	uint64_t nonce;		       /**< of our start */
	enum lp_peer_state state;      /**< now */
	uint64_t state_ms;	       /**< for so long */
	enum lp_hello_state own_state; /**< what we announce */
	struct lp_book_mask own_books; /**< books we hold */
	struct lp_book_mask usable;    /**< books that may be used now */
	struct lp_book_mask stopped;   /**< books that are not used because they failed */
	bool heard;		       /**< there is a peer; if not, what follows of it is 0 */
	bool two_way;		       /**< it hears us */
	bool same_books;	       /**< it holds exactly our books */
	uint64_t heard_ms;	       /**< last accepted hello is so old */
	struct lp_hello hello;	       /**< last accepted hello */
	uint32_t raw_groups;	       /**< groups of flows that travel raw after a black hole */
	uint64_t hold_ms;	       /**< until the first of them is tried again; or 0 */
	unsigned int raw_flows;	       /**< flows that travel raw because they failed */
	struct lp_peer_counts counts;  /**< as handed in */
	uint32_t own_failures;	       /**< failures put on our list since start */
	uint64_t sent;		       /**< hellos */
	uint64_t received[LP_PEER_RECEIPT_COUNT]; /**< hellos, by what became of them */
	uint64_t refused[LP_HELLO_VERDICT_COUNT]; /**< by verdict, see lp_peer_refuse() */
	uint64_t entered[LP_PEER_STATE_COUNT];	  /**< how often each state has begun */
};

struct lp_peer;

/** Name of a state, e.g. "black_hole"; NULL if out of range. */
const char *lp_peer_state_name(unsigned int state);

/** Name of a receipt, e.g. "replayed"; NULL if out of range. */
const char *lp_peer_receipt_name(unsigned int receipt);

/**
 * Create the peer of a line port, in own state INIT and with no books.
 *
 * @return
 *   The peer, or NULL with rte_errno:
 *   - EINVAL: a value of the configuration is out of range
 *   - ENOMEM: out of memory
 */
struct lp_peer *lp_peer_create(const struct lp_peer_conf *conf, uint64_t now_ms);

/** Release a peer; NULL is allowed. No lcore may be using its gate. */
void lp_peer_free(struct lp_peer *peer);

/** What may be coded towards this peer, for lcores. Valid until the peer is released. */
const struct lp_gate *lp_peer_gate(const struct lp_peer *peer);

/** Books that may be used for coding now: none unless it is safe. Belongs to the peer. */
const struct lp_book_mask *lp_peer_usable_books(const struct lp_peer *peer);

/**
 * Say which books we hold: those that lcores decode now and will for a while. A book that is to be
 * removed must be left out first, see rotation.h.
 *
 * @param digest
 *   lp_codebook_digest64() by number, LP_BOOK_IDS entries, 0 where there is no book; copied.
 */
void lp_peer_set_books(struct lp_peer *peer, const uint64_t *digest, uint64_t now_ms);

/** Announce a state. READY: lcores restore frames with all the books that were set. */
void lp_peer_set_state(struct lp_peer *peer, enum lp_hello_state state, uint64_t now_ms);

/** Announce DRAIN: stop coding, and ask the peer to. */
void lp_peer_drain(struct lp_peer *peer, uint64_t now_ms);

/** Has the peer stopped coding since lp_peer_drain()? */
enum lp_drain lp_peer_drained(const struct lp_peer *peer, uint64_t now_ms);

/** Hand in the counters; before lp_peer_receive() and before lp_peer_tick(). */
void lp_peer_count(struct lp_peer *peer, const struct lp_peer_counts *counts);

/**
 * Report a frame that could not be restored, so that the peer sends its flow raw for a while.
 * Only the first of a flow and book is put on the list.
 */
void lp_peer_fail(struct lp_peer *peer, uint32_t flow, uint8_t book, uint64_t now_ms);

/** Take a hello that lp_hello_read() found to be LP_HELLO_OK. */
enum lp_peer_receipt lp_peer_receive(
		struct lp_peer *peer, const struct lp_hello *hello, uint64_t now_ms);

/**
 * Count a hello that lp_hello_read() refused. If it is ours (see lp_hello_is_ours()), coding stops
 * until the next hello that is accepted: the peer speaks a language that we do not understand. If
 * there is another within 3 of our intervals, a second box does, and coding stops for 3 more. If it
 * comes later, but within 3 of the longest intervals that a box may have, coding stops for 3 times
 * what lies between the two, or 3 of the longest.
 */
void lp_peer_refuse(struct lp_peer *peer, enum lp_hello_verdict verdict, uint64_t now_ms);

/**
 * Let time pass.
 *
 * @param hello
 *   Receives the hello to send, if there is one.
 * @return
 *   Is there a hello to send now?
 */
bool lp_peer_tick(struct lp_peer *peer, uint64_t now_ms, struct lp_hello *hello);

/**
 * Let the gate shut by itself when the peer is dead, even if lp_peer_tick() is not called then,
 * since its thread or the whole machine does not run. To be called after lp_peer_tick().
 *
 * @param now_tsc
 *   rte_rdtsc() at `now_ms`, or before.
 * @param tsc_hz
 *   rte_get_tsc_hz().
 */
void lp_peer_limit_gate(struct lp_peer *peer, uint64_t now_ms, uint64_t now_tsc, uint64_t tsc_hz);

/** Describe a peer, for `show peer`. */
void lp_peer_describe(const struct lp_peer *peer, uint64_t now_ms, struct lp_peer_report *report);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_PEER_H */
