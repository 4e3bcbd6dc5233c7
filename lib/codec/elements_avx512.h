/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_ELEMENTS_AVX512_H
#define LP_ELEMENTS_AVX512_H

/**
 * @file
 * 64 elements, or the last few, apart into exponents and raw planes, and together again; planes.h
 * tells how raw bits travel. Nothing outside of the elements is read or written.
 */

#include <immintrin.h>

#include "bits.h"
#include "grouped_shape.h"
#include "type.h"

/** An expression of i for all places of a vector. */
#define LP_OF_8(F, i) F(i), F(i + 1), F(i + 2), F(i + 3), F(i + 4), F(i + 5), F(i + 6), F(i + 7)
#define LP_OF_64(F)                                                                           \
	{                                                                                     \
		LP_OF_8(F, 0), LP_OF_8(F, 8), LP_OF_8(F, 16), LP_OF_8(F, 24), LP_OF_8(F, 32), \
				LP_OF_8(F, 40), LP_OF_8(F, 48), LP_OF_8(F, 56)                \
	}

/** Where the raw bits of the next 64 elements are. */
struct lp_raw_at {
	uint8_t *bytes;	 /**< whole bytes */
	uint8_t *fields; /**< the 3 or 4 bits that fill no byte */
};

/** The first bytes at p, up to 64; the others zero. */
static LP_ALWAYS_INLINE __m512i
lp_load512(const uint8_t *p, size_t len)
{
	return len >= 64 ? _mm512_loadu_si512(p)
			 : _mm512_maskz_loadu_epi8(lp_low_mask((unsigned int)len), p);
}

static LP_ALWAYS_INLINE void
lp_store512(uint8_t *p, size_t len, __m512i v)
{
	if (len >= 64)
		_mm512_storeu_si512(p, v);
	else
		_mm512_mask_storeu_epi8(p, lp_low_mask((unsigned int)len), v);
}

/** What of `len` bytes is left after `done`. */
static LP_ALWAYS_INLINE size_t
lp_left(size_t len, size_t done)
{
	return len > done ? len - done : 0;
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

/** Bytes of an element, as a constant if the type is one. */
static LP_ALWAYS_INLINE unsigned int
lp_element_bytes(enum lp_type type)
{
	return type == LP_TYPE_FP32 ? 4 : type == LP_TYPE_BF16 || type == LP_TYPE_FP16 ? 2 : 1;
}

/** Bits of each byte from `first` on and round, `width` of them. */
static LP_ALWAYS_INLINE __m512i
lp_pick_bits(__m512i bytes, unsigned int first, unsigned int width)
{
	uint64_t matrix = 0;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < width; i++)
		matrix |= UINT64_C(1) << ((first + i) % 8 + 8 * (7 - i));
	return _mm512_gf2p8affine_epi64_epi8(bytes, _mm512_set1_epi64((long long)matrix), 0);
}

#define LP_ODD_BYTES UINT64_C(0xaaaaaaaaaaaaaaaa)

/* ---- bits that fill no byte ---- */

static LP_ALWAYS_INLINE void
lp_put_fields(unsigned int bits, uint8_t *dst, size_t n, __m512i v)
{
	const size_t len = (bits * n + 7) / 8;

	if (bits == 4) {
		v = _mm512_maddubs_epi16(v, _mm512_set1_epi16(0x1001));
		_mm256_mask_storeu_epi8(dst, (__mmask32)lp_low_mask((unsigned int)len),
				_mm512_cvtepi16_epi8(v));
		return;
	}
#define LP_JOIN(i) ((i) < 24 ? 8 * ((i) / 3) + (i) % 3 : 0)
	static const uint8_t join[64] = LP_OF_64(LP_JOIN);
#undef LP_JOIN
	v = _mm512_maddubs_epi16(v, _mm512_set1_epi16(0x0801));
	v = _mm512_madd_epi16(v, _mm512_set1_epi32(0x00400001));
	v = _mm512_or_si512(v, _mm512_srli_epi64(v, 20));
	v = _mm512_permutexvar_epi8(_mm512_loadu_si512(join), v);
	_mm256_mask_storeu_epi8(
			dst, (__mmask32)lp_low_mask((unsigned int)len), _mm512_castsi512_si256(v));
}

