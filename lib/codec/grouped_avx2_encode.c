/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Encoder of grouped codes with AVX2 and BMI2; grouped.h has the format.
 *
 * The exponents of 64 elements are looked up in the window of the book (vpshufb), which gives their
 * unary and suffix bits; vpmovmskb makes words of them, pext packs the sparse ones. All runs of
 * sparse bits are written side by side, each into memory of its own, so that none waits for
 * another.
 */

#include <immintrin.h>
#include <string.h>

#include "grouped_avx2.h"
#include "planes.h"
#include "planes_avx2.h"

/* Patterns of the window's exponents, see lp_pattern(): what is not in a table is the escape. */
struct lookup {
	__m256i levels; /* level j in bit 7-j */
	__m256i suffix; /* suffix bit b in bit 7-b */
	__m256i zero_levels;
	__m256i zero_suffix;
	__m256i first; /* exponent at the start of the window */
	__m256i range; /* exponents - 1 */
	bool has_zero;
};

/* Suffix bits of each word, packed. */
struct packed {
	uint64_t bits[LP_GROUP_SUFFIX_MAX][LP_GROUPED_CHUNK / 64];
	uint8_t count[LP_GROUP_SUFFIX_MAX][LP_GROUPED_CHUNK / 64];
};

static void
lookup_init(struct lookup *t, const struct lp_grouped *g, unsigned int exponents, unsigned int base)
{
	t->levels = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)g->window_levels));
	t->suffix = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)g->window_suffix));
	t->first = _mm256_set1_epi8((char)(g->window + base));
	t->range = _mm256_set1_epi8((char)(exponents - 1));
	t->has_zero = g->zero_slot != LP_NO_SLOT;
	if (!t->has_zero)
		return;
	t->zero_levels = _mm256_set1_epi8((char)lp_pattern(g->slot_levels[g->zero_slot]));
	t->zero_suffix = _mm256_set1_epi8((char)lp_pattern(g->slot_suffix[g->zero_slot]));
}

