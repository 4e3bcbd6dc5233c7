/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Area decoder for AVX2 and BMI2.
 *
 * Some blocks at a time: areas are spread and give the masks of the suffixes; the suffixes are
 * scattered, words being stored too young to be loaded as vectors at once; then ranks are added up
 * and turned into bytes. If the order of ranks is not that of symbols, a table of 256 bytes does
 * that last step at the end, byte by byte.
 */

#include "area_bmi2.h"
#include "area_planes_avx2.h"

#define BYTES 32 /* of a vector */

struct tables {
	__m256i first; /* and what turns ranks into symbols with the base */
	__m256i mask, limit;
	const struct lp_area *a;
};

static struct tables
load_tables(const struct lp_area *a, uint8_t shift)
{
	return (struct tables){
		.first = _mm256_add_epi8(
				lp_area_both_lanes(a->first), _mm256_set1_epi8((char)shift)),
		.mask = lp_area_both_lanes(a->mask),
		.limit = lp_area_both_lanes(a->limit),
		.a = a,
	};
}

struct blocks {
	uint8_t area[LP_AREA_BLOCKS * LP_AREA_BLOCK + LP_AREA_ROOM] __attribute__((aligned(32)));
	struct lp_area_words words[LP_AREA_BLOCKS];
};

static inline __attribute__((always_inline)) void
store_masks(const struct tables *t, const __m256i area[2], struct lp_area_words *w)
{
#pragma GCC unroll 2
	for (unsigned int k = 0; k < 2; k++)
		_mm256_store_si256((__m256i *)w->mask + k, _mm256_shuffle_epi8(t->mask, area[k]));
}

static inline __attribute__((always_inline)) const uint8_t *
spread(const struct tables *t, unsigned int prefix_bits, const uint8_t *src, struct blocks *b,
		size_t block)
{
	__m256i area[2];

	src = lp_area_spread(prefix_bits, src, area);
	_mm256_store_si256((__m256i *)b->area + 2 * block, area[0]);
	_mm256_store_si256((__m256i *)b->area + 2 * block + 1, area[1]);
	store_masks(t, area, &b->words[block]);
	return src;
}

/* The last block, if it is but a part; returns NULL if its planes are not properly filled. */
static const uint8_t *
spread_part(const struct tables *t, const uint8_t *src, size_t n, struct blocks *b, size_t block)
{
	uint8_t *bytes = b->area + block * LP_AREA_BLOCK;

	src = lp_area_get_block(t->a->prefix_bits, src, n, bytes);
	const __m256i area[2] = { _mm256_load_si256((const __m256i *)bytes),
		_mm256_load_si256((const __m256i *)bytes + 1) };

	store_masks(t, area, &b->words[block]);
	memset((uint8_t *)b->words[block].mask + n, 0, LP_AREA_BLOCK - n);
	return lp_area_is_filled(bytes, n) ? src : NULL;
}

/* Ranks, or bytes, of a half of a block; notes suffixes that stand for no symbol. */
static inline __attribute__((always_inline)) __m256i
join(const struct tables *t, bool rotated, bool full, const struct blocks *b, size_t block,
		unsigned int half, __m256i *beyond)
{
	const __m256i area = _mm256_load_si256((const __m256i *)b->area + 2 * block + half);
	const __m256i suffix = _mm256_load_si256((const __m256i *)b->words[block].word + half);
	const __m256i v = _mm256_add_epi8(suffix, _mm256_shuffle_epi8(t->first, area));

	if (!full)
		*beyond = _mm256_or_si256(*beyond,
				_mm256_subs_epu8(suffix, _mm256_shuffle_epi8(t->limit, area)));
	if (!rotated)
		return v;
	return _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(v, 1), _mm256_set1_epi8(0x7f)),
			_mm256_and_si256(_mm256_slli_epi16(v, 7), _mm256_set1_epi8((char)0x80)));
}

