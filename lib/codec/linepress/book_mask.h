/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_BOOK_MASK_H
#define LINEPRESS_BOOK_MASK_H

/**
 * @file
 * Sets of book numbers, a bit for each.
 */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers a book can have on the wire; 0 is never a book. */
#define LP_BOOK_IDS 256

/** Words of a mask. */
#define LP_BOOK_MASK_WORDS (LP_BOOK_IDS / 64)

/** A set of book numbers: bit `id % 64` of word `id / 64`. */
struct lp_book_mask {
	uint64_t word[LP_BOOK_MASK_WORDS];
};

static inline bool
lp_book_mask_has(const struct lp_book_mask *mask, unsigned int id)
{
	return mask->word[id / 64] >> id % 64 & 1;
}

static inline void
lp_book_mask_add(struct lp_book_mask *mask, unsigned int id)
{
	mask->word[id / 64] |= UINT64_C(1) << id % 64;
}

static inline void
lp_book_mask_remove(struct lp_book_mask *mask, unsigned int id)
{
	mask->word[id / 64] &= ~(UINT64_C(1) << id % 64);
}

static inline bool
lp_book_mask_is_empty(const struct lp_book_mask *mask)
{
	uint64_t any = 0;

	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		any |= mask->word[k];
	return any == 0;
}

/** Are all numbers of `part` in the set? */
static inline bool
lp_book_mask_covers(const struct lp_book_mask *mask, const struct lp_book_mask *part)
{
	uint64_t missing = 0;

	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		missing |= part->word[k] & ~mask->word[k];
	return missing == 0;
}

static inline bool
lp_book_mask_equal(const struct lp_book_mask *a, const struct lp_book_mask *b)
{
	uint64_t differ = 0;

	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		differ |= a->word[k] ^ b->word[k];
	return differ == 0;
}

/** Is there a number in both sets? */
static inline bool
lp_book_mask_overlap(const struct lp_book_mask *a, const struct lp_book_mask *b)
{
	uint64_t both = 0;

	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		both |= a->word[k] & b->word[k];
	return both != 0;
}

/** How many numbers are in the set. */
static inline unsigned int
lp_book_mask_count(const struct lp_book_mask *mask)
{
	unsigned int count = 0;

	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		count += (unsigned int)__builtin_popcountll(mask->word[k]);
	return count;
}

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_BOOK_MASK_H */
