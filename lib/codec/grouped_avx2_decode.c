/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Decoder of grouped codes with AVX2 and BMI2; grouped.h has the format.
 *
 * pdep unpacks the levels, those from 2 on for deep elements only, packed together. The levels
 * give four planes, the bits of each slot; deep slots are spread out, again by pdep; vpshufb
 * makes nibbles of the planes, and exponents of the nibbles.
 *
 * Safety: before a run is unpacked, its length is checked against what is left of the body. Loads
 * that might go past the end are made from a copy of the last bytes.
 */

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "elements_avx2.h"
#include "grouped_avx2.h"
#include "grouped_deep.h"
#include "grouped_unpack.h"
#include "planes.h"
#include "slots_avx2.h"

typedef uint64_t lp_plane[LP_PLANE_WORDS];

/* A word for 64 elements. */
struct planes {
	lp_plane level[2];
	lp_plane suffix[LP_GROUP_SUFFIX_MAX]; /* dense ones */
	/* Of deep elements. */
	lp_plane deep_level[LP_GROUPS_MAX - 1];
	lp_plane deep_slot[4];			     /* XOR the slot of group 1 */
	lp_plane deep_suffixed[LP_GROUP_SUFFIX_MAX]; /* likewise XOR that of group 1 */
	uint64_t slot[LP_PLANE_WORDS][4];
};

/* The sparse bits of a chunk, and how they are divided. */
struct sparse {
	struct lp_unpacker in;
	size_t total[LP_GROUPS_MAX];	    /* elements beyond each group */
	size_t suffix[LP_GROUP_SUFFIX_MAX]; /* where each run starts */
	size_t end;
};

/* A chunk under way. */
struct chunk {
	size_t n; /* elements */
	struct planes planes;
	struct sparse sparse;
};

/* Level 1, from bit 0 on; false if it is cut. */
static LP_ALWAYS_INLINE bool
get_level1(struct sparse *sparse, size_t words, size_t *pos, struct planes *p)
{
	size_t run = 0, beyond = 0;

	for (size_t word = 0; word < words; word++)
		run += lp_popcount64(p->level[0][word]);
	if (run > sparse->in.bits)
		return false;
	for (size_t word = 0; word < words; word++) {
		p->level[1][word] = lp_unpack_few(&sparse->in, pos, p->level[0][word]);
		beyond += lp_popcount64(p->level[1][word]);
	}
	sparse->total[0] = run;
	sparse->total[1] = beyond;
	return true;
}

/* Four words of level j of deep elements, of which those before `count` have a bit of level 2. */
static LP_ALWAYS_INLINE void
get_deep_words(const struct sparse *sparse, unsigned int j, size_t *pos, size_t word,
		struct planes *p)
{
	const size_t count = sparse->total[1];

	if (j > 4) {
		lp_unpack_four(&sparse->in, pos, p->deep_level[j - 1] + word,
				p->deep_level[j] + word);
		return;
	}
#pragma GCC unroll 4
	for (size_t k = word; k < word + 4; k++) {
		if (j > 2)
			p->deep_level[j][k] = lp_unpack_few(
					&sparse->in, pos, p->deep_level[j - 1][k]);
		else
			p->deep_level[j][k] = lp_unpack_word(&sparse->in, pos,
					64 * k < count ? lp_grouped_valid(count, k) : 0);
	}
}

/* Levels of deep elements from 2 on, from bit `pos` on; false if a run is cut. */
static LP_ALWAYS_INLINE bool
get_deep_levels(const struct lp_shape *s, struct sparse *sparse, size_t *pos, struct planes *p)
{
	const size_t words = lp_deep_words(sparse->total[1]);

#pragma GCC unroll 8
	for (unsigned int j = 2; j < LP_GROUPS_MAX - 1; j++) {
		size_t total = 0;

		if (j + 1u >= s->groups)
			break;

		if (*pos + sparse->total[j - 1] > sparse->in.bits)
			return false;
		for (size_t word = 0; word < words; word += 4) {
			get_deep_words(sparse, j, pos, word, p);
#pragma GCC unroll 4
			for (size_t k = word; k < word + 4; k++)
				total += lp_popcount64(p->deep_level[j][k]);
		}
		sparse->total[j] = total;
	}
	return true;
}

/* A property of deep elements' groups, XOR that of group 1. */
static LP_ALWAYS_INLINE uint64_t
deep_property(const struct lp_shape *s, const struct planes *p, size_t word, unsigned int groups)
{
	uint64_t property = lp_groups_change(groups, 1) ? ~UINT64_C(0) : 0;

#pragma GCC unroll 8
	for (unsigned int j = 2; j + 1u < s->groups; j++)
		if (lp_groups_change(groups, j))
			property ^= p->deep_level[j][word];
	return property;
}

