/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Decoder of grouped codes with AVX2 and BMI2; grouped.h has the format.
 *
 * pdep unpacks a level, 64 elements at a time; the words of all levels give four planes, the bits
 * of each element's slot; vpshufb, vpand and vpcmpeqb make bytes of them and vpshufb exponents.
 *
 * Safety: before a run is unpacked, its length is checked against what is left of the body; it is
 * then read from a copy with 16 bytes to spare, so that no load needs a check of its own.
 */

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "grouped_avx2.h"
#include "planes.h"
#include "planes_avx2.h"

#define SPARE 16

static inline __attribute__((always_inline)) uint64_t
bits_at(const uint8_t *src, size_t pos)
{
	const uint8_t *p = src + pos / 8;

	return lp_load64(p) >> pos % 8 | (uint64_t)p[8] << 1 << (63 - pos % 8);
}

/* Only the low 57 bits are good. */
static inline __attribute__((always_inline)) uint64_t
few_bits_at(const uint8_t *src, size_t pos)
{
	return lp_load64(src + pos / 8) >> pos % 8;
}

/* Unpack one word; advances pos. */
static inline __attribute__((always_inline)) uint64_t
get_word(const uint8_t *src, size_t *pos, uint64_t mask)
{
	const uint64_t word = _pdep_u64(bits_at(src, *pos), mask);

	*pos += lp_popcount64(mask);
	return word;
}

/* Unpack a level, all in words of their own; returns how many bits of it are set. */
static inline __attribute__((always_inline)) size_t
get_level(const uint8_t *src, size_t pos, const uint64_t *mask, uint64_t *level, size_t words)
{
	size_t set = 0;

	for (size_t k = 0; k < words; k++) {
		level[k] = get_word(src, &pos, mask[k]);
		set += lp_popcount64(level[k]);
	}
	return set;
}

/* The same for a deep level, of which four words often have no more bits than one load. */
static inline __attribute__((always_inline)) size_t
get_deep_level(const uint8_t *src, size_t pos, const uint64_t *mask, uint64_t *level, size_t words)
{
	size_t set = 0, k = 0;

	for (; k + 4 <= words; k += 4) {
		const unsigned int one = lp_popcount64(mask[k]);
		const unsigned int two = one + lp_popcount64(mask[k + 1]);
		const unsigned int three = two + lp_popcount64(mask[k + 2]);
		const unsigned int four = three + lp_popcount64(mask[k + 3]);

		if (__builtin_expect(four <= 57, 1)) {
			const uint64_t bits = few_bits_at(src, pos);

			level[k] = _pdep_u64(bits, mask[k]);
			level[k + 1] = _pdep_u64(bits >> one, mask[k + 1]);
			level[k + 2] = _pdep_u64(bits >> two, mask[k + 2]);
			level[k + 3] = _pdep_u64(bits >> three, mask[k + 3]);
			set += lp_popcount64(bits & lp_low_mask(four));
			pos += four;
		} else {
			set += get_level(src, pos, mask + k, level + k, 4);
			pos += four;
		}
	}
	return set + get_level(src, pos, mask + k, level + k, words - k);
}

/* Returns false if padding bits are set. */
static inline __attribute__((always_inline)) bool
get_dense(const uint8_t *src, size_t n, uint64_t *plane)
{
	const size_t last = (n + 63) / 64 - 1;

	plane[last] = 0;
	memcpy(plane, src, (n + 7) / 8);
	return (plane[last] & ~lp_grouped_valid(n, last)) == 0;
}

/* All levels; total[] receives the elements beyond each group. False if a run is cut. */
static inline __attribute__((always_inline)) bool
get_levels(const struct lp_shape *s, const uint8_t *sparse, size_t sparse_len, size_t words,
		struct lp_grouped_planes *planes, size_t *total)
{
	size_t pos = 0;

	for (size_t k = 0; k < words; k++)
		total[0] += lp_popcount64(planes->level[0][k]);
#pragma GCC unroll 8
	for (unsigned int j = 1; j + 1u < s->groups; j++) {
		if (pos + total[j - 1] > 8 * sparse_len)
			return false;
		total[j] = j < 3 ? get_level(sparse, pos, planes->level[j - 1], planes->level[j],
						   words)
				 : get_deep_level(sparse, pos, planes->level[j - 1],
						   planes->level[j], words);
		pos += total[j - 1];
	}
	return true;
}

