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

/*
 * Shorter regions are not worth it. In the body of any other at least LP_RUNS_STEP bytes precede
 * the sparse bits.
 */
#define SHORTEST 128

/* ---- elements ---- */

/* 256 bits of a plane. */
static LP_ALWAYS_INLINE __m256i
load_bits(const uint64_t *plane, size_t byte)
{
	return lp_load_avx2((const uint8_t *)plane + byte);
}

/* Planes of the slots of a block; notes who has the last slot. */
static LP_ALWAYS_INLINE void
get_slots(const struct lp_shape *s, struct lp_chunk_planes *p, const struct lp_dense *dense,
		size_t byte, __m256i *slot)
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
put_block(enum lp_type type, const struct lp_shape *s, struct lp_chunk_planes *p,
		const struct lp_dense *dense, size_t byte, __m256i values,
		const struct lp_raw_cursor *raw, uint8_t *dst)
{
	__m256i slot[4], quarter[4];

	get_slots(s, p, dense, byte, slot);
	lp_planes_to_nibbles(slot, quarter);
#pragma GCC unroll 4
	for (unsigned int k = 0; k < 4; k++) {
		const struct lp_exponents e = lp_nibbles_to_exponents(quarter[k], values);

		lp_merge_avx2(type, &e,
				raw->bytes + lp_raw_whole(type) * (8 * byte + LP_BLOCK / 8 * k),
				raw->fields + lp_raw_field(type) * (byte + LP_BLOCK / 64 * k),
				dst + LP_BLOCK / 8 * lp_element_bytes(type) * k);
	}
}

/* Copies of what a chunk shorter than a block is made from: a block would read past the end. */
struct short_chunk {
	uint8_t dense[1 + LP_GROUP_SUFFIX_MAX][LP_BLOCK / 8];
	uint8_t whole[LP_BLOCK * 3 + 16];
	uint8_t fields[LP_BLOCK / 2 + 16];
};

static LP_ALWAYS_INLINE void
copy_short_chunk(enum lp_type type, const struct lp_shape *s, size_t n, struct lp_dense *dense,
		struct lp_raw_cursor *raw, struct short_chunk *copy)
{
	const size_t bytes = (n + 7) / 8;

	memcpy(copy->dense[0], dense->level0, bytes);
	dense->level0 = copy->dense[0];
#pragma GCC unroll 4
	for (unsigned int b = 0; b < lp_shape_suffix_min(s); b++) {
		memcpy(copy->dense[1 + b], dense->suffix[b], bytes);
		dense->suffix[b] = copy->dense[1 + b];
	}
	if (lp_raw_whole(type) > 0)
		memcpy(copy->whole, raw->bytes, lp_raw_whole(type) * n);
	if (lp_raw_field(type) > 0)
		memcpy(copy->fields, raw->fields, (lp_raw_field(type) * n + 7) / 8);
	*raw = (struct lp_raw_cursor){ copy->whole, copy->fields };
}

/* The last elements, if they are no full block: with those before them they are one. */
static LP_ALWAYS_INLINE void
put_last_block(enum lp_type type, const struct lp_shape *s, struct lp_chunk *c, __m256i values,
		struct lp_raw_cursor raw, uint8_t *dst)
{
	const size_t n = c->n, done = n / LP_BLOCK * LP_BLOCK, end = (n + 7) / 8;
	const size_t byte = end > LP_BLOCK / 8 ? end - LP_BLOCK / 8 : 0;
	const size_t bytes = lp_element_bytes(type);
	const bool fits = n >= LP_BLOCK && n % 8 == 0;
	struct lp_dense dense = c->dense;
	struct short_chunk copy;
	uint8_t out[LP_BLOCK * 4];

	if (n < LP_BLOCK)
		copy_short_chunk(type, s, n, &dense, &raw, &copy);
	put_block(type, s, &c->planes, &dense, byte, values, &raw,
			fits ? dst + 8 * byte * bytes : out);
	if (!fits)
		memcpy(dst + done * bytes, out + (done - 8 * byte) * bytes, (n - done) * bytes);
}

/*
 * Elements follow their sparse bits at this distance, in blocks: the integer units and the vector
 * units are busy at once, and words have been stored long enough to be loaded as vectors.
 */
#define BEHIND 2

/* Elements of a chunk. */
static LP_ALWAYS_INLINE void
put_elements(enum lp_type type, const struct lp_shape *s, bool few, struct lp_chunk *c,
		struct lp_runs_at at, __m256i values, const struct lp_raw_cursor *raw, uint8_t *dst)
{
	const size_t blocks = c->n / LP_BLOCK, ahead = few ? BEHIND : 0;

	for (size_t block = 0; block < blocks + ahead; block++) {
		if (few && block < blocks)
			lp_unpack_block(s, c, block, &at);
		if (block >= ahead)
			put_block(type, s, &c->planes, &c->dense, LP_BLOCK / 8 * (block - ahead),
					values, raw,
					dst + LP_BLOCK * lp_element_bytes(type) * (block - ahead));
	}
	if (few && c->n % LP_BLOCK != 0)
		lp_unpack_last_block(s, c, &at);
}

