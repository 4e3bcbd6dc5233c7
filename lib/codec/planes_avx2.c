/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <immintrin.h>

#include "planes.h"
#include "planes_avx2.h"

/* What remains of the elements after the vectors goes through the portable routine. */

static inline __m256i
load(const uint8_t *p)
{
	return _mm256_loadu_si256((const void *)p);
}

static inline void
store(uint8_t *p, __m256i v)
{
	_mm256_storeu_si256((void *)p, v);
}

/* Put the quarters that packing and unpacking leave interleaved into order, and back. */
static inline __m256i
reorder(__m256i v)
{
	return _mm256_permute4x64_epi64(v, 0xd8);
}

static inline __m256i
rotl16(__m256i v)
{
	return _mm256_or_si256(_mm256_add_epi16(v, v), _mm256_srli_epi16(v, 15));
}

static inline __m256i
rotr16(__m256i v)
{
	return _mm256_or_si256(_mm256_srli_epi16(v, 1), _mm256_slli_epi16(v, 15));
}

static void
split_bf16(const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *raw)
{
	const __m256i low = _mm256_set1_epi16(0xff);
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		const __m256i a = rotl16(load(src + 2 * i));
		const __m256i b = rotl16(load(src + 2 * i + 32));

		store(raw + i,
				reorder(_mm256_packus_epi16(_mm256_and_si256(a, low),
						_mm256_and_si256(b, low))));
		store(exponent + i,
				reorder(_mm256_packus_epi16(
						_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8))));
	}
	lp_planes_split(LP_TYPE_BF16, src, n, i, exponent, raw);
}

static int
merge_bf16(const uint8_t *exponent, const uint8_t *raw, size_t n, uint8_t *dst)
{
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		const __m256i e = reorder(load(exponent + i)), r = reorder(load(raw + i));

		store(dst + 2 * i, rotr16(_mm256_unpacklo_epi8(r, e)));
		store(dst + 2 * i + 32, rotr16(_mm256_unpackhi_epi8(r, e)));
	}
	return lp_planes_merge(LP_TYPE_BF16, exponent, raw, n, i, dst);
}

static inline __m256i
rotl32(__m256i v)
{
	return _mm256_or_si256(_mm256_add_epi32(v, v), _mm256_srli_epi32(v, 31));
}

/* 8 elements give 24 raw bytes, stored as 2 x 16 of which 4 are overwritten by the next. */
static void
split_fp32(const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *raw)
{
	const __m256i raw_first = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11,
			15, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
	size_t i = 0;

	for (; i + 10 <= n; i += 8) {
		const __m256i v = _mm256_shuffle_epi8(rotl32(load(src + 4 * i)), raw_first);
		const __m128i a = _mm256_castsi256_si128(v), b = _mm256_extracti128_si256(v, 1);

		_mm_storeu_si128((void *)(raw + 3 * i), a);
		_mm_storeu_si128((void *)(raw + 3 * i + 12), b);
		lp_store32(exponent + i, (uint32_t)_mm_extract_epi32(a, 3));
		lp_store32(exponent + i + 4, (uint32_t)_mm_extract_epi32(b, 3));
	}
	lp_planes_split(LP_TYPE_FP32, src, n, i, exponent, raw);
}

static int
merge_fp32(const uint8_t *exponent, const uint8_t *raw, size_t n, uint8_t *dst)
{
	const __m256i spread = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11,
			-1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
	size_t i = 0;

	for (; i + 10 <= n; i += 8) {
		const __m128i a = _mm_loadu_si128((const void *)(raw + 3 * i));
		const __m128i b = _mm_loadu_si128((const void *)(raw + 3 * i + 12));
		const __m256i r = _mm256_shuffle_epi8(_mm256_set_m128i(b, a), spread);
		const __m256i e = _mm256_cvtepu8_epi32(
				_mm_loadl_epi64((const void *)(exponent + i)));
		const __m256i v = _mm256_or_si256(r, _mm256_slli_epi32(e, 24));

		store(dst + 4 * i,
				_mm256_or_si256(_mm256_srli_epi32(v, 1), _mm256_slli_epi32(v, 31)));
	}
	return lp_planes_merge(LP_TYPE_FP32, exponent, raw, n, i, dst);
}

/* ---- types that leave 3 or 4 raw bits of a byte: pext packs those of 8 elements ---- */

static inline __attribute__((always_inline)) void
put_fields(uint8_t *packed, __m256i bytes, unsigned int width)
{
	const uint64_t mask = width == 3 ? UINT64_C(0x0707070707070707)
					 : UINT64_C(0x0f0f0f0f0f0f0f0f);
	uint64_t part[4];

	_mm256_storeu_si256((void *)part, bytes);
	for (unsigned int k = 0; k < 4; k++, packed += width) {
		const uint32_t fields = (uint32_t)_pext_u64(part[k], mask);

		lp_store16(packed, (uint16_t)fields);
		packed[2] = (uint8_t)(fields >> 16);
		if (width == 4)
			packed[3] = (uint8_t)(fields >> 24);
	}
}

