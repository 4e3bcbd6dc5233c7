/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Decoder of grouped codes with AVX2 and BMI2; grouped.h has the format.
 *
 * pdep unpacks all sparse bits in one pass. Levels and suffixes give four planes, the bits of each
 * slot; they are transposed to nibbles, of which vpshufb makes exponents.
 *
 * Safety: all runs are laid out, and their ends checked against that of the body, before the first
 * is unpacked. Loads that might go past the end are made from a copy.
 */

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "elements_avx2.h"
#include "grouped_avx2.h"
#include "grouped_unpack.h"
#include "planes.h"
#include "slots_avx2.h"

#define BLOCK 256 /* elements that go through the vector units together */
#define BLOCK_WORDS (BLOCK / 64)

typedef uint64_t lp_plane[LP_PLANE_WORDS];

/* Bit planes of a block that every element has, in the body or in a copy. */
struct dense {
	const uint8_t *level0;
	const uint8_t *suffix[LP_GROUP_SUFFIX_MAX];
};

/* A word for 64 elements. */
struct planes {
	lp_plane level[LP_GROUPS_MAX - 1];    /* from 1 on */
	lp_plane suffix[LP_GROUP_SUFFIX_MAX]; /* sparse ones */
	lp_plane escape;		      /* who has the last slot */
};

/* A chunk under way. */
struct chunk {
	size_t n; /* elements */
	struct dense dense;
	struct planes planes;
	struct lp_runs runs;
	struct lp_runs_at at; /* what is next */
	bool few;	      /* words have at most 57 elements beyond group 0 */
};

/* Elements of a word, of those `valid`, that have suffix bit b. */
static LP_ALWAYS_INLINE uint64_t
suffixed(const struct lp_shape *s, unsigned int b, const uint64_t *beyond, uint64_t valid)
{
	const unsigned int has = lp_shape_with_suffix(s, b);
	uint64_t mask = has & 1 ? valid : 0;

#pragma GCC unroll 8
	for (unsigned int j = 0; j < LP_GROUPS_MAX - 1; j++)
		if (j + 1u < s->groups && lp_groups_change(has, j))
			mask ^= beyond[j];
	return mask;
}

/* Sparse bits of a word; words come in order. */
static LP_ALWAYS_INLINE void
unpack_word(const struct lp_shape *s, struct chunk *c, size_t word, uint64_t level0, uint64_t valid,
		bool few, struct lp_runs_at *at)
{
	uint64_t beyond[LP_GROUPS_MAX - 1] = { level0 };

#pragma GCC unroll 8
	for (unsigned int j = 1; j < LP_GROUPS_MAX - 1; j++) {
		if (j + 1u >= s->groups)
			break;
		beyond[j] = lp_runs_unpack(&c->runs, &at->level[j], beyond[j - 1], few);
		c->planes.level[j][word] = beyond[j];
	}
#pragma GCC unroll 4
	for (unsigned int b = lp_shape_suffix_min(s); b < lp_shape_suffix_max(s); b++)
		c->planes.suffix[b][word] = lp_runs_unpack(&c->runs, &at->suffix[b],
				suffixed(s, b, beyond, valid), few && s->suffix_bits[0] <= b);
}

/* ---- where everything is ---- */

/* Elements beyond group 0; notes whether there are few in each word. */
static LP_ALWAYS_INLINE size_t
count_level0(const uint8_t *src, struct chunk *c)
{
	const size_t words = c->n / 64;
	size_t total = 0;
	int spare = 0;

#pragma GCC unroll 4
	for (size_t word = 0; word < words; word++) {
		const int count = (int)lp_popcount64(lp_load64(src + 8 * word));

		total += (size_t)count;
		spare |= 57 - count;
	}
	if (c->n % 64 != 0) {
		const uint64_t last = lp_load_part(src + 8 * words, (c->n % 64 + 7) / 8);

		total += lp_popcount64(last);
		spare |= 57 - (int)lp_popcount64(last);
	}
	c->few = spare >= 0;
	return total;
}

/* Find what follows the raw planes; returns its bytes but for escapes, or -EBADMSG. */
static LP_ALWAYS_INLINE int
lay_out(const struct lp_shape *s, const uint8_t *src, size_t len, struct chunk *c)
{
	const size_t n = c->n, bytes = (n + 7) / 8, most = LP_GROUPED_SPARSE_MAX(n);
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t dense = bytes * (1 + min), left = len - dense;

	if (len < dense)
		return -EBADMSG;
	for (unsigned int b = 0; n % 8 != 0 && b < 1 + min; b++)
		if (src[bytes * (1 + b) - 1] >> n % 8 != 0)
			return -EBADMSG;
	c->dense.level0 = src;
#pragma GCC unroll 4
	for (unsigned int b = 0; b < min; b++)
		c->dense.suffix[b] = src + bytes * (1 + b);

	lp_runs_copy(&c->runs, src + dense, left < most ? left : most);
	lp_runs_count(&c->runs);
	c->at = lp_runs_lay_out(&c->runs, s, n, count_level0(src, c));
	if (!lp_runs_are_whole(&c->runs, c->at.end))
		return -EBADMSG;
	return (int)(dense + (c->at.end + 7) / 8);
}

