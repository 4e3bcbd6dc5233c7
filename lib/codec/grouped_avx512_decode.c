/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Decoder of grouped codes with AVX-512; grouped.h has the format.
 *
 * The level before tells the length of each level's run, and counting the ones of a run gives the
 * level itself its count: so all runs are laid out, and checked against the body, before any is
 * unpacked. Then the elements beyond group 1 are unpacked, a byte each: pdep gives masks of the
 * levels. vpexpandb spreads those bytes among all elements.
 *
 * Safety: the sparse bits are read from a copy that zero bytes follow, in runs that end within it.
 */

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "elements_avx512.h"
#include "grouped_avx2.h"
#include "planes.h"

#define SPARE 16 /* bytes that a load may go beyond the bits it needs */
#define SPARSE_BYTES (LP_GROUPED_SPARSE_MAX(LP_GROUPED_CHUNK) + SPARE + 64)

/* As there are no more than 16 slots, a group among three or more has no more suffix bits. */
#define SUFFIX_MAX 3
/* An element's byte: its slot, and in these bits whether it has suffix bit b. vpshufb ignores them.
 */
#define HAS_SUFFIX(b) (16u << (b))

typedef uint64_t plane[LP_PLANE_WORDS];

struct planes {
	_Alignas(64) plane level0;
	plane suffix[SUFFIX_MAX];			  /* dense ones */
	_Alignas(64) uint8_t deep[LP_GROUPED_CHUNK + 64]; /* bytes of deep elements */
	_Alignas(64) uint8_t all[LP_GROUPED_CHUNK];	  /* of all */
};

/* The sparse bits of a chunk, and where its runs start. */
struct sparse {
	size_t bits;		     /* as many as there can be */
	size_t total[LP_GROUPS_MAX]; /* elements beyond each group */
	size_t level[LP_GROUPS_MAX];
	size_t suffix[LP_GROUP_SUFFIX_MAX];
	size_t end;
	uint64_t ones[SPARSE_BYTES / 8 + 9]; /* before each word */
	_Alignas(64) uint8_t copy[SPARSE_BYTES];
};

static LP_ALWAYS_INLINE uint64_t
bits_at(const uint8_t *src, size_t pos)
{
	const uint8_t *p = src + pos / 8;

	return lp_load64(p) >> pos % 8 | (uint64_t)p[8] << 1 << (63 - pos % 8);
}

/* Unpack one word; advances pos. Seldom does it need bits that one load does not get. */
static LP_ALWAYS_INLINE uint64_t
get_word(const uint8_t *src, size_t *pos, uint64_t mask)
{
	const unsigned int count = lp_popcount64(mask);
	uint64_t bits = lp_load64(src + *pos / 8) >> *pos % 8;

	if (__builtin_expect(count > 57, 0))
		bits = bits_at(src, *pos);
	*pos += count;
	return _pdep_u64(bits, mask);
}

/* Returns how many bits are set, or SIZE_MAX if padding bits are. */
static LP_ALWAYS_INLINE size_t
get_dense(const uint8_t *src, size_t n, uint64_t *words)
{
	const size_t len = (n + 7) / 8;
	__m512i ones = _mm512_setzero_si512();

	for (size_t i = 0; i < len; i += 64) {
		const __m512i v = lp_load512(src + i, len - i);

		_mm512_storeu_si512((uint8_t *)words + i, v);
		ones = _mm512_add_epi64(ones, _mm512_popcnt_epi64(v));
	}
	if (n % 8 != 0 && src[len - 1] >> n % 8 != 0)
		return SIZE_MAX;
	return (size_t)_mm512_reduce_add_epi64(ones);
}

/* Copy the sparse bits and count them. */
static LP_ALWAYS_INLINE void
copy_sparse(const uint8_t *src, size_t len, struct sparse *sparse)
{
	const __m512i zero = _mm512_setzero_si512();
	__m512i before = zero;

	sparse->bits = 8 * len;
	sparse->ones[0] = 0;
	for (size_t i = 0; i < len + SPARE; i += 64) {
		const __m512i v = lp_load512(src + i, lp_left(len, i));
		__m512i sum = _mm512_popcnt_epi64(v);

		sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 7));
		sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 6));
		sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 4));
		_mm512_storeu_si512(sparse->copy + i, v);
		_mm512_storeu_si512(sparse->ones + 1 + i / 8, _mm512_add_epi64(before, sum));
		before = _mm512_add_epi64(
				before, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sum));
	}
}

