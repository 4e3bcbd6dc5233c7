/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Area kernel for AVX-512: as that for AVX2, but tables of 256 bytes are looked up 64 bytes at
 * once, so that the order of ranks does not matter.
 */

#include "area_bmi2.h"
#include "area_planes_avx2.h"

struct table {
	__m512i part[4];
};

static inline struct table
load_table(const uint8_t *p)
{
	struct table t;

	for (unsigned int k = 0; k < 4; k++)
		t.part[k] = _mm512_loadu_si512(p + 64 * k);
	return t;
}

static inline __m512i
look_up(const struct table *t, __m512i index)
{
	return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index),
			_mm512_permutex2var_epi8(t->part[0], index, t->part[1]),
			_mm512_permutex2var_epi8(t->part[2], index, t->part[3]));
}

static inline __m512i
four_lanes(const void *p)
{
	return _mm512_broadcast_i32x4(_mm_loadu_si128(p));
}

/* ---- encoding ---- */

struct encoder {
	struct table area; /* by rank */
	struct table rank; /* by symbol, if they are not in turn */
	__m512i shift;	   /* from symbols that are in turn to ranks, or the base */
	__m512i first, mask, bits;
	bool rotated, in_turn;
};

static inline struct encoder
make_encoder(const struct lp_area *a, struct lp_turn turn)
{
	return (struct encoder){
		.area = load_table(a->rank_area),
		.rank = load_table(a->rank),
		.shift = _mm512_set1_epi8((char)(turn.base + (a->in_turn ? a->symbol[0] : 0))),
		.first = four_lanes(a->first),
		.mask = four_lanes(a->mask),
		.bits = four_lanes(a->suffix_bits),
		.rotated = turn.rotated,
		.in_turn = a->in_turn,
	};
}

/* Split a block of symbols under `valid` into areas, and suffixes with masks. */
static inline __attribute__((always_inline)) __m512i
split(const struct encoder *e, __mmask64 valid, const uint8_t *src, struct lp_area_words *w)
{
	__m512i v = _mm512_maskz_loadu_epi8(valid, src);

	if (e->rotated)
		/* Bit by bit: the lowest of a byte from the right, the others from the left. */
		v = _mm512_ternarylogic_epi64(_mm512_set1_epi8(1), _mm512_srli_epi16(v, 7),
				_mm512_slli_epi16(v, 1), 0xca);
	v = _mm512_sub_epi8(v, e->shift);
	if (!e->in_turn)
		v = look_up(&e->rank, v);
	const __m512i area = _mm512_maskz_mov_epi8(valid, look_up(&e->area, v));

	_mm512_store_si512(w->word, _mm512_sub_epi8(v, _mm512_shuffle_epi8(e->first, area)));
	_mm512_store_si512(w->mask, _mm512_maskz_shuffle_epi8(valid, e->mask, area));
	_mm512_store_si512(w->length,
			_mm512_sad_epu8(_mm512_maskz_shuffle_epi8(valid, e->bits, area),
					_mm512_setzero_si512()));
	return area;
}

/* Append whole blocks while there is room for any; returns how many symbols. */
static inline __attribute__((always_inline)) size_t
put_blocks(const struct encoder *e, unsigned int prefix_bits, struct lp_area_writer *w,
		const uint8_t *src, size_t n)
{
	const size_t block_bytes = LP_AREA_BLOCK / 8 * prefix_bits, all = n / LP_AREA_BLOCK;
	struct lp_area_words words[LP_AREA_BLOCKS];
	size_t done = 0;

	while (done < all) {
		const size_t blocks = all - done < LP_AREA_BLOCKS ? all - done : LP_AREA_BLOCKS;
		uint8_t *prefix = w->prefix;

		for (size_t k = 0; k < blocks; k++) {
			const __m512i area = split(e, ~UINT64_C(0),
					src + (done + k) * LP_AREA_BLOCK, &words[k]);
			const __m256i half[2] = { _mm512_castsi512_si256(area),
				_mm512_extracti64x4_epi64(area, 1) };

			prefix = lp_area_pack(prefix_bits, half, prefix);
		}
		const size_t put = lp_area_put_blocks(&w->suffix, words, blocks);

		w->prefix += put * block_bytes;
		done += put;
		if (put == 0)
			break;
	}
	return done * LP_AREA_BLOCK;
}

/* Append a part of a block; false if there is no room. */
static bool
put_part(const struct encoder *e, unsigned int prefix_bits, struct lp_area_writer *w,
		const uint8_t *src, size_t n)
{
	uint8_t area[LP_AREA_ROOM] = { 0 };
	struct lp_area_words words;

	_mm512_storeu_si512(area, split(e, lp_low_mask((unsigned int)n), src, &words));
	if (lp_area_put_blocks(&w->suffix, &words, 1) == 0)
		return false;
	w->prefix = lp_area_put_block(prefix_bits, area, n, w->prefix);
	return true;
}

/* Append symbols; returns how many, whole blocks and perhaps all. */
static size_t
put(const struct lp_area *a, struct lp_area_writer *w, const uint8_t *src, size_t n)
{
	const struct encoder e = make_encoder(a, w->turn);
	size_t done;

	switch (a->prefix_bits) {
	case 1:
		done = put_blocks(&e, 1, w, src, n);
		break;
	case 2:
		done = put_blocks(&e, 2, w, src, n);
		break;
	case 3:
		done = put_blocks(&e, 3, w, src, n);
		break;
	default:
		done = put_blocks(&e, 4, w, src, n);
	}
	if (done == n || n - done >= LP_AREA_BLOCK)
		return done;
	return put_part(&e, a->prefix_bits, w, src + done, n - done) ? n : done;
}

