/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PRESS_H
#define LINEPRESS_PRESS_H

/**
 * @file
 * linepress burst pipeline: bursts of mbufs in, bursts of mbufs out.
 *
 * A `struct lp_press` belongs to one lcore: it has that lcore's scratch memory and counters.
 * Counters have a single writer; other threads may read them at any time and see values that
 * are each correct but not of one instant.
 *
 * Frames are never changed in place: a frame that is coded or restored is written to a new
 * mbuf and the old one is freed, so shared, indirect and external mbufs are safe. Frames in
 * several segments are accepted and produced.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "linepress/bookset.h"
#include "linepress/gate.h"
#include "linepress/hello.h"
#include "linepress/rules.h"
#include "linepress/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Smallest region worth coding, by default, in bytes. */
#define LP_PRESS_MIN_REGION 256

/** Smallest gain worth coding, by default, in bytes of the frame. */
#define LP_PRESS_MIN_SAVING 32

/** Failures that a press remembers until they are taken. */
#define LP_PRESS_FAILURES 63

/** Regions that a press keeps for profiling until they are looked at. */
#define LP_PRESS_SAMPLES 63

/** Why a frame was forwarded untouched: the reasons of lp_frame_parse() and these. */
enum lp_pass {
	LP_PASS_SHORT_REGION = LP_INELIGIBLE_COUNT, /**< region below the minimum */
	LP_PASS_LONG_FRAME,	  /**< compress: beyond max_frame as restored, ours or the peer's */
	LP_PASS_NO_GAIN,	  /**< the result would not save enough */
	LP_PASS_IP_CHECKSUM_FFFF, /**< see lp_frame_sealable() */
	LP_PASS_RULE,		  /**< compress: a rule says pass */
	LP_PASS_DRY_RUN,	  /**< compress: a rule says dry-run */
	LP_PASS_MISCODED,     /**< compress: would not have been restored, see struct lp_policy */
	LP_PASS_NO_PEER,      /**< compress: peer lets no book be used */
	LP_PASS_PEER_BOOK,    /**< compress: none of those for this frame */
	LP_PASS_PEER_FLOW,    /**< compress: flow has failed at the peer */
	LP_PASS_PEER_GROUP,   /**< compress: coded frames of such flows do not arrive there */
	LP_PASS_NO_MBUF,      /**< compress: no mbuf for the result, sent as it is */
	LP_PASS_NOT_CODED,    /**< restore: an ordinary frame */
	LP_PASS_NO_CHECK,     /**< restore: looks coded, but lacks the check of TCP and UDP */
	LP_PASS_UNKNOWN_BOOK, /**< restore: looks coded with a book that is not installed */
	LP_PASS_BAD_TAG,      /**< restore: looks coded, but not by our peer with our books */
	LP_PASS_COUNT,
};

/** Why a frame was dropped. */
enum lp_drop {
	LP_DROP_NO_MBUF, /**< no mbuf for the original, or for an escape */
	LP_DROP_DECODE,	 /**< body is not one its book can have made */
	LP_DROP_CHECK,	 /**< decoded bytes fail the check */
	LP_DROP_LENGTH,	 /**< the original would be longer than an IP packet or than max_frame */
	LP_DROP_ESCAPE,	 /**< compress: looks coded and cannot be escaped */
	LP_DROP_COUNT,
};

/** Name of a reason to pass, of either enum, e.g. "no_gain"; NULL if out of range. */
const char *lp_pass_name(unsigned int reason);

/** Name of a reason to drop, e.g. "check"; NULL if out of range. */
const char *lp_drop_name(unsigned int reason);

/** Directions of a press. */
enum lp_dir {
	LP_DIR_COMPRESS, /**< host to line */
	LP_DIR_RESTORE,	 /**< line to host */
	LP_DIR_COUNT,
};

/** Counters of one book in one direction. */
struct lp_book_stats {
	uint64_t pkts;	       /**< frames coded or decoded with it */
	uint64_t region_bytes; /**< bytes of their original regions */
	uint64_t line_bytes;   /**< bytes of shim and body */
};

/** Classes of the ratio of what travels for a coded region to the region: 5 % each. */
#define LP_RATIO_CLASSES 20

/**
 * Counters of one direction. `rx_pkts = tx_pkts + sum of dropped[]`,
 * `tx_pkts = coded + stored + sum of passed[]`, and when compressing
 * `eligible = sum of ratio_pkts[] + uncoded`.
 */