/* 32 bytes of all ones where bit i%8 of byte index[i] is set. */
static inline __attribute__((always_inline)) __m256i
spread(__m256i bytes, __m256i index)
{
	const __m256i bit = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));

	return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(bytes, index), bit), bit);
}

/* 32 exponents from four planes; `first` is the byte of a plane to start from. */
static inline __attribute__((always_inline)) __m256i
exponents_of(__m256i planes01, __m256i planes23, unsigned int first, __m256i values)
{
	const __m256i index = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2,
			2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
	const __m256i low = _mm256_add_epi8(index, _mm256_set1_epi8((char)first));
	const __m256i high = _mm256_add_epi8(low, _mm256_set1_epi8(8));
	const __m256i b0 = _mm256_and_si256(spread(planes01, low), _mm256_set1_epi8(1));
	const __m256i b1 = _mm256_and_si256(spread(planes01, high), _mm256_set1_epi8(2));
	const __m256i b2 = _mm256_and_si256(spread(planes23, low), _mm256_set1_epi8(4));
	const __m256i b3 = _mm256_and_si256(spread(planes23, high), _mm256_set1_epi8(8));

	return _mm256_shuffle_epi8(
			values, _mm256_or_si256(_mm256_or_si256(b0, b1), _mm256_or_si256(b2, b3)));
}

/* The exponents of a word, all of its 64; returns which are escapes. */
static inline __attribute__((always_inline)) uint64_t
finish_word(const struct lp_shape *s, const struct lp_grouped_planes *planes, size_t word,
		uint64_t valid, const uint8_t *sparse, size_t *suffix_pos, __m256i values,
		uint8_t *exponent)
{
	const unsigned int last = s->groups - 1u;
	uint64_t plane[4], escape = planes->level[last - 1][word];

#pragma GCC unroll 4
	for (unsigned int b = 0; b < 4; b++)
		plane[b] = lp_shape_slot(s, planes, word, b);
#pragma GCC unroll 4
	for (unsigned int b = 0; b < lp_shape_suffix_max(s); b++) {
		const uint64_t suffix = b < lp_shape_suffix_min(s)
				? planes->suffix[b][word]
				: get_word(sparse, &suffix_pos[b],
						  lp_shape_suffix(s, planes, word, b) & valid);

		plane[b] ^= suffix;
		if (b < s->suffix_bits[last])
			escape &= suffix;
	}

	const __m256i planes01 = _mm256_broadcastsi128_si256(
			_mm_set_epi64x((long long)plane[1], (long long)plane[0]));
	const __m256i planes23 = _mm256_broadcastsi128_si256(
			_mm_set_epi64x((long long)plane[3], (long long)plane[2]));

	_mm256_storeu_si256((void *)exponent, exponents_of(planes01, planes23, 0, values));
	_mm256_storeu_si256((void *)(exponent + 32), exponents_of(planes01, planes23, 4, values));
	return escape;
}

/* Exponent of each slot. */
static __m256i
values_of(const struct lp_grouped *g, unsigned int exponents, unsigned int base)
{
	uint8_t value[LP_GROUPED_CODES_MAX];

	for (unsigned int k = 0; k < LP_GROUPED_CODES_MAX; k++)
		value[k] = k == g->zero_slot ? 0 : (g->slot_delta[k] + base) & (exponents - 1);
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)value));
}

/*
 * The exponents of a chunk from all that follows its raw planes; exponent[] has room up to the
 * next multiple of 64. Returns the bytes used, or -EBADMSG.
 */