/* ---- elements ---- */

/* 256 bits of a plane. */
static LP_ALWAYS_INLINE __m256i
load_bits(const uint64_t *plane, size_t byte)
{
	return lp_load_avx2((const uint8_t *)plane + byte);
}

/* Planes of the slots of a block; notes who has the last slot. */
static LP_ALWAYS_INLINE void
get_slots(const struct lp_shape *s, struct planes *p, const struct dense *dense, size_t byte,
		__m256i *slot)
{
	const unsigned int last = lp_shape_last_slot(s);
	const __m256i ones = _mm256_set1_epi8(-1);
	__m256i escape = ones;

#pragma GCC unroll 4
	for (unsigned int b = 0; b < 4; b++) {
		const unsigned int set = lp_shape_with_slot_bit(s, b);

		slot[b] = set & 1 ? ones : _mm256_setzero_si256();
#pragma GCC unroll 8
		for (unsigned int j = 0; j < LP_GROUPS_MAX - 1; j++) {
			if (j + 1u >= s->groups || !lp_groups_change(set, j))
				continue;
			slot[b] = _mm256_xor_si256(slot[b],
					j > 0 ? load_bits(p->level[j], byte)
					      : lp_load_avx2(dense->level0 + byte));
		}
		if (b < lp_shape_suffix_max(s))
			slot[b] = _mm256_xor_si256(slot[b],
					b < lp_shape_suffix_min(s)
							? lp_load_avx2(dense->suffix[b] + byte)
							: load_bits(p->suffix[b], byte));
		escape = last >> b & 1 ? _mm256_and_si256(escape, slot[b])
				       : _mm256_andnot_si256(slot[b], escape);
	}
	lp_store_avx2((uint8_t *)p->escape + byte, escape);
}

/* Elements of a block, which starts at a byte of the planes. */
static LP_ALWAYS_INLINE void
put_block(enum lp_type type, const struct lp_shape *s, struct planes *p, const struct dense *dense,
		size_t byte, __m256i values, const struct lp_raw_cursor *raw, uint8_t *dst)
{
	__m256i slot[4], quarter[4];

	get_slots(s, p, dense, byte, slot);
	lp_planes_to_nibbles(slot, quarter);
#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++) {
		const struct lp_exponents e = lp_nibbles_to_exponents(quarter[k], values);

		lp_merge_avx2(type, &e,
				raw->bytes + lp_raw_whole(type) * (8 * byte + BLOCK / 8 * k),
				raw->fields + lp_raw_field(type) * (byte + BLOCK / 64 * k),
				dst + BLOCK / 8 * lp_element_bytes(type) * k);
	}
}

/* Copies of what a chunk shorter than a block is made from: a block would read past the end. */
struct short_chunk {
	uint8_t dense[1 + LP_GROUP_SUFFIX_MAX][BLOCK / 8];
	uint8_t whole[BLOCK * 3 + 16];
	uint8_t fields[BLOCK / 2 + 16];
};

static LP_ALWAYS_INLINE void
copy_short_chunk(enum lp_type type, const struct lp_shape *s, struct chunk *c,
		struct lp_raw_cursor *raw, struct short_chunk *copy)
{
	const size_t bytes = (c->n + 7) / 8;

	memcpy(copy->dense[0], c->dense.level0, bytes);
	c->dense.level0 = copy->dense[0];
#pragma GCC unroll 4
	for (unsigned int b = 0; b < lp_shape_suffix_min(s); b++) {
		memcpy(copy->dense[1 + b], c->dense.suffix[b], bytes);
		c->dense.suffix[b] = copy->dense[1 + b];
	}
	if (lp_raw_whole(type) > 0)
		memcpy(copy->whole, raw->bytes, lp_raw_whole(type) * c->n);
	if (lp_raw_field(type) > 0)
		memcpy(copy->fields, raw->fields, (lp_raw_field(type) * c->n + 7) / 8);
	*raw = (struct lp_raw_cursor){ copy->whole, copy->fields };
}