/* The top bits of 64 bytes, turned round. */
static inline __attribute__((always_inline)) uint64_t
top_bits(__m256i low, __m256i high)
{
	return ~((uint32_t)_mm256_movemask_epi8(low) |
			(uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32);
}

/* Patterns of 32 exponents. Above the window, bit 7 of the index is set and vpshufb gives 0. */
static inline __attribute__((always_inline)) void
look_up(const struct lookup *t, __m256i exponent, __m256i *levels, __m256i *suffix)
{
	const __m256i delta = _mm256_and_si256(_mm256_sub_epi8(exponent, t->first), t->range);
	const __m256i index = _mm256_adds_epu8(delta, _mm256_set1_epi8(0x70));

	*levels = _mm256_shuffle_epi8(t->levels, index);
	*suffix = _mm256_shuffle_epi8(t->suffix, index);
	if (t->has_zero) {
		const __m256i zero = _mm256_cmpeq_epi8(exponent, _mm256_setzero_si256());

		*levels = _mm256_blendv_epi8(*levels, t->zero_levels, zero);
		*suffix = _mm256_blendv_epi8(*suffix, t->zero_suffix, zero);
	}
}

/* Returns the number of escapes, kept in exponent[]; total[] counts elements beyond each group. */
static inline __attribute__((always_inline)) size_t
fill_planes(const struct lp_shape *s, const struct lookup *t, bool has_escape, uint8_t *exponent,
		size_t n, struct lp_grouped_planes *planes, struct packed *packed, size_t *total)
{
	const unsigned int levels = s->groups - 1u;
	const unsigned int min = lp_shape_suffix_min(s), max = lp_shape_suffix_max(s);
	size_t escapes = 0;

	for (size_t word = 0; word < (n + 63) / 64; word++) {
		const uint64_t valid = lp_grouped_valid(n, word);
		const uint8_t *e = exponent + 64 * word;
		__m256i la, lb, sa, sb;
		uint64_t escape = 0;

		look_up(t, _mm256_loadu_si256((const void *)e), &la, &sa);
		look_up(t, _mm256_loadu_si256((const void *)(e + 32)), &lb, &sb);
#pragma GCC unroll 8
		for (unsigned int j = 0; j < levels; j++) {
			escape = planes->level[j][word] = top_bits(la, lb) & valid;
			total[j] += lp_popcount64(escape);
			la = _mm256_add_epi8(la, la);
			lb = _mm256_add_epi8(lb, lb);
		}
#pragma GCC unroll 4
		for (unsigned int b = 0; b < max; b++) {
			const uint64_t plane = top_bits(sa, sb) & valid;

			if (b < s->suffix_bits[levels])
				escape &= plane;
			sa = _mm256_add_epi8(sa, sa);
			sb = _mm256_add_epi8(sb, sb);
			if (b < min) {
				planes->suffix[b][word] = plane;
				continue;
			}
			const uint64_t mask = lp_shape_suffix(s, planes, word, b) & valid;

			packed->bits[b][word] = _pext_u64(plane, mask);
			packed->count[b][word] = (uint8_t)lp_popcount64(mask);
		}
		for (; __builtin_expect(escape != 0 && has_escape, 0); escape &= escape - 1)
			exponent[escapes++] = e[__builtin_ctzll(escape)];
	}
	return escapes;
}

/* A writer that may store up to 8 bytes past what it has written. */
struct writer {
	uint64_t held;
	unsigned int count;
	uint8_t *next;
};

/* At most 56 bits. */
static inline __attribute__((always_inline)) void
put_few(struct writer *w, uint64_t bits, unsigned int count)
{
	const unsigned int total = w->count + count;

	w->held |= bits << w->count;
	lp_store64(w->next, w->held);
	w->next += total / 8;
	w->held >>= total & 56;
	w->count = total % 8;
}

static inline __attribute__((always_inline)) void
put(struct writer *w, uint64_t bits, unsigned int count)
{
	const uint64_t above = bits >> 1 >> (63 - w->count);
	const unsigned int total = w->count + count;

	w->held |= bits << w->count;
	lp_store64(w->next, w->held);
	w->next += total / 8;
	w->held = total >= 64 ? above : w->held >> total % 64 / 8 * 8;
	w->count = total % 8;
}

/* Four words at once if they have few bits, as the words of deep levels do. */
static inline __attribute__((always_inline)) void
put_four(struct writer *w, const uint64_t *bits, const unsigned int *count)
{
	const unsigned int two = count[0] + count[1], four = two + count[2] + count[3];

	if (__builtin_expect(four <= 56, 1)) {
		put_few(w, bits[0] | bits[1] << count[0] | (bits[2] | bits[3] << count[2]) << two,
				four);
		return;
	}
	for (unsigned int k = 0; k < 4; k++)
		put(w, bits[k], count[k]);
}

static inline __attribute__((always_inline)) void
put_level(struct writer *w, const uint64_t *mask, const uint64_t *level, size_t words)
{
	size_t k = 0;

	for (; k + 4 <= words; k += 4) {
		const uint64_t bits[4] = { _pext_u64(level[k], mask[k]),
			_pext_u64(level[k + 1], mask[k + 1]), _pext_u64(level[k + 2], mask[k + 2]),
			_pext_u64(level[k + 3], mask[k + 3]) };
		const unsigned int count[4] = { lp_popcount64(mask[k]), lp_popcount64(mask[k + 1]),
			lp_popcount64(mask[k + 2]), lp_popcount64(mask[k + 3]) };

		put_four(w, bits, count);
	}
	for (; k < words; k++)
		put(w, _pext_u64(level[k], mask[k]), lp_popcount64(mask[k]));
}

static inline __attribute__((always_inline)) void
put_suffix(struct writer *w, const uint64_t *bits, const uint8_t *count, size_t words)
{
	size_t k = 0;

	for (; k + 4 <= words; k += 4) {
		const unsigned int counts[4] = { count[k], count[k + 1], count[k + 2],
			count[k + 3] };

		put_four(w, bits + k, counts);
	}
	for (; k < words; k++)
		put(w, bits[k], count[k]);
}

/* One run, and room for the last store of its writer. */
#define RUN_BYTES (LP_GROUPED_CHUNK / 8 + 16)

/*
 * Append a run that was written from bit `first` % 8 of a byte on; the byte it may share with the
 * run before has the bits of both.
 */
static inline __attribute__((always_inline)) uint8_t *
append_run(uint8_t *dst, struct writer *w, const uint8_t *run, size_t first)
{
	size_t len = (size_t)(w->next - run);

	if (w->count > 0) {
		*w->next = (uint8_t)w->held;
		len++;
	}
	if (first % 8 != 0 && len > 0) {
		dst[-1] |= *run++;
		len--;
	}
	memcpy(dst, run, len);
	return dst + len;
}

static inline __attribute__((always_inline)) uint8_t *
put_runs(const struct lp_shape *s, const struct lp_grouped_planes *planes,
		const struct packed *packed, const struct lp_runs *runs, size_t words, uint8_t *dst)
{
	const unsigned int levels = s->groups - 1u;
	uint8_t run[RUN_BYTES];

#pragma GCC unroll 8
	for (unsigned int j = 1; j < levels; j++) {
		struct writer w = { .count = runs->level[j] % 8, .next = run };

		put_level(&w, planes->level[j - 1], planes->level[j], words);
		dst = append_run(dst, &w, run, runs->level[j]);
	}
#pragma GCC unroll 4
	for (unsigned int b = lp_shape_suffix_min(s); b < lp_shape_suffix_max(s); b++) {
		struct writer w = { .count = runs->suffix[b] % 8, .next = run };

		put_suffix(&w, packed->bits[b], packed->count[b], words);
		dst = append_run(dst, &w, run, runs->suffix[b]);
	}
	return dst;
}

/* Returns the end of the chunk, or NULL if it does not fit before `end`. */
static inline __attribute__((always_inline)) uint8_t *
encode_planes(const struct lp_shape *s, const struct lookup *t, bool has_escape, uint8_t *exponent,
		size_t n, uint8_t *dst, const uint8_t *end)
{
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t dense = (n + 7) / 8;
	size_t total[LP_GROUPS_MAX] = { 0 };
	struct lp_grouped_planes planes;
	struct packed packed;
	struct lp_runs runs;
	const size_t escapes = fill_planes(s, t, has_escape, exponent, n, &planes, &packed, total);

	lp_shape_runs(s, n, total, &runs);
	if ((size_t)(end - dst) < dense * (1 + min) + (runs.end + 7) / 8 + escapes)
		return NULL;
	memcpy(dst, planes.level[0], dense);
	dst += dense;
	for (unsigned int b = 0; b < min; b++, dst += dense)
		memcpy(dst, planes.suffix[b], dense);
	dst = put_runs(s, &planes, &packed, &runs, (n + 63) / 64, dst);
	memcpy(dst, exponent, escapes);
	return dst + escapes;
}

typedef uint8_t *encode_planes_fn(const struct lp_shape *s, const struct lookup *t, bool has_escape,
		uint8_t *exponent, size_t n, uint8_t *dst, const uint8_t *end);

#define SHAPE(name)                                                                            \
	static uint8_t *encode_planes_##name(const struct lp_shape *s, const struct lookup *t, \
			bool has_escape, uint8_t *exponent, size_t n, uint8_t *dst,            \
			const uint8_t *end)                                                    \
	{                                                                                      \
		(void)s;                                                                       \
		return encode_planes(&lp_shape_##name, t, has_escape, exponent, n, dst, end);  \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static uint8_t *
encode_planes_any(const struct lp_shape *s, const struct lookup *t, bool has_escape,
		uint8_t *exponent, size_t n, uint8_t *dst, const uint8_t *end)
{
	return encode_planes(s, t, has_escape, exponent, n, dst, end);
}

static encode_planes_fn *
encoder_of(const struct lp_shape *s)
{
#define SHAPE(name)                           \
	if (lp_shape_is(s, &lp_shape_##name)) \
		return encode_planes_##name;
	LP_AVX2_SHAPES(SHAPE)
#undef SHAPE
	return encode_planes_any;
}

int
lp_grouped_encode_avx2(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_grouped *g = &cb->grouped;
	const enum lp_type type = cb->info.type;
	const struct lp_span span = lp_span_of(type, params->phase, len);
	encode_planes_fn *const encode = encoder_of(&g->shape);
	const uint8_t *const end = dst + dst_cap;
	uint8_t exponent[LP_GROUPED_CHUNK + 64];
	uint8_t *out = dst;
	struct lookup t;

	if (g->shape.groups < 2)
		return lp_grouped_encode_portable(cb, params, src, len, dst, dst_cap);
	if (dst_cap < 1 + span.lead + span.tail)
		return 0;
	out = lp_grouped_put_edges(out, params->base, &span, src, len);
	src += span.lead;
	lookup_init(&t, g, lp_type_exponents(type), params->base);
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const size_t raw = lp_raw_bytes(type, n);

		if ((size_t)(end - out) < raw)
			return 0;
		lp_planes_split_avx2(type, src, n, exponent, out);
		memset(exponent + n, 0, 64);
		out = encode(&g->shape, &t, g->escape_slot != LP_NO_SLOT, exponent, n, out + raw,
				end);
		if (out == NULL)
			return 0;
		src += n * lp_type_traits[type].bytes;
		left -= n;
	}
	return (int)(out - dst);
}