static inline __attribute__((always_inline)) void
join_block(const struct tables *t, bool rotated, bool full, const struct blocks *b, size_t block,
		uint8_t *dst, __m256i *beyond)
{
	const __m256i first = join(t, rotated, full, b, block, 0, beyond);
	const __m256i second = join(t, rotated, full, b, block, 1, beyond);

	_mm256_storeu_si256((void *)dst, first);
	_mm256_storeu_si256((void *)(dst + BYTES), second);
}

static inline __attribute__((always_inline)) int
decode(const struct tables *t, unsigned int prefix_bits, bool rotated, bool full,
		const struct lp_area_body *parts, uint8_t *dst, size_t len)
{
	const uint8_t *prefix = parts->prefix;
	__m256i beyond = _mm256_setzero_si256();
	struct lp_area_reader r;
	struct blocks b;

	lp_area_read(&r, parts);
	while (len > 0) {
		const size_t n = len < LP_AREA_BLOCKS * LP_AREA_BLOCK
				? len
				: LP_AREA_BLOCKS * LP_AREA_BLOCK;
		const size_t whole = n / LP_AREA_BLOCK, part = n % LP_AREA_BLOCK;
		size_t k;

		for (k = 0; k < whole; k++)
			prefix = spread(t, prefix_bits, prefix, &b, k);
		if (part > 0 && (prefix = spread_part(t, prefix, part, &b, whole)) == NULL)
			return -EBADMSG;
		if (lp_area_get_blocks(&r, b.words, whole + (part > 0)) < 0)
			return -EBADMSG;
		for (k = 0; k < whole; k++)
			join_block(t, rotated, full, &b, k, dst + k * LP_AREA_BLOCK, &beyond);
		if (part > 0) {
			uint8_t rest[LP_AREA_BLOCK];

			join_block(t, rotated, full, &b, k, rest, &beyond);
			memcpy(dst + k * LP_AREA_BLOCK, rest, part);
		}
		dst += n;
		len -= n;
	}
	if (!_mm256_testz_si256(beyond, beyond))
		return -EBADMSG;
	return lp_area_end(parts, r.moved + r.pos);
}

static inline __attribute__((always_inline)) int
decode_prefix(const struct tables *t, unsigned int prefix_bits, bool rotated,
		const struct lp_area_body *parts, uint8_t *dst, size_t len)
{
	if (t->a->full)
		return decode(t, prefix_bits, rotated, true, parts, dst, len);
	return decode(t, prefix_bits, rotated, false, parts, dst, len);
}

static inline __attribute__((always_inline)) int
decode_symbols(const struct tables *t, bool rotated, const struct lp_area_body *parts, uint8_t *dst,
		size_t len)
{
	switch (t->a->prefix_bits) {
	case 1:
		return decode_prefix(t, 1, rotated, parts, dst, len);
	case 2:
		return decode_prefix(t, 2, rotated, parts, dst, len);
	case 3:
		return decode_prefix(t, 3, rotated, parts, dst, len);
	default:
		return decode_prefix(t, 4, rotated, parts, dst, len);
	}
}

static int
decode_ranked(const struct lp_area *a, const struct lp_area_body *parts, uint8_t *dst, size_t len)
{
	const struct tables t = load_tables(a, 0);
	const int ret = decode_symbols(&t, false, parts, dst, len);
	uint8_t byte[256];

	if (ret < 0)
		return ret;
	for (unsigned int rank = 0; rank < 256; rank++)
		byte[rank] = lp_turn_byte(parts->turn, a->symbol[rank]);
	for (size_t i = 0; i < len; i++)
		dst[i] = byte[dst[i]];
	return 0;
}

int
lp_area_decode_avx2(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_area *a = &cb->area;
	struct lp_area_body parts;

	(void)phase;
	if (lp_area_open(cb, body, body_len, len, &parts) < 0)
		return -EBADMSG;
	if (!a->in_turn)
		return decode_ranked(a, &parts, dst, len);
	const struct tables t = load_tables(a, (uint8_t)(a->symbol[0] + parts.turn.base));

	if (parts.turn.rotated)
		return decode_symbols(&t, true, &parts, dst, len);
	return decode_symbols(&t, false, &parts, dst, len);
}