/* A field in the low bits of each byte, others above. */
static LP_ALWAYS_INLINE __m512i
lp_get_fields(unsigned int bits, const uint8_t *src, size_t n)
{
#define LP_THREE(i) (3 * ((i) / 8) + (i) % 8) & 63
#define LP_FOUR(i) (4 * ((i) / 8) + (i) % 8) & 63
#define LP_SHIFT_THREE(i) 3 * ((i) % 8)
#define LP_SHIFT_FOUR(i) 4 * ((i) % 8)
	static const uint8_t apart[2][64] = { LP_OF_64(LP_THREE), LP_OF_64(LP_FOUR) };
	static const uint8_t shift[2][64] = { LP_OF_64(LP_SHIFT_THREE), LP_OF_64(LP_SHIFT_FOUR) };
#undef LP_THREE
#undef LP_FOUR
#undef LP_SHIFT_THREE
#undef LP_SHIFT_FOUR
	const __m512i v = lp_load512(src, (bits * n + 7) / 8);

	return _mm512_multishift_epi64_epi8(_mm512_loadu_si512(shift[bits - 3]),
			_mm512_permutexvar_epi8(_mm512_loadu_si512(apart[bits - 3]), v));
}

/* ---- apart ---- */

/* Rotated elements of two bytes: the high bytes returned. */
static LP_ALWAYS_INLINE __m512i
lp_split16_avx512(const uint8_t *src, size_t n, __m512i *low)
{
#define LP_SORT(i) (2 * (i) % 64 + (i) / 32)
	static const uint8_t places[64] = LP_OF_64(LP_SORT);
#undef LP_SORT
	const __m512i sort = _mm512_loadu_si512(places);
	const __m512i a = lp_load512(src, 2 * n), b = lp_load512(src + 64, lp_left(2 * n, 64));

	*low = _mm512_permutexvar_epi8(sort,
			_mm512_mask_blend_epi8(LP_ODD_BYTES, _mm512_shldi_epi16(a, a, 1),
					_mm512_shldi_epi16(b, b, 9)));
	return _mm512_permutexvar_epi8(sort,
			_mm512_mask_blend_epi8(LP_ODD_BYTES, _mm512_srli_epi16(a, 7),
					_mm512_slli_epi16(b, 1)));
}

/* Elements of four bytes: their exponents returned. */
static LP_ALWAYS_INLINE __m512i
lp_split32_avx512(const uint8_t *src, size_t n, uint8_t *raw)
{
#define LP_RAW(i) ((i) < 48 ? 4 * ((i) / 3) + (i) % 3 : 0)
#define LP_SORT(i) (4 * ((i) % 16) + (i) / 16)
	static const uint8_t raw_places[64] = LP_OF_64(LP_RAW), places[64] = LP_OF_64(LP_SORT);
#undef LP_RAW
#undef LP_SORT
	__m512i v[4], low, high;

#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++) {
		const size_t left = lp_left(3 * n, 48 * k);

		v[k] = lp_load512(src + 64 * k, lp_left(4 * n, 64 * k));
		lp_store512(raw + 48 * k, left < 48 ? left : 48,
				_mm512_permutexvar_epi8(_mm512_loadu_si512(raw_places),
						_mm512_rol_epi32(v[k], 1)));
	}
	low = _mm512_mask_blend_epi8(
			LP_ODD_BYTES, _mm512_srli_epi32(v[0], 23), _mm512_srli_epi32(v[1], 15));
	high = _mm512_mask_blend_epi8(
			LP_ODD_BYTES, _mm512_srli_epi32(v[2], 7), _mm512_slli_epi32(v[3], 1));
	return _mm512_permutexvar_epi8(_mm512_loadu_si512(places),
			_mm512_mask_blend_epi16(LP_ODD_BYTES & 0xffffffff, low, high));
}

