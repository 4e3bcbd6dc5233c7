/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <immintrin.h>
#include <string.h>

#include <rte_ip.h>

#include "cksum.h"

/* Two vectors are added to four sums, as an addition takes two cycles on some processors. */
#define BLOCK 64

static inline __m256i
load(const uint8_t *p)
{
	return _mm256_loadu_si256((const void *)p);
}

/* Modulo 2^16 - 1, 2^16 and 2^32 are 1: words of any such length may be added and folded. */
static inline uint16_t
fold(uint64_t sum)
{
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & UINT32_MAX) + (sum >> 32);
	return __rte_raw_cksum_reduce((uint32_t)sum);
}

uint32_t
lp_cksum_add_avx2(const uint8_t *p, size_t len, uint32_t sum)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i a = zero, b = zero, c = zero, d = zero;
	uint64_t sums[4];

	for (; len >= BLOCK; len -= BLOCK, p += BLOCK) {
		const __m256i v = load(p), w = load(p + BLOCK / 2);

		a = _mm256_add_epi64(a, _mm256_unpacklo_epi32(v, zero));
		b = _mm256_add_epi64(b, _mm256_unpackhi_epi32(v, zero));
		c = _mm256_add_epi64(c, _mm256_unpacklo_epi32(w, zero));
		d = _mm256_add_epi64(d, _mm256_unpackhi_epi32(w, zero));
	}
	a = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
	memcpy(sums, &a, sizeof(sums));
	return __rte_raw_cksum(p, len, fold(sums[0] + sums[1] + sums[2] + sums[3] + sum));
}
