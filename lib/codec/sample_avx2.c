/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Inner loops of sampling with AVX2. */

#include <immintrin.h>
#include <string.h>

#include "sample.h"

/* 16 bytes of each of two runs. */
static inline __m256i
two_runs(const uint8_t *a, const uint8_t *b)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)a)),
			_mm_loadu_si128((const void *)b), 1);
}

static inline __m256i
four_short_runs(const uint8_t *const *run)
{
	return _mm256_set_m128i(_mm_unpacklo_epi64(_mm_loadl_epi64((const void *)run[2]),
						_mm_loadl_epi64((const void *)run[3])),
			_mm_unpacklo_epi64(_mm_loadl_epi64((const void *)run[0]),
					_mm_loadl_epi64((const void *)run[1])));
}

static inline __m256i
field16(__m256i v, int shift, unsigned int range)
{
	return _mm256_and_si256(_mm256_srli_epi16(v, shift), _mm256_set1_epi16((short)range));
}

static inline __m256i
field32(const uint8_t *p)
{
	const __m256i v = _mm256_loadu_si256((const void *)p);

	return _mm256_and_si256(_mm256_srli_epi32(v, 23), _mm256_set1_epi32(0xff));
}

/* Exponents of four runs, in order. */
static inline __attribute__((always_inline)) __m256i
four_runs(enum lp_type type, const uint8_t *const *run)
{
	switch (type) {
	case LP_TYPE_BF16:
		return _mm256_packus_epi16(field16(two_runs(run[0], run[2]), 7, 255),
				field16(two_runs(run[1], run[3]), 7, 255));
	case LP_TYPE_FP16:
		return _mm256_packus_epi16(field16(two_runs(run[0], run[2]), 10, 31),
				field16(two_runs(run[1], run[3]), 10, 31));
	case LP_TYPE_FP32:
		return _mm256_permutevar8x32_epi32(
				_mm256_packus_epi16(_mm256_packus_epi32(field32(run[0]),
								    field32(run[1])),
						_mm256_packus_epi32(
								field32(run[2]), field32(run[3]))),
				_mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
	case LP_TYPE_E4M3:
		return field16(four_short_runs(run), 3, 0x0f0f);
	default:
		return field16(four_short_runs(run), 2, 0x1f1f);
	}
}

static inline __attribute__((always_inline)) void
take(enum lp_type type, size_t bytes, const uint8_t *elements, size_t count, unsigned int first,
		unsigned int end, uint8_t *symbol)
{
	for (unsigned int k = first; k < end; k += 4) {
		const uint8_t *run[4];

		for (unsigned int r = 0; r < 4; r++)
			run[r] = elements + lp_sample_run(count, k + r) * bytes;
		_mm256_storeu_si256((void *)(symbol + k * LP_SAMPLE_RUN), four_runs(type, run));
	}
}

static void
exponents(enum lp_type type, const uint8_t *elements, size_t count, unsigned int first,
		unsigned int end, uint8_t *symbol)
{
	switch (type) {
	case LP_TYPE_BF16:
		take(LP_TYPE_BF16, 2, elements, count, first, end, symbol);
		break;
	case LP_TYPE_FP16:
		take(LP_TYPE_FP16, 2, elements, count, first, end, symbol);
		break;
	case LP_TYPE_FP32:
		take(LP_TYPE_FP32, 4, elements, count, first, end, symbol);
		break;
	case LP_TYPE_E4M3:
		take(LP_TYPE_E4M3, 1, elements, count, first, end, symbol);
		break;
	default:
		take(LP_TYPE_E5M2, 1, elements, count, first, end, symbol);
	}
}

static inline uint32_t
sum_of(__m256i sums)
{
	const __m128i s = _mm_add_epi64(
			_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));

	return (uint32_t)_mm_cvtsi128_si32(s) + (uint32_t)_mm_extract_epi32(s, 2);
}