static LP_ALWAYS_INLINE size_t
ones_before(const struct sparse *sparse, size_t pos)
{
	if (pos > sparse->bits)
		pos = sparse->bits;
	return sparse->ones[pos / 64] +
			lp_popcount64(_bzhi_u64(lp_load64(sparse->copy + pos / 64 * 8), pos % 64));
}

/* Lay out all runs, given total[0]; they may end after the body. */
static LP_ALWAYS_INLINE void
lay_out(const struct lp_shape *s, size_t n, struct sparse *sparse)
{
	size_t pos = 0, before = 0;

#pragma GCC unroll 8
	for (unsigned int j = 1; j + 1u < s->groups; j++) {
		sparse->level[j] = pos;
		pos += sparse->total[j - 1];

		const size_t ones = ones_before(sparse, pos);

		sparse->total[j] = ones - before;
		before = ones;
	}
	sparse->end = lp_shape_lay_out_suffixes(s, n, sparse->total, pos, sparse->suffix);
}

/* Byte of a group's elements, without the suffix. */
static LP_ALWAYS_INLINE uint8_t
byte_of_group(const struct lp_shape *s, unsigned int group)
{
	unsigned int byte = s->slot[group];

#pragma GCC unroll 4
	for (unsigned int b = 0; b < SUFFIX_MAX; b++)
		if (s->suffix_bits[group] > b)
			byte |= HAS_SUFFIX(b);
	return (uint8_t)byte;
}

static LP_ALWAYS_INLINE __m512i
bytes_of_group(const struct lp_shape *s, unsigned int group)
{
	return _mm512_set1_epi8((char)byte_of_group(s, group));
}

/* Suffix bits from this one on are only had by deep elements. */
static LP_ALWAYS_INLINE unsigned int
shallow_end(const struct lp_shape *s)
{
	return s->suffix_bits[0] > s->suffix_bits[1] ? s->suffix_bits[0] : s->suffix_bits[1];
}

/* Set suffix bit b in the elements of a word that have it. */
static LP_ALWAYS_INLINE __m512i
get_suffix(__m512i bytes, unsigned int b, const uint8_t *src, size_t *pos, uint64_t valid)
{
	const uint64_t has = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8((char)HAS_SUFFIX(b))) &
			valid;

	return _mm512_mask_add_epi8(
			bytes, get_word(src, pos, has), bytes, _mm512_set1_epi8((char)(1u << b)));
}

/* Bytes of deep elements; the last are followed by up to 63 of no meaning. */
static LP_ALWAYS_INLINE void
get_deep(const struct lp_shape *s, const struct sparse *sparse, uint8_t *deep)
{
	const unsigned int levels = s->groups - 1u;
	const unsigned int min = lp_shape_suffix_min(s), max = lp_shape_suffix_max(s);
	const size_t count = sparse->total[1];
	size_t level_pos[LP_GROUPS_MAX], suffix_pos[LP_GROUP_SUFFIX_MAX];

	memcpy(level_pos, sparse->level, sizeof(level_pos));
	memcpy(suffix_pos, sparse->suffix, sizeof(suffix_pos));
	for (size_t i = 0; i < count; i += 64) {
		const uint64_t valid = lp_low_mask((unsigned int)(count - i < 64 ? count - i : 64));
		__m512i bytes = bytes_of_group(s, 2);
		uint64_t beyond = valid;

#pragma GCC unroll 8
		for (unsigned int j = 2; j < LP_GROUPS_MAX - 1; j++) {
			if (j >= levels)
				break;
			if (j == 2) /* no bit is missing */
				beyond &= bits_at(sparse->copy, level_pos[2] + i);
			else
				beyond = get_word(sparse->copy, &level_pos[j], beyond);
			bytes = _mm512_mask_mov_epi8(bytes, beyond, bytes_of_group(s, j + 1));
		}
#pragma GCC unroll 4
		for (unsigned int b = min; b < max; b++)
			if (b >= shallow_end(s))
				bytes = get_suffix(bytes, b, sparse->copy, &suffix_pos[b], valid);
		_mm512_storeu_si512(deep + i, bytes);
	}
}

/* Where the next word is unpacked from. */
struct cursor {
	size_t level1;
	size_t deep;
	size_t suffix[LP_GROUP_SUFFIX_MAX];
};