/* Which of the next words, at most 64, have an escape among n elements? */
static LP_ALWAYS_INLINE uint64_t
escaped_words(uint64_t *plane, size_t n)
{
	uint64_t which = 0;

	for (size_t word = 0; 64 * word < n; word += LP_BLOCK_WORDS) {
		const __m256i none = _mm256_cmpeq_epi64(
				load_bits(plane + word, 0), _mm256_setzero_si256());

		which |= (uint64_t)(~_mm256_movemask_pd(_mm256_castsi256_pd(none)) & 15) << word;
	}
	if (n % 64 != 0) {
		plane[n / 64] &= lp_low_mask(n % 64);
		which = _bzhi_u64(which, (unsigned int)(n / 64)) |
				(uint64_t)(plane[n / 64] != 0) << n / 64;
	}
	return _bzhi_u64(which, (unsigned int)(n + 63) / 64);
}

/*
 * Put the exponents of so many escapes in, of n elements, at most 4096; false if there are more
 * escapes or fewer. It is known early how many there should be: a loop over the words would end
 * when it is not expected, and after all else.
 */
static LP_ALWAYS_INLINE bool
put_few_escapes(enum lp_type type, uint64_t *plane, size_t n, const uint8_t *src, size_t count,
		uint8_t *dst)
{
	uint64_t which = escaped_words(plane, n);

	for (size_t k = 0; k < count; k++) {
		if (which == 0 || src[k] >= lp_element_exponents(type))
			return false;

		const size_t word = (size_t)__builtin_ctzll(which);
		const uint64_t escape = plane[word], others = escape & (escape - 1);
		const size_t i = 64 * word + (size_t)__builtin_ctzll(escape);

		lp_set_exponent(type, dst + i * lp_element_bytes(type), src[k]);
		plane[word] = others;
		which &= others == 0 ? which - 1 : which;
	}
	return which == 0;
}

/* Is a plane zero for a block? */
static bool
is_empty(const uint64_t *plane)
{
	const __m256i v = load_bits(plane, 0);

	return _mm256_testz_si256(v, v) != 0;
}

/* Put escaped exponents in, however many; returns the bytes used, or -EBADMSG. */
static LP_ALWAYS_INLINE int
put_many_escapes(enum lp_type type, const uint64_t *plane, size_t n, const uint8_t *src, size_t len,
		uint8_t *dst)
{
	size_t used = 0;

	for (size_t word = 0; 64 * word < n; word++) {
		uint64_t escape = plane[word] & lp_grouped_valid(n, word);

		if (word % LP_BLOCK_WORDS == 0 && n - 64 * word >= LP_BLOCK &&
				is_empty(plane + word)) {
			word += LP_BLOCK_WORDS - 1;
			continue;
		}
		for (; escape != 0; escape &= escape - 1) {
			const size_t i = 64 * word + (size_t)__builtin_ctzll(escape);

			if (used == len || src[used] >= lp_element_exponents(type))
				return -EBADMSG;
			lp_set_exponent(type, dst + i * lp_element_bytes(type), src[used++]);
		}
	}
	return (int)used;
}

/* Put escaped exponents in; returns the bytes used, or -EBADMSG. */
static LP_ALWAYS_INLINE int
put_escapes(enum lp_type type, struct lp_chunk_planes *p, const uint8_t *src, size_t len, size_t n,
		bool is_last, uint8_t *dst)
{
	if (!is_last || n > 4096 || len > n / 32)
		return put_many_escapes(type, p->escape, n, src, len, dst);
	return put_few_escapes(type, p->escape, n, src, len, dst) ? (int)len : -EBADMSG;
}

/* Seldom needed, but a packet that needs it should not take thrice the time. */
typedef void unpack_fn(const struct lp_shape *s, struct lp_chunk *c, struct lp_runs_at at);