static unsigned int
mean(const uint8_t *symbol, unsigned int n)
{
	const __m256i zero = _mm256_setzero_si256();
	unsigned int sum = 0, others = 0;

	for (unsigned int k = 0; k < n; k += 32) {
		const __m256i s = _mm256_loadu_si256((const void *)(symbol + k));

		sum += sum_of(_mm256_sad_epu8(s, zero));
		others += 32 -
				(unsigned int)__builtin_popcount((unsigned int)_mm256_movemask_epi8(
						_mm256_cmpeq_epi8(s, zero)));
	}
	return others > 0 ? (sum + others / 2) / others : 0;
}

static inline __attribute__((always_inline)) void
price(const struct lp_grouped *g, unsigned int range, const uint8_t *symbol, unsigned int n,
		unsigned int first, unsigned int step, unsigned int tries, bool has_zero,
		uint32_t *saved)
{
	const __m256i saving = _mm256_broadcastsi128_si256(
			_mm_loadu_si128((const void *)g->window_saving));
	const __m256i ranges = _mm256_set1_epi8((char)range), none = _mm256_setzero_si256();
	const __m256i zero_saving = _mm256_set1_epi8(
			(char)(has_zero ? g->longest - g->slot_length[g->zero_slot] : 0));

	for (unsigned int t = 0; t < tries; t++) {
		const __m256i window = _mm256_set1_epi8((char)(g->window + first + t * step));
		__m256i sum = none;

		for (unsigned int k = 0; k < n; k += 32) {
			const __m256i s = _mm256_loadu_si256((const void *)(symbol + k));
			const __m256i delta = _mm256_and_si256(_mm256_sub_epi8(s, window), ranges);
			__m256i v = _mm256_shuffle_epi8(
					saving, _mm256_adds_epu8(delta, _mm256_set1_epi8(0x70)));

			if (has_zero)
				v = _mm256_blendv_epi8(v, zero_saving, _mm256_cmpeq_epi8(s, none));
			/* 8 sums of at most 8 levels, 4 suffix bits and an exponent each. */
			sum = _mm256_add_epi8(sum, v);
		}
		saved[t] = sum_of(_mm256_sad_epu8(sum, none));
	}
}

static void
savings(const struct lp_grouped *g, unsigned int range, const uint8_t *symbol, unsigned int n,
		unsigned int first, unsigned int step, unsigned int tries, uint32_t *saved)
{
	if (g->zero_slot != LP_NO_SLOT)
		price(g, range, symbol, n, first, step, tries, true, saved);
	else
		price(g, range, symbol, n, first, step, tries, false, saved);
}

/* Exponents of two long runs, in any order. */
static inline __attribute__((always_inline)) __m256i
two_long_runs(enum lp_type type, const uint8_t *a, const uint8_t *b)
{
	switch (type) {
	case LP_TYPE_BF16:
		return _mm256_packus_epi16(field16(_mm256_loadu_si256((const void *)a), 7, 255),
				field16(_mm256_loadu_si256((const void *)b), 7, 255));
	case LP_TYPE_FP16:
		return _mm256_packus_epi16(field16(_mm256_loadu_si256((const void *)a), 10, 31),
				field16(_mm256_loadu_si256((const void *)b), 10, 31));
	case LP_TYPE_FP32:
		return _mm256_packus_epi16(_mm256_packus_epi32(field32(a), field32(a + 32)),
				_mm256_packus_epi32(field32(b), field32(b + 32)));
	case LP_TYPE_E4M3:
		return field16(two_runs(a, b), 3, 0x0f0f);
	default:
		return field16(two_runs(a, b), 2, 0x1f1f);
	}
}