/* The last elements, if they are no full block: with those before them they are one. */
static LP_ALWAYS_INLINE void
put_last_block(enum lp_type type, const struct lp_shape *s, struct chunk *c, __m256i values,
		struct lp_raw_cursor raw, uint8_t *dst)
{
	const size_t n = c->n, done = n / BLOCK * BLOCK, end = (n + 7) / 8;
	const size_t byte = end > BLOCK / 8 ? end - BLOCK / 8 : 0;
	const size_t bytes = lp_element_bytes(type);
	const bool fits = n >= BLOCK && n % 8 == 0;
	struct short_chunk copy;
	uint8_t out[BLOCK * 4];

	if (n < BLOCK)
		copy_short_chunk(type, s, c, &raw, &copy);
	put_block(type, s, &c->planes, &c->dense, byte, values, &raw,
			fits ? dst + 8 * byte * bytes : out);
	if (!fits)
		memcpy(dst + done * bytes, out + (done - 8 * byte) * bytes, (n - done) * bytes);
}

/* All sparse bits, whatever the shape and however many. */
static __attribute__((noinline)) void
unpack_any(const struct lp_shape *s, struct chunk *c)
{
	for (size_t word = 0; 64 * word < c->n; word++) {
		const uint8_t *const level0 = c->dense.level0 + 8 * word;
		const size_t left = c->n - 64 * word;

		unpack_word(s, c, word,
				left >= 64 ? lp_load64(level0)
					   : lp_load_part(level0, (left + 7) / 8),
				lp_grouped_valid(c->n, word), false, &c->at);
	}
}

/* Sparse bits of a full block, few in each word. */
static LP_ALWAYS_INLINE void
unpack_block(const struct lp_shape *s, struct chunk *c, size_t block, struct lp_runs_at *at)
{
	for (size_t word = BLOCK_WORDS * block; word < BLOCK_WORDS * (block + 1); word++)
		unpack_word(s, c, word, lp_load64(c->dense.level0 + 8 * word), ~UINT64_C(0), true,
				at);
}

/* Sparse bits of the words that are no full block. */
static LP_ALWAYS_INLINE void
unpack_last_block(const struct lp_shape *s, struct chunk *c, struct lp_runs_at *at)
{
	size_t word = c->n / BLOCK * BLOCK_WORDS;

	for (; word < c->n / 64; word++)
		unpack_word(s, c, word, lp_load64(c->dense.level0 + 8 * word), ~UINT64_C(0), true,
				at);
	if (c->n % 64 != 0)
		unpack_word(s, c, word,
				lp_load_part(c->dense.level0 + 8 * word, (c->n % 64 + 7) / 8),
				lp_low_mask(c->n % 64), true, at);
}

/*
 * Elements follow their sparse bits at this distance, in blocks: the integer units and the vector
 * units are busy at once, and words have been stored long enough to be loaded as vectors.
 */
#define BEHIND 2

/* Elements of a chunk. */
static LP_ALWAYS_INLINE void
put_elements(enum lp_type type, const struct lp_shape *s, bool few, struct chunk *c, __m256i values,
		const struct lp_raw_cursor *raw, uint8_t *dst)
{
	const size_t blocks = c->n / BLOCK, ahead = few ? BEHIND : 0;
	struct lp_runs_at at = c->at;

	for (size_t block = 0; block < blocks + ahead; block++) {
		if (few && block < blocks)
			unpack_block(s, c, block, &at);
		if (block >= ahead)
			put_block(type, s, &c->planes, &c->dense, BLOCK / 8 * (block - ahead),
					values, raw,
					dst + BLOCK * lp_element_bytes(type) * (block - ahead));
	}
	if (few && c->n % BLOCK != 0)
		unpack_last_block(s, c, &at);
}

/* Is a plane zero for a block? */
static bool
is_empty(const uint64_t *plane)
{
	const __m256i v = load_bits(plane, 0);

	return _mm256_testz_si256(v, v) != 0;
}

/* Put escaped exponents in; returns the bytes used, or -EBADMSG. */
static int
put_escapes(enum lp_type type, const struct planes *p, const uint8_t *src, size_t len, size_t n,
		uint8_t *dst)
{
	size_t used = 0;

	for (size_t word = 0; 64 * word < n; word++) {
		uint64_t escape = p->escape[word] & lp_grouped_valid(n, word);

		if (word % BLOCK_WORDS == 0 && n - 64 * word >= BLOCK &&
				is_empty(p->escape + word)) {
			word += BLOCK_WORDS - 1;
			continue;
		}
		for (; __builtin_expect(escape != 0, 0); escape &= escape - 1) {
			const size_t i = 64 * word + (size_t)__builtin_ctzll(escape);

			if (used == len || src[used] >= lp_type_exponents(type))
				return -EBADMSG;
			lp_set_exponent(type, dst + i * lp_element_bytes(type), src[used++]);
		}
	}
	return (int)used;
}

