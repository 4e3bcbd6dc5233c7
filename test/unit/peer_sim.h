/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_PEER_SIM_H
#define TEST_PEER_SIM_H

/**
 * @file
 * Two boxes that know each other by hello only, a line between them that loses, doubles and delays
 * frames, and a clock of milliseconds. The simulation knows what both boxes really hold, and checks
 * at each coded frame that it was safe to code it.
 *
 * Coded frames are never delayed more than a hello, as on a line that keeps their order.
 */

#include <stdbool.h>
#include <stdint.h>

#include "linepress/peer.h"
#include "linepress/rotation.h"

/** Books of the simulation: numbers 1 to SIM_BOOKS, each in versions with another digest. */
#define SIM_BOOKS 6
#define SIM_VERSIONS 3

/** Two boxes with the same books agree within 2 intervals and the way there and back. */
#define SIM_AGREE_MS (2 * LP_PEER_INTERVAL_MS + 30)

/** A box. */
struct sim_box {
	struct lp_peer *peer; /**< NULL: the box is off */
	uint64_t nonce;
	uint16_t interval_ms;
	uint16_t parser_version;      /**< what it says in its hellos; 0: LP_PARSER_VERSION */
	uint8_t shim_version;	      /**< likewise */
	uint8_t rate;		      /**< frames that its host sends in a millisecond */
	bool mute;		      /**< its control thread does not get to send */
	bool blind;		      /**< coded frames pass by its decoder */
	uint32_t blind_groups;	      /**< those of these groups of flows do */
	uint8_t lost_pct;	      /**< so many coded frames to it are lost */
	uint8_t hellos_lost_pct;      /**< so many of its hellos are, besides those of the line */
	uint32_t bad_flow;	      /**< it cannot restore frames of this flow; 0: none */
	uint32_t flow;		      /**< of the frames of its host; 0: any */
	uint64_t digest[LP_BOOK_IDS]; /**< of the books it names */
	struct lp_rotation rotation;  /**< of the books it decodes */
	struct lp_peer_counts counts;
	uint64_t undecodable;	/**< coded frames that came with a book it does not hold */
	uint64_t raw_flow_pkts; /**< frames sent raw because of their flow, or its group */
	bool left;		/**< it has gone after lp_peer_drained() allowed it to */
	/* What really was, for the check. */
	uint64_t stopped_ms;				    /**< when it was switched off last */
	uint64_t decodable_ms[SIM_BOOKS + 1][SIM_VERSIONS]; /**< when it could last decode this */
	uint64_t knew_ms; /**< when it last knew the start of the other box */
};

/** The simulation. */
struct sim {
	uint64_t now_ms;
	struct sim_box box[2];
	/* The line. */
	bool cut[2];	     /**< frames of this box are lost */
	uint8_t lost_pct;    /**< hellos lost */
	uint8_t twice_pct;   /**< hellos doubled */
	uint8_t late_ms;     /**< hellos are delayed by up to this */
	uint8_t delay_ms;    /**< and all frames by this */
	unsigned int unsafe; /**< frames coded although it was not safe */
};

extern struct sim sim;

/** A new simulation: both boxes off, a good line. */
void sim_reset(void);

/** Release what it holds. */
void sim_end(void);

/** Switch a box on: a new start with these versions of books 1 to SIM_BOOKS, -1: none. */
void sim_start(unsigned int box, const int *versions);

/** As sim_start(), with version 0 of all books, READY at once. */
void sim_start_ready(unsigned int box);

/** A new simulation with two boxes that code, whose hosts send at these rates. */
void sim_start_coding(uint8_t rate_0, uint8_t rate_1);

/** Switch a box off, without a word. */
void sim_kill(unsigned int box);

/** Set one book of a box by the rules of rotation; version -1: retire. False if it must wait. */
bool sim_set_book(unsigned int box, unsigned int id, int version);

/** Remove retired books of a box as soon as the rules allow. */
void sim_remove_books(unsigned int box);

/** Let time pass. */
void sim_run(uint64_t ms);

/**
 * How long ago at most the other box was alive, knew this one and held the book, when this one
 * codes: our hello that it has echoed was at most 3 of our intervals and one of its own old, and
 * the echo counts for 3 more.
 */
uint64_t sim_horizon_ms(unsigned int from);

/** Digest of a version of a book. */
uint64_t sim_digest(unsigned int id, unsigned int version);

/** State of a box's peer. */
enum lp_peer_state sim_state(unsigned int box);

/** Description of a box's peer; valid until the next call. */
const struct lp_peer_report *sim_report(unsigned int box);

/** A hello of a box as it would send it now, without sending it. */
struct lp_hello sim_last_hello(unsigned int box);

/** Hand a hello to a box, past the line. */
enum lp_peer_receipt sim_receive(unsigned int box, const struct lp_hello *hello);

/** Is the box coding? */
bool sim_codes(unsigned int box);

#endif /* TEST_PEER_SIM_H */
