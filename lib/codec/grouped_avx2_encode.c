/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Encoder of grouped codes with AVX2 and BMI2; grouped.h has the format.
 *
 * The exponents of 64 elements are looked up in the window of the book (vpshufb), which gives
 * their slots; vpmovmskb makes four planes of them. Levels are logic functions of the four, for
 * 256 elements at a time; pext packs the sparse ones, and the slots of deep elements.
 */

#include <immintrin.h>
#include <string.h>

#include "grouped_avx2.h"
#include "grouped_deep.h"
#include "planes.h"
#include "elements_avx2.h"

/* Slots of the window's exponents. */
struct lookup {
	__m256i pattern; /* see lp_grouped.window_pattern */
	__m256i zero;	 /* pattern of exponent 0 */
	__m256i first;	 /* exponent at the start of the window */
	__m256i range;	 /* exponents - 1 */
	bool has_zero;
	bool has_escape;
};

typedef uint64_t plane[LP_PLANE_WORDS];

/* A word for 64 elements. */
struct planes {
	plane slot[4]; /* XOR the last slot */
	plane level[2];
	plane suffix[LP_GROUP_SUFFIX_MAX];   /* good only under its mask */
	plane suffixed[LP_GROUP_SUFFIX_MAX]; /* its mask, if sparse */
	plane deep[4];			     /* slots of deep elements */
};

/* Memory of a stream that will be appended to another. */
struct tail {
	uint8_t margin[LP_STREAM_MARGIN];
	uint8_t bits[LP_GROUPED_CHUNK / 8 + LP_STREAM_SPARE];
};

static void
lookup_init(struct lookup *t, const struct lp_grouped *g, unsigned int exponents, unsigned int base)
{
	t->pattern = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)g->window_pattern));
	t->first = _mm256_set1_epi8((char)(g->window + base));
	t->range = _mm256_set1_epi8((char)(exponents - 1));
	t->has_zero = g->zero_slot != LP_NO_SLOT;
	t->zero = _mm256_set1_epi8((char)(t->has_zero ? lp_grouped_pattern(g, g->zero_slot) : 0));
	t->has_escape = g->escape_slot != LP_NO_SLOT;
}

/* Patterns of 32 exponents. Above the window, bit 7 of the index is set and vpshufb gives 0. */
static LP_ALWAYS_INLINE __m256i
look_up(enum lp_type type, bool has_zero, const struct lookup *t, __m256i exponent)
{
	__m256i delta = _mm256_sub_epi8(exponent, t->first);

	if (type != LP_TYPE_BF16 && type != LP_TYPE_FP32)
		delta = _mm256_and_si256(delta, t->range);
	const __m256i pattern = _mm256_shuffle_epi8(
			t->pattern, _mm256_adds_epu8(delta, _mm256_set1_epi8(0x70)));

	if (!has_zero)
		return pattern;
	return _mm256_blendv_epi8(
			pattern, t->zero, _mm256_cmpeq_epi8(exponent, _mm256_setzero_si256()));
}

