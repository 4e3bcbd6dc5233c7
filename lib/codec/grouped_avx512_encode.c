/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Encoder of grouped codes with AVX-512; grouped.h has the format.
 *
 * The exponents of 64 elements are looked up twice (vpermb): once for the bits that matter in all
 * elements, which a bit transpose (GFNI) makes planes of, and once for those that matter only in
 * elements beyond group 1, which are brought together as bytes (vpcompressb) and then made planes
 * of. pext packs the sparse bits.
 */

#include <immintrin.h>
#include <string.h>

#include "elements_avx512.h"
#include "grouped_avx2.h"
#include "grouped_bmi2.h"
#include "planes.h"

/* Planes of all elements. */
#define SHALLOW_LEVEL(j) (j)	    /* 0 and 1 */
#define SHALLOW_SUFFIX(b) (2 + (b)) /* good only in elements that have it */
#define SHALLOW_MASK(k) (5 + (k))   /* which elements have the k-th sparse suffix bit? */
#define SHALLOW_MASKS 2
#define SHALLOW_ESCAPE 7
/* Planes of deep elements. */
#define DEEP_LEVEL(j) ((j)-2) /* from 2 on */
#define DEEP_SUFFIX(b) (5 + (b))

/* Places in the tables of exponents of 8 bits: the window, then these. */
#define AT_OUTSIDE LP_GROUPED_WINDOW
#define AT_ZERO (LP_GROUPED_WINDOW + 1)

/* Bits of exponents, by the exponent or by the place above. */
struct tables {
	__m512i shallow, deep;
	__m512i first; /* exponent at the start of the window */
};

/* All planes of 64 elements side by side. */
typedef uint64_t word_planes[8];

struct planes {
	_Alignas(64) word_planes shallow[LP_PLANE_WORDS];
	word_planes deep[LP_PLANE_WORDS];
	size_t deep_count;
	size_t escapes;
	uint8_t deep_byte[LP_GROUPED_CHUNK + 64];
	uint8_t escape[LP_GROUPED_CHUNK + 64];
};

/* Suffix bits from the first sparse one on that not only deep elements have. */
static LP_ALWAYS_INLINE unsigned int
shallow_end(const struct lp_shape *s)
{
	return s->suffix_bits[0] > s->suffix_bits[1] ? s->suffix_bits[0] : s->suffix_bits[1];
}

static LP_ALWAYS_INLINE void
tables_init(struct tables *t, const struct lp_shape *s, const struct lp_grouped *g,
		enum lp_type type, unsigned int base)
{
	const unsigned int exponents = lp_type_exponents(type), min = lp_shape_suffix_min(s);
	const uint8_t *const by_exponent = g->delta_slot + (exponents - base);
	const uint8_t zero = g->zero_slot != LP_NO_SLOT ? g->zero_slot : by_exponent[0];
	const __m128i levels = _mm_loadu_si128((const void *)g->slot_levels);
	const __m128i suffix = _mm_loadu_si128((const void *)g->slot_suffix);
	__m128i shallow = _mm_or_si128(_mm_and_si128(levels, _mm_set1_epi8(3)),
			_mm_slli_epi16(suffix, SHALLOW_SUFFIX(0)));
	const __m128i deep = _mm_or_si128(
			_mm_and_si128(_mm_srli_epi16(levels, 2), _mm_set1_epi8(31)),
			_mm_slli_epi16(suffix, DEEP_SUFFIX(0)));
	__m512i slot;

#pragma GCC unroll 4
	for (unsigned int b = min; b < shallow_end(s); b++)
		shallow = _mm_mask_add_epi8(shallow, lp_shape_suffixed(s, b), shallow,
				_mm_set1_epi8((char)(1u << SHALLOW_MASK(b - min))));
	if (g->escape_slot != LP_NO_SLOT)
		shallow = _mm_mask_add_epi8(shallow, (__mmask16)(1u << g->escape_slot), shallow,
				_mm_set1_epi8((char)(1u << SHALLOW_ESCAPE)));
	if (exponents == 256) {
		slot = _mm512_zextsi128_si512(
				_mm_loadu_si128((const void *)(g->delta_slot + g->window)));
		slot = _mm512_mask_mov_epi8(slot, UINT64_C(1) << AT_OUTSIDE,
				_mm512_set1_epi8((char)g->escape_slot));
		slot = _mm512_mask_mov_epi8(
				slot, UINT64_C(1) << AT_ZERO, _mm512_set1_epi8((char)zero));
	} else {
		slot = _mm512_zextsi256_si512(_mm256_loadu_si256((const void *)by_exponent));
		slot = _mm512_mask_mov_epi8(slot, 1, _mm512_set1_epi8((char)zero));
	}
	t->shallow = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(shallow), slot);
	t->deep = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(deep), slot);
	t->first = _mm512_set1_epi8((char)(g->window + base));
}

