/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_AVX2_H
#define LP_GROUPED_AVX2_H

/**
 * @file
 * Shapes for which the AVX2 kernel is specialised: those of the shipped books, and quick ones.
 * Books of another shape are coded by the same routines, slower. Slots are as lp_grouped_derive()
 * places them.
 */

#include "grouped_shape.h"

/* bf16, fp16 */
static const struct lp_shape lp_shape_a = { 8, { 1, 1, 0, 0, 1, 0, 1, 2 },
	{ 0, 2, 4, 5, 6, 8, 10, 12 } };
/* fp32 */
static const struct lp_shape lp_shape_b = { 8, { 1, 1, 0, 1, 0, 0, 1, 2 },
	{ 0, 2, 4, 6, 8, 9, 10, 12 } };
/* e4m3, e5m2 */
static const struct lp_shape lp_shape_c = { 8, { 1, 1, 0, 1, 0, 1, 1, 2 },
	{ 4, 6, 14, 8, 15, 10, 12, 0 } };
/* of 4 levels */
static const struct lp_shape lp_shape_d = { 5, { 1, 1, 1, 1, 3 }, { 0, 2, 4, 6, 8 } };
/* of 3 levels, in codebooks/fast */
static const struct lp_shape lp_shape_e = { 4, { 1, 1, 1, 3 }, { 0, 2, 4, 8 } };

#define LP_AVX2_SHAPES(SHAPE) SHAPE(a) SHAPE(b) SHAPE(c) SHAPE(d) SHAPE(e)

/* Slots follow from the groups. */
static inline bool
lp_shape_is(const struct lp_shape *a, const struct lp_shape *b)
{
	return a->groups == b->groups && lp_load64(a->suffix_bits) == lp_load64(b->suffix_bits);
}

#endif /* LP_GROUPED_AVX2_H */
