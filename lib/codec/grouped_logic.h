/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_LOGIC_H
#define LP_GROUPED_LOGIC_H

/**
 * @file
 * Properties of elements from the four planes of their slots: a logic function of four variables,
 * for 256 elements at a time. If the set of slots is constant, it folds to a few instructions.
 */

#include <immintrin.h>

#include "grouped_shape.h"

/** Bit b of the slots of 256 elements, XOR bit b of the last slot. */
struct lp_slot_bits {
	__m256i bit[4];
};

static LP_ALWAYS_INLINE struct lp_slot_bits
lp_slot_bits_load(const uint64_t (*plane)[LP_PLANE_WORDS], size_t word)
{
	struct lp_slot_bits x;

#pragma GCC unroll 4
	for (unsigned int b = 0; b < 4; b++)
		x.bit[b] = _mm256_loadu_si256((const void *)(plane[b] + word));
	return x;
}

static LP_ALWAYS_INLINE __m256i
lp_logic1(lp_slots set, const __m256i *x)
{
	switch (set & 3) {
	case 0:
		return _mm256_setzero_si256();
	case 1:
		return _mm256_xor_si256(x[0], _mm256_set1_epi8(-1));
	case 2:
		return x[0];
	default:
		return _mm256_set1_epi8(-1);
	}
}

/* Shannon's expansion by the last variable. */
#define LP_LOGIC(k, below)                                                                        \
	static LP_ALWAYS_INLINE __m256i lp_logic##k(lp_slots set, const __m256i *x)               \
	{                                                                                         \
		const lp_slots all = (lp_slots)((1u << (1u << (k - 1))) - 1);                     \
		const lp_slots low = set & all, high = set >> (1u << (k - 1)) & all;              \
                                                                                                  \
		if (low == high)                                                                  \
			return below(low, x);                                                     \
		if (high == 0)                                                                    \
			return _mm256_andnot_si256(x[k - 1], below(low, x));                      \
		if (low == 0)                                                                     \
			return _mm256_and_si256(x[k - 1], below(high, x));                        \
		if (high == all)                                                                  \
			return _mm256_or_si256(x[k - 1], below(low, x));                          \
		return _mm256_xor_si256(                                                          \
				below(low, x), _mm256_and_si256(x[k - 1], below(low ^ high, x))); \
	}
LP_LOGIC(2, lp_logic1)
LP_LOGIC(3, lp_logic2)
LP_LOGIC(4, lp_logic3)
#undef LP_LOGIC

/** The same set when bit b of all slots is turned round. */
static LP_ALWAYS_INLINE lp_slots
lp_slots_turn(lp_slots set, unsigned int b)
{
	const lp_slots low = b == 0 ? 0x5555 : b == 1 ? 0x3333 : b == 2 ? 0x0f0f : 0x00ff;

	return (lp_slots)((set & low) << (1u << b) | (set >> (1u << b) & low));
}

/*
 * The same for sets that are not constant: expanded, all branches for all sets would take a minute
 * to compile.
 */
static __attribute__((noinline, unused)) __m256i
lp_logic_any(lp_slots set, const __m256i *x)
{
	__m256i in = _mm256_setzero_si256();

	for (unsigned int slot = 0; slot < LP_GROUPED_CODES_MAX; slot++) {
		__m256i is = _mm256_set1_epi8(set >> slot & 1 ? -1 : 0);

		for (unsigned int b = 0; b < 4; b++)
			is = slot >> b & 1 ? _mm256_and_si256(is, x[b])
					   : _mm256_andnot_si256(x[b], is);
		in = _mm256_or_si256(in, is);
	}
	return in;
}

/** Which elements have a slot in the set? */
static LP_ALWAYS_INLINE __m256i
lp_slot_in(const struct lp_shape *s, lp_slots set, const struct lp_slot_bits *x)
{
	const unsigned int last = lp_shape_last_slot(s);

#pragma GCC unroll 4
	for (unsigned int b = 0; b < 4; b++)
		if (last >> b & 1)
			set = lp_slots_turn(set, b);
	return __builtin_constant_p(set) ? lp_logic4(set, x->bit) : lp_logic_any(set, x->bit);
}

/** Suffix bit b of each element, good only for those that have one. */
static LP_ALWAYS_INLINE __m256i
lp_slot_suffix(const struct lp_shape *s, unsigned int b, const struct lp_slot_bits *x)
{
	return lp_logic1(lp_shape_last_slot(s) >> b & 1 ? 1 : 2, x->bit + b);
}

#endif /* LP_GROUPED_LOGIC_H */