struct lp_press_stats {
	uint64_t rx_pkts;	    /**< frames given */
	uint64_t rx_bytes;	    /**< their bytes, without FCS */
	uint64_t tx_pkts;	    /**< frames returned */
	uint64_t tx_bytes;	    /**< their bytes */
	uint64_t eligible_pkts;	    /**< compress: frames with a region of at least the minimum */
	uint64_t region_bytes;	    /**< compress: bytes of those regions */
	uint64_t region_line_bytes; /**< compress: what travels for them: raw, or shim and body */
	uint64_t coded_pkts;	    /**< frames coded (or decoded) */
	uint64_t stored_pkts;	    /**< frames escaped (or unwrapped) */
	/** compress: coded frames by (shim + body) / region: [k] from 5k % to below 5(k + 1) % */
	uint64_t ratio_pkts[LP_RATIO_CLASSES];
	/** frames coded, or coded ones that arrived, restored or not, by group of flows */
	uint64_t group_pkts[LP_FLOW_GROUPS];
	uint64_t uncoded_pkts;		 /**< compress: eligible frames that were not coded */
	uint64_t verified_pkts;		 /**< compress: checked, see lp_policy */
	uint64_t passed[LP_PASS_COUNT];	 /**< by reason, index 0 unused */
	uint64_t dropped[LP_DROP_COUNT]; /**< by reason */
	struct lp_book_stats book[LP_BOOK_IDS]; /**< by book number */
};

/**
 * Counters of the frames that a rule matched, compress only. Of rules that are not dry-run,
 * would_* stay 0.
 */
struct lp_rule_stats {
	uint64_t pkts;		   /**< frames it matched, all of them eligible */
	uint64_t region_bytes;	   /**< bytes of their regions */
	uint64_t line_bytes;	   /**< what travels for those: raw, or shim and body */
	uint64_t coded_pkts;	   /**< frames of them coded */
	uint64_t would_line_bytes; /**< dry-run: what line_bytes would be without dry-run */
	uint64_t would_coded_pkts; /**< dry-run: what coded_pkts would be */
};

/**
 * Counters by number of the rule; number 0 counts the frames that no rule matched, all of them if
 * there are no rules. While the rules stay the same, the sums over all numbers are those of
 * struct lp_press_stats: pkts of eligible_pkts, region_bytes, line_bytes of region_line_bytes, and
 * coded_pkts.
 */
struct lp_rules_stats {
	uint64_t generation; /**< the rules they are about: lp_rules_generation(), 0: none */
	struct lp_rule_stats rule[LP_RULES_MAX + 1];
};

/** What may change while a press works. */
struct lp_policy {
	const struct lp_bookset *books; /**< books to code and decode with */
	const struct lp_rules *rules;	/**< loaded for these books, or NULL: code everything */
	/**
	 * Decode one in so many bodies before it is sent and compare it with its region: guards
	 * against faults of kernel, memory and processor. A frame that would not come back is sent
	 * as it is. 1: all of them; 0: none.
	 */
	uint32_t check_every;
	/**
	 * Keep one in so many regions for lp_press_sample_next(), at random distances: of those
	 * that were coded or not worth it, but not those left alone for other reasons. 1: all; 0:
	 * none.
	 */
	uint32_t sample_every;
};

/** Configuration of a press. */
struct lp_press_conf {
	const struct lp_bookset *books; /**< of the first policy, see lp_press_set_policy() */
	const struct lp_rules *rules;	/**< of the first policy, or NULL */
	uint32_t check_every;		/**< of the first policy */
	uint32_t sample_every;		/**< of the first policy */
	bool can_sample;		/**< have memory for samples; without, none are taken */
	uint16_t port;			/**< what rules compare `port` with */
	const struct lp_gate *gate;	/**< what may be coded, see gate.h; NULL: everything */
	struct rte_mempool *pool;	/**< mbufs for coded and restored frames */
	struct lp_key key;		/**< key of the pair */
	uint16_t min_region;		/**< bytes; 0: LP_PRESS_MIN_REGION */
	uint16_t min_saving;		/**< bytes, >= 16; 0: LP_PRESS_MIN_SAVING */
	uint32_t max_frame;		/**< longest frame that may leave, bytes; 0: no limit */
	int socket;			/**< NUMA socket of the lcore, or SOCKET_ID_ANY */
};

struct lp_press;

/**
 * Create a press for one lcore.
 *
 * @return
 *   The press, or NULL with rte_errno:
 *   - EINVAL: no books, rules loaded for others, no pool or one whose mbufs have only headroom, or
 *     min_saving below 16
 *   - ENOMEM: out of memory
 */
struct lp_press *lp_press_create(const struct lp_press_conf *conf);

/** Release a press; NULL is allowed. */
void lp_press_free(struct lp_press *press);

