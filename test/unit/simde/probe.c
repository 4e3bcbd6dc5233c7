/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Compiled twice, for the processor and with missing.h; PROBE is the name. */

#include <immintrin.h>
#include <string.h>

#include "probe.h"

struct probe {
	__m512i a, b, c;
	uint64_t k;
	uint8_t *out;
};

#define PUT(p, type, result)                              \
	do {                                              \
		const type result_ = (result);            \
		memcpy((p)->out, &result_, sizeof(type)); \
		(p)->out += sizeof(type);                 \
	} while (0)
#define VECTOR(p, result) PUT(p, __m512i, result)
#define MASK(p, result) PUT(p, uint64_t, result)

#define PLACES(w, lanes)                                                                       \
	static void places##w(struct probe *p)                                                 \
	{                                                                                      \
		const __mmask##lanes k = (__mmask##lanes)p->k;                                 \
		VECTOR(p, _mm512_mask_compress_epi##w(p->c, k, p->a));                         \
		VECTOR(p, _mm512_maskz_compress_epi##w(k, p->a));                              \
		VECTOR(p, _mm512_mask_expand_epi##w(p->c, k, p->a));                           \
		VECTOR(p, _mm512_maskz_expand_epi##w(k, p->a));                                \
		VECTOR(p, _mm512_mask_loadu_epi##w(p->c, k, &p->b));                           \
		VECTOR(p, _mm512_maskz_loadu_epi##w(k, &p->b));                                \
		_mm512_mask_storeu_epi##w(p->out, k, p->a);                                    \
		p->out += 64;                                                                  \
	}                                                                                      \
	static void masks##w(struct probe *p)                                                  \
	{                                                                                      \
		const __m512i same = _mm512_mask_mov_epi##w(p->a, (__mmask##lanes)p->k, p->b); \
		MASK(p, _mm512_cmpneq_epi##w##_mask(same, p->a));                              \
		MASK(p, _mm512_cmpeq_epu##w##_mask(same, p->a));                               \
		MASK(p, _mm512_cmpneq_epu##w##_mask(same, p->b));                              \
		MASK(p, _mm512_cmpeq_epi##w##_mask(same, p->b));                               \
		MASK(p,                                                                        \
				_mm512_testn_epi##w##_mask(                                    \
						_mm512_maskz_mov_epi##w(                       \
								(__mmask##lanes)p->k, p->a),   \
						_mm512_set1_epi8(0x11)));                      \
	}

PLACES(8, 64)
PLACES(16, 32)
PLACES(32, 16)
PLACES(64, 8)

#define SHIFTS(w, lanes, n)                                                           \
	static void shifts##w(struct probe *p)                                        \
	{                                                                             \
		const __mmask##lanes k = (__mmask##lanes)p->k;                        \
		const __m512i by = _mm512_and_si512(p->c, _mm512_set1_epi##w(w - 1)); \
		VECTOR(p, _mm512_shldv_epi##w(p->a, p->b, p->c));                     \
		VECTOR(p, _mm512_shrdv_epi##w(p->a, p->b, p->c));                     \
		VECTOR(p, _mm512_shldi_epi##w(p->a, p->b, n));                        \
		VECTOR(p, _mm512_shrdi_epi##w(p->a, p->b, n));                        \
		VECTOR(p, _mm512_mask_slli_epi##w(p->b, k, p->a, n));                 \
		VECTOR(p, _mm512_maskz_slli_epi##w(k, p->a, n));                      \
		VECTOR(p, _mm512_mask_srli_epi##w(p->b, k, p->a, n));                 \
		VECTOR(p, _mm512_maskz_srli_epi##w(k, p->a, n));                      \
		VECTOR(p, _mm512_mask_sllv_epi##w(p->b, k, p->a, by));                \
		VECTOR(p, _mm512_maskz_sllv_epi##w(k, p->a, by));                     \
		VECTOR(p, _mm512_mask_srlv_epi##w(p->b, k, p->a, by));                \
		VECTOR(p, _mm512_maskz_srlv_epi##w(k, p->a, by));                     \
	}

SHIFTS(16, 32, 5)
SHIFTS(32, 16, 21)
SHIFTS(64, 8, 43)

static void
moves(struct probe *p)
{
	const __m512d ad = _mm512_castsi512_pd(p->a), bd = _mm512_castsi512_pd(p->b);
	const __mmask16 k16 = (__mmask16)p->k;
	const __mmask8 k8 = (__mmask8)p->k;

	VECTOR(p, _mm512_alignr_epi32(p->a, p->b, 11));
	VECTOR(p, _mm512_mask_alignr_epi32(p->c, k16, p->a, p->b, 15));
	VECTOR(p, _mm512_maskz_alignr_epi32(k16, p->a, p->b, 1));
	VECTOR(p, _mm512_alignr_epi64(p->a, p->b, 3));
	VECTOR(p, _mm512_mask_alignr_epi64(p->c, k8, p->a, p->b, 7));
	VECTOR(p, _mm512_maskz_alignr_epi64(k8, p->a, p->b, 1));
	VECTOR(p, _mm512_shuffle_i64x2(p->a, p->b, 0x6c));
	VECTOR(p, _mm512_permutex_epi64(p->a, 0x6c));
	VECTOR(p, _mm512_shuffle_epi32(p->a, 0x6c));
	VECTOR(p, _mm512_castpd_si512(_mm512_shuffle_pd(ad, bd, 0x5a)));
	VECTOR(p, _mm512_madd_epi16(p->a, p->b));
}

static void
conversions(struct probe *p)
{
	const __m256i half = _mm512_castsi512_si256(p->a);
	const __m128i quarter = _mm512_castsi512_si128(p->a);
	/* Few bits are left of some elements, none of others. */
	const __m512i low = _mm512_srlv_epi64(p->b, _mm512_and_si512(p->c, _mm512_set1_epi64(127)));

	VECTOR(p, _mm512_zextsi256_si512(half));
	VECTOR(p, _mm512_zextsi128_si512(quarter));
	VECTOR(p, _mm512_cvtepu8_epi16(half));
	VECTOR(p, _mm512_cvtepu16_epi32(half));
	VECTOR(p, _mm512_cvtepu32_epi64(half));
	VECTOR(p, _mm512_cvtepu8_epi32(quarter));
	VECTOR(p, _mm512_cvtepu16_epi64(quarter));
	VECTOR(p, _mm512_cvtepu8_epi64(quarter));
	PUT(p, __m256i, _mm512_cvtepi32_epi16(p->a));
	PUT(p, __m128i, _mm512_cvtepi32_epi8(p->a));
	PUT(p, __m128i, _mm512_cvtepi64_epi16(p->a));
	VECTOR(p, _mm512_zextsi128_si512(_mm512_cvtepi64_epi8(p->a)));
	VECTOR(p, _mm512_lzcnt_epi32(low));
	VECTOR(p, _mm512_lzcnt_epi64(low));
	PUT(p, int, _mm512_reduce_add_epi32(p->a));
	PUT(p, long long, _mm512_reduce_add_epi64(p->a));
}

static void
narrow_memory(struct probe *p)
{
	_mm256_mask_storeu_epi8(p->out, (__mmask32)p->k, _mm512_castsi512_si256(p->a));
	p->out += 32;
	_mm_mask_storeu_epi8(p->out, (__mmask16)p->k, _mm512_castsi512_si128(p->a));
	p->out += 16;
	PUT(p, __m256i, _mm256_maskz_loadu_epi8((__mmask32)p->k, &p->b));
	PUT(p, __m128i, _mm_maskz_loadu_epi8((__mmask16)p->k, &p->b));
}

size_t
PROBE(const uint8_t in[PROBE_IN], uint8_t out[PROBE_OUT_MAX])
{
	struct probe p = { .out = out };

	memcpy(&p.a, in, 64);
	memcpy(&p.b, in + 64, 64);
	memcpy(&p.c, in + 128, 64);
	memcpy(&p.k, in + 192, 8);
	places8(&p);
	places16(&p);
	places32(&p);
	places64(&p);
	masks8(&p);
	masks16(&p);
	masks32(&p);
	masks64(&p);
	shifts16(&p);
	shifts32(&p);
	shifts64(&p);
	moves(&p);
	conversions(&p);
	narrow_memory(&p);
	return (size_t)(p.out - out);
}
