/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_ELEMENTS_AVX2_H
#define LP_ELEMENTS_AVX2_H

/**
 * @file
 * 64 elements apart into exponents and raw planes, and together again; planes.h tells how raw bits
 * travel.
 */

#include <immintrin.h>

#include "bits.h"
#include "grouped_shape.h"
#include "type.h"

/** Elements from those of a low lane to those of its high lane. */
#define LP_LANE_GAP 128

/** Exponents of 64 elements. */
struct lp_exponents {
	__m256i half[2];
};

/** Where the raw bits of the next 64 elements are. */
struct lp_raw_cursor {
	uint8_t *bytes;	 /**< whole bytes */
	uint8_t *fields; /**< the 3 or 4 bits that fill no byte */
};

static LP_ALWAYS_INLINE __m256i
lp_load_avx2(const uint8_t *p)
{
	return _mm256_loadu_si256((const void *)p);
}

static LP_ALWAYS_INLINE void
lp_store_avx2(uint8_t *p, __m256i v)
{
	_mm256_storeu_si256((void *)p, v);
}

/** 16 bytes from each of two places, so that what packs within lanes comes out in order. */
static LP_ALWAYS_INLINE __m256i
lp_load_lanes(const uint8_t *low, const uint8_t *high)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)low)),
			_mm_loadu_si128((const void *)high), 1);
}

static LP_ALWAYS_INLINE void
lp_store_lanes(uint8_t *low, uint8_t *high, __m256i v)
{
	_mm_storeu_si128((void *)low, _mm256_castsi256_si128(v));
	_mm_storeu_si128((void *)high, _mm256_extracti128_si256(v, 1));
}

/** Whole bytes of raw bits of an element, and bits of its field. */
static LP_ALWAYS_INLINE unsigned int
lp_raw_whole(enum lp_type type)
{
	return type == LP_TYPE_FP32 ? 3 : type == LP_TYPE_BF16 || type == LP_TYPE_FP16;
}

static LP_ALWAYS_INLINE unsigned int
lp_raw_field(enum lp_type type)
{
	return type == LP_TYPE_E4M3 ? 4 : type == LP_TYPE_FP16 || type == LP_TYPE_E5M2 ? 3 : 0;
}

/** Bytes of an element; constant if the type is. */
static LP_ALWAYS_INLINE unsigned int
lp_element_bytes(enum lp_type type)
{
	return lp_raw_whole(type) + 1;
}

/** Values of an exponent; constant if the type is. */
static LP_ALWAYS_INLINE unsigned int
lp_element_exponents(enum lp_type type)
{
	return 256u >> lp_raw_field(type);
}

static LP_ALWAYS_INLINE struct lp_raw_cursor
lp_raw_cursor(enum lp_type type, uint8_t *raw, size_t n)
{
	return (struct lp_raw_cursor){ raw, raw + lp_raw_whole(type) * n };
}

static LP_ALWAYS_INLINE void
lp_raw_advance(enum lp_type type, struct lp_raw_cursor *raw)
{
	raw->bytes += 64 * lp_raw_whole(type);
	raw->fields += 8 * lp_raw_field(type);
}

/* ---- bits that fill no byte ---- */

/* The low 4 bits of 64 bytes in 32. */
static LP_ALWAYS_INLINE void
lp_put_fields4(uint8_t *dst, __m256i a, __m256i b)
{
	const __m256i low = _mm256_set1_epi8(15), weights = _mm256_set1_epi16(0x1001);
	const __m256i x = _mm256_maddubs_epi16(_mm256_and_si256(a, low), weights);
	const __m256i y = _mm256_maddubs_epi16(_mm256_and_si256(b, low), weights);

	lp_store_avx2(dst, _mm256_permute4x64_epi64(_mm256_packus_epi16(x, y), 0xd8));
}