/** Take n elements apart, at most 64; returns their exponents, 0 for those missing. */
static LP_ALWAYS_INLINE __m512i
lp_split_avx512(enum lp_type type, const uint8_t *src, size_t n, const struct lp_raw_at *raw)
{
	const unsigned int field = lp_raw_field(type);
	__m512i low, v;

	if (type == LP_TYPE_FP32)
		return lp_split32_avx512(src, n, raw->bytes);
	if (lp_raw_whole(type) == 1) {
		v = lp_split16_avx512(src, n, &low);
		lp_store512(raw->bytes, n, low);
	} else {
		v = lp_pick_bits(lp_load512(src, n), 7, 8);
	}
	if (field == 0)
		return v;
	lp_put_fields(field, raw->fields, n, lp_pick_bits(v, 0, field));
	return lp_pick_bits(v, field, 8 - field);
}

/* ---- together ---- */

static LP_ALWAYS_INLINE void
lp_merge16_avx512(__m512i low, __m512i high, uint8_t *dst, size_t n)
{
	const __m512i halves = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
	__m512i a, b;

	low = _mm512_permutexvar_epi64(halves, low);
	high = _mm512_permutexvar_epi64(halves, high);
	a = _mm512_unpacklo_epi8(low, high);
	b = _mm512_unpackhi_epi8(low, high);
	lp_store512(dst, 2 * n, _mm512_shrdi_epi16(a, a, 1));
	lp_store512(dst + 64, lp_left(2 * n, 64), _mm512_shrdi_epi16(b, b, 1));
}

static LP_ALWAYS_INLINE void
lp_merge32_avx512(const uint8_t *raw, __m512i exponents, uint8_t *dst, size_t n)
{
#define LP_APART(i) (3 * ((i) / 4) + (i) % 4) & 63
#define LP_TOP(i) (i) / 4
	static const uint8_t places[64] = LP_OF_64(LP_APART), top_places[64] = LP_OF_64(LP_TOP);
#undef LP_APART
#undef LP_TOP
	const __m512i apart = _mm512_loadu_si512(places);
	const __mmask64 tops = UINT64_C(0x8888888888888888);
	__m512i top = _mm512_loadu_si512(top_places);

#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++) {
		const size_t left = lp_left(3 * n, 48 * k);
		__m512i v = lp_load512(raw + 48 * k, left < 48 ? left : 48);

		v = _mm512_permutexvar_epi8(apart, v);
		v = _mm512_mask_permutexvar_epi8(v, tops, top, exponents);
		lp_store512(dst + 64 * k, lp_left(4 * n, 64 * k), _mm512_ror_epi32(v, 1));
		top = _mm512_add_epi8(top, _mm512_set1_epi8(16));
	}
}

/**
 * Put n elements together, at most 64.
 *
 * @param e
 *   Their exponents, shifted to the top of the byte.
 */
static LP_ALWAYS_INLINE void
lp_merge_avx512(enum lp_type type, __m512i e, const uint8_t *bytes, const uint8_t *fields,
		uint8_t *dst, size_t n)
{
	const unsigned int field = lp_raw_field(type);

	if (field > 0) /* bit by bit: e, or what the mask leaves of the field */
		e = _mm512_ternarylogic_epi64(e, lp_get_fields(field, fields, n),
				_mm512_set1_epi8((char)lp_low_mask(field)), 0xf8);
	if (type == LP_TYPE_FP32)
		lp_merge32_avx512(bytes, e, dst, n);
	else if (lp_raw_whole(type) == 1)
		lp_merge16_avx512(lp_load512(bytes, n), e, dst, n);
	else
		lp_store512(dst, n, lp_pick_bits(e, 1, 8));
}

#endif /* LP_ELEMENTS_AVX512_H */
