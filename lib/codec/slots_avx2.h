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

/**
 * Exponents of 64 elements from the four planes of their slots, halves interleaved by lanes: bits
 * of the four planes to the even bits of bytes, two elements to a nibble each, nibbles to bytes.
 */
static LP_ALWAYS_INLINE struct lp_exponents
lp_slots_to_exponents(const uint64_t *slot, __m256i values)
{
	const __m256i low = _mm256_set1_epi8(15);
	const __m256i even = _mm256_broadcastsi128_si256(
			_mm_setr_epi8(0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85));
	const __m256i pairs = _mm256_setr_epi8(0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49,
			50, 51, 0, 4, 8, 12, 64, 68, 72, 76, (char)128, (char)132, (char)136,
			(char)140, (char)192, (char)196, (char)200, (char)204);
	struct lp_exponents e;
	__m256i v = _mm256_loadu_si256((const void *)slot), a, b;

	a = _mm256_shuffle_epi8(even, _mm256_and_si256(v, low));
	b = _mm256_shuffle_epi8(even, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
	v = _mm256_unpackhi_epi8(a, b);
	v = _mm256_or_si256(_mm256_unpacklo_epi8(a, b), _mm256_add_epi8(v, v));

	a = _mm256_shuffle_epi8(pairs, _mm256_and_si256(v, low));
	b = _mm256_shuffle_epi8(pairs, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
	v = _mm256_unpacklo_epi8(a, b);
	b = _mm256_unpackhi_epi8(a, b);
	v = _mm256_or_si256(_mm256_permute2x128_si256(v, b, 0x20),
			_mm256_permute2x128_si256(v, b, 0x31));

	a = _mm256_shuffle_epi8(values, _mm256_and_si256(v, low));
	b = _mm256_shuffle_epi8(values, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
	e.half[0] = _mm256_unpacklo_epi8(a, b);
	e.half[1] = _mm256_unpackhi_epi8(a, b);
	return e;
}

/** Exponent of each slot. */
static inline __m256i
lp_slot_exponents(const struct lp_grouped *g, unsigned int exponents, unsigned int base)
{
	const __m128i delta = _mm_loadu_si128((const void *)g->slot_delta);
	const __m128i value = _mm_and_si128(_mm_add_epi8(delta, _mm_set1_epi8((char)base)),
			_mm_set1_epi8((char)(exponents - 1)));
	const __m128i slot = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	return _mm256_broadcastsi128_si256(_mm_andnot_si128(
			_mm_cmpeq_epi8(slot, _mm_set1_epi8((char)g->zero_slot)), value));
}

#endif /* LP_SLOTS_AVX2_H */