/* The low 3 bits of 32 bytes in 12; stores up to 16. */
static LP_ALWAYS_INLINE void
lp_put_fields3(uint8_t *dst, __m256i v)
{
	const __m256i join = _mm256_setr_epi8(0, 1, 2, 8, 9, 10, -1, -1, -1, -1, -1, -1, -1, -1, -1,
			-1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 8, 9, 10, -1, -1, -1, -1);
	const __m256i six = _mm256_maddubs_epi16(
			_mm256_and_si256(v, _mm256_set1_epi8(7)), _mm256_set1_epi16(0x0801));
	const __m256i twelve = _mm256_madd_epi16(six, _mm256_set1_epi32(0x00400001));
	const __m256i bytes = _mm256_shuffle_epi8(
			_mm256_or_si256(twelve, _mm256_srli_epi64(twelve, 20)), join);

	_mm_storeu_si128((void *)dst,
			_mm_or_si128(_mm256_castsi256_si128(bytes),
					_mm256_extracti128_si256(bytes, 1)));
}

/*
 * The other way elements come in two lanes, as unpacking leaves them: 32 in a row in each, of which
 * a vector has 16, then those in a row LP_LANE_GAP elements later. A look-up puts each field where
 * it belongs in the topmost byte of its element.
 */

static LP_ALWAYS_INLINE __m256i
lp_place_fields(enum lp_type type, __m256i field)
{
	const __m128i place = type == LP_TYPE_E4M3
			? _mm_setr_epi8(0, -128, 1, -127, 2, -126, 3, -125, 4, -124, 5, -123, 6,
					  -122, 7, -121)
			: type == LP_TYPE_E5M2
			? _mm_setr_epi8(0, -128, 1, -127, 2, -126, 3, -125, 0, -128, 1, -127, 2,
					  -126, 3, -125)
			: _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(place), field);
}

static LP_ALWAYS_INLINE void
lp_get_fields4(enum lp_type type, const uint8_t *src, __m256i *half)
{
	const __m256i low = _mm256_set1_epi8(15), v = lp_load_lanes(src, src + LP_LANE_GAP / 2);
	const __m256i even = lp_place_fields(type, _mm256_and_si256(v, low));
	const __m256i odd = lp_place_fields(type, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));

	half[0] = _mm256_unpacklo_epi8(even, odd);
	half[1] = _mm256_unpackhi_epi8(even, odd);
}

/* 32 fields from 12 bytes in each lane; 16 are read. */
static LP_ALWAYS_INLINE void
lp_get_fields3(enum lp_type type, const uint8_t *src, __m256i *half)
{
	const __m256i apart = _mm256_broadcastsi128_si256(
			_mm_setr_epi8(0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11));
	/* Four fields in 16 bits, from bit 4 on; then two in each byte. */
	const __m256i four = _mm256_mullo_epi16(
			_mm256_shuffle_epi8(lp_load_lanes(src, src + 3 * LP_LANE_GAP / 8), apart),
			_mm256_set1_epi32(0x00010010));
	const __m256i two = _mm256_or_si256(
			_mm256_and_si256(_mm256_srli_epi16(four, 4), _mm256_set1_epi16(0x003f)),
			_mm256_and_si256(_mm256_srli_epi16(four, 2), _mm256_set1_epi16(0x3f00)));
	const __m256i even = lp_place_fields(type, two);
	const __m256i odd = lp_place_fields(
			type, _mm256_and_si256(_mm256_srli_epi16(two, 3), _mm256_set1_epi8(7)));

	half[0] = _mm256_unpacklo_epi8(even, odd);
	half[1] = _mm256_unpackhi_epi8(even, odd);
}

/* ---- apart ---- */

/* Element bytes low and high, sign on top, to the rotated ones. */
static LP_ALWAYS_INLINE void
lp_rotate_apart(__m256i *low, __m256i *high)
{
	const __m256i zero = _mm256_setzero_si256();
	const __m256i carry = _mm256_cmpgt_epi8(zero, *low), sign = _mm256_cmpgt_epi8(zero, *high);

	*low = _mm256_sub_epi8(_mm256_add_epi8(*low, *low), sign);
	*high = _mm256_sub_epi8(_mm256_add_epi8(*high, *high), carry);
}