#define SHAPE(name)                                                                         \
	static __attribute__((noinline)) void unpack_##name(                                \
			const struct lp_shape *s, struct lp_chunk *c, struct lp_runs_at at) \
	{                                                                                   \
		(void)s;                                                                    \
		lp_unpack_any(&lp_shape_##name, c, at);                                     \
	}
LP_AVX2_SHAPES(SHAPE)
#undef SHAPE

static __attribute__((noinline)) void
unpack_any(const struct lp_shape *s, struct lp_chunk *c, struct lp_runs_at at)
{
	lp_unpack_any(s, c, at);
}

/* A chunk but for its escapes, quicker if the shape is known; returns the bytes used, or -EBADMSG.
 */
static LP_ALWAYS_INLINE int
decode_chunk(enum lp_type type, const struct lp_shape *s, unpack_fn *unpack, struct lp_chunk *c,
		__m256i values, const uint8_t *src, size_t len, uint8_t *dst)
{
	const size_t n = c->n, fields = lp_raw_field(type) * n;
	const size_t raw = lp_raw_whole(type) * n + (fields + 7) / 8;

	if (len < raw || (fields % 8 != 0 && src[raw - 1] >> fields % 8 != 0))
		return -EBADMSG;

	struct lp_runs_at at;
	const int coded = lp_lay_out(s, src + raw, len - raw, c, &at);

	if (coded < 0)
		return coded;

	const struct lp_raw_cursor planes = lp_raw_cursor(type, (uint8_t *)(uintptr_t)src, n);

	if (unpack != unpack_any && c->few) {
		put_elements(type, s, true, c, at, values, &planes, dst);
	} else {
		unpack(s, c, at);
		put_elements(type, s, false, c, at, values, &planes, dst);
	}
	if (n % LP_BLOCK != 0)
		put_last_block(type, s, c, values, planes, dst);
	return (int)raw + coded;
}

static LP_ALWAYS_INLINE int
decode(enum lp_type type, const struct lp_shape *s, unpack_fn *unpack, const struct lp_codebook *cb,
		uint8_t phase, const uint8_t *body, size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_grouped *g = &cb->grouped;
	const struct lp_span span = lp_span_of_log2(lp_element_bytes(type) / 2, phase, len);
	const uint8_t *const end = body + body_len;
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);
	struct lp_chunk c;

	if (in == NULL || body[0] >= lp_element_exponents(type))
		return -EBADMSG;
	const __m256i values = lp_slot_exponents(g, type, body[0]);

	dst += span.lead;
	for (size_t left = span.count; left > 0; left -= c.n) {
		c.n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const int used = decode_chunk(
				type, s, unpack, &c, values, in, (size_t)(end - in), dst);

		if (used < 0)
			return used;
		in += used;
		if (g->escape_slot != LP_NO_SLOT) {
			const int escapes = put_escapes(type, &c.planes, in, (size_t)(end - in),
					c.n, left == c.n, dst);

			if (escapes < 0)
				return escapes;
			in += escapes;
		}
		dst += c.n * lp_element_bytes(type);
	}
	return in == end ? 0 : -EBADMSG;
}

/* For one type and shape; the whole body, so that all that the type decides is constant. */
#define DECODE(name, type, shape, unpack)                                                          \
	static int decode_##name(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body, \
			size_t body_len, uint8_t *dst, size_t len)                                 \
	{                                                                                          \
		return decode(LP_TYPE_##type, shape, unpack, cb, phase, body, body_len, dst, len); \
	}
#define KNOWN(type, shape) DECODE(type##_##shape, type, &lp_shape_##shape, unpack_##shape)
#define ANY(type) DECODE(type##_any, type, &cb->grouped.shape, unpack_any)
KNOWN(BF16, e)
KNOWN(BF16, a)
KNOWN(BF16, d)
ANY(BF16)
KNOWN(FP16, e)
KNOWN(FP16, a)
ANY(FP16)
KNOWN(FP32, e)
KNOWN(FP32, b)
ANY(FP32)
KNOWN(E4M3, e)
KNOWN(E4M3, c)
ANY(E4M3)
KNOWN(E5M2, e)
KNOWN(E5M2, c)
ANY(E5M2)
#undef ANY
#undef KNOWN
#undef DECODE

/* A decoder for one shape, or (NULL) any. */
struct decoder {
	const struct lp_shape *shape;
	lp_decode_fn *decode;
};

/* Of each type, with the shapes of its shipped book and of quick ones. */
static const struct decoder decoders[][4] = {
#define KNOWN(type, shape)                                 \
	{                                                  \
		&lp_shape_##shape, decode_##type##_##shape \
	}
#define ANY(type)                         \
	{                                 \
		NULL, decode_##type##_any \
	}
	[LP_TYPE_BF16] = { KNOWN(BF16, e), KNOWN(BF16, a), KNOWN(BF16, d), ANY(BF16) },
	[LP_TYPE_FP16] = { KNOWN(FP16, e), KNOWN(FP16, a), ANY(FP16) },
	[LP_TYPE_FP32] = { KNOWN(FP32, e), KNOWN(FP32, b), ANY(FP32) },
	[LP_TYPE_E4M3] = { KNOWN(E4M3, e), KNOWN(E4M3, c), ANY(E4M3) },
	[LP_TYPE_E5M2] = { KNOWN(E5M2, e), KNOWN(E5M2, c), ANY(E5M2) },
#undef ANY
#undef KNOWN
};

int
lp_grouped_decode_avx2(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_shape *const shape = &cb->grouped.shape;
	const struct decoder *d = decoders[cb->info.type];

	if (shape->groups < 3 || len < SHORTEST)
		return lp_grouped_decode_portable(cb, phase, body, body_len, dst, len);
	while (d->shape != NULL && !lp_shape_is(shape, d->shape))
		d++;
	return d->decode(cb, phase, body, body_len, dst, len);
}