/* Bit b of each byte to word b. */
static LP_ALWAYS_INLINE __m512i
planes_of(__m512i bytes)
{
#define TURN(i) (8 * ((i) % 8) + (i) / 8)
	static const uint8_t turn[64] = LP_OF_64(TURN);
#undef TURN
	const __m512i unit = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
	/* As a matrix, eight bytes are turned and mirrored; the unit as a matrix mirrors them back.
	 */
	const __m512i turned = _mm512_gf2p8affine_epi64_epi8(unit, bytes, 0);

	return _mm512_permutexvar_epi8(
			_mm512_loadu_si512(turn), _mm512_gf2p8affine_epi64_epi8(turned, unit, 0));
}

/* Raw planes, planes of all elements and bytes of deep ones; n is at most 64. */
static LP_ALWAYS_INLINE void
split_word(enum lp_type type, const struct tables *t, const uint8_t *src, size_t n,
		const struct lp_raw_at *raw, struct planes *p, size_t word, size_t *deep,
		size_t *escapes)
{
	const __m512i e = lp_split_avx512(type, src, n, raw);
	__m512i at = e;

	if (lp_raw_field(type) == 0)
		at = _mm512_mask_min_epu8(_mm512_set1_epi8(AT_ZERO), _mm512_test_epi8_mask(e, e),
				_mm512_sub_epi8(e, t->first), _mm512_set1_epi8(AT_OUTSIDE));

	const __m512i bits = n == 64 ? _mm512_permutexvar_epi8(at, t->shallow)
				     : _mm512_maskz_permutexvar_epi8(lp_low_mask((unsigned int)n),
						       at, t->shallow);
	const __mmask64 beyond = _mm512_test_epi8_mask(
			bits, _mm512_set1_epi8(1u << SHALLOW_LEVEL(1)));
	const __mmask64 escape = _mm512_movepi8_mask(bits);

	_mm512_storeu_si512(p->shallow[word], planes_of(bits));
	_mm512_storeu_si512(p->deep_byte + *deep,
			_mm512_maskz_compress_epi8(beyond, _mm512_permutexvar_epi8(at, t->deep)));
	*deep += lp_popcount64(beyond);
	if (__builtin_expect(escape != 0, 0)) {
		_mm512_storeu_si512(p->escape + *escapes, _mm512_maskz_compress_epi8(escape, e));
		*escapes += lp_popcount64(escape);
	}
}

static LP_ALWAYS_INLINE void
split(enum lp_type type, const struct tables *tables, const uint8_t *src, size_t n, uint8_t *dst,
		struct planes *p)
{
	const struct tables t = *tables; /* of which no store can change anything */
	struct lp_raw_at raw = { dst, dst + lp_raw_whole(type) * n };
	size_t deep = 0, escapes = 0, word = 0;

	for (; word < n / 64; word++) {
		split_word(type, &t, src, 64, &raw, p, word, &deep, &escapes);
		src += 64 * lp_element_bytes(type);
		raw.bytes += 64 * lp_raw_whole(type);
		raw.fields += 8 * lp_raw_field(type);
	}
	if (n % 64 != 0)
		split_word(type, &t, src, n % 64, &raw, p, word, &deep, &escapes);
	p->deep_count = deep;
	p->escapes = escapes;
}

static void
split_type(enum lp_type type, const struct tables *t, const uint8_t *src, size_t n, uint8_t *raw,
		struct planes *p)
{
	switch (type) {
	case LP_TYPE_BF16:
		split(LP_TYPE_BF16, t, src, n, raw, p);
		break;
	case LP_TYPE_FP16:
		split(LP_TYPE_FP16, t, src, n, raw, p);
		break;
	case LP_TYPE_FP32:
		split(LP_TYPE_FP32, t, src, n, raw, p);
		break;
	case LP_TYPE_E4M3:
		split(LP_TYPE_E4M3, t, src, n, raw, p);
		break;
	default:
		split(LP_TYPE_E5M2, t, src, n, raw, p);
	}
}

/* ---- runs ---- */

/* Words of deep elements: groups of four, as a loop of unknown length costs more than zeros. */
static LP_ALWAYS_INLINE size_t
deep_words(size_t count)
{
	return (count + 255) / 256 * 4;
}