/* A decoder for one type, and one shape or (NULL) any: decodes a chunk but for its escapes. */
struct decoder {
	enum lp_type type;
	const struct lp_shape *shape;
	int (*decode)(const struct lp_shape *s, struct chunk *c, __m256i values, const uint8_t *src,
			size_t len, uint8_t *dst);
};

/* From the raw planes on, quicker if the shape is known; returns the bytes used, or -EBADMSG. */
static LP_ALWAYS_INLINE int
decode(enum lp_type type, const struct lp_shape *s, bool known, struct chunk *c, __m256i values,
		const uint8_t *src, size_t len, uint8_t *dst)
{
	const size_t n = c->n, fields = lp_raw_field(type) * n;
	const size_t raw = lp_raw_whole(type) * n + (fields + 7) / 8;

	if (len < raw || (fields % 8 != 0 && src[raw - 1] >> fields % 8 != 0))
		return -EBADMSG;

	const int coded = lay_out(s, src + raw, len - raw, c);

	if (coded < 0)
		return coded;

	const struct lp_raw_cursor planes = lp_raw_cursor(type, (uint8_t *)(uintptr_t)src, n);

	if (known && c->few) {
		put_elements(type, s, true, c, values, &planes, dst);
	} else {
		unpack_any(s, c);
		put_elements(type, s, false, c, values, &planes, dst);
	}
	if (n % BLOCK != 0)
		put_last_block(type, s, c, values, planes, dst);
	return (int)raw + coded;
}

/* Types with the shapes of their shipped books, and quick ones. */
#define PAIRS(PAIR)   \
	PAIR(BF16, a) \
	PAIR(FP16, a) \
	PAIR(FP32, b) \
	PAIR(E4M3, c) \
	PAIR(E5M2, c) \
	PAIR(BF16, d) \
	PAIR(BF16, e) PAIR(FP32, e) PAIR(E4M3, e) PAIR(FP16, e) PAIR(E5M2, e)

#define PAIR(type, name)                                                                         \
	static int decode_##type##_##name(const struct lp_shape *s, struct chunk *c,             \
			__m256i values, const uint8_t *src, size_t len, uint8_t *dst)            \
	{                                                                                        \
		(void)s;                                                                         \
		return decode(LP_TYPE_##type, &lp_shape_##name, true, c, values, src, len, dst); \
	}
PAIRS(PAIR)
#undef PAIR

#define TYPES(TYPE) TYPE(BF16) TYPE(FP16) TYPE(FP32) TYPE(E4M3) TYPE(E5M2)

#define TYPE(type)                                                                          \
	static int decode_##type(const struct lp_shape *s, struct chunk *c, __m256i values, \
			const uint8_t *src, size_t len, uint8_t *dst)                       \
	{                                                                                   \
		return decode(LP_TYPE_##type, s, false, c, values, src, len, dst);          \
	}
TYPES(TYPE)
#undef TYPE

static const struct decoder decoders[] = {
#define PAIR(type, name) { LP_TYPE_##type, &lp_shape_##name, decode_##type##_##name },
	PAIRS(PAIR)
#undef PAIR
#define TYPE(type) { LP_TYPE_##type, NULL, decode_##type },
			TYPES(TYPE)
#undef TYPE
};

static const struct decoder *
decoder_of(enum lp_type type, const struct lp_shape *s)
{
	const struct decoder *d = decoders;

	while (d->type != type || (d->shape != NULL && !lp_shape_is(s, d->shape)))
		d++;
	return d;
}

int
lp_grouped_decode_avx2(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_grouped *g = &cb->grouped;
	const enum lp_type type = cb->info.type;
	const struct lp_span span = lp_span_of(type, phase, len);
	const struct decoder *const d = decoder_of(type, &g->shape);
	const uint8_t *const end = body + body_len;
	struct chunk c;

	if (g->shape.groups < 3)
		return lp_grouped_decode_portable(cb, phase, body, body_len, dst, len);
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);

	if (in == NULL || body[0] >= lp_type_exponents(type))
		return -EBADMSG;
	const __m256i values = lp_slot_exponents(g, type, body[0]);

	dst += span.lead;
	for (size_t left = span.count; left > 0;) {
		c.n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const int used = d->decode(&g->shape, &c, values, in, (size_t)(end - in), dst);

		if (used < 0)
			return used;
		in += used;
		if (g->escape_slot != LP_NO_SLOT) {
			const int escapes = put_escapes(
					type, &c.planes, in, (size_t)(end - in), c.n, dst);

			if (escapes < 0)
				return escapes;
			in += escapes;
		}
		dst += c.n * lp_element_bytes(type);
		left -= c.n;
	}
	return in == end ? 0 : -EBADMSG;
}
