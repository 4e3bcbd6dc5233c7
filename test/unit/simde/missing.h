/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_SIMDE_MISSING_H
#define TEST_SIMDE_MISSING_H

/**
 * @file
 * SIMDe, under the names of Intel's intrinsics, and those of AVX-512 which the version of Debian 12
 * (0.7.4) lacks and our kernels use, or may well: all widths of what one of them needs in one.
 * Included before a kernel, it lets the kernel run where there is no AVX-512. The test
 * simde_intrinsics holds what is here against the processor; add what you add here there too.
 */

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <string.h>

#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>

/* clang-format would break most of the definitions below in two. */
/* clang-format off */

/* Elements of a vector. */
union missing {
	__m512i v;
	uint8_t u8[64];
	uint16_t u16[32];
	uint32_t u32[16];
	uint64_t u64[8];
};

/* Element by element. */
#define MISSING_WIDTH(w)                                                                           \
	static inline __m512i missing_compress##w(__m512i src, uint64_t k, __m512i a)              \
	{                                                                                          \
		union missing from = { .v = a }, to = { .v = src };                                \
		for (unsigned int i = 0, j = 0; i < 512 / w; i++)                                  \
			if (k >> i & 1)                                                            \
				to.u##w[j++] = from.u##w[i];                                       \
		return to.v;                                                                       \
	}                                                                                          \
	static inline __m512i missing_expand##w(__m512i src, uint64_t k, __m512i a)                \
	{                                                                                          \
		union missing from = { .v = a }, to = { .v = src };                                \
		for (unsigned int i = 0, j = 0; i < 512 / w; i++)                                  \
			if (k >> i & 1)                                                            \
				to.u##w[i] = from.u##w[j++];                                       \
		return to.v;                                                                       \
	}                                                                                          \
	static inline __m512i missing_mask_loadu##w(__m512i src, uint64_t k, const void *p)        \
	{                                                                                          \
		union missing to = { .v = src };                                                   \
		for (unsigned int i = 0; i < 512 / w; i++)                                         \
			if (k >> i & 1)                                                            \
				memcpy(&to.u##w[i], (const uint8_t *)p + w / 8 * i, w / 8);        \
		return to.v;                                                                       \
	}                                                                                          \
	static inline void missing_mask_storeu##w(void *p, uint64_t k, __m512i a)                  \
	{                                                                                          \
		union missing from = { .v = a };                                                   \
		for (unsigned int i = 0; i < 512 / w; i++)                                         \
			if (k >> i & 1)                                                            \
				memcpy((uint8_t *)p + w / 8 * i, &from.u##w[i], w / 8);            \
	}

MISSING_WIDTH(8)
MISSING_WIDTH(16)
MISSING_WIDTH(32)
MISSING_WIDTH(64)
#undef MISSING_WIDTH

/* What is n elements above the lowest of b, with a above b. */
#define MISSING_ALIGN(w)                                                                           \
	static inline __m512i missing_alignr##w(__m512i a, __m512i b, unsigned int n)              \
	{                                                                                          \
		union missing high = { .v = a }, low = { .v = b }, to;                             \
		for (unsigned int i = 0; i < 512 / w; i++)                                         \
			to.u##w[i] = i + n < 512 / w ? low.u##w[i + n]                             \
						     : high.u##w[(i + n) % (512 / w)];             \
		return to.v;                                                                       \
	}

MISSING_ALIGN(32)
MISSING_ALIGN(64)
#undef MISSING_ALIGN

/* The upper or lower half of two elements side by side, moved left or right. */
#define MISSING_FUNNEL(w)                                                                          \
	static inline __m512i missing_shldv##w(__m512i a, __m512i b, __m512i n)                    \
	{                                                                                          \
		union missing high = { .v = a }, low = { .v = b }, by = { .v = n };                \
		for (unsigned int i = 0; i < 512 / w; i++) {                                       \
			const unsigned int s = by.u##w[i] % w;                                     \
			if (s != 0)                                                                \
				high.u##w[i] = (uint##w##_t)(high.u##w[i] << s |                   \
							     low.u##w[i] >> (w - s));              \
		}                                                                                  \
		return high.v;                                                                     \
	}                                                                                          \
	static inline __m512i missing_shrdv##w(__m512i a, __m512i b, __m512i n)                    \
	{                                                                                          \
		union missing low = { .v = a }, high = { .v = b }, by = { .v = n };                \
		for (unsigned int i = 0; i < 512 / w; i++) {                                       \
			const unsigned int s = by.u##w[i] % w;                                     \
			if (s != 0)                                                                \
				low.u##w[i] = (uint##w##_t)(low.u##w[i] >> s |                     \
							    high.u##w[i] << (w - s));              \
		}                                                                                  \
		return low.v;                                                                      \
	}

MISSING_FUNNEL(16)
MISSING_FUNNEL(32)
MISSING_FUNNEL(64)
#undef MISSING_FUNNEL

/* Each element made narrower or wider; what is above the narrower ones is zero. */
#define MISSING_CONVERT(from_w, to_w, count)                                                       \
	static inline __m512i missing_cvt##from_w##to_##to_w(__m512i a)                            \
	{                                                                                          \
		union missing from = { .v = a }, to = { .v = _mm512_setzero_si512() };             \
		for (unsigned int i = 0; i < count; i++)                                           \
			to.u##to_w[i] = (uint##to_w##_t)from.u##from_w[i];                         \
		return to.v;                                                                       \
	}

MISSING_CONVERT(8, 16, 32)
MISSING_CONVERT(8, 32, 16)
MISSING_CONVERT(8, 64, 8)
MISSING_CONVERT(16, 32, 16)
MISSING_CONVERT(16, 64, 8)
MISSING_CONVERT(32, 64, 8)
MISSING_CONVERT(32, 8, 16)
MISSING_CONVERT(32, 16, 16)
MISSING_CONVERT(64, 8, 8)
MISSING_CONVERT(64, 16, 8)
#undef MISSING_CONVERT

/* Quarters: those of a, or of a and b, that n names. */
static inline __m512i
missing_quarters(__m512i a, __m512i b, unsigned int n)
{
	union missing from[2] = { { .v = a }, { .v = b } }, to;

	for (unsigned int i = 0; i < 8; i++)
		to.u64[i] = from[i / 4].u64[(n >> i / 2 * 2 & 3) * 2 + i % 2];
	return to.v;
}

/* 64-bit elements within each half. */
static inline __m512i
missing_permutex64(__m512i a, unsigned int n)
{
	union missing from = { .v = a }, to;

	for (unsigned int i = 0; i < 8; i++)
		to.u64[i] = from.u64[i / 4 * 4 + (n >> i % 4 * 2 & 3)];
	return to.v;
}

/* 32-bit elements within each quarter. */
static inline __m512i
missing_shuffle32(__m512i a, unsigned int n)
{
	union missing from = { .v = a }, to;

	for (unsigned int i = 0; i < 16; i++)
		to.u32[i] = from.u32[i / 4 * 4 + (n >> i % 4 * 2 & 3)];
	return to.v;
}

static inline __m512i
missing_shuffle_pd(__m512i a, __m512i b, unsigned int n)
{
	union missing from[2] = { { .v = a }, { .v = b } }, to;

	for (unsigned int i = 0; i < 8; i++)
		to.u64[i] = from[i % 2].u64[i / 2 * 2 + (n >> i & 1)];
	return to.v;
}

/* Zeros where the processor says "undefined", so that nothing depends on them by chance. */
static inline __m512i
missing_extend(const void *low, size_t len)
{
	union missing to = { .v = _mm512_setzero_si512() };

	memcpy(&to, low, len);
	return to.v;
}

static inline __m512i
missing_zext128(__m128i a)
{
	return missing_extend(&a, 16);
}

static inline __m512i
missing_zext256(__m256i a)
{
	return missing_extend(&a, 32);
}

static inline __m512i
missing_lzcnt64(__m512i a)
{
	union missing to = { .v = a };

	for (unsigned int i = 0; i < 8; i++)
		to.u64[i] = to.u64[i] == 0 ? 64 : (uint64_t)__builtin_clzll(to.u64[i]);
	return to.v;
}

static inline __m512i
missing_lzcnt32(__m512i a)
{
	union missing to = { .v = a };

	for (unsigned int i = 0; i < 16; i++)
		to.u32[i] = to.u32[i] == 0 ? 32 : (uint32_t)__builtin_clz(to.u32[i]);
	return to.v;
}

static inline uint64_t
missing_sum64(__m512i a)
{
	union missing from = { .v = a };
	uint64_t sum = 0;

	for (unsigned int i = 0; i < 8; i++)
		sum += from.u64[i];
	return sum;
}

static inline uint32_t
missing_sum32(__m512i a)
{
	union missing from = { .v = a };
	uint32_t sum = 0;

	for (unsigned int i = 0; i < 16; i++)
		sum += from.u32[i];
	return sum;
}

static inline __mmask32
missing_equal16(__m512i a, __m512i b)
{
	const __m512i differ = _mm512_xor_si512(a, b);

	return ~_mm512_test_epi16_mask(differ, differ);
}

/* SIMDe has this one, under a name with more arguments. */
#undef _mm512_madd_epi16
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)


/* Places of elements. */
#undef _mm512_mask_compress_epi8
#define _mm512_mask_compress_epi8(s, k, a) missing_compress8(s, k, a)
#undef _mm512_maskz_compress_epi8
#define _mm512_maskz_compress_epi8(k, a) missing_compress8(_mm512_setzero_si512(), k, a)
#undef _mm512_mask_expand_epi8
#define _mm512_mask_expand_epi8(s, k, a) missing_expand8(s, k, a)
#undef _mm512_maskz_expand_epi8
#define _mm512_maskz_expand_epi8(k, a) missing_expand8(_mm512_setzero_si512(), k, a)
#undef _mm512_mask_compress_epi16
#define _mm512_mask_compress_epi16(s, k, a) missing_compress16(s, k, a)
#undef _mm512_maskz_compress_epi16
#define _mm512_maskz_compress_epi16(k, a) missing_compress16(_mm512_setzero_si512(), k, a)
#undef _mm512_mask_expand_epi16
#define _mm512_mask_expand_epi16(s, k, a) missing_expand16(s, k, a)
#undef _mm512_maskz_expand_epi16
#define _mm512_maskz_expand_epi16(k, a) missing_expand16(_mm512_setzero_si512(), k, a)
#undef _mm512_mask_compress_epi32
#define _mm512_mask_compress_epi32(s, k, a) missing_compress32(s, k, a)
#undef _mm512_maskz_compress_epi32
#define _mm512_maskz_compress_epi32(k, a) missing_compress32(_mm512_setzero_si512(), k, a)
#undef _mm512_mask_expand_epi32
#define _mm512_mask_expand_epi32(s, k, a) missing_expand32(s, k, a)
#undef _mm512_maskz_expand_epi32
#define _mm512_maskz_expand_epi32(k, a) missing_expand32(_mm512_setzero_si512(), k, a)
#undef _mm512_alignr_epi32
#define _mm512_alignr_epi32(a, b, n) missing_alignr32(a, b, n)
#undef _mm512_mask_compress_epi64
#define _mm512_mask_compress_epi64(s, k, a) missing_compress64(s, k, a)
#undef _mm512_maskz_compress_epi64
#define _mm512_maskz_compress_epi64(k, a) missing_compress64(_mm512_setzero_si512(), k, a)
#undef _mm512_mask_expand_epi64
#define _mm512_mask_expand_epi64(s, k, a) missing_expand64(s, k, a)
#undef _mm512_maskz_expand_epi64
#define _mm512_maskz_expand_epi64(k, a) missing_expand64(_mm512_setzero_si512(), k, a)
#undef _mm512_alignr_epi64
#define _mm512_alignr_epi64(a, b, n) missing_alignr64(a, b, n)
#undef _mm512_mask_alignr_epi32
#define _mm512_mask_alignr_epi32(s, k, a, b, n) \
	_mm512_mask_mov_epi32(s, k, missing_alignr32(a, b, n))
#undef _mm512_maskz_alignr_epi32
#define _mm512_maskz_alignr_epi32(k, a, b, n) _mm512_maskz_mov_epi32(k, missing_alignr32(a, b, n))
#undef _mm512_mask_alignr_epi64
#define _mm512_mask_alignr_epi64(s, k, a, b, n) \
	_mm512_mask_mov_epi64(s, k, missing_alignr64(a, b, n))
#undef _mm512_maskz_alignr_epi64
#define _mm512_maskz_alignr_epi64(k, a, b, n) _mm512_maskz_mov_epi64(k, missing_alignr64(a, b, n))
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2(a, b, n) missing_quarters(a, b, n)
#undef _mm512_permutex_epi64
#define _mm512_permutex_epi64(a, n) missing_permutex64(a, n)
#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32(a, n) missing_shuffle32(a, n)
#undef _mm512_shuffle_pd
#define _mm512_shuffle_pd(a, b, n) \
	_mm512_castsi512_pd(missing_shuffle_pd(_mm512_castpd_si512(a), _mm512_castpd_si512(b), n))

/* Shifts. */
#undef _mm512_shldv_epi16
#define _mm512_shldv_epi16(a, b, n) missing_shldv16(a, b, n)
#undef _mm512_shldi_epi16
#define _mm512_shldi_epi16(a, b, n) missing_shldv16(a, b, _mm512_set1_epi16(n))
#undef _mm512_shrdv_epi16
#define _mm512_shrdv_epi16(a, b, n) missing_shrdv16(a, b, n)
#undef _mm512_shrdi_epi16
#define _mm512_shrdi_epi16(a, b, n) missing_shrdv16(a, b, _mm512_set1_epi16(n))
#undef _mm512_shldv_epi32
#define _mm512_shldv_epi32(a, b, n) missing_shldv32(a, b, n)
#undef _mm512_shldi_epi32
#define _mm512_shldi_epi32(a, b, n) missing_shldv32(a, b, _mm512_set1_epi32(n))
#undef _mm512_shrdv_epi32
#define _mm512_shrdv_epi32(a, b, n) missing_shrdv32(a, b, n)
#undef _mm512_shrdi_epi32
#define _mm512_shrdi_epi32(a, b, n) missing_shrdv32(a, b, _mm512_set1_epi32(n))
#undef _mm512_shldv_epi64
#define _mm512_shldv_epi64(a, b, n) missing_shldv64(a, b, n)
#undef _mm512_shldi_epi64
#define _mm512_shldi_epi64(a, b, n) missing_shldv64(a, b, _mm512_set1_epi64(n))
#undef _mm512_shrdv_epi64
#define _mm512_shrdv_epi64(a, b, n) missing_shrdv64(a, b, n)
#undef _mm512_shrdi_epi64
#define _mm512_shrdi_epi64(a, b, n) missing_shrdv64(a, b, _mm512_set1_epi64(n))
#undef _mm512_mask_slli_epi16
#define _mm512_mask_slli_epi16(s, k, a, n) _mm512_mask_mov_epi16(s, k, _mm512_slli_epi16(a, n))
#undef _mm512_maskz_slli_epi16
#define _mm512_maskz_slli_epi16(k, a, n) _mm512_maskz_mov_epi16(k, _mm512_slli_epi16(a, n))
#undef _mm512_mask_srli_epi16
#define _mm512_mask_srli_epi16(s, k, a, n) _mm512_mask_mov_epi16(s, k, _mm512_srli_epi16(a, n))
#undef _mm512_maskz_srli_epi16
#define _mm512_maskz_srli_epi16(k, a, n) _mm512_maskz_mov_epi16(k, _mm512_srli_epi16(a, n))
#undef _mm512_mask_sllv_epi16
#define _mm512_mask_sllv_epi16(s, k, a, n) _mm512_mask_mov_epi16(s, k, _mm512_sllv_epi16(a, n))
#undef _mm512_maskz_sllv_epi16
#define _mm512_maskz_sllv_epi16(k, a, n) _mm512_maskz_mov_epi16(k, _mm512_sllv_epi16(a, n))
#undef _mm512_mask_srlv_epi16
#define _mm512_mask_srlv_epi16(s, k, a, n) _mm512_mask_mov_epi16(s, k, _mm512_srlv_epi16(a, n))
#undef _mm512_maskz_srlv_epi16
#define _mm512_maskz_srlv_epi16(k, a, n) _mm512_maskz_mov_epi16(k, _mm512_srlv_epi16(a, n))
#undef _mm512_mask_slli_epi32
#define _mm512_mask_slli_epi32(s, k, a, n) _mm512_mask_mov_epi32(s, k, _mm512_slli_epi32(a, n))
#undef _mm512_maskz_slli_epi32
#define _mm512_maskz_slli_epi32(k, a, n) _mm512_maskz_mov_epi32(k, _mm512_slli_epi32(a, n))
#undef _mm512_mask_srli_epi32
#define _mm512_mask_srli_epi32(s, k, a, n) _mm512_mask_mov_epi32(s, k, _mm512_srli_epi32(a, n))
#undef _mm512_maskz_srli_epi32
#define _mm512_maskz_srli_epi32(k, a, n) _mm512_maskz_mov_epi32(k, _mm512_srli_epi32(a, n))
#undef _mm512_mask_sllv_epi32
#define _mm512_mask_sllv_epi32(s, k, a, n) _mm512_mask_mov_epi32(s, k, _mm512_sllv_epi32(a, n))
#undef _mm512_maskz_sllv_epi32
#define _mm512_maskz_sllv_epi32(k, a, n) _mm512_maskz_mov_epi32(k, _mm512_sllv_epi32(a, n))
#undef _mm512_mask_srlv_epi32
#define _mm512_mask_srlv_epi32(s, k, a, n) _mm512_mask_mov_epi32(s, k, _mm512_srlv_epi32(a, n))
#undef _mm512_maskz_srlv_epi32
#define _mm512_maskz_srlv_epi32(k, a, n) _mm512_maskz_mov_epi32(k, _mm512_srlv_epi32(a, n))
#undef _mm512_mask_slli_epi64
#define _mm512_mask_slli_epi64(s, k, a, n) _mm512_mask_mov_epi64(s, k, _mm512_slli_epi64(a, n))
#undef _mm512_maskz_slli_epi64
#define _mm512_maskz_slli_epi64(k, a, n) _mm512_maskz_mov_epi64(k, _mm512_slli_epi64(a, n))
#undef _mm512_mask_srli_epi64
#define _mm512_mask_srli_epi64(s, k, a, n) _mm512_mask_mov_epi64(s, k, _mm512_srli_epi64(a, n))
#undef _mm512_maskz_srli_epi64
#define _mm512_maskz_srli_epi64(k, a, n) _mm512_maskz_mov_epi64(k, _mm512_srli_epi64(a, n))
#undef _mm512_mask_sllv_epi64
#define _mm512_mask_sllv_epi64(s, k, a, n) _mm512_mask_mov_epi64(s, k, _mm512_sllv_epi64(a, n))
#undef _mm512_maskz_sllv_epi64
#define _mm512_maskz_sllv_epi64(k, a, n) _mm512_maskz_mov_epi64(k, _mm512_sllv_epi64(a, n))
#undef _mm512_mask_srlv_epi64
#define _mm512_mask_srlv_epi64(s, k, a, n) _mm512_mask_mov_epi64(s, k, _mm512_srlv_epi64(a, n))
#undef _mm512_maskz_srlv_epi64
#define _mm512_maskz_srlv_epi64(k, a, n) _mm512_maskz_mov_epi64(k, _mm512_srlv_epi64(a, n))

/* Masks. */
#undef _mm512_cmpeq_epi16_mask
#define _mm512_cmpeq_epi16_mask(a, b) missing_equal16(a, b)
#undef _mm512_testn_epi8_mask
#define _mm512_testn_epi8_mask(a, b) (__mmask64)~_mm512_test_epi8_mask(a, b)
#undef _mm512_cmpneq_epi8_mask
#define _mm512_cmpneq_epi8_mask(a, b) (__mmask64)~_mm512_cmpeq_epi8_mask(a, b)
#undef _mm512_cmpeq_epu8_mask
#define _mm512_cmpeq_epu8_mask(a, b) _mm512_cmpeq_epi8_mask(a, b)
#undef _mm512_cmpneq_epu8_mask
#define _mm512_cmpneq_epu8_mask(a, b) _mm512_cmpneq_epi8_mask(a, b)
#undef _mm512_testn_epi16_mask
#define _mm512_testn_epi16_mask(a, b) (__mmask32)~_mm512_test_epi16_mask(a, b)
#undef _mm512_cmpneq_epi16_mask
#define _mm512_cmpneq_epi16_mask(a, b) (__mmask32)~_mm512_cmpeq_epi16_mask(a, b)
#undef _mm512_cmpeq_epu16_mask
#define _mm512_cmpeq_epu16_mask(a, b) _mm512_cmpeq_epi16_mask(a, b)
#undef _mm512_cmpneq_epu16_mask
#define _mm512_cmpneq_epu16_mask(a, b) _mm512_cmpneq_epi16_mask(a, b)
#undef _mm512_testn_epi32_mask
#define _mm512_testn_epi32_mask(a, b) (__mmask16)~_mm512_test_epi32_mask(a, b)
#undef _mm512_cmpneq_epi32_mask
#define _mm512_cmpneq_epi32_mask(a, b) (__mmask16)~_mm512_cmpeq_epi32_mask(a, b)
#undef _mm512_cmpeq_epu32_mask
#define _mm512_cmpeq_epu32_mask(a, b) _mm512_cmpeq_epi32_mask(a, b)
#undef _mm512_cmpneq_epu32_mask
#define _mm512_cmpneq_epu32_mask(a, b) _mm512_cmpneq_epi32_mask(a, b)
#undef _mm512_testn_epi64_mask
#define _mm512_testn_epi64_mask(a, b) (__mmask8)~_mm512_test_epi64_mask(a, b)
#undef _mm512_cmpneq_epi64_mask
#define _mm512_cmpneq_epi64_mask(a, b) (__mmask8)~_mm512_cmpeq_epi64_mask(a, b)
#undef _mm512_cmpeq_epu64_mask
#define _mm512_cmpeq_epu64_mask(a, b) _mm512_cmpeq_epi64_mask(a, b)
#undef _mm512_cmpneq_epu64_mask
#define _mm512_cmpneq_epu64_mask(a, b) _mm512_cmpneq_epi64_mask(a, b)

/* Memory. */
#undef _mm512_mask_loadu_epi8
#define _mm512_mask_loadu_epi8(s, k, p) missing_mask_loadu8(s, k, p)
#undef _mm512_maskz_loadu_epi8
#define _mm512_maskz_loadu_epi8(k, p) missing_mask_loadu8(_mm512_setzero_si512(), k, p)
#undef _mm512_mask_storeu_epi8
#define _mm512_mask_storeu_epi8(p, k, a) missing_mask_storeu8(p, k, a)
#undef _mm512_mask_loadu_epi16
#define _mm512_mask_loadu_epi16(s, k, p) missing_mask_loadu16(s, k, p)
#undef _mm512_maskz_loadu_epi16
#define _mm512_maskz_loadu_epi16(k, p) missing_mask_loadu16(_mm512_setzero_si512(), k, p)
#undef _mm512_mask_storeu_epi16
#define _mm512_mask_storeu_epi16(p, k, a) missing_mask_storeu16(p, k, a)
#undef _mm512_mask_loadu_epi32
#define _mm512_mask_loadu_epi32(s, k, p) missing_mask_loadu32(s, k, p)
#undef _mm512_maskz_loadu_epi32
#define _mm512_maskz_loadu_epi32(k, p) missing_mask_loadu32(_mm512_setzero_si512(), k, p)
#undef _mm512_mask_storeu_epi32
#define _mm512_mask_storeu_epi32(p, k, a) missing_mask_storeu32(p, k, a)
#undef _mm512_mask_loadu_epi64
#define _mm512_mask_loadu_epi64(s, k, p) missing_mask_loadu64(s, k, p)
#undef _mm512_maskz_loadu_epi64
#define _mm512_maskz_loadu_epi64(k, p) missing_mask_loadu64(_mm512_setzero_si512(), k, p)
#undef _mm512_mask_storeu_epi64
#define _mm512_mask_storeu_epi64(p, k, a) missing_mask_storeu64(p, k, a)
#undef _mm256_mask_storeu_epi8
#define _mm256_mask_storeu_epi8(p, k, a) missing_mask_storeu8(p, (uint32_t)(k), missing_zext256(a))
#undef _mm_mask_storeu_epi8
#define _mm_mask_storeu_epi8(p, k, a) missing_mask_storeu8(p, (uint16_t)(k), missing_zext128(a))
#undef _mm256_maskz_loadu_epi8
#define _mm256_maskz_loadu_epi8(k, p) \
	_mm512_castsi512_si256(missing_mask_loadu8(_mm512_setzero_si512(), (uint32_t)(k), p))
#undef _mm_maskz_loadu_epi8
#define _mm_maskz_loadu_epi8(k, p) \
	_mm512_castsi512_si128(missing_mask_loadu8(_mm512_setzero_si512(), (uint16_t)(k), p))

/* Conversions and sums. */
#undef _mm512_zextsi128_si512
#define _mm512_zextsi128_si512(a) missing_zext128(a)
#undef _mm512_zextsi256_si512
#define _mm512_zextsi256_si512(a) missing_zext256(a)
#undef _mm512_cvtepu8_epi16
#define _mm512_cvtepu8_epi16(a) missing_cvt8to_16(missing_zext256(a))
#undef _mm512_cvtepu16_epi32
#define _mm512_cvtepu16_epi32(a) missing_cvt16to_32(missing_zext256(a))
#undef _mm512_cvtepu32_epi64
#define _mm512_cvtepu32_epi64(a) missing_cvt32to_64(missing_zext256(a))
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32(a) missing_cvt8to_32(missing_zext128(a))
#undef _mm512_cvtepu16_epi64
#define _mm512_cvtepu16_epi64(a) missing_cvt16to_64(missing_zext128(a))
#undef _mm512_cvtepu8_epi64
#define _mm512_cvtepu8_epi64(a) missing_cvt8to_64(missing_zext128(a))
#undef _mm512_cvtepi32_epi16
#define _mm512_cvtepi32_epi16(a) _mm512_castsi512_si256(missing_cvt32to_16(a))
#undef _mm512_cvtepi32_epi8
#define _mm512_cvtepi32_epi8(a) _mm512_castsi512_si128(missing_cvt32to_8(a))
#undef _mm512_cvtepi64_epi16
#define _mm512_cvtepi64_epi16(a) _mm512_castsi512_si128(missing_cvt64to_16(a))
#undef _mm512_cvtepi64_epi8
#define _mm512_cvtepi64_epi8(a) _mm512_castsi512_si128(missing_cvt64to_8(a))
#undef _mm512_lzcnt_epi32
#define _mm512_lzcnt_epi32(a) missing_lzcnt32(a)
#undef _mm512_lzcnt_epi64
#define _mm512_lzcnt_epi64(a) missing_lzcnt64(a)
#undef _mm512_reduce_add_epi32
#define _mm512_reduce_add_epi32(a) (int)missing_sum32(a)
#undef _mm512_reduce_add_epi64
#define _mm512_reduce_add_epi64(a) (long long)missing_sum64(a)

/* clang-format on */

#endif /* TEST_SIMDE_MISSING_H */