/* 32 elements of two bytes. */
static LP_ALWAYS_INLINE void
lp_split16_avx2(const uint8_t *src, __m256i *low, __m256i *high)
{
	const __m256i sort = _mm256_broadcastsi128_si256(
			_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
	const __m256i a = _mm256_shuffle_epi8(lp_load_lanes(src, src + 32), sort);
	const __m256i b = _mm256_shuffle_epi8(lp_load_lanes(src + 16, src + 48), sort);

	*low = _mm256_unpacklo_epi64(a, b);
	*high = _mm256_unpackhi_epi64(a, b);
	lp_rotate_apart(low, high);
}

/* Bits from `shift` on of bytes, `width` of them. */
static LP_ALWAYS_INLINE __m256i
lp_bits_of(__m256i v, int shift, unsigned int width)
{
	return _mm256_and_si256(
			_mm256_srli_epi16(v, shift), _mm256_set1_epi8((char)lp_low_mask(width)));
}

/* 32 elements of four bytes; the last 4 of 100 bytes stored are of no use. */
static LP_ALWAYS_INLINE __m256i
lp_split32_avx2(const uint8_t *src, uint8_t *raw)
{
	const __m256i raw_first = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11,
			15, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
	__m256i v[4];

#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++) {
		const __m256i x = lp_load_lanes(src + 16 * k, src + 16 * k + 64);
		const __m256i r = _mm256_or_si256(_mm256_add_epi32(x, x), _mm256_srli_epi32(x, 31));

		v[k] = _mm256_shuffle_epi8(r, raw_first);
	}
#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++)
		_mm_storeu_si128((void *)(raw + 12 * k), _mm256_castsi256_si128(v[k]));
#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++)
		_mm_storeu_si128((void *)(raw + 48 + 12 * k), _mm256_extracti128_si256(v[k], 1));
	return _mm256_unpackhi_epi64(
			_mm256_unpackhi_epi32(v[0], v[1]), _mm256_unpackhi_epi32(v[2], v[3]));
}

/** Take 64 elements apart; up to 4 bytes more than theirs are written. */
static LP_ALWAYS_INLINE struct lp_exponents
lp_split_avx2(enum lp_type type, const uint8_t *src, const struct lp_raw_cursor *raw)
{
	struct lp_exponents e;
	__m256i high[2];

#pragma GCC unroll 2
	for (unsigned int k = 0; k < 2; k++) {
		__m256i low;

		switch (type) {
		case LP_TYPE_BF16:
			lp_split16_avx2(src + 64 * k, &low, &e.half[k]);
			lp_store_avx2(raw->bytes + 32 * k, low);
			break;
		case LP_TYPE_FP16:
			lp_split16_avx2(src + 64 * k, &low, &high[k]);
			lp_store_avx2(raw->bytes + 32 * k, low);
			e.half[k] = lp_bits_of(high[k], 3, 5);
			lp_put_fields3(raw->fields + 12 * k, high[k]);
			break;
		case LP_TYPE_FP32:
			e.half[k] = lp_split32_avx2(src + 128 * k, raw->bytes + 96 * k);
			break;
		default:
			high[k] = lp_load_avx2(src + 32 * k);
			high[k] = _mm256_sub_epi8(_mm256_add_epi8(high[k], high[k]),
					_mm256_cmpgt_epi8(_mm256_setzero_si256(), high[k]));
			e.half[k] = type == LP_TYPE_E4M3 ? lp_bits_of(high[k], 4, 4)
							 : lp_bits_of(high[k], 3, 5);
			if (type != LP_TYPE_E4M3)
				lp_put_fields3(raw->fields + 12 * k, high[k]);
		}
	}
	if (type == LP_TYPE_E4M3)
		lp_put_fields4(raw->fields, high[0], high[1]);
	return e;
}

/* ---- together ---- */

