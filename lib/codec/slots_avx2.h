/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_SLOTS_AVX2_H
#define LP_SLOTS_AVX2_H

/**
 * @file
 * Exponents from slots.
 */

#include <immintrin.h>

#include "elements_avx2.h"
#include "grouped_shape.h"

/* Swap the upper bits of each pair of `shift` bits in x with the lower ones in y. */
static LP_ALWAYS_INLINE void
lp_swap_bits(__m256i *x, __m256i *y, int shift, __m256i lower)
{
	const __m256i differ = _mm256_and_si256(
			_mm256_xor_si256(_mm256_srli_epi16(*x, shift), *y), lower);

	*y = _mm256_xor_si256(*y, differ);
	*x = _mm256_xor_si256(*x, _mm256_slli_epi16(differ, shift));
}

/**
 * Nibbles from four planes of 256 bits: a transpose of 4 by 4 bits in each nibble, then of bytes.
 * Byte j of a plane has the elements 8 j on; they become four bytes, elements 0 to 3 in the low
 * nibbles. Quarter k has those of the bytes 4 k on and, in its high lane, of 16 + 4 k on.
 */
static LP_ALWAYS_INLINE void
lp_planes_to_nibbles(__m256i *plane, __m256i *quarter)
{
	const __m256i by_two = _mm256_set1_epi8(0x33), by_one = _mm256_set1_epi8(0x55);

	lp_swap_bits(&plane[0], &plane[2], 2, by_two);
	lp_swap_bits(&plane[1], &plane[3], 2, by_two);
	lp_swap_bits(&plane[0], &plane[1], 1, by_one);
	lp_swap_bits(&plane[2], &plane[3], 1, by_one);

	const __m256i low01 = _mm256_unpacklo_epi8(plane[0], plane[1]);
	const __m256i low23 = _mm256_unpacklo_epi8(plane[2], plane[3]);
	const __m256i high01 = _mm256_unpackhi_epi8(plane[0], plane[1]);
	const __m256i high23 = _mm256_unpackhi_epi8(plane[2], plane[3]);

	quarter[0] = _mm256_unpacklo_epi16(low01, low23);
	quarter[1] = _mm256_unpackhi_epi16(low01, low23);
	quarter[2] = _mm256_unpacklo_epi16(high01, high23);
	quarter[3] = _mm256_unpackhi_epi16(high01, high23);
}

/** Exponents of the nibbles of a quarter. */
static LP_ALWAYS_INLINE struct lp_exponents
lp_nibbles_to_exponents(__m256i quarter, __m256i values)
{
	const __m256i low = _mm256_set1_epi8(15);
	const __m256i a = _mm256_shuffle_epi8(values, _mm256_and_si256(quarter, low));
	const __m256i b = _mm256_shuffle_epi8(
			values, _mm256_and_si256(_mm256_srli_epi16(quarter, 4), low));

	return (struct lp_exponents){ { _mm256_unpacklo_epi32(a, b),
			_mm256_unpackhi_epi32(a, b) } };
}

/** Exponent of each slot, as lp_merge_avx2() wants it. */
static LP_ALWAYS_INLINE __m256i
lp_slot_exponents(const struct lp_grouped *g, enum lp_type type, unsigned int base)
{
	const __m128i delta = _mm_loadu_si128((const void *)g->slot_delta);
	const __m128i value = _mm_and_si128(_mm_add_epi8(delta, _mm_set1_epi8((char)base)),
			_mm_set1_epi8((char)(lp_element_exponents(type) - 1)));
	const __m128i slot = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	return _mm256_broadcastsi128_si256(_mm_slli_epi16(
			_mm_andnot_si128(_mm_cmpeq_epi8(slot, _mm_set1_epi8((char)g->zero_slot)),
					value),
			lp_exponent_shift(type)));
}

#endif /* LP_SLOTS_AVX2_H */