static LP_ALWAYS_INLINE void
fill_deep(struct planes *p)
{
	for (size_t word = 0; word < deep_words(p->deep_count); word++) {
		const size_t left = lp_left(p->deep_count, 64 * word);
		const uint64_t valid = lp_low_mask(left < 64 ? (unsigned int)left : 64);

		_mm512_storeu_si512(p->deep[word],
				planes_of(_mm512_maskz_loadu_epi8(
						valid, p->deep_byte + 64 * word)));
	}
}

/* Append plane `bits` of deep elements under another. */
static LP_ALWAYS_INLINE void
put_deep_plane(struct lp_stream *out, const word_planes *w, size_t words, unsigned int bits,
		unsigned int mask, bool few)
{
	for (size_t word = 0; word < words; word += 4) {
		const uint64_t x[4] = { w[word][bits], w[word + 1][bits], w[word + 2][bits],
			w[word + 3][bits] };
		const uint64_t m[4] = { w[word][mask], w[word + 1][mask], w[word + 2][mask],
			w[word + 3][mask] };

		if (few) {
			lp_stream_put_four(out, x, m);
			continue;
		}
#pragma GCC unroll 4
		for (unsigned int k = 0; k < 4; k++)
			lp_stream_put_sparse_word(out, x[k], m[k]);
	}
}

static LP_ALWAYS_INLINE void
put_deep_levels(const struct lp_shape *s, const struct planes *p, struct lp_stream *out)
{
	const size_t count = p->deep_count;

	if (s->groups < 4)
		return;
	for (size_t word = 0; word < count / 64; word++)
		lp_stream_put(out, p->deep[word][DEEP_LEVEL(2)], 64);
	if (count % 64 != 0)
		lp_stream_put(out, p->deep[count / 64][DEEP_LEVEL(2)], count % 64);
#pragma GCC unroll 8
	for (unsigned int j = 3; j + 1u < s->groups; j++)
		put_deep_plane(out, p->deep, deep_words(count), DEEP_LEVEL(j), DEEP_LEVEL(j - 1),
				j > 4);
}

/* Which deep elements of a word have suffix bit b? Levels are nested, see grouped_shape.h. */
static LP_ALWAYS_INLINE uint64_t
deep_suffixed(const struct lp_shape *s, unsigned int b, const word_planes *w, size_t word,
		size_t count)
{
	bool has = s->suffix_bits[2] > b;
	uint64_t mask = has ? lp_low_mask((unsigned int)(lp_left(count, 64 * word) < 64
							      ? lp_left(count, 64 * word)
							      : 64))
			    : 0;

#pragma GCC unroll 8
	for (unsigned int j = 2; j + 1u < s->groups; j++) {
		if ((s->suffix_bits[j + 1] > b) != has)
			mask ^= w[word][DEEP_LEVEL(j)];
		has = s->suffix_bits[j + 1] > b;
	}
	return mask;
}

/* Suffix bit b, which only deep elements have. */
static LP_ALWAYS_INLINE void
put_deep_suffix(const struct lp_shape *s, unsigned int b, const struct planes *p,
		struct lp_stream *out)
{
	for (size_t word = 0; word < deep_words(p->deep_count); word += 4) {
		uint64_t x[4], m[4];

#pragma GCC unroll 4
		for (unsigned int k = 0; k < 4; k++) {
			x[k] = p->deep[word + k][DEEP_SUFFIX(b)];
			m[k] = deep_suffixed(s, b, p->deep, word + k, p->deep_count);
		}
		lp_stream_put_four(out, x, m);
	}
}

/* Write level 0 to its dense plane, and level 1. */
static LP_ALWAYS_INLINE void
put_first_levels(const struct planes *p, size_t n, uint8_t *dense, struct lp_stream *out)
{
	const word_planes *const w = p->shallow;
	size_t word = 0;

	for (; word < n / 64; word++) {
		lp_store64(dense + 8 * word, w[word][SHALLOW_LEVEL(0)]);
		lp_stream_put_sparse_word(
				out, w[word][SHALLOW_LEVEL(1)], w[word][SHALLOW_LEVEL(0)]);
	}
	if (n % 64 != 0) {
		memcpy(dense + 8 * word, &w[word][SHALLOW_LEVEL(0)], (n % 64 + 7) / 8);
		lp_stream_put_sparse_word(
				out, w[word][SHALLOW_LEVEL(1)], w[word][SHALLOW_LEVEL(0)]);
	}
}