static LP_ALWAYS_INLINE void
get_bytes_of_word(const struct lp_shape *s, const struct sparse *sparse, struct planes *p,
		size_t word, uint64_t valid, struct cursor *at)
{
	const unsigned int min = lp_shape_suffix_min(s);
	const uint64_t beyond0 = p->level0[word];
	const uint64_t beyond1 = get_word(sparse->copy, &at->level1, beyond0);
	__m512i bytes = _mm512_mask_mov_epi8(bytes_of_group(s, 0), beyond0, bytes_of_group(s, 1));

	bytes = _mm512_mask_expand_epi8(bytes, beyond1, _mm512_loadu_si512(p->deep + at->deep));
	at->deep += lp_popcount64(beyond1);
#pragma GCC unroll 4
	for (unsigned int b = 0; b < min; b++)
		bytes = _mm512_mask_add_epi8(bytes, p->suffix[b][word], bytes,
				_mm512_set1_epi8((char)(1u << b)));
#pragma GCC unroll 4
	for (unsigned int b = min; b < shallow_end(s); b++)
		bytes = get_suffix(bytes, b, sparse->copy, &at->suffix[b], valid);
	_mm512_storeu_si512(p->all + 64 * word, bytes);
}

/* Bytes of all elements of a chunk from what follows its raw planes; returns the length of that, or
 * -EBADMSG.
 */
static LP_ALWAYS_INLINE int
get_bytes(const struct lp_shape *s, const uint8_t *src, size_t len, size_t n, struct planes *p)
{
	const size_t dense = (n + 7) / 8;
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t fixed = dense * (1 + min), left = lp_left(len, fixed);
	struct sparse sparse;
	struct cursor at = { .deep = 0 };

	if (len < fixed)
		return -EBADMSG;
	sparse.total[0] = get_dense(src, n, p->level0);
	if (sparse.total[0] == SIZE_MAX)
		return -EBADMSG;
	for (unsigned int b = 0; b < min; b++)
		if (get_dense(src + dense * (1 + b), n, p->suffix[b]) == SIZE_MAX)
			return -EBADMSG;
	copy_sparse(src + fixed, left < LP_GROUPED_SPARSE_MAX(n) ? left : LP_GROUPED_SPARSE_MAX(n),
			&sparse);
	lay_out(s, n, &sparse);
	if (sparse.end > sparse.bits ||
			(sparse.end % 8 != 0 && sparse.copy[sparse.end / 8] >> sparse.end % 8 != 0))
		return -EBADMSG;
	get_deep(s, &sparse, p->deep);

	memcpy(at.suffix, sparse.suffix, sizeof(at.suffix));
	for (size_t word = 0; word < n / 64; word++)
		get_bytes_of_word(s, &sparse, p, word, ~UINT64_C(0), &at);
	if (n % 64 != 0)
		get_bytes_of_word(s, &sparse, p, n / 64, lp_low_mask(n % 64), &at);
	return (int)(fixed + (sparse.end + 7) / 8);
}

typedef int get_bytes_fn(const struct lp_shape *s, const uint8_t *src, size_t len, size_t n,
		struct planes *p);