static inline __attribute__((always_inline)) __m256i
get_fields(const uint8_t *packed, unsigned int width)
{
	const uint64_t mask = width == 3 ? UINT64_C(0x0707070707070707)
					 : UINT64_C(0x0f0f0f0f0f0f0f0f);
	long long part[4];

	for (unsigned int k = 0; k < 4; k++, packed += width) {
		const uint32_t fields = width == 3 ? lp_load16(packed) | (uint32_t)packed[2] << 16
						   : lp_load32(packed);

		part[k] = (long long)_pdep_u64(fields, mask);
	}
	return _mm256_setr_epi64x(part[0], part[1], part[2], part[3]);
}

static void
split_fp16(const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *raw)
{
	const __m256i low = _mm256_set1_epi16(0xff);
	uint8_t *packed = raw + n;
	size_t i = 0;

	for (; i + 32 <= n; i += 32, packed += 12) {
		const __m256i a = rotl16(load(src + 2 * i));
		const __m256i b = rotl16(load(src + 2 * i + 32));
		const __m256i top = reorder(_mm256_packus_epi16(
				_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8)));

		store(raw + i,
				reorder(_mm256_packus_epi16(_mm256_and_si256(a, low),
						_mm256_and_si256(b, low))));
		store(exponent + i,
				_mm256_and_si256(_mm256_srli_epi16(top, 3), _mm256_set1_epi8(31)));
		put_fields(packed, top, 3);
	}
	lp_planes_split(LP_TYPE_FP16, src, n, i, exponent, raw);
}

static int
merge_fp16(const uint8_t *exponent, const uint8_t *raw, size_t n, uint8_t *dst)
{
	const uint8_t *packed = raw + n;
	size_t i = 0;

	for (; i + 32 <= n; i += 32, packed += 12) {
		const __m256i e = _mm256_slli_epi16(load(exponent + i), 3);
		const __m256i top = reorder(_mm256_or_si256(e, get_fields(packed, 3)));
		const __m256i r = reorder(load(raw + i));

		store(dst + 2 * i, rotr16(_mm256_unpacklo_epi8(r, top)));
		store(dst + 2 * i + 32, rotr16(_mm256_unpackhi_epi8(r, top)));
	}
	return lp_planes_merge(LP_TYPE_FP16, exponent, raw, n, i, dst);
}

static inline __attribute__((always_inline)) void
split_fp8(enum lp_type type, const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *raw,
		unsigned int width)
{
	const __m256i one = _mm256_set1_epi8(1), high = _mm256_set1_epi8((char)(0xff >> width));
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		const __m256i v = load(src + i);
		const __m256i sign = _mm256_and_si256(_mm256_srli_epi16(v, 7), one);
		const __m256i r = _mm256_or_si256(_mm256_add_epi8(v, v), sign);

		store(exponent + i, _mm256_and_si256(_mm256_srli_epi16(r, (int)width), high));
		put_fields(raw + i / 8 * width, r, width);
	}
	lp_planes_split(type, src, n, i, exponent, raw);
}

static inline __attribute__((always_inline)) int
merge_fp8(enum lp_type type, const uint8_t *exponent, const uint8_t *raw, size_t n, uint8_t *dst,
		unsigned int width)
{
	const __m256i low = _mm256_set1_epi8(0x7f);
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		const __m256i e = _mm256_slli_epi16(load(exponent + i), (int)width);
		const __m256i r = _mm256_or_si256(e, get_fields(raw + i / 8 * width, width));
		const __m256i sign = _mm256_slli_epi16(r, 7);
		const __m256i rest = _mm256_and_si256(_mm256_srli_epi16(r, 1), low);

		store(dst + i,
				_mm256_blendv_epi8(rest,
						_mm256_or_si256(rest, _mm256_set1_epi8((char)0x80)),
						sign));
	}
	return lp_planes_merge(type, exponent, raw, n, i, dst);
}

void
lp_planes_split_avx2(
		enum lp_type type, const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *raw)
{
	switch (type) {
	case LP_TYPE_BF16:
		split_bf16(src, n, exponent, raw);
		break;
	case LP_TYPE_FP16:
		split_fp16(src, n, exponent, raw);
		break;
	case LP_TYPE_FP32:
		split_fp32(src, n, exponent, raw);
		break;
	case LP_TYPE_E4M3:
		split_fp8(LP_TYPE_E4M3, src, n, exponent, raw, 4);
		break;
	default:
		split_fp8(LP_TYPE_E5M2, src, n, exponent, raw, 3);
	}
}

int
lp_planes_merge_avx2(enum lp_type type, const uint8_t *exponent, const uint8_t *raw, size_t n,
		uint8_t *dst)
{
	switch (type) {
	case LP_TYPE_BF16:
		return merge_bf16(exponent, raw, n, dst);
	case LP_TYPE_FP16:
		return merge_fp16(exponent, raw, n, dst);
	case LP_TYPE_FP32:
		return merge_fp32(exponent, raw, n, dst);
	case LP_TYPE_E4M3:
		return merge_fp8(LP_TYPE_E4M3, exponent, raw, n, dst, 4);
	default:
		return merge_fp8(LP_TYPE_E5M2, exponent, raw, n, dst, 3);
	}
}
