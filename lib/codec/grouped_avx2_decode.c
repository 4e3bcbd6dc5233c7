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

/* Returns false if padding bits are set. */
static LP_ALWAYS_INLINE bool
get_dense(const uint8_t *src, size_t n, uint64_t *plane)
{
	const size_t last = (n - 1) / 64;

	plane[last] = 0;
	memcpy(plane, src, (n + 7) / 8);
	return (plane[last] & ~lp_grouped_valid(n, last)) == 0;
}

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

/* Slots of all elements. */
static LP_ALWAYS_INLINE void
get_slots(const struct lp_shape *s, const struct sparse *sparse, size_t n, struct planes *p)
{
	struct cursor at = { .deep = 0 };

#pragma GCC unroll 4
	for (unsigned int b = 0; b < LP_GROUP_SUFFIX_MAX; b++)
		at.suffix[b] = sparse->suffix[b];
	for (size_t word = 0; word < n / 64; word++) {
		const unsigned int deep = lp_popcount64(p->level[1][word]);

		if (__builtin_expect(deep <= 57, 1))
			get_slots_of_word(s, sparse, p, word, ~UINT64_C(0), true, &at);
		else
			get_slots_of_word(s, sparse, p, word, ~UINT64_C(0), false, &at);
		at.deep += deep;
	}
	if (n % 64 != 0)
		get_slots_of_word(s, sparse, p, n / 64, lp_low_mask(n % 64), false, &at);
}

/* All planes of a chunk from what follows its raw planes; returns the bytes used, or -EBADMSG. */
static LP_ALWAYS_INLINE int
get_planes(const struct lp_shape *s, const uint8_t *src, size_t len, size_t n, struct planes *p)
{
	const size_t words = (n + 63) / 64, dense = (n + 7) / 8;
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t fixed = dense * (1 + min);
	struct sparse sparse;
	size_t pos = 0;

	if (len < fixed || !get_dense(src, n, p->level[0]))
		return -EBADMSG;
	for (unsigned int b = 0; b < min; b++)
		if (!get_dense(src + dense * (1 + b), n, p->suffix[b]))
			return -EBADMSG;

	memset(sparse.total, 0, sizeof(sparse.total));
	lp_unpack_init(&sparse.in, src + fixed, len - fixed);
	if (!get_level1(&sparse, words, &pos, p) || !get_deep_levels(s, &sparse, &pos, p))
		return -EBADMSG;
	sparse.end = lp_shape_lay_out_suffixes(s, n, sparse.total, pos, sparse.suffix);
	if (sparse.end > sparse.in.bits ||
			(sparse.end % 8 != 0 && src[fixed + sparse.end / 8] >> sparse.end % 8 != 0))
		return -EBADMSG;
	get_deep_slots(s, &sparse, p);
	get_slots(s, &sparse, n, p);
	return (int)(fixed + (sparse.end + 7) / 8);
}

/* ---- elements from planes ---- */

/*
 * Exponents of 64 elements, halves interleaved by lanes: bits of the four planes to the even bits
 * of bytes, two elements to a nibble each, nibbles to bytes.
 */
