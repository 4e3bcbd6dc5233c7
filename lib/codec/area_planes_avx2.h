/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_AREA_PLANES_AVX2_H
#define LP_AREA_PLANES_AVX2_H

/**
 * @file
 * Prefixes of whole blocks: 64 areas in two vectors, packed into planes and spread again.
 */

#include <immintrin.h>

#include "area.h"
#include "huffman_x86.h"

/** 16 bytes, in both lanes. */
static inline __m256i
lp_area_both_lanes(const void *p)
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
}

/** Pack a plane of w bits; areas have no others. */
static inline __attribute__((always_inline)) uint8_t *
lp_area_pack_plane(unsigned int w, __m256i low, __m256i high, uint8_t *dst)
{
	const __m256i halves = _mm256_or_si256(low, _mm256_slli_epi16(high, 4));

	if (w == 4) {
		_mm256_storeu_si256((void *)dst, halves);
		return dst + 32;
	}
	const __m128i quarters = _mm_or_si128(_mm256_castsi256_si128(halves),
			_mm_slli_epi16(_mm256_extracti128_si256(halves, 1), 2));

	if (w == 2) {
		_mm_storeu_si128((void *)dst, quarters);
		return dst + 16;
	}
	lp_x86_store64(dst,
			(uint64_t)_mm_cvtsi128_si64(quarters) |
					(uint64_t)_mm_extract_epi64(quarters, 1) << 1);
	return dst + 8;
}

/** As lp_area_put_block(). */
static inline __attribute__((always_inline)) uint8_t *
lp_area_pack(unsigned int prefix_bits, const __m256i area[2], uint8_t *dst)
{
	const __m256i low = _mm256_set1_epi8(3);

	if (prefix_bits != 3)
		return lp_area_pack_plane(prefix_bits, area[0], area[1], dst);
	dst = lp_area_pack_plane(
			2, _mm256_and_si256(area[0], low), _mm256_and_si256(area[1], low), dst);
	/* Areas are below 8, so that nothing of a neighbour comes in. */
	return lp_area_pack_plane(1, _mm256_srli_epi16(_mm256_andnot_si256(low, area[0]), 2),
			_mm256_srli_epi16(_mm256_andnot_si256(low, area[1]), 2), dst);
}

/** Spread a plane of w bits. */
static inline __attribute__((always_inline)) const uint8_t *
lp_area_spread_plane(unsigned int w, const uint8_t *src, __m256i area[2])
{
	const __m256i low = _mm256_set1_epi8((char)((1 << w) - 1));

	if (w == 4) {
		const __m256i both = _mm256_loadu_si256((const void *)src);

		area[0] = _mm256_and_si256(both, low);
		area[1] = _mm256_and_si256(_mm256_srli_epi16(both, 4), low);
		return src + 32;
	}
	if (w == 2) {
		const __m256i all = lp_area_both_lanes(src);

		area[0] = _mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 0, 2, 2));
		area[1] = _mm256_srlv_epi64(all, _mm256_setr_epi64x(4, 4, 6, 6));
	} else {
		const __m256i all = _mm256_set1_epi64x((long long)lp_x86_load64(src));

		area[0] = _mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 1, 2, 3));
		area[1] = _mm256_srlv_epi64(all, _mm256_setr_epi64x(4, 5, 6, 7));
	}
	area[0] = _mm256_and_si256(area[0], low);
	area[1] = _mm256_and_si256(area[1], low);
	return src + 8 * w;
}

/** As lp_area_get_block(). */
static inline __attribute__((always_inline)) const uint8_t *
lp_area_spread(unsigned int prefix_bits, const uint8_t *src, __m256i area[2])
{
	__m256i top[2];

	if (prefix_bits != 3)
		return lp_area_spread_plane(prefix_bits, src, area);
	src = lp_area_spread_plane(1, lp_area_spread_plane(2, src, area), top);
	area[0] = _mm256_or_si256(area[0], _mm256_slli_epi16(top[0], 2));
	area[1] = _mm256_or_si256(area[1], _mm256_slli_epi16(top[1], 2));
	return src;
}

#endif /* LP_AREA_PLANES_AVX2_H */
