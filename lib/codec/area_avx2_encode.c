/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Area encoder for AVX2 and BMI2.
 *
 * If the order of ranks is that of symbols, the area of a symbol is that of the lowest of the 16
 * symbols around it, looked up, and one more for each area that starts between the two. Any other
 * order first needs a table of 256 bytes, symbol by symbol.
 */

#include "area_bmi2.h"
#include "area_planes_avx2.h"

#define BYTES 32 /* of a vector */

/* Symbols whose ranks are looked up at once: a multiple of the block. */
#define RANKED 2048

struct tables {
	__m256i first, block_area; /* of ranks less 128 */
	__m256i mask, bits;
	__m256i shift; /* from symbols, or ranks, to ranks less 128 */
	const struct lp_area *a;
};

static struct tables
load_tables(const struct lp_area *a, uint8_t shift)
{
	return (struct tables){
		.first = _mm256_sub_epi8(
				lp_area_both_lanes(a->first), _mm256_set1_epi8((char)0x80)),
		.mask = lp_area_both_lanes(a->mask),
		.bits = lp_area_both_lanes(a->suffix_bits),
		.block_area = lp_area_both_lanes(a->block_area),
		.shift = _mm256_set1_epi8((char)(shift + 0x80)),
		.a = a,
	};
}

/* Split a block into areas, and suffixes with masks. */
static inline __attribute__((always_inline)) void
split(const struct tables *t, bool rotated, const uint8_t *src, __m256i area[2],
		struct lp_area_words *w)
{
	const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
	__m256i rank[2], high[2];

#pragma GCC unroll 2
	for (unsigned int k = 0; k < 2; k++) {
		__m256i v = _mm256_loadu_si256((const void *)(src + BYTES * k));

		if (rotated)
			v = _mm256_sub_epi8(_mm256_add_epi8(v, v), _mm256_cmpgt_epi8(zero, v));
		rank[k] = _mm256_sub_epi8(v, t->shift);
		high[k] = _mm256_and_si256(_mm256_srli_epi16(rank[k], 4), nibble);
		area[k] = _mm256_shuffle_epi8(t->block_area, high[k]);
	}
#pragma GCC unroll 4
	for (unsigned int c = 0; c < t->a->cuts; c++) {
		const __m256i cut = lp_area_both_lanes(t->a->cut[c]);

#pragma GCC unroll 2
		for (unsigned int k = 0; k < 2; k++)
			area[k] = _mm256_sub_epi8(area[k],
					_mm256_cmpgt_epi8(rank[k],
							_mm256_shuffle_epi8(cut, high[k])));
	}
#pragma GCC unroll 2
	for (unsigned int k = 0; k < 2; k++) {
		const __m256i first = _mm256_shuffle_epi8(t->first, area[k]);

		_mm256_store_si256((__m256i *)w->word + k, _mm256_sub_epi8(rank[k], first));
		_mm256_store_si256((__m256i *)w->mask + k, _mm256_shuffle_epi8(t->mask, area[k]));
		_mm256_store_si256((__m256i *)w->length + k,
				_mm256_sad_epu8(_mm256_shuffle_epi8(t->bits, area[k]), zero));
	}
}

/* Append whole blocks while there is room for any; returns how many symbols. */
static inline __attribute__((always_inline)) size_t
put_blocks(const struct tables *t, unsigned int prefix_bits, bool rotated, struct lp_area_writer *w,
		const uint8_t *src, size_t n)
{
	const size_t block_bytes = LP_AREA_BLOCK / 8 * prefix_bits, all = n / LP_AREA_BLOCK;
	struct lp_area_words words[LP_AREA_BLOCKS];
	size_t done = 0;

	while (done < all) {
		const size_t blocks = all - done < LP_AREA_BLOCKS ? all - done : LP_AREA_BLOCKS;
		uint8_t *prefix = w->prefix;
		__m256i area[2];

		for (size_t k = 0; k < blocks; k++) {
			split(t, rotated, src + (done + k) * LP_AREA_BLOCK, area, &words[k]);
			prefix = lp_area_pack(prefix_bits, area, prefix);
		}
		const size_t put = lp_area_put_blocks(&w->suffix, words, blocks);

		w->prefix += put * block_bytes;
		done += put;
		if (put == 0)
			break;
	}
	return done * LP_AREA_BLOCK;
}