/* The suffix bits b of four words of deep elements, if only they have it; else who has it. */
static LP_ALWAYS_INLINE void
get_deep_suffix(const struct lp_shape *s, struct sparse *sparse, unsigned int b, size_t word,
		struct planes *p, uint64_t *suffix)
{
	const size_t count = sparse->total[1];
	uint64_t has[4];

#pragma GCC unroll 4
	for (size_t k = 0; k < 4; k++)
		has[k] = deep_property(s, p, word + k, lp_shape_with_suffix(s, b));
	if (!lp_shape_suffix_is_deep(s, b)) {
#pragma GCC unroll 4
		for (size_t k = 0; k < 4; k++)
			p->deep_suffixed[b][word + k] = has[k];
		return;
	}
#pragma GCC unroll 4
	for (size_t k = 0; k < 4; k++)
		has[k] &= 64 * (word + k) < count ? lp_grouped_valid(count, word + k) : 0;
	lp_unpack_four(&sparse->in, &sparse->suffix[b], has, suffix);
}

/* Slots of deep elements. */
static LP_ALWAYS_INLINE void
get_deep_slots(const struct lp_shape *s, struct sparse *sparse, struct planes *p)
{
	for (size_t word = 0; word < lp_deep_words(sparse->total[1]); word += 4) {
#pragma GCC unroll 4
		for (unsigned int b = 0; b < 4; b++) {
			uint64_t suffix[4] = { 0 };

			if (b >= lp_shape_suffix_min(s) && b < lp_shape_suffix_max(s))
				get_deep_suffix(s, sparse, b, word, p, suffix);
#pragma GCC unroll 4
			for (size_t k = 0; k < 4; k++)
				p->deep_slot[b][word + k] = suffix[k] ^
						deep_property(s, p, word + k,
								lp_shape_with_slot_bit(s, b));
		}
	}
}

/* Spread the bits of deep elements out to where those elements are. */
static LP_ALWAYS_INLINE uint64_t
spread(const uint64_t *deep, size_t pos, bool few, uint64_t where)
{
	const uint8_t *const p = (const uint8_t *)deep;

	return _pdep_u64(few ? lp_unpack_few_bits(p + pos / 8, pos)
			     : lp_unpack_bits(p + pos / 8, pos),
			where);
}

/* Where the next word is unpacked from. */
struct cursor {
	size_t deep;
	size_t suffix[LP_GROUP_SUFFIX_MAX];
};

static LP_ALWAYS_INLINE void
get_slots_of_word(const struct lp_shape *s, const struct sparse *sparse, struct planes *p,
		size_t word, uint64_t valid, bool few, struct cursor *at)
{
	const uint64_t beyond0 = p->level[0][word], beyond1 = p->level[1][word];

#pragma GCC unroll 4
	for (unsigned int b = 0; b < 4; b++) {
		const unsigned int set = lp_shape_with_slot_bit(s, b),
				   has = lp_shape_with_suffix(s, b);
		uint64_t slot = spread(p->deep_slot[b], at->deep, few, beyond1);

		if (set & 1)
			slot = ~slot;
		if (lp_groups_change(set, 0))
			slot ^= beyond0;
		if (b < lp_shape_suffix_min(s)) {
			slot ^= p->suffix[b][word];
		} else if (b < lp_shape_suffix_max(s) && !lp_shape_suffix_is_deep(s, b)) {
			uint64_t suffixed = spread(p->deep_suffixed[b], at->deep, few, beyond1);

			if (has & 1)
				suffixed = ~suffixed;
			if (lp_groups_change(has, 0))
				suffixed ^= beyond0;
			slot ^= lp_unpack_word(&sparse->in, &at->suffix[b], suffixed & valid);
		}
		p->slot[word][b] = slot;
	}
}

static LP_ALWAYS_INLINE struct cursor
cursor_init(const struct sparse *sparse)
{
	struct cursor at = { .deep = 0 };

#pragma GCC unroll 4
	for (unsigned int b = 0; b < LP_GROUP_SUFFIX_MAX; b++)
		at.suffix[b] = sparse->suffix[b];
	return at;
}

/* Slots of a word; words come in order. */
static LP_ALWAYS_INLINE void
get_slots(const struct lp_shape *s, struct chunk *c, size_t word, struct cursor *at)
{
	const unsigned int deep = lp_popcount64(c->planes.level[1][word]);
	const uint64_t valid = ~UINT64_C(0);

	if (__builtin_expect(deep <= 57, 1))
		get_slots_of_word(s, &c->sparse, &c->planes, word, valid, true, at);
	else
		get_slots_of_word(s, &c->sparse, &c->planes, word, valid, false, at);
	at->deep += deep;
}

