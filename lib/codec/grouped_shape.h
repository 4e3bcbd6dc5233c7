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

/** Bit b of the first slot of each element's group. */
static inline __attribute__((always_inline)) uint64_t
lp_shape_slot(const struct lp_shape *s, const struct lp_grouped_planes *planes, size_t word,
		unsigned int b)
{
	uint64_t plane = s->slot[0] >> b & 1 ? ~UINT64_C(0) : 0;

#pragma GCC unroll 8
	for (unsigned int j = 0; j + 1u < s->groups; j++)
		if ((s->slot[j] ^ s->slot[j + 1]) >> b & 1)
			plane ^= planes->level[j][word];
	return plane;
}

/** Elements whose group has suffix bit b. */
static inline __attribute__((always_inline)) uint64_t
lp_shape_suffix(const struct lp_shape *s, const struct lp_grouped_planes *planes, size_t word,
		unsigned int b)
{
	uint64_t plane = s->suffix_bits[0] > b ? ~UINT64_C(0) : 0;

#pragma GCC unroll 8
	for (unsigned int j = 0; j + 1u < s->groups; j++)
		if ((s->suffix_bits[j] > b) != (s->suffix_bits[j + 1] > b))
			plane ^= planes->level[j][word];
	return plane;
}

static inline __attribute__((always_inline)) unsigned int
lp_shape_suffix_min(const struct lp_shape *s)
{
	unsigned int min = LP_GROUP_SUFFIX_MAX;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		min = s->suffix_bits[g] < min ? s->suffix_bits[g] : min;
	return min;
}

static inline __attribute__((always_inline)) unsigned int
lp_shape_suffix_max(const struct lp_shape *s)
{
	unsigned int max = 0;

#pragma GCC unroll 8
	for (unsigned int g = 0; g < s->groups; g++)
		max = s->suffix_bits[g] > max ? s->suffix_bits[g] : max;
	return max;
}

/** Where the runs of sparse bits start, in bits. */
struct lp_runs {
	size_t level[LP_GROUPS_MAX];
	size_t suffix[LP_GROUP_SUFFIX_MAX];
	size_t end;
};

/**
 * Lay out the runs of a chunk.
 *
 * @param total
 *   Elements beyond each group.
 */
static inline __attribute__((always_inline)) void
lp_shape_runs(const struct lp_shape *s, size_t n, const size_t *total, struct lp_runs *runs)
{
	const unsigned int levels = s->groups - 1u;

	runs->end = 0;
#pragma GCC unroll 8
	for (unsigned int j = 1; j < levels; j++) {
		runs->level[j] = runs->end;
		runs->end += total[j - 1];
	}
#pragma GCC unroll 4
	for (unsigned int b = lp_shape_suffix_min(s); b < lp_shape_suffix_max(s); b++) {
		runs->suffix[b] = runs->end;
#pragma GCC unroll 8
		for (unsigned int g = 0; g < s->groups; g++)
			if (s->suffix_bits[g] > b)
				runs->end += (g > 0 ? total[g - 1] : n) -
						(g < levels ? total[g] : 0);
	}
}

#endif /* LP_GROUPED_SHAPE_H */