static LP_ALWAYS_INLINE uint64_t
top_bits(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) |
			(uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static LP_ALWAYS_INLINE void
put_slots(enum lp_type type, bool has_zero, const struct lookup *t, const struct lp_exponents *e,
		plane *slot, size_t word)
{
	__m256i a = look_up(type, has_zero, t, e->half[0]);
	__m256i b = look_up(type, has_zero, t, e->half[1]);

#pragma GCC unroll 4
	for (unsigned int bit = 4; bit-- > 0;) {
		slot[bit][word] = top_bits(a, b);
		a = _mm256_add_epi8(a, a);
		b = _mm256_add_epi8(b, b);
	}
}

/* Raw planes and slots of a chunk; the room is that of its raw planes and dense bits. */
static LP_ALWAYS_INLINE void
split(enum lp_type type, bool has_zero, const struct lookup *lookup, const uint8_t *src, size_t n,
		uint8_t *raw_planes, plane *slot)
{
	const size_t bytes = lp_element_bytes(type);
	const struct lookup t = *lookup; /* of which no store can change anything */
	struct lp_raw_cursor raw = lp_raw_cursor(type, raw_planes, n);
	struct lp_exponents e;
	size_t word = 0;

	/* The dense bits that follow have room for what is written past the raw planes. */
	for (; word < n / 64; word++, lp_raw_advance(type, &raw)) {
		e = lp_split_avx2(type, src + 64 * bytes * word, &raw);
		put_slots(type, has_zero, &t, &e, slot, word);
	}
	if (n % 64 != 0) {
		const size_t left = n % 64;
		uint8_t in[64 * 4] = { 0 }, whole[64 * 3 + 16], fields[8 * 4 + 16];
		const struct lp_raw_cursor part = { whole, fields };

		memcpy(in, src + 64 * bytes * word, left * bytes);
		e = lp_split_avx2(type, in, &part);
		put_slots(type, has_zero, &t, &e, slot, word);
		memcpy(raw.bytes, whole, lp_raw_whole(type) * left);
		memcpy(raw.fields, fields, (lp_raw_field(type) * left + 7) / 8);
	}
}

static LP_ALWAYS_INLINE void
store_words(uint64_t *words, __m256i v)
{
	_mm256_storeu_si256((void *)words, v);
}

/* Levels 0 and 1, and the suffixes that not only deep elements have. */
static LP_ALWAYS_INLINE void
fill_planes(const struct lp_shape *s, size_t n, struct planes *p)
{
	const unsigned int min = lp_shape_suffix_min(s), max = lp_shape_suffix_max(s);
	const size_t last = (n - 1) / 64;
	const uint64_t valid = lp_grouped_valid(n, last);

	for (size_t word = 0; word <= last; word += 4) {
		const struct lp_slot_bits x = lp_slot_bits_load(p->slot, word);

#pragma GCC unroll 2
		for (unsigned int j = 0; j < 2; j++)
			store_words(p->level[j] + word, lp_slot_in(s, lp_shape_beyond(s, j), &x));
#pragma GCC unroll 4
		for (unsigned int b = 0; b < max; b++) {
			if (lp_shape_suffix_is_deep(s, b))
				continue;
			store_words(p->suffix[b] + word, lp_slot_suffix(s, b, &x));
			if (b >= min)
				store_words(p->suffixed[b] + word,
						lp_slot_in(s, lp_shape_suffixed(s, b), &x));
		}
	}
	/* Words are taken in pairs. */
	if (n % 128 == 0)
		return;
	for (unsigned int j = 0; j < 2; j++) {
		p->level[j][last] &= valid;
		p->level[j][last + 1] = 0;
	}
	for (unsigned int b = 0; b < max; b++) {
		if (b < min)
			p->suffix[b][last] &= valid;
		p->suffixed[b][last] &= valid;
		p->suffixed[b][last + 1] = 0;
	}
}

/* Which of the next words, at most 64, have an escape? Those not full may be said to have one. */
static uint64_t
escaped_words(const plane *slot, size_t first, size_t words)
{
	const size_t count = words - first < 64 ? words - first : 64;
	uint64_t which = 0;

	for (size_t word = 0; word < count; word += 4) {
		const struct lp_slot_bits x = lp_slot_bits_load(slot, first + word);
		const __m256i others = _mm256_or_si256(_mm256_or_si256(x.bit[0], x.bit[1]),
				_mm256_or_si256(x.bit[2], x.bit[3]));
		const __m256i none = _mm256_cmpeq_epi64(others, _mm256_set1_epi8(-1));

		which |= (uint64_t)(~_mm256_movemask_pd(_mm256_castsi256_pd(none)) & 15) << word;
	}
	return which & lp_low_mask((unsigned int)count);
}

/* Exponents of the elements that have the escape; returns how many. */
static size_t
gather_escapes(enum lp_type type, const uint8_t *src, size_t n, const plane *slot, uint8_t *escape)
{
	const size_t bytes = lp_element_bytes(type), words = (n + 63) / 64;
	size_t escapes = 0;

	for (size_t first = 0; first < words; first += 64) {
		uint64_t which = escaped_words(slot, first, words);

		for (; which != 0; which &= which - 1) {
			const size_t word = first + (size_t)__builtin_ctzll(which);
			uint64_t escaped = ~(slot[0][word] | slot[1][word] | slot[2][word] |
							   slot[3][word]) &
					lp_grouped_valid(n, word);

			for (; escaped != 0; escaped &= escaped - 1) {
				const size_t i = 64 * word + (size_t)__builtin_ctzll(escaped);

				escape[escapes++] = lp_exponent_at(type, src + bytes * i);
			}
		}
	}
	return escapes;
}

/*
 * Four planes written side by side, all with the same number of bits; those before the first are
 * left out, being suffix bits of all elements: levels do not depend on them.
 */
struct deep_writer {
	unsigned int first;
	uint64_t held[4];
	unsigned int count;
	size_t next;
};

static LP_ALWAYS_INLINE void
put_deep(struct deep_writer *w, plane *deep, const uint64_t *bits, unsigned int count)
{
	const unsigned int total = w->count + count;

#pragma GCC unroll 4
	for (unsigned int b = w->first; b < 4; b++) {
		w->held[b] |= bits[b] << w->count;
		lp_store64((uint8_t *)deep[b] + w->next, w->held[b]);
		w->held[b] = w->held[b] >> (total & 56);
	}
	w->next += total / 8;
	w->count = total % 8;
}

/* The slots of a word's deep elements, in two parts as there may be 64. */
static LP_ALWAYS_INLINE void
put_deep_word(struct deep_writer *w, const plane *slot, size_t word, uint64_t which, plane *deep)
{
#pragma GCC unroll 2
	for (unsigned int half = 0; half < 2; half++) {
		const uint64_t part = which & UINT64_C(0xffffffff) << 32 * half;
		uint64_t bits[4];

#pragma GCC unroll 4
		for (unsigned int b = w->first; b < 4; b++)
			bits[b] = _pext_u64(slot[b][word], part);
		put_deep(w, deep, bits, lp_popcount64(part));
	}
}

static LP_ALWAYS_INLINE void
put_deep_pair(struct deep_writer *w, const plane *slot, size_t word, const uint64_t *which,
		plane *deep)
{
	const unsigned int one = lp_popcount64(which[0]);
	const unsigned int two = one + lp_popcount64(which[1]);
	uint64_t bits[4];

	if (__builtin_expect(two > 56, 0)) {
		put_deep_word(w, slot, word, which[0], deep);
		put_deep_word(w, slot, word + 1, which[1], deep);
		return;
	}
#pragma GCC unroll 4
	for (unsigned int b = w->first; b < 4; b++)
		bits[b] = _pext_u64(slot[b][word], which[0]) |
				_pext_u64(slot[b][word + 1], which[1]) << one;
	put_deep(w, deep, bits, two);
}

/* Runs under way. */
struct runs {
	struct lp_stream out;
	struct lp_stream suffix; /* that not only deep elements have */
	struct tail tail;
	size_t deep; /* elements */
	struct lp_deep_levels level;
};

static LP_ALWAYS_INLINE bool
has_shallow_suffix(const struct lp_shape *s)
{
	const unsigned int min = lp_shape_suffix_min(s);

	return min < lp_shape_suffix_max(s) && !lp_shape_suffix_is_deep(s, min);
}

/* Write what all elements take part in: level 1, the first sparse suffix; the deep elements. */
static LP_ALWAYS_INLINE void
put_shallow(const struct lp_shape *s, struct planes *p, size_t words, uint8_t *dst, struct runs *r)
{
	const unsigned int min = lp_shape_suffix_min(s);
	struct lp_stream out = { .dst = dst }, suffix = { .dst = r->tail.bits };
	struct deep_writer deep = { .first = min };

	for (size_t word = 0; word < words; word += 2) {
#pragma GCC unroll 2
		for (unsigned int k = 0; k < 2; k++) {
			lp_stream_put_sparse_word(
					&out, p->level[1][word + k], p->level[0][word + k]);
			if (has_shallow_suffix(s))
				lp_stream_put_word(&suffix, p->suffix[min][word + k],
						p->suffixed[min][word + k]);
		}
		put_deep_pair(&deep, p->slot, word, p->level[1] + word, p->deep);
	}
	for (unsigned int b = min; b < 4; b++)
		lp_store64((uint8_t *)p->deep[b] + deep.next, deep.held[b]);
	r->out = out;
	r->suffix = suffix;
	r->deep = 8 * deep.next + deep.count;
}

/* Write all other runs; returns the bytes of all. */
static LP_ALWAYS_INLINE size_t
put_deeper(const struct lp_shape *s, struct planes *p, size_t words, struct runs *r)
{
	const unsigned int min = lp_shape_suffix_min(s), max = lp_shape_suffix_max(s);
	struct lp_stream out = r->out;

	lp_deep_put_levels(s, p->deep, r->deep, &r->level, &out);
	if (has_shallow_suffix(s)) {
		lp_stream_end(&r->suffix);
		lp_stream_append(&out, &r->suffix);
	}
#pragma GCC unroll 4
	for (unsigned int b = min + has_shallow_suffix(s); b < max; b++) {
		if (lp_shape_suffix_is_deep(s, b))
			lp_deep_put_suffix(s, b, p->deep, r->deep, &r->level, &out);
		else
			for (size_t word = 0; word < words; word++)
				lp_stream_put_word(&out, p->suffix[b][word], p->suffixed[b][word]);
	}
	return lp_stream_end(&out);
}

static LP_ALWAYS_INLINE void
copy_plane(uint8_t *dst, const uint64_t *words, size_t len)
{
	const uint8_t *const src = (const uint8_t *)words;

	if (len < 32) {
		memcpy(dst, src, len);
		return;
	}
	for (size_t i = 0; i < len - 32; i += 32)
		lp_store_avx2(dst + i, lp_load_avx2(src + i));
	lp_store_avx2(dst + len - 32, lp_load_avx2(src + len - 32));
}

/*
 * What follows the raw planes; returns its end, or NULL if it does not fit before `end`. Dense
 * planes and escapes come between the runs: slots of deep elements are too young to be loaded.
 */
static LP_ALWAYS_INLINE uint8_t *
put_coded(const struct lp_shape *s, enum lp_type type, bool has_escape, const uint8_t *src,
		size_t n, struct planes *p, uint8_t *dst, const uint8_t *end)
{
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t words = (n + 63) / 64, dense = (n + 7) / 8;
	uint8_t sparse[LP_GROUPED_SPARSE_MAX(LP_GROUPED_CHUNK) + LP_STREAM_SPARE];
	uint8_t escape[LP_GROUPED_CHUNK];
	struct runs r;

	fill_planes(s, n, p);

	/* In place, if even the longest would fit. */
	const size_t room = (size_t)(end - dst);
	const size_t longest = dense * (s->groups + lp_shape_suffix_max(s)) + LP_STREAM_SPARE;
	uint8_t *const runs = room >= longest ? dst + dense * (1 + min) : sparse;

	if (room < dense * (1 + min))
		return NULL;
	put_shallow(s, p, words, runs, &r);
	copy_plane(dst, p->level[0], dense);
	dst += dense;
	for (unsigned int b = 0; b < min; b++, dst += dense)
		copy_plane(dst, p->suffix[b], dense);

	const size_t escapes = has_escape ? gather_escapes(type, src, n, p->slot, escape) : 0;
	const size_t sparse_len = put_deeper(s, p, words, &r);

	if ((size_t)(end - dst) < sparse_len + escapes)
		return NULL;
	if (runs == sparse)
		memcpy(dst, sparse, sparse_len);
	dst += sparse_len;
	if (escapes > 0)
		memcpy(dst, escape, escapes);
	return dst + escapes;
}

typedef uint8_t *put_coded_fn(const struct lp_shape *s, enum lp_type type, bool has_escape,
		const uint8_t *src, size_t n, struct planes *p, uint8_t *dst, const uint8_t *end);

#define SHAPE(name)                                                                        \
	static uint8_t *put_coded_##name(const struct lp_shape *s, enum lp_type type,      \
			bool has_escape, const uint8_t *src, size_t n, struct planes *p,   \
			uint8_t *dst, const uint8_t *end)                                  \
	{                                                                                  \
		(void)s;                                                                   \
		return put_coded(&lp_shape_##name, type, has_escape, src, n, p, dst, end); \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static uint8_t *
put_coded_any(const struct lp_shape *s, enum lp_type type, bool has_escape, const uint8_t *src,
		size_t n, struct planes *p, uint8_t *dst, const uint8_t *end)
{
	return put_coded(s, type, has_escape, src, n, p, dst, end);
}

static put_coded_fn *
coder_of(const struct lp_shape *s)
{
#define SHAPE(name)                           \
	if (lp_shape_is(s, &lp_shape_##name)) \
		return put_coded_##name;
	LP_AVX2_SHAPES(SHAPE)
#undef SHAPE
	return put_coded_any;
}

static LP_ALWAYS_INLINE int
encode(enum lp_type type, const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_grouped *g = &cb->grouped;
	const struct lp_span span = lp_span_of_log2(lp_element_bytes(type) / 2, params->phase, len);
	put_coded_fn *const put = coder_of(&g->shape);
	const uint8_t *const end = dst + dst_cap;
	struct planes planes;
	uint8_t *out = dst;
	struct lookup t;

	if (dst_cap < 1 + span.lead + span.tail)
		return 0;
	out = lp_grouped_put_edges(out, params->base, &span, src, len);
	src += span.lead;
	lookup_init(&t, g, lp_element_exponents(type), params->base);
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const size_t raw = lp_raw_whole(type) * n + (lp_raw_field(type) * n + 7) / 8;

		if ((size_t)(end - out) < raw + (n + 7) / 8)
			return 0;
		if (t.has_zero)
			split(type, true, &t, src, n, out, planes.slot);
		else
			split(type, false, &t, src, n, out, planes.slot);
		out = put(&g->shape, type, t.has_escape, src, n, &planes, out + raw, end);
		if (out == NULL)
			return 0;
		src += n * lp_element_bytes(type);
		left -= n;
	}
	return (int)(out - dst);
}

#define TYPES(TYPE) TYPE(BF16) TYPE(FP16) TYPE(FP32) TYPE(E4M3) TYPE(E5M2)
#define TYPE(type)                                                                             \
	static int encode_##type(const struct lp_codebook *cb, const struct lp_params *params, \
			const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)          \
	{                                                                                      \
		return encode(LP_TYPE_##type, cb, params, src, len, dst, dst_cap);             \
	}
TYPES(TYPE)
#undef TYPE

int
lp_grouped_encode_avx2(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
#define TYPE(type) [LP_TYPE_##type] = encode_##type,
	static lp_encode_fn *const encoders[] = { TYPES(TYPE) };
#undef TYPE

	if (cb->grouped.shape.groups < 3)
		return lp_grouped_encode_portable(cb, params, src, len, dst, dst_cap);
	return encoders[cb->info.type](cb, params, src, len, dst, dst_cap);
}