/**
 * Replace the policy. To be called by the lcore of the press, between bursts: before each of them
 * if need be, as it costs a comparison if all is as before.
 *
 * Books and rules stay with the caller. Old ones may be released as soon as the lcore will set
 * others before the next burst: the press does not look at them here.
 *
 * Counters of lp_press_stats() go on, those of books by number, whatever book that was. Counters
 * by rule start from 0 if the rules are others, see lp_press_rules_stats().
 *
 * @param press
 *   The lcore's press.
 * @param policy
 *   The books and rules from now on.
 * @return
 *   - 0
 *   - -EINVAL: no books, or rules loaded for others; nothing has changed
 */
int lp_press_set_policy(struct lp_press *press, const struct lp_policy *policy);

/**
 * Compress a burst, host to line.
 *
 * Takes ownership of all mbufs given and hands over those returned, in the same order.
 *
 * @param press
 *   The lcore's press.
 * @param pkts
 *   The burst; on return its first entries are the frames to send.
 * @param nb_pkts
 *   Frames in the burst.
 * @return
 *   Frames to send; the others were dropped and counted.
 */
uint16_t lp_press_compress(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts);

/**
 * Restore a burst, line to host. As lp_press_compress(). Huffman bodies that lie in one segment,
 * and whose frames fit in one mbuf, are decoded side by side: bursts of 8 of them and more are
 * several times as fast.
 */
uint16_t lp_press_restore(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts);

/**
 * Compress and restore copies of a burst and compare them with the originals, which are left
 * as they are.
 *
 * @return
 *   Frames that did not come back equal: 0 unless something is broken.
 */
uint16_t lp_press_verify(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts);

/**
 * Take the frames that could not be restored, because the decoder or the check refused them: what
 * lp_peer_fail() tells the peer. May be called by one other thread while the lcore works. The press
 * remembers LP_PRESS_FAILURES of them and forgets those that come while it can take no more: a
 * flow that fails once fails again.
 *
 * @param press
 *   The lcore's press.
 * @param failures
 *   Receives flow and book of each, in their order.
 * @param count
 *   How many there is room for.
 * @return
 *   How many there are.
 */
unsigned int lp_press_failures(
		struct lp_press *press, struct lp_hello_failure *failures, unsigned int count);

/** A region on its way to being profiled. */
struct lp_press_sample {
	uint8_t book;		 /**< that coded it; 0: none would have saved enough */
	struct lp_params params; /**< it was coded with */
	uint16_t len;		 /**< bytes of the region */
	uint16_t body_len;	 /**< bytes of the body, 0 if it was not coded */
	uint32_t missed;	 /**< samples before it that found no room */
	uint64_t digest;	 /**< lp_codebook_digest64() of the book, 0 if there is none */
	uint8_t region[];
};

/**
 * The next region that was kept for profiling. May be called by one other thread while the lcore
 * works. The press keeps LP_PRESS_SAMPLES of them and counts those that come while there is no
 * room.
 *
 * @param press
 *   The lcore's press.
 * @return
 *   The region, to be given back with lp_press_sample_done(); NULL if there is none.
 */
const struct lp_press_sample *lp_press_sample_next(struct lp_press *press);

/** Give back what lp_press_sample_next() returned; by the same thread. */
void lp_press_sample_done(struct lp_press *press, const struct lp_press_sample *sample);

/** Counters of a direction, owned by the press; lp_press_verify() counts in both. */
const struct lp_press_stats *lp_press_stats(const struct lp_press *press, enum lp_dir dir);

/** Add the counters of one press to a sum. */
void lp_press_stats_add(struct lp_press_stats *sum, const struct lp_press_stats *stats);

/**
 * Copy the counters by rule of a press. Any thread may do so: all of them belong to the generation
 * that comes with them, even if the press changes its rules meanwhile.
 *
 * They are about the rules in use only: when a press takes up others, the counters of the old are
 * lost, save what the totals of lp_press_stats() have of them.
 */
void lp_press_rules_stats(const struct lp_press *press, struct lp_rules_stats *stats);

/**
 * Add the counters by rule of one press to a sum.
 *
 * @param sum
 *   Its generation says of which rules it is.
 * @param stats
 *   Counters of a press.
 * @return
 *   - 0
 *   - -ESTALE: they are about other rules; nothing was added
 */
int lp_rules_stats_add(struct lp_rules_stats *sum, const struct lp_rules_stats *stats);

/**
 * Sum up the counters of books by the element type they are for.
 *
 * @param stats
 *   Counters of a direction.
 * @param books
 *   The books that were used. Counters go by number: what was counted for a number under another
 *   set counts for the type that its book has here, or not at all if it has none.
 * @param type
 *   Receives the sums, LP_TYPE_COUNT of them, by enum lp_type.
 */
void lp_press_stats_by_type(const struct lp_press_stats *stats, const struct lp_bookset *books,
		struct lp_book_stats *type);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_PRESS_H */