static inline __attribute__((always_inline)) void
price_neighbours(const struct lp_grouped *g, enum lp_type type, size_t bytes, unsigned int range,
		const uint8_t *elements, size_t count, unsigned int first, bool has_zero,
		uint32_t *saved)
{
	const __m256i saving = _mm256_broadcastsi128_si256(
			_mm_loadu_si128((const void *)g->window_saving));
	const __m256i ranges = _mm256_set1_epi8((char)range);
	const __m256i none = _mm256_setzero_si256(), one = _mm256_set1_epi8(1);
	const __m256i window = _mm256_set1_epi8((char)(g->window + first));
	const __m256i zero_saving = _mm256_set1_epi8(
			(char)(has_zero ? g->longest - g->slot_length[g->zero_slot] : 0));
	__m256i sum[LP_ADJUST_BASES] = { none, none, none };

#pragma GCC unroll 4
	for (unsigned int k = 0; k < LP_ADJUST_RUNS; k += 2) {
		const __m256i s = two_long_runs(type, elements + lp_adjust_run(count, k) * bytes,
				elements + lp_adjust_run(count, k + 1) * bytes);
		__m256i delta = _mm256_sub_epi8(s, window);

#pragma GCC unroll 3
		for (unsigned int t = 0; t < LP_ADJUST_BASES; t++) {
			const __m256i near = range < 255 ? _mm256_and_si256(delta, ranges) : delta;
			__m256i v = _mm256_shuffle_epi8(
					saving, _mm256_adds_epu8(near, _mm256_set1_epi8(0x70)));

			if (has_zero)
				v = _mm256_blendv_epi8(v, zero_saving, _mm256_cmpeq_epi8(s, none));
			sum[t] = _mm256_add_epi8(sum[t], v);
			delta = _mm256_sub_epi8(delta, one);
		}
	}
	for (unsigned int t = 0; t < LP_ADJUST_BASES; t++)
		saved[t] = sum_of(_mm256_sad_epu8(sum[t], none));
}

static inline __attribute__((always_inline)) void
neighbours_of(const struct lp_grouped *g, enum lp_type type, size_t bytes, unsigned int range,
		const uint8_t *elements, size_t count, unsigned int first, uint32_t *saved)
{
	if (g->zero_slot != LP_NO_SLOT)
		price_neighbours(g, type, bytes, range, elements, count, first, true, saved);
	else
		price_neighbours(g, type, bytes, range, elements, count, first, false, saved);
}

static void
neighbours(const struct lp_grouped *g, enum lp_type type, const uint8_t *elements, size_t count,
		unsigned int first, uint32_t *saved)
{
	switch (type) {
	case LP_TYPE_BF16:
		neighbours_of(g, LP_TYPE_BF16, 2, 255, elements, count, first, saved);
		break;
	case LP_TYPE_FP16:
		neighbours_of(g, LP_TYPE_FP16, 2, 31, elements, count, first, saved);
		break;
	case LP_TYPE_FP32:
		neighbours_of(g, LP_TYPE_FP32, 4, 255, elements, count, first, saved);
		break;
	case LP_TYPE_E4M3:
		neighbours_of(g, LP_TYPE_E4M3, 1, 15, elements, count, first, saved);
		break;
	default:
		neighbours_of(g, LP_TYPE_E5M2, 1, 31, elements, count, first, saved);
	}
}

/* Sums fit in 15 bits: 255 symbols of at most 19 bits. */
static void
bits(const uint8_t *count, const uint8_t *length, unsigned int first, unsigned int step,
		unsigned int tries, uint32_t *bits)
{
	__m256i counts[8];

#pragma GCC unroll 8
	for (unsigned int k = 0; k < 8; k++)
		counts[k] = _mm256_loadu_si256((const void *)(count + 32 * k));
	for (unsigned int t = 0; t < tries; t++) {
		/* Lengths from symbol -base on, around the circle. */
		const uint8_t *turned = length + (-(first + t * step) & 255);
		__m256i sum = _mm256_setzero_si256();

#pragma GCC unroll 8
		for (unsigned int k = 0; k < 8; k++)
			sum = _mm256_add_epi16(sum,
					_mm256_maddubs_epi16(counts[k],
							_mm256_loadu_si256((const void *)(turned +
									32 * k))));
		sum = _mm256_madd_epi16(sum, _mm256_set1_epi16(1));
		bits[t] = sum_of(_mm256_add_epi64(
				_mm256_and_si256(sum, _mm256_set1_epi64x(0xffffffff)),
				_mm256_srli_epi64(sum, 32)));
	}
}

const struct lp_sample_kernel lp_sample_avx2 = { exponents, mean, savings, neighbours, bits };
