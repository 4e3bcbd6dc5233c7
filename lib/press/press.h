/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PRESS_INTERNAL_H
#define LP_PRESS_INTERNAL_H

/**
 * @file
 * The press, and how its halves work on one frame.
 */

#include <stdbool.h>

#include <rte_ring.h>
#include <rte_seqcount.h>

#include "choice.h"
#include "linepress/press.h"

/** Longest linear frame: two VLAN tags, the longest IPv6 packet, some trailer. */
#define LP_LINEAR_MAX (1 << 17)

/** Slots for regions that are profiled, and who has them; all NULL if there are none. */
struct lp_samples {
	uint8_t *slots;
	struct rte_ring *empty; /**< from whoever profiles to the lcore */
	struct rte_ring *taken; /**< and back */
	uint32_t every;		/**< one in so many is taken; 0: none */
	uint32_t countdown;	/**< regions up to the next one that is */
	uint32_t missed;	/**< since the last one that found a slot */
};

struct lp_press {
	struct lp_press_conf conf;
	uint8_t *region; /**< scratch for a region or body that lies in several segments */
	uint8_t *linear; /**< scratch for a frame longer than an mbuf */
	uint8_t *echo;	 /**< scratch for a region that is decoded again to check its body */
	struct lp_press_stats stats[LP_DIR_COUNT];
	rte_seqcount_t rules_change; /**< held while rules_stats becomes that of other rules */
	struct lp_rules_stats rules_stats;
	struct lp_book_mask usable; /**< books to code with in this burst */
	uint32_t unchecked;	    /**< bodies since the last one that was checked */
	uint32_t peer_max_frame;    /**< longest frame that the gate lets be coded; 0: no limit */
	uint32_t raw_groups;	    /**< groups of flows that the gate keeps raw in this burst */
	bool has_raw_flows;	    /**< the gate keeps some flows raw in this burst */
	struct rte_ring *failures;  /**< frames that could not be restored */
	struct lp_samples samples;
	struct lp_choice_place choices[LP_CHOICE_PLACES]; /**< of flows that were compressed */
};

/** A frame under way: its head in one piece, and where its parts are. */
struct lp_work {
	struct rte_mbuf *mbuf;
	const uint8_t *head; /**< in the mbuf or in head_copy */
	struct lp_frame frame;
	struct lp_rule_stats *rule; /**< compress: what counts it; NULL if not eligible */
	uint8_t head_copy[LP_HEAD_MAX];
};

/** Read the head of a frame and parse it. */
enum lp_ineligible lp_work_init(struct lp_work *work, struct rte_mbuf *mbuf);

/**
 * A part of a frame in one piece.
 *
 * @param scratch
 *   Where to copy it if it lies in several segments; LP_REGION_MAX bytes.
 */
static inline const uint8_t *
lp_work_bytes(const struct lp_work *work, uint32_t off, uint32_t len, uint8_t *scratch)
{
	return rte_pktmbuf_read(work->mbuf, off, len, scratch);
}

/** Group of flows of a parsed frame. */
static inline unsigned int
lp_work_group(const struct lp_work *work)
{
	return lp_flow_group(lp_frame_flow(work->head, &work->frame));
}

/** A new frame, written in one piece and then put into mbufs. */
struct lp_output {
	struct rte_mbuf *mbuf; /**< first segment */
	uint8_t *bytes;	       /**< where to write the frame: in the mbuf, or scratch */
};

/**
 * Prepare a new frame of up to `room` bytes; false if there is no mbuf.
 */
bool lp_output_init(struct lp_output *out, struct lp_press *press, const struct rte_mbuf *old,
		uint32_t room);

/**
 * Append what follows the region in the old frame: ICRC and trailer.
 *
 * @param len
 *   Bytes written so far.
 * @return
 *   Bytes of the frame.
 */
uint32_t lp_output_tail(struct lp_output *out, const struct lp_work *work, uint32_t len);

/**
 * Put a written frame of `len` bytes into its mbuf, or a chain of mbufs if one is too short.
 * Frees the new mbuf and returns NULL if there are not enough.
 */
struct rte_mbuf *lp_output_finish(struct lp_output *out, struct lp_press *press, uint32_t len);

/** Compress frames, count them; each is replaced by the one to send, or NULL if it was dropped. */
void lp_compress_frames(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts);

/** Forget what was chosen for the flows. */
void lp_compress_forget_choices(struct lp_press *press);

/** See what may be coded in this burst. */
void lp_compress_look_at_gate(struct lp_press *press);

/** Remember a coded frame that could not be restored. */
void lp_failure_add(struct lp_press *press, const struct rte_mbuf *mbuf, uint8_t book);

/** A ring for failures; false if memory ran out. */
bool lp_failures_init(struct lp_press *press);

/** Slots for samples, if the press can sample; false if memory ran out. */
bool lp_samples_init(struct lp_press *press);

/** Release them. */
void lp_samples_free(struct lp_press *press);

/** Take one region in so many from now on, 0: none. */
void lp_samples_set_rate(struct lp_press *press, uint32_t every);

/** Is this region, which was coded or was not worth it, one to take? */
static inline bool
lp_sample_is_due(struct lp_press *press)
{
	return press->samples.every != 0 && --press->samples.countdown == 0;
}

/** Take a region that is due, unless all slots are full. */
void lp_sample_take(
		struct lp_press *press, const struct lp_press_sample *what, const uint8_t *region);

/** Count a frame to compress and parse it. */
enum lp_ineligible lp_compress_receive(
		struct lp_press *press, struct lp_work *work, struct rte_mbuf *mbuf);

/** Is the region of a parsed frame one to code? If not, why: an enum lp_pass; else 0. */
static inline unsigned int
lp_compress_refusal(const struct lp_press *press, const struct lp_work *work)
{
	if (work->frame.vlan_tags > LP_VLAN_TAGS_CODED)
		return LP_INELIGIBLE_VLAN_DEPTH;
	if (work->frame.region_len < press->conf.min_region)
		return LP_PASS_SHORT_REGION;
	if (work->mbuf->pkt_len > press->conf.max_frame)
		return LP_PASS_LONG_FRAME;
	return 0;
}

/**
 * Compress a parsed frame, count it.
 *
 * @param rule
 *   Number of the rule that matches it, 0 if none does.
 * @return
 *   The frame to send, or NULL if it was dropped.
 */
struct rte_mbuf *lp_compress_parsed(struct lp_press *press, struct lp_work *work, uint32_t rule);

/** Frames that are restored together. */
#define LP_RESTORE_BATCH 32

/**
 * Restore up to LP_RESTORE_BATCH frames, count them; each is replaced by the frame to send, or
 * NULL if it was dropped.
 */
void lp_restore_batch(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts);

/**
 * Add to a counter, which other threads may read meanwhile: without a locked instruction, a store
 * that cannot be torn.
 */
static inline void
lp_count(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/** Count a frame that is forwarded untouched. */
static inline struct rte_mbuf *
lp_pass(struct lp_press_stats *stats, struct rte_mbuf *mbuf, unsigned int reason)
{
	lp_count(&stats->passed[reason], 1);
	lp_count(&stats->tx_pkts, 1);
	lp_count(&stats->tx_bytes, mbuf->pkt_len);
	return mbuf;
}

/** Count a frame that is dropped, and free it. */
static inline struct rte_mbuf *
lp_drop(struct lp_press_stats *stats, struct rte_mbuf *mbuf, enum lp_drop reason)
{
	lp_count(&stats->dropped[reason], 1);
	rte_pktmbuf_free(mbuf);
	return NULL;
}

#endif /* LP_PRESS_INTERNAL_H */