static LP_ALWAYS_INLINE void
get_last_slots(const struct lp_shape *s, struct chunk *c, struct cursor *at)
{
	const size_t word = c->n / 64;

	if (c->n % 64 != 0)
		get_slots_of_word(
				s, &c->sparse, &c->planes, word, lp_low_mask(c->n % 64), false, at);
}

/*
 * All but the slots of a chunk from what follows its raw planes; returns the bytes used, or
 * -EBADMSG.
 */
static LP_ALWAYS_INLINE int
get_planes(const struct lp_shape *s, const uint8_t *src, size_t len, struct chunk *c)
{
	const size_t n = c->n, words = (n + 63) / 64, dense = (n + 7) / 8;
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t fixed = dense * (1 + min);
	struct planes *const p = &c->planes;
	struct sparse *const sparse = &c->sparse;
	size_t pos = 0;

	if (len < fixed || !lp_unpack_dense(src, n, p->level[0]))
		return -EBADMSG;
	for (unsigned int b = 0; b < min; b++)
		if (!lp_unpack_dense(src + dense * (1 + b), n, p->suffix[b]))
			return -EBADMSG;

	memset(sparse->total, 0, sizeof(sparse->total));
	lp_unpack_init(&sparse->in, src + fixed, len - fixed);
	if (!get_level1(sparse, words, &pos, p) || !get_deep_levels(s, sparse, &pos, p))
		return -EBADMSG;
	sparse->end = lp_shape_lay_out_suffixes(s, n, sparse->total, pos, sparse->suffix);
	if (sparse->end > sparse->in.bits ||
			(sparse->end % 8 != 0 &&
					src[fixed + sparse->end / 8] >> sparse->end % 8 != 0))
		return -EBADMSG;
	get_deep_slots(s, sparse, p);
	return (int)(fixed + (sparse->end + 7) / 8);
}

/* ---- elements from slots ---- */

/* Elements of a word from its slots and its raw planes, which at least 4 more bytes follow. */
static LP_ALWAYS_INLINE void
put_word(enum lp_type type, const struct chunk *c, __m256i values, const uint8_t *raw, size_t word,
		uint8_t *dst)
{
	const struct lp_exponents e = lp_slots_to_exponents(c->planes.slot[word], values);

	lp_merge_avx2(type, &e, raw + 64 * lp_raw_whole(type) * word,
			raw + lp_raw_whole(type) * c->n + 8 * lp_raw_field(type) * word,
			dst + 64 * lp_type_traits[type].bytes * word);
}

/* The last word, if it is cut. */
static LP_ALWAYS_INLINE void
put_last_word(enum lp_type type, const struct chunk *c, __m256i values, const uint8_t *raw,
		uint8_t *dst)
{
	const size_t word = c->n / 64, left = c->n % 64, bytes = lp_type_traits[type].bytes;
	uint8_t whole[64 * 3 + 16] = { 0 }, part[8 * 4 + 16] = { 0 }, out[64 * 4];

	if (left == 0)
		return;
	memcpy(whole, raw + 64 * lp_raw_whole(type) * word, lp_raw_whole(type) * left);
	memcpy(part, raw + lp_raw_whole(type) * c->n + 8 * lp_raw_field(type) * word,
			(lp_raw_field(type) * left + 7) / 8);
	const struct lp_exponents e = lp_slots_to_exponents(c->planes.slot[word], values);

	lp_merge_avx2(type, &e, whole, part, out);
	memcpy(dst + 64 * bytes * word, out, bytes * left);
}

/*
 * Elements follow their slots at this distance, in words: the integer units and the vector units
 * are busy at once, and slots have been stored long enough to be loaded as vectors.
 */
#define BEHIND 4

/* Slots and elements of a chunk. */
static LP_ALWAYS_INLINE void
put_elements(enum lp_type type, const struct lp_shape *s, struct chunk *c, __m256i values,
		const uint8_t *raw, uint8_t *dst)
{
	const size_t words = c->n / 64;
	struct cursor at = cursor_init(&c->sparse);
	size_t word = 0;

	for (; word < words && word < BEHIND; word++)
		get_slots(s, c, word, &at);
	for (; word < words; word++) {
		put_word(type, c, values, raw, word - BEHIND, dst);
		get_slots(s, c, word, &at);
	}
	for (word = words < BEHIND ? 0 : words - BEHIND; word < words; word++)
		put_word(type, c, values, raw, word, dst);
	get_last_slots(s, c, &at);
	put_last_word(type, c, values, raw, dst);
}