#define SHAPE(name)                                                                           \
	static int get_bytes_##name(const struct lp_shape *s, const uint8_t *src, size_t len, \
			size_t n, struct planes *p)                                           \
	{                                                                                     \
		(void)s;                                                                      \
		return get_bytes(&lp_shape_##name, src, len, n, p);                           \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static int
get_bytes_any(const struct lp_shape *s, const uint8_t *src, size_t len, size_t n, struct planes *p)
{
	return get_bytes(s, src, len, n, p);
}

static get_bytes_fn *
decoder_of(const struct lp_shape *s)
{
#define SHAPE(name)                           \
	if (lp_shape_is(s, &lp_shape_##name)) \
		return get_bytes_##name;
	LP_AVX2_SHAPES(SHAPE)
#undef SHAPE
	return get_bytes_any;
}

/* ---- elements from their bytes ---- */

/* What the bytes of elements stand for. */
struct values {
	__m512i of_slot; /* exponents at the top of a byte */
	__m512i escape;	 /* byte of escaped elements */
	unsigned int exponents;
};

static void
values_init(struct values *v, const struct lp_grouped *g, enum lp_type type, unsigned int base)
{
	const unsigned int last = g->shape.groups - 1u;
	const __m128i delta = _mm_loadu_si128((const void *)g->slot_delta);
	__m128i value;

	v->exponents = lp_type_exponents(type);
	value = _mm_and_si128(_mm_add_epi8(delta, _mm_set1_epi8((char)base)),
			_mm_set1_epi8((char)(v->exponents - 1)));
	value = _mm_slli_epi16(value, (int)lp_raw_field(type));
	if (g->zero_slot != LP_NO_SLOT)
		value = _mm_mask_mov_epi8(
				value, (__mmask16)(1u << g->zero_slot), _mm_setzero_si128());
	v->of_slot = _mm512_broadcast_i32x4(value);
	v->escape = _mm512_set1_epi8((char)(g->escape_slot | byte_of_group(&g->shape, last)));
}

/* A cursor over the escapes. */
struct escapes {
	const uint8_t *next, *end;
};

/* Put escaped exponents in; false if there are none left, or not such. */
static bool
put_escapes(enum lp_type type, const struct values *v, uint64_t which, struct escapes *escapes,
		__m512i *e)
{
	const unsigned int count = lp_popcount64(which);
	__m512i escape;

	if ((size_t)(escapes->end - escapes->next) < count)
		return false;
	escape = lp_load512(escapes->next, count);
	if (_mm512_cmpgt_epu8_mask(escape, _mm512_set1_epi8((char)(v->exponents - 1))) != 0)
		return false;
	escapes->next += count;
	*e = _mm512_mask_expand_epi8(*e, which, _mm512_slli_epi16(escape, (int)lp_raw_field(type)));
	return true;
}

static LP_ALWAYS_INLINE bool
merge_word(enum lp_type type, const struct values *v, const uint8_t *all, const uint8_t *raw,
		const uint8_t *fields, struct escapes *escapes, uint8_t *dst, size_t n)
{
	const __m512i bytes = _mm512_loadu_si512(all);
	const uint64_t escape = _mm512_cmpeq_epi8_mask(bytes, v->escape);
	__m512i e = _mm512_shuffle_epi8(v->of_slot, bytes);

	if (__builtin_expect(escape != 0, 0) && !put_escapes(type, v, escape, escapes, &e))
		return false;
	lp_merge_avx512(type, e, raw, fields, dst, n);
	return true;
}

/* Returns the bytes of escapes used, or -EBADMSG. */
static LP_ALWAYS_INLINE int
merge(enum lp_type type, const struct values *values, const uint8_t *all, const uint8_t *raw,
		size_t n, const uint8_t *src, size_t len, uint8_t *dst)
{
	const struct values v = *values;
	const uint8_t *fields = raw + lp_raw_whole(type) * n;
	struct escapes escapes = { src, src + len };

	for (size_t word = 0; word < n / 64; word++) {
		if (!merge_word(type, &v, all, raw, fields, &escapes, dst, 64))
			return -EBADMSG;
		all += 64;
		raw += 64 * lp_raw_whole(type);
		fields += 8 * lp_raw_field(type);
		dst += 64 * lp_element_bytes(type);
	}
	if (n % 64 != 0 && !merge_word(type, &v, all, raw, fields, &escapes, dst, n % 64))
		return -EBADMSG;
	return (int)(escapes.next - src);
}

static int
merge_type(enum lp_type type, const struct values *v, const uint8_t *all, const uint8_t *raw,
		size_t n, const uint8_t *src, size_t len, uint8_t *dst)
{
	switch (type) {
	case LP_TYPE_BF16:
		return merge(LP_TYPE_BF16, v, all, raw, n, src, len, dst);
	case LP_TYPE_FP16:
		return merge(LP_TYPE_FP16, v, all, raw, n, src, len, dst);
	case LP_TYPE_FP32:
		return merge(LP_TYPE_FP32, v, all, raw, n, src, len, dst);
	case LP_TYPE_E4M3:
		return merge(LP_TYPE_E4M3, v, all, raw, n, src, len, dst);
	default:
		return merge(LP_TYPE_E5M2, v, all, raw, n, src, len, dst);
	}
}

int
lp_grouped_decode_avx512(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_grouped *g = &cb->grouped;
	const enum lp_type type = cb->info.type;
	const struct lp_span span = lp_span_of(type, phase, len);
	get_bytes_fn *const get = decoder_of(&g->shape);
	const uint8_t *const end = body + body_len;
	struct planes planes;
	struct values values;

	if (g->shape.groups < 3)
		return lp_grouped_decode_portable(cb, phase, body, body_len, dst, len);
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);

	if (in == NULL || body[0] >= lp_type_exponents(type))
		return -EBADMSG;
	values_init(&values, g, type, body[0]);
	dst += span.lead;
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const size_t raw = lp_raw_bytes(type, n);

		if ((size_t)(end - in) < raw || !lp_raw_is_padded(type, in, raw, n))
			return -EBADMSG;
		const int coded = get(&g->shape, in + raw, (size_t)(end - in) - raw, n, &planes);

		if (coded < 0)
			return coded;
		const uint8_t *escape = in + raw + coded;
		const int escapes = merge_type(type, &values, planes.all, in, n, escape,
				(size_t)(end - escape), dst);

		if (escapes < 0)
			return escapes;
		in = escape + escapes;
		dst += n * lp_type_traits[type].bytes;
		left -= n;
	}
	return in == end ? 0 : -EBADMSG;
}