/* Append a part of a block, which is followed by anything up to a block; false if no room. */
static bool
put_part(const struct tables *t, bool rotated, struct lp_area_writer *w, const uint8_t *src,
		size_t n)
{
	uint8_t area[LP_AREA_ROOM] = { 0 };
	struct lp_area_words words;
	__m256i areas[2];

	split(t, rotated, src, areas, &words);
	_mm256_storeu_si256((void *)area, areas[0]);
	_mm256_storeu_si256((void *)(area + BYTES), areas[1]);
	memset(area + n, 0, LP_AREA_BLOCK - n);
	memset((uint8_t *)words.mask + n, 0, LP_AREA_BLOCK - n);
	for (unsigned int k = 0; k < LP_AREA_WORDS; k++)
		words.length[k] = lp_popcount64(words.mask[k]);
	if (lp_area_put_blocks(&w->suffix, &words, 1) == 0)
		return false;
	w->prefix = lp_area_put_block(t->a->prefix_bits, area, n, w->prefix);
	return true;
}

/* Append symbols, or ranks; returns how many, whole blocks and perhaps all. */
static inline __attribute__((always_inline)) size_t
put(const struct tables *t, bool rotated, struct lp_area_writer *w, const uint8_t *src, size_t n)
{
	uint8_t part[LP_AREA_BLOCK] = { 0 };
	size_t done;

	switch (t->a->prefix_bits) {
	case 1:
		done = put_blocks(t, 1, rotated, w, src, n);
		break;
	case 2:
		done = put_blocks(t, 2, rotated, w, src, n);
		break;
	case 3:
		done = put_blocks(t, 3, rotated, w, src, n);
		break;
	default:
		done = put_blocks(t, 4, rotated, w, src, n);
	}
	if (done == n || n - done >= LP_AREA_BLOCK)
		return done;
	memcpy(part, src + done, n - done);
	return put_part(t, rotated, w, part, n - done) ? n : done;
}

/* Append symbols by their ranks, which are no turn of the symbols; returns how many. */
static size_t
put_ranked(const struct lp_area *a, struct lp_area_writer *w, const uint8_t *src, size_t n)
{
	const struct tables t = load_tables(a, 0);
	uint8_t rank_of[256], rank[RANKED];

	for (unsigned int v = 0; v < 256; v++)
		rank_of[v] = a->rank[lp_turn_symbol(w->turn, (uint8_t)v)];
	for (size_t i = 0; i < n;) {
		const size_t count = n - i < RANKED ? n - i : RANKED;

		for (size_t k = 0; k < count; k++)
			rank[k] = rank_of[src[i + k]];
		const size_t done = put(&t, false, w, rank, count);

		i += done;
		if (done < count)
			return i;
	}
	return n;
}

int
lp_area_encode_avx2(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_area *a = &cb->area;
	struct lp_area_writer w;
	size_t done;

	if (!lp_area_start(cb, params->base, len, dst, dst_cap, &w))
		return 0;
	const struct tables t = load_tables(a, (uint8_t)(a->symbol[0] + w.turn.base));

	if (!a->in_turn)
		done = put_ranked(a, &w, src, len);
	else if (w.turn.rotated)
		done = put(&t, true, &w, src, len);
	else
		done = put(&t, false, &w, src, len);
	if (done < len && !lp_area_put(a, &w, src + done, len - done))
		return 0;
	return (int)(lp_bits_finish(&w.suffix) - dst);
}
