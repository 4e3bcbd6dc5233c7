/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_SHAPE_H
#define LP_GROUPED_SHAPE_H

/**
 * @file
 * The shape of a grouped code: what a fast kernel is specialised for. With a constant shape all
 * loops below unroll and fold to a few operations a word.
 *
 * Level words are nested: whoever goes beyond group j also goes beyond those before. So a
 * property that depends on the group alone is its value in group 0, toggled by the word of each
 * level at which it changes.
 */

#include "grouped.h"

#ifndef __SANITIZE_ADDRESS__
#define LP_ALWAYS_INLINE inline __attribute__((always_inline))
#else
/* Unrolled for each shape, a kernel takes minutes to compile with sanitizers. */
#define LP_ALWAYS_INLINE inline
#endif

/**
 * Words of a plane as kernels lay them out. The excess keeps planes from starting a multiple of
 * 4096 bytes apart, where stores to one would hold up loads from another, and lets vectors of
 * words run over the end.
 */
#define LP_PLANE_WORDS (LP_GROUPED_CHUNK / 64 + 8)

/** Sets of slots, a bit for each. */
typedef uint16_t lp_slots;

/** Slots of a group. */
static LP_ALWAYS_INLINE lp_slots
lp_shape_slots(const struct lp_shape *s, unsigned int group)
{
	return (lp_slots)(lp_low_mask(1u << s->suffix_bits[group]) << s->slot[group]);
}

/** Slots of the groups beyond group j. */
static LP_ALWAYS_INLINE lp_slots
lp_shape_beyond(const struct lp_shape *s, unsigned int j)
{
	lp_slots set = 0;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		if (g > j)
			set |= lp_shape_slots(s, g);
	return set;
}

/** Slots of the groups that have suffix bit b. */
static LP_ALWAYS_INLINE lp_slots
lp_shape_suffixed(const struct lp_shape *s, unsigned int b)
{
	lp_slots set = 0;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		if (s->suffix_bits[g] > b)
			set |= lp_shape_slots(s, g);
	return set;
}

/** Slot of the last rank: that of the escape, if there is one. */
static LP_ALWAYS_INLINE unsigned int
lp_shape_last_slot(const struct lp_shape *s)
{
	const unsigned int last = s->groups - 1u;

	return s->slot[last] + (1u << s->suffix_bits[last]) - 1;
}

/** First suffix bit that not all groups have. */
static LP_ALWAYS_INLINE unsigned int
lp_shape_suffix_min(const struct lp_shape *s)
{
	unsigned int min = LP_GROUP_SUFFIX_MAX;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		min = s->suffix_bits[g] < min ? s->suffix_bits[g] : min;
	return min;
}

/** First suffix bit that no group has. */
static LP_ALWAYS_INLINE unsigned int
lp_shape_suffix_max(const struct lp_shape *s)
{
	unsigned int max = 0;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		max = s->suffix_bits[g] > max ? s->suffix_bits[g] : max;
	return max;
}

/** Does a property of groups, a bit for each, change from group j to the next? */
static LP_ALWAYS_INLINE bool
lp_groups_change(unsigned int groups, unsigned int j)
{
	return (groups >> j ^ groups >> (j + 1)) & 1;
}

/** The groups with bit b of their first slot set; those that have suffix bit b. */
static LP_ALWAYS_INLINE unsigned int
lp_shape_with_slot_bit(const struct lp_shape *s, unsigned int b)
{
	unsigned int groups = 0;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		groups |= (unsigned int)(s->slot[g] >> b & 1) << g;
	return groups;
}

static LP_ALWAYS_INLINE unsigned int
lp_shape_with_suffix(const struct lp_shape *s, unsigned int b)
{
	unsigned int groups = 0;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		groups |= (unsigned int)(s->suffix_bits[g] > b) << g;
	return groups;
}

/**
 * Lay out the runs of suffix bits that not all groups have; returns where they end.
 *
 * @param total
 *   Elements beyond each group but the last, of n.
 * @param pos
 *   Where the first starts.
 * @param start
 *   Receives where each starts.
 */
static LP_ALWAYS_INLINE size_t
lp_shape_lay_out_suffixes(
		const struct lp_shape *s, size_t n, const size_t *total, size_t pos, size_t *start)
{
#pragma GCC unroll 4
	for (unsigned int b = lp_shape_suffix_min(s); b < lp_shape_suffix_max(s); b++) {
		start[b] = pos;
#pragma GCC unroll 8
		for (unsigned int g = 0; g < s->groups; g++)
			if (s->suffix_bits[g] > b)
				pos += (g > 0 ? total[g - 1] : n) -
						(g + 1u < s->groups ? total[g] : 0);
	}
	return pos;
}

#endif /* LP_GROUPED_SHAPE_H */