/* Write the dense plane of level 0, and all sparse bits; returns the bytes of these. */
static LP_ALWAYS_INLINE size_t
put_runs(const struct lp_shape *s, struct planes *p, size_t n, uint8_t *dense, uint8_t *dst)
{
	const unsigned int min = lp_shape_suffix_min(s), max = lp_shape_suffix_max(s);
	struct lp_stream out = { .dst = dst };

	put_first_levels(p, n, dense, &out);
	fill_deep(p);
	put_deep_levels(s, p, &out);
#pragma GCC unroll 4
	for (unsigned int b = min; b < max; b++) {
		if (b >= shallow_end(s)) {
			put_deep_suffix(s, b, p, &out);
			continue;
		}
		for (size_t word = 0; word < (n + 63) / 64; word++)
			lp_stream_put_word(&out, p->shallow[word][SHALLOW_SUFFIX(b)],
					p->shallow[word][SHALLOW_MASK(b - min)]);
	}
	return lp_stream_end(&out);
}

static LP_ALWAYS_INLINE uint8_t *
put_dense(const struct planes *p, unsigned int which, size_t n, uint8_t *dst)
{
	size_t word = 0;

	for (; word < n / 64; word++)
		lp_store64(dst + 8 * word, p->shallow[word][which]);
	for (size_t byte = 8 * word; byte < (n + 7) / 8; byte++)
		dst[byte] = (uint8_t)(p->shallow[word][which] >> 8 * (byte % 8));
	return dst + (n + 7) / 8;
}

/* Returns the end of the chunk, or NULL if it does not fit before `end`. */
static LP_ALWAYS_INLINE uint8_t *
put_chunk(const struct lp_shape *s, const struct lp_codebook *cb, unsigned int base,
		const uint8_t *src, size_t n, struct planes *p, uint8_t *dst, const uint8_t *end)
{
	const enum lp_type type = cb->info.type;
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t raw = lp_raw_bytes(type, n), dense = (n + 7) / 8 * (1 + min);
	uint8_t sparse[LP_GROUPED_SPARSE_MAX(LP_GROUPED_CHUNK) + LP_STREAM_SPARE];
	struct tables t;

	if ((size_t)(end - dst) < raw + dense)
		return NULL;
	tables_init(&t, s, &cb->grouped, type, base);
	split_type(type, &t, src, n, dst, p);
	dst += raw;

	const size_t sparse_len = put_runs(s, p, n, dst, sparse);

	dst += (n + 7) / 8;
	for (unsigned int b = 0; b < min; b++)
		dst = put_dense(p, SHALLOW_SUFFIX(b), n, dst);
	if ((size_t)(end - dst) < sparse_len + p->escapes)
		return NULL;
	memcpy(dst, sparse, sparse_len);
	dst += sparse_len;
	memcpy(dst, p->escape, p->escapes);
	return dst + p->escapes;
}

typedef uint8_t *put_chunk_fn(const struct lp_shape *s, const struct lp_codebook *cb,
		unsigned int base, const uint8_t *src, size_t n, struct planes *p, uint8_t *dst,
		const uint8_t *end);

#define SHAPE(name)                                                                              \
	static uint8_t *put_chunk_##name(const struct lp_shape *s, const struct lp_codebook *cb, \
			unsigned int base, const uint8_t *src, size_t n, struct planes *p,       \
			uint8_t *dst, const uint8_t *end)                                        \
	{                                                                                        \
		(void)s;                                                                         \
		return put_chunk(&lp_shape_##name, cb, base, src, n, p, dst, end);               \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static uint8_t *
put_chunk_any(const struct lp_shape *s, const struct lp_codebook *cb, unsigned int base,
		const uint8_t *src, size_t n, struct planes *p, uint8_t *dst, const uint8_t *end)
{
	return put_chunk(s, cb, base, src, n, p, dst, end);
}

static put_chunk_fn *
coder_of(const struct lp_shape *s)
{
#define SHAPE(name)                           \
	if (lp_shape_is(s, &lp_shape_##name)) \
		return put_chunk_##name;
	LP_AVX2_SHAPES(SHAPE)
#undef SHAPE
	return put_chunk_any;
}

int
lp_grouped_encode_avx512(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_shape *const s = &cb->grouped.shape;
	const enum lp_type type = cb->info.type;
	const struct lp_span span = lp_span_of(type, params->phase, len);
	put_chunk_fn *const put = coder_of(s);
	const uint8_t *const end = dst + dst_cap;
	struct planes planes;
	uint8_t *out = dst;

	if (s->groups < 3 || shallow_end(s) > lp_shape_suffix_min(s) + SHALLOW_MASKS)
		return lp_grouped_encode_avx2(cb, params, src, len, dst, dst_cap);
	if (dst_cap < 1 + span.lead + span.tail)
		return 0;
	out = lp_grouped_put_edges(out, params->base, &span, src, len);
	src += span.lead;
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;

		out = put(s, cb, params->base, src, n, &planes, out, end);
		if (out == NULL)
			return 0;
		src += n * lp_type_traits[type].bytes;
		left -= n;
	}
	return (int)(out - dst);
}
