/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_CODING_H
#define LP_CODING_H

/**
 * @file
 * How one region is coded: book, phase and base, and its body.
 */

#include "choice.h"
#include "press.h"

/** How a region is to be coded. */
struct lp_coding {
	const struct lp_bookset *books;
	const struct lp_book_mask *usable; /**< of these books */
	struct lp_choice_key key;
	struct lp_choice_place *place; /**< what is remembered of the flow */
	struct lp_choice choice;
	enum lp_choice_known known; /**< what of the choice was taken from there */
	bool is_adjusted;	    /**< but the base was compared with its neighbours */
	const uint8_t *region;
	uint32_t off;	/**< of the body in the coded frame */
	uint32_t limit; /**< longest body that saves enough, in bytes */
	struct lp_shim shim;
};

/** Room in front of the body: headers and shim. */
static inline uint32_t
lp_coding_offset(const struct lp_work *work, uint8_t flags)
{
	return work->frame.region_off + (uint32_t)lp_shim_len(flags);
}

/** Choose the book; false if none of `books` that are usable is expected to save enough. */
bool lp_coding_choose(struct lp_press *press, const struct lp_work *work,
		const struct lp_bookset *books, const struct lp_book_mask *usable,
		struct lp_coding *c);

/**
 * Encode the region behind room for headers and shim, and remember the choice.
 *
 * @return
 *   Bytes of the body; 0 if it is of no use.
 */
uint32_t lp_coding_encode(const struct lp_work *work, struct lp_coding *c, uint8_t *frame_bytes);

#endif /* LP_CODING_H */