int
lp_area_encode_avx512(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_area *a = &cb->area;
	struct lp_area_writer w;

	if (!lp_area_start(cb, params->base, len, dst, dst_cap, &w))
		return 0;
	const size_t done = put(a, &w, src, len);

	if (done < len && !lp_area_put(a, &w, src + done, len - done))
		return 0;
	return (int)(lp_bits_finish(&w.suffix) - dst);
}

/* ---- decoding ---- */

/* Blocks decoded in turns, until their words are out of the store buffer and may be loaded as
 * vectors.
 */
#define DECODED (2 * LP_AREA_BLOCKS)

struct decoder {
	struct table symbol; /* by rank, if they are not in turn */
	__m512i shift;	     /* from symbols, or ranks that are in turn, to symbols with the base */
	__m512i first, mask, limit;
	bool rotated, in_turn;
};

static inline struct decoder
make_decoder(const struct lp_area *a, struct lp_turn turn)
{
	return (struct decoder){
		.symbol = load_table(a->symbol),
		.shift = _mm512_set1_epi8((char)(turn.base + (a->in_turn ? a->symbol[0] : 0))),
		.first = four_lanes(a->first),
		.mask = four_lanes(a->mask),
		.limit = four_lanes(a->limit),
		.rotated = turn.rotated,
		.in_turn = a->in_turn,
	};
}

struct blocks {
	uint8_t area[DECODED * LP_AREA_BLOCK + LP_AREA_ROOM] __attribute__((aligned(64)));
	struct lp_area_words words[DECODED];
};

static inline __attribute__((always_inline)) const uint8_t *
spread(const struct decoder *d, unsigned int prefix_bits, const uint8_t *src, struct blocks *b,
		size_t block)
{
	__m256i half[2];

	src = lp_area_spread(prefix_bits, src, half);
	const __m512i area = _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);

	_mm512_store_si512(b->area + block * LP_AREA_BLOCK, area);
	_mm512_store_si512(b->words[block].mask, _mm512_shuffle_epi8(d->mask, area));
	return src;
}

/* The last block, if it is but a part; returns NULL if its planes are not properly filled. */
static const uint8_t *
spread_part(const struct decoder *d, unsigned int prefix_bits, const uint8_t *src, size_t n,
		struct blocks *b, size_t block)
{
	uint8_t *area = b->area + block * LP_AREA_BLOCK;

	src = lp_area_get_block(prefix_bits, src, n, area);
	_mm512_store_si512(b->words[block].mask,
			_mm512_maskz_shuffle_epi8(lp_low_mask((unsigned int)n), d->mask,
					_mm512_load_si512(area)));
	return lp_area_is_filled(area, n) ? src : NULL;
}

/* Bytes of a block; notes suffixes that stand for no symbol. */
static inline __attribute__((always_inline)) __m512i
join(const struct decoder *d, const struct blocks *b, size_t block, __mmask64 *beyond)
{
	const __m512i area = _mm512_load_si512(b->area + block * LP_AREA_BLOCK);
	const __m512i suffix = _mm512_load_si512(b->words[block].word);
	__m512i v = _mm512_add_epi8(suffix, _mm512_shuffle_epi8(d->first, area));

	*beyond |= _mm512_cmpgt_epu8_mask(suffix, _mm512_shuffle_epi8(d->limit, area));
	if (!d->in_turn)
		v = look_up(&d->symbol, v);
	v = _mm512_add_epi8(v, d->shift);
	if (d->rotated)
		/* Bit by bit: the highest of a byte from the left, the others from the right. */
		v = _mm512_ternarylogic_epi64(_mm512_set1_epi8((char)0x80), _mm512_slli_epi16(v, 7),
				_mm512_srli_epi16(v, 1), 0xca);
	return v;
}

static inline __attribute__((always_inline)) int
decode(const struct lp_area *a, unsigned int prefix_bits, const struct lp_area_body *parts,
		uint8_t *dst, size_t len)
{
	const struct decoder d = make_decoder(a, parts->turn);
	const uint8_t *prefix = parts->prefix;
	struct lp_area_reader r;
	__mmask64 beyond = 0;
	struct blocks b;

	lp_area_read(&r, parts);
	while (len > 0) {
		const size_t n = len < DECODED * LP_AREA_BLOCK ? len : DECODED * LP_AREA_BLOCK;
		const size_t whole = n / LP_AREA_BLOCK, part = n % LP_AREA_BLOCK;
		size_t k;

		for (k = 0; k < whole; k++)
			prefix = spread(&d, prefix_bits, prefix, &b, k);
		if (part > 0 &&
				(prefix = spread_part(&d, prefix_bits, prefix, part, &b, k)) ==
						NULL)
			return -EBADMSG;
		if (lp_area_get_blocks(&r, b.words, whole + (part > 0)) < 0)
			return -EBADMSG;
		for (k = 0; k < whole; k++)
			_mm512_storeu_si512(dst + LP_AREA_BLOCK * k, join(&d, &b, k, &beyond));
		if (part > 0)
			_mm512_mask_storeu_epi8(dst + LP_AREA_BLOCK * k,
					lp_low_mask((unsigned int)part), join(&d, &b, k, &beyond));
		dst += n;
		len -= n;
	}
	return beyond != 0 ? -EBADMSG : lp_area_end(parts, r.moved + r.pos);
}

int
lp_area_decode_avx512(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_area *a = &cb->area;
	struct lp_area_body parts;

	(void)phase;
	if (lp_area_open(cb, body, body_len, len, &parts) < 0)
		return -EBADMSG;
	switch (a->prefix_bits) {
	case 1:
		return decode(a, 1, &parts, dst, len);
	case 2:
		return decode(a, 2, &parts, dst, len);
	case 3:
		return decode(a, 3, &parts, dst, len);
	default:
		return decode(a, 4, &parts, dst, len);
	}
}