static LP_ALWAYS_INLINE struct lp_exponents
exponents_of(const uint64_t *slot, __m256i values)
{
	const __m256i low = _mm256_set1_epi8(15);
	const __m256i even = _mm256_broadcastsi128_si256(
			_mm_setr_epi8(0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85));
	const __m256i pairs = _mm256_setr_epi8(0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49,
			50, 51, 0, 4, 8, 12, 64, 68, 72, 76, (char)128, (char)132, (char)136,
			(char)140, (char)192, (char)196, (char)200, (char)204);
	struct lp_exponents e;
	__m256i v = _mm256_loadu_si256((const void *)slot), a, b;

	a = _mm256_shuffle_epi8(even, _mm256_and_si256(v, low));
	b = _mm256_shuffle_epi8(even, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
	v = _mm256_unpackhi_epi8(a, b);
	v = _mm256_or_si256(_mm256_unpacklo_epi8(a, b), _mm256_add_epi8(v, v));

	a = _mm256_shuffle_epi8(pairs, _mm256_and_si256(v, low));
	b = _mm256_shuffle_epi8(pairs, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
	v = _mm256_unpacklo_epi8(a, b);
	b = _mm256_unpackhi_epi8(a, b);
	v = _mm256_or_si256(_mm256_permute2x128_si256(v, b, 0x20),
			_mm256_permute2x128_si256(v, b, 0x31));

	a = _mm256_shuffle_epi8(values, _mm256_and_si256(v, low));
	b = _mm256_shuffle_epi8(values, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
	e.half[0] = _mm256_unpacklo_epi8(a, b);
	e.half[1] = _mm256_unpackhi_epi8(a, b);
	return e;
}

/* Exponent of each slot. */
static __m256i
values_of(const struct lp_grouped *g, unsigned int exponents, unsigned int base)
{
	const __m128i delta = _mm_loadu_si128((const void *)g->slot_delta);
	const __m128i value = _mm_and_si128(_mm_add_epi8(delta, _mm_set1_epi8((char)base)),
			_mm_set1_epi8((char)(exponents - 1)));
	const __m128i slot = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	return _mm256_broadcastsi128_si256(_mm_andnot_si128(
			_mm_cmpeq_epi8(slot, _mm_set1_epi8((char)g->zero_slot)), value));
}

/* Elements of a chunk from its raw planes, which at least 4 more bytes follow, and slots. */
static LP_ALWAYS_INLINE void
merge(enum lp_type type, const uint8_t *raw_planes, const struct planes *p, __m256i values,
		size_t n, uint8_t *dst)
{
	const size_t bytes = lp_type_traits[type].bytes;
	const uint8_t *raw = raw_planes, *fields = raw_planes + lp_raw_whole(type) * n;
	struct lp_exponents e;
	size_t word = 0;

	for (; word < n / 64; word++) {
		e = exponents_of(p->slot[word], values);
		lp_merge_avx2(type, &e, raw, fields, dst + 64 * bytes * word);
		raw += 64 * lp_raw_whole(type);
		fields += 8 * lp_raw_field(type);
	}
	if (n % 64 != 0) {
		uint8_t whole[64 * 3 + 16] = { 0 }, part[8 * 4 + 16] = { 0 }, out[64 * 4];

		memcpy(whole, raw, lp_raw_whole(type) * (n % 64));
		memcpy(part, fields, (lp_raw_field(type) * (n % 64) + 7) / 8);
		e = exponents_of(p->slot[word], values);
		lp_merge_avx2(type, &e, whole, part, out);
		memcpy(dst + 64 * bytes * word, out, bytes * (n % 64));
	}
}

static void
merge_type(enum lp_type type, const uint8_t *raw, const struct planes *p, __m256i values, size_t n,
		uint8_t *dst)
{
	switch (type) {
	case LP_TYPE_BF16:
		merge(LP_TYPE_BF16, raw, p, values, n, dst);
		break;
	case LP_TYPE_FP16:
		merge(LP_TYPE_FP16, raw, p, values, n, dst);
		break;
	case LP_TYPE_FP32:
		merge(LP_TYPE_FP32, raw, p, values, n, dst);
		break;
	case LP_TYPE_E4M3:
		merge(LP_TYPE_E4M3, raw, p, values, n, dst);
		break;
	default:
		merge(LP_TYPE_E5M2, raw, p, values, n, dst);
	}
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

typedef int get_planes_fn(const struct lp_shape *s, const uint8_t *src, size_t len, size_t n,
		struct planes *p);

#define SHAPE(name)                                                                            \
	static int get_planes_##name(const struct lp_shape *s, const uint8_t *src, size_t len, \
			size_t n, struct planes *p)                                            \
	{                                                                                      \
		(void)s;                                                                       \
		return get_planes(&lp_shape_##name, src, len, n, p);                           \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static int
get_planes_any(const struct lp_shape *s, const uint8_t *src, size_t len, size_t n, struct planes *p)
{
	return get_planes(s, src, len, n, p);
}

static get_planes_fn *
decoder_of(const struct lp_shape *s)
{
#define SHAPE(name)                           \
	if (lp_shape_is(s, &lp_shape_##name)) \
		return get_planes_##name;
	LP_AVX2_SHAPES(SHAPE)
#undef SHAPE
	return get_planes_any;
}

/* Are the bits that fill the last byte of the raw planes zero? */
static bool
raw_is_padded(enum lp_type type, const uint8_t *raw, size_t raw_len, size_t n)
{
	const size_t bits = n * lp_raw_field(type) % 8;

	return bits == 0 || raw[raw_len - 1] >> bits == 0;
}

int
lp_grouped_decode_avx2(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_grouped *g = &cb->grouped;
	const enum lp_type type = cb->info.type;
	const unsigned int exponents = lp_type_exponents(type);
	const struct lp_span span = lp_span_of(type, phase, len);
	get_planes_fn *const get = decoder_of(&g->shape);
	const uint8_t *const end = body + body_len;
	struct planes planes;

	if (g->shape.groups < 3)
		return lp_grouped_decode_portable(cb, phase, body, body_len, dst, len);
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);

	if (in == NULL || body[0] >= exponents)
		return -EBADMSG;
	const __m256i values = values_of(g, exponents, body[0]);

	dst += span.lead;
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const size_t raw = lp_raw_bytes(type, n);

		if ((size_t)(end - in) < raw || !raw_is_padded(type, in, raw, n))
			return -EBADMSG;
		const int coded = get(&g->shape, in + raw, (size_t)(end - in) - raw, n, &planes);

		if (coded < 0)
			return coded;
		merge_type(type, in, &planes, values, n, dst);
		in += raw + (size_t)coded;
		if (g->escape_slot != LP_NO_SLOT) {
			const int escapes = put_escapes(
					cb, &planes, in, (size_t)(end - in), n, dst);

			if (escapes < 0)
				return escapes;
			in += escapes;
		}
		dst += n * lp_type_traits[type].bytes;
		left -= n;
	}
	return in == end ? 0 : -EBADMSG;
}
