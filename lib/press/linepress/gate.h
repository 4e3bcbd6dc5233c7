/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_GATE_H
#define LINEPRESS_GATE_H

/**
 * @file
 * What may be coded now: written by the control thread, read by all lcores that compress towards
 * one peer, without a lock.
 *
 * Every word is read and written atomically. An lcore may see some of them before and some after a
 * change; each bit and each flow means something by itself, so that is the same as a change that
 * comes one burst later.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

#include <rte_cycles.h>

#include "linepress/book_mask.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Flows that a gate can keep raw. */
#define LP_GATE_FLOWS 64

/** What may be coded; all zero: nothing. Members are for the functions below. */
struct lp_gate {
	uint64_t books[LP_BOOK_MASK_WORDS]; /**< usable books */
	uint64_t end_tsc;		    /**< none from then on; 0: no end */
	uint32_t max_frame;		    /**< longest frame, bytes; 0: no limit */
	uint32_t groups;		    /**< groups of flows to keep raw, a bit for each */
	uint32_t nb_flows;		    /**< entries in use */
	uint64_t flow[LP_GATE_FLOWS];	    /**< hash and a bit that tells it is one, or 0 */
} __rte_cache_aligned;

/**
 * Is it shut because nobody has kept it open? The control thread may not run when it should shut
 * it. For lcores, once a burst.
 */
static inline bool
lp_gate_has_ended(const struct lp_gate *gate)
{
	const uint64_t end_tsc = __atomic_load_n(&gate->end_tsc, __ATOMIC_ACQUIRE);

	return end_tsc != 0 && rte_rdtsc() >= end_tsc;
}

/** Usable books, unless lp_gate_has_ended(). For lcores, once a burst. */
static inline struct lp_book_mask
lp_gate_books(const struct lp_gate *gate)
{
	struct lp_book_mask mask;

	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		mask.word[k] = __atomic_load_n(&gate->books[k], __ATOMIC_ACQUIRE);
	return mask;
}

/** Longest frame that may be coded, in bytes; 0: no limit. For lcores, once a burst. */
static inline uint32_t
lp_gate_max_frame(const struct lp_gate *gate)
{
	return __atomic_load_n(&gate->max_frame, __ATOMIC_ACQUIRE);
}

/** Groups of flows to keep raw, a bit for each, see lp_flow_group(). For lcores, once a burst. */
static inline uint32_t
lp_gate_groups(const struct lp_gate *gate)
{
	return __atomic_load_n(&gate->groups, __ATOMIC_ACQUIRE);
}

/** Are there flows to keep raw? For lcores, once a burst: nearly always not. */
static inline bool
lp_gate_has_flows(const struct lp_gate *gate)
{
	return __atomic_load_n(&gate->nb_flows, __ATOMIC_ACQUIRE) != 0;
}

/** Is this flow to be kept raw? `hash` is that of lp_flow_hash(). */
bool lp_gate_keeps_raw(const struct lp_gate *gate, uint32_t hash);

/** Publish the usable books. For the control thread. */
void lp_gate_set_books(struct lp_gate *gate, const struct lp_book_mask *mask);

/** Let nothing be coded from a time on; 0: no end. For the control thread. */
void lp_gate_set_end(struct lp_gate *gate, uint64_t end_tsc);

/** Publish the longest frame that may be coded. For the control thread. */
void lp_gate_set_max_frame(struct lp_gate *gate, uint32_t max_frame);

/** Publish the groups of flows to keep raw. For the control thread. */
void lp_gate_set_groups(struct lp_gate *gate, uint32_t groups);

/** Keep a flow raw, in place of the one that was in this slot. For the control thread. */
void lp_gate_set_flow(struct lp_gate *gate, unsigned int slot, uint32_t hash);

/** Do so no longer. For the control thread. */
void lp_gate_clear_flow(struct lp_gate *gate, unsigned int slot);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_GATE_H */