/* Put escaped exponents in; returns the bytes used, or -EBADMSG. */
static int
put_escapes(const struct lp_codebook *cb, const struct planes *p, const uint8_t *src, size_t len,
		size_t n, uint8_t *dst)
{
	const struct lp_grouped *g = &cb->grouped;
	const enum lp_type type = cb->info.type;
	size_t used = 0;

	for (size_t word = 0; word < (n + 63) / 64; word++) {
		uint64_t escape = lp_grouped_valid(n, word);

		for (unsigned int b = 0; b < 4; b++)
			escape &= g->escape_slot >> b & 1 ? p->slot[word][b] : ~p->slot[word][b];
		for (; __builtin_expect(escape != 0, 0); escape &= escape - 1) {
			const size_t i = 64 * word + (size_t)__builtin_ctzll(escape);

			if (used == len || src[used] >= lp_type_exponents(type))
				return -EBADMSG;
			lp_set_exponent(type, dst + i * lp_type_traits[type].bytes, src[used++]);
		}
	}
	return (int)used;
}

/* A decoder for one type, and one shape or (NULL) any. */
struct decoder {
	enum lp_type type;
	const struct lp_shape *shape;
	int (*get_planes)(
			const struct lp_shape *s, const uint8_t *src, size_t len, struct chunk *c);
	void (*put_elements)(const struct lp_shape *s, struct chunk *c, __m256i values,
			const uint8_t *raw, uint8_t *dst);
};

#define SHAPE(name)                                                                                \
	static int get_planes_##name(                                                              \
			const struct lp_shape *s, const uint8_t *src, size_t len, struct chunk *c) \
	{                                                                                          \
		(void)s;                                                                           \
		return get_planes(&lp_shape_##name, src, len, c);                                  \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static int
get_planes_any(const struct lp_shape *s, const uint8_t *src, size_t len, struct chunk *c)
{
	return get_planes(s, src, len, c);
}

/* Types with the shapes of their shipped books, and quick ones. */
#define PAIRS(PAIR)   \
	PAIR(BF16, a) \
	PAIR(FP16, a) PAIR(FP32, b) PAIR(E4M3, c) PAIR(E5M2, c) PAIR(BF16, d) PAIR(BF16, e)

#define PAIR(type, name)                                                                           \
	static void put_##type##_##name(const struct lp_shape *s, struct chunk *c, __m256i values, \
			const uint8_t *raw, uint8_t *dst)                                          \
	{                                                                                          \
		(void)s;                                                                           \
		put_elements(LP_TYPE_##type, &lp_shape_##name, c, values, raw, dst);               \
	}
PAIRS(PAIR)
#undef PAIR

#define TYPES(TYPE) TYPE(BF16) TYPE(FP16) TYPE(FP32) TYPE(E4M3) TYPE(E5M2)

#define TYPE(type)                                                                        \
	static void put_##type(const struct lp_shape *s, struct chunk *c, __m256i values, \
			const uint8_t *raw, uint8_t *dst)                                 \
	{                                                                                 \
		put_elements(LP_TYPE_##type, s, c, values, raw, dst);                     \
	}
TYPES(TYPE)
#undef TYPE

static const struct decoder decoders[] = {
#define PAIR(type, name) \
	{ LP_TYPE_##type, &lp_shape_##name, get_planes_##name, put_##type##_##name },
	PAIRS(PAIR)
#undef PAIR
#define TYPE(type) { LP_TYPE_##type, NULL, get_planes_any, put_##type },
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
	const unsigned int exponents = lp_type_exponents(type);
	const struct lp_span span = lp_span_of(type, phase, len);
	const struct decoder *const d = decoder_of(type, &g->shape);
	const uint8_t *const end = body + body_len;
	struct chunk c;

	if (g->shape.groups < 3)
		return lp_grouped_decode_portable(cb, phase, body, body_len, dst, len);
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);

	if (in == NULL || body[0] >= exponents)
		return -EBADMSG;
	const __m256i values = lp_slot_exponents(g, exponents, body[0]);

	dst += span.lead;
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const size_t raw = lp_raw_bytes(type, n);

		if ((size_t)(end - in) < raw || !lp_raw_is_padded(type, in, raw, n))
			return -EBADMSG;
		c.n = n;
		const int coded = d->get_planes(&g->shape, in + raw, (size_t)(end - in) - raw, &c);

		if (coded < 0)
			return coded;
		d->put_elements(&g->shape, &c, values, in, dst);
		in += raw + (size_t)coded;
		if (g->escape_slot != LP_NO_SLOT) {
			const int escapes = put_escapes(
					cb, &c.planes, in, (size_t)(end - in), n, dst);

			if (escapes < 0)
				return escapes;
			in += escapes;
		}
		dst += n * lp_type_traits[type].bytes;
		left -= n;
	}
	return in == end ? 0 : -EBADMSG;
}