static LP_ALWAYS_INLINE __m256i
lp_rotr16_avx2(__m256i v)
{
	return _mm256_or_si256(_mm256_srli_epi16(v, 1), _mm256_slli_epi16(v, 15));
}

/* Elements of two bytes, 32 in each lane. Stores to one line at a time: caches take two at once. */
static LP_ALWAYS_INLINE void
lp_merge16_avx2(const uint8_t *raw, const __m256i *high, uint8_t *dst)
{
	__m256i v[4];

#pragma GCC unroll 2
	for (unsigned int k = 0; k < 2; k++) {
		const __m256i low = lp_load_lanes(raw + 16 * k, raw + LP_LANE_GAP + 16 * k);

		v[2 * k] = lp_rotr16_avx2(_mm256_unpacklo_epi8(low, high[k]));
		v[2 * k + 1] = lp_rotr16_avx2(_mm256_unpackhi_epi8(low, high[k]));
	}
#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++)
		_mm_storeu_si128((void *)(dst + 16 * k), _mm256_castsi256_si128(v[k]));
#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++)
		_mm_storeu_si128((void *)(dst + 2 * LP_LANE_GAP + 16 * k),
				_mm256_extracti128_si256(v[k], 1));
}

/* Elements of four bytes, 16 in each lane. */
static LP_ALWAYS_INLINE void
lp_merge32_avx2(const uint8_t *raw, __m256i exponents, uint8_t *dst)
{
	const __m256i apart = _mm256_broadcastsi128_si256(
			_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
	__m256i top = _mm256_broadcastsi128_si256(
			_mm_setr_epi8(-1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3));

#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++) {
		const __m256i r = lp_load_lanes(raw + 12 * k, raw + 3 * LP_LANE_GAP + 12 * k);
		const __m256i v = _mm256_or_si256(
				_mm256_shuffle_epi8(r, apart), _mm256_shuffle_epi8(exponents, top));

		lp_store_lanes(dst + 16 * k, dst + 4 * LP_LANE_GAP + 16 * k,
				_mm256_or_si256(_mm256_srli_epi32(v, 1), _mm256_slli_epi32(v, 31)));
		top = _mm256_add_epi8(top, _mm256_set1_epi32(0x04000000));
	}
}

/** Where lp_merge_avx2() wants an exponent in its byte. */
static LP_ALWAYS_INLINE int
lp_exponent_shift(enum lp_type type)
{
	return type == LP_TYPE_E5M2 ? 2 : type == LP_TYPE_E4M3 || type == LP_TYPE_FP16 ? 3 : 0;
}

/**
 * Put 64 elements together: 32 in a row, and those LP_LANE_GAP later.
 *
 * @param e
 *   Their exponents, shifted: the first 16 of both lanes, then the others.
 * @param bytes
 *   Whole bytes of the raw bits; up to 4 bytes after those of the last element are read.
 * @param fields
 *   The others; likewise.
 */
static LP_ALWAYS_INLINE void
lp_merge_avx2(enum lp_type type, const struct lp_exponents *e, const uint8_t *bytes,
		const uint8_t *fields, uint8_t *dst)
{
	__m256i top[2] = { e->half[0], e->half[1] }, field[2];

	if (lp_raw_field(type) > 0) {
		if (type == LP_TYPE_E4M3)
			lp_get_fields4(type, fields, field);
		else
			lp_get_fields3(type, fields, field);
		top[0] = _mm256_or_si256(top[0], field[0]);
		top[1] = _mm256_or_si256(top[1], field[1]);
	}
	if (lp_raw_whole(type) == 1) {
		lp_merge16_avx2(bytes, top, dst);
		return;
	}
#pragma GCC unroll 2
	for (unsigned int k = 0; k < 2; k++) {
		if (type == LP_TYPE_FP32)
			lp_merge32_avx2(bytes + 48 * k, top[k], dst + 64 * k);
		else
			lp_store_lanes(dst + 16 * k, dst + LP_LANE_GAP + 16 * k, top[k]);
	}
}

#endif /* LP_ELEMENTS_AVX2_H */