static inline __attribute__((always_inline)) int
decode_planes(const struct lp_shape *s, const struct lp_grouped *g, const uint8_t *src, size_t len,
		size_t n, unsigned int exponents, unsigned int base, uint8_t *exponent)
{
	const size_t words = (n + 63) / 64, dense = (n + 7) / 8;
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t fixed = dense * (1 + min);
	uint8_t sparse[LP_GROUPED_SPARSE_MAX(LP_GROUPED_CHUNK) + SPARE];
	size_t total[LP_GROUPS_MAX] = { 0 };
	struct lp_grouped_planes planes;
	struct lp_runs runs;

	if (len < fixed || !get_dense(src, n, planes.level[0]))
		return -EBADMSG;
	for (unsigned int b = 0; b < min; b++)
		if (!get_dense(src + dense * (1 + b), n, planes.suffix[b]))
			return -EBADMSG;

	const size_t sparse_len = len - fixed < LP_GROUPED_SPARSE_MAX(n) ? len - fixed
									 : LP_GROUPED_SPARSE_MAX(n);

	memcpy(sparse, src + fixed, sparse_len);
	memset(sparse + sparse_len, 0, SPARE);
	if (!get_levels(s, sparse, sparse_len, words, &planes, total))
		return -EBADMSG;
	lp_shape_runs(s, n, total, &runs);
	if (runs.end > 8 * sparse_len ||
			(runs.end % 8 != 0 && sparse[runs.end / 8] >> runs.end % 8 != 0))
		return -EBADMSG;

	const uint8_t *escapes = src + fixed + (runs.end + 7) / 8, *const end = src + len;
	const __m256i values = values_of(g, exponents, base);

	for (size_t word = 0; word < words; word++) {
		const uint64_t valid = lp_grouped_valid(n, word);
		uint64_t escape = finish_word(s, &planes, word, valid, sparse, runs.suffix, values,
				exponent + 64 * word);

		if (__builtin_expect(escape == 0, 1) || g->escape_slot == LP_NO_SLOT)
			continue;
		if (lp_popcount64(escape) > (size_t)(end - escapes))
			return -EBADMSG;
		for (; escape != 0; escape &= escape - 1) {
			if (*escapes >= exponents)
				return -EBADMSG;
			exponent[64 * word + (size_t)__builtin_ctzll(escape)] = *escapes++;
		}
	}
	return (int)(escapes - src);
}

typedef int decode_planes_fn(const struct lp_grouped *g, const uint8_t *src, size_t len, size_t n,
		unsigned int exponents, unsigned int base, uint8_t *exponent);

#define SHAPE(name)                                                                                \
	static int decode_planes_##name(const struct lp_grouped *g, const uint8_t *src,            \
			size_t len, size_t n, unsigned int exponents, unsigned int base,           \
			uint8_t *exponent)                                                         \
	{                                                                                          \
		return decode_planes(&lp_shape_##name, g, src, len, n, exponents, base, exponent); \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static int
decode_planes_any(const struct lp_grouped *g, const uint8_t *src, size_t len, size_t n,
		unsigned int exponents, unsigned int base, uint8_t *exponent)
{
	return decode_planes(&g->shape, g, src, len, n, exponents, base, exponent);
}

static decode_planes_fn *
decoder_of(const struct lp_shape *s)
{
#define SHAPE(name)                           \
	if (lp_shape_is(s, &lp_shape_##name)) \
		return decode_planes_##name;
	LP_AVX2_SHAPES(SHAPE)
#undef SHAPE
	return decode_planes_any;
}

int
lp_grouped_decode_avx2(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_grouped *g = &cb->grouped;
	const enum lp_type type = cb->info.type;
	const unsigned int exponents = lp_type_exponents(type);
	const struct lp_span span = lp_span_of(type, phase, len);
	decode_planes_fn *const decode = decoder_of(&g->shape);
	const uint8_t *const end = body + body_len;
	uint8_t exponent[LP_GROUPED_CHUNK];

	if (g->shape.groups < 2)
		return lp_grouped_decode_portable(cb, phase, body, body_len, dst, len);
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);

	if (in == NULL || body[0] >= exponents)
		return -EBADMSG;
	dst += span.lead;
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const size_t raw = lp_raw_bytes(type, n);
		int used;

		if ((size_t)(end - in) < raw)
			return -EBADMSG;
		used = decode(g, in + raw, (size_t)(end - in) - raw, n, exponents, body[0],
				exponent);
		if (used < 0 || lp_planes_merge_avx2(type, exponent, in, n, dst) < 0)
			return -EBADMSG;
		in += raw + (size_t)used;
		dst += n * lp_type_traits[type].bytes;
		left -= n;
	}
	return in == end ? 0 : -EBADMSG;
}
