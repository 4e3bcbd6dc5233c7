/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_BMI2_H
#define LP_GROUPED_BMI2_H

/**
 * @file
 * The sparse bits of grouped codes, written with pext; shared by the vector kernels.
 */

#include <immintrin.h>

#include "grouped_shape.h"

/** Bytes before a stream that lp_stream_append() uses. */
#define LP_STREAM_MARGIN 8
/** Bytes after the end of a stream that it may read or write. */
#define LP_STREAM_SPARE 40

/** A bit stream being written; writes up to 8 bytes past its end. */
struct lp_stream {
	uint8_t *dst;
	size_t pos;    /**< bits written */
	uint64_t held; /**< those of the last byte, if it is not full */
};

/** Append up to 56 bits; those of `bits` above `count` are zero. */
static LP_ALWAYS_INLINE void
lp_stream_put_few(struct lp_stream *s, uint64_t bits, unsigned int count)
{
	const unsigned int used = s->pos % 8;

	s->held |= bits << used;
	lp_store64(s->dst + s->pos / 8, s->held);
	s->held >>= (used + count) & 56;
	s->pos += count;
}

/** Append up to 64 bits. */
static LP_ALWAYS_INLINE void
lp_stream_put(struct lp_stream *s, uint64_t bits, unsigned int count)
{
	const unsigned int used = s->pos % 8;
	/* All ones if a word is full. A branch would be missed every other time. */
	const uint64_t full = -(uint64_t)((used + count) / 64);
	const uint64_t above = bits >> 1 >> (63 - used);

	lp_stream_put_few(s, bits, count);
	s->held = (above & full) | (s->held & ~full);
}

/** Append the bits of a word under a mask. */
static LP_ALWAYS_INLINE void
lp_stream_put_word(struct lp_stream *s, uint64_t word, uint64_t mask)
{
	lp_stream_put(s, _pext_u64(word, mask), lp_popcount64(mask));
}

/** The same, quicker if there are no more than 56, as a rule. */
static LP_ALWAYS_INLINE void
lp_stream_put_sparse_word(struct lp_stream *s, uint64_t word, uint64_t mask)
{
	const unsigned int count = lp_popcount64(mask);

	if (__builtin_expect(count <= 56, 1))
		lp_stream_put_few(s, _pext_u64(word, mask), count);
	else
		lp_stream_put(s, _pext_u64(word, mask), count);
}

/** Append the bits of four words, that have few as a rule, XOR the bits of `turn`, all the same. */
static LP_ALWAYS_INLINE void
lp_stream_put_four_turned(
		struct lp_stream *s, const uint64_t *word, const uint64_t *mask, uint64_t turn)
{
	const unsigned int one = lp_popcount64(mask[0]);
	const unsigned int two = one + lp_popcount64(mask[1]);
	const unsigned int three = two + lp_popcount64(mask[2]);
	const unsigned int four = three + lp_popcount64(mask[3]);

	if (__builtin_expect(four <= 56, 1)) {
		const uint64_t bits = _pext_u64(word[0], mask[0]) |
				_pext_u64(word[1], mask[1]) << one |
				_pext_u64(word[2], mask[2]) << two |
				_pext_u64(word[3], mask[3]) << three;

		lp_stream_put_few(s, bits ^ _bzhi_u64(turn, four), four);
		return;
	}
	for (unsigned int k = 0; k < 4; k++)
		lp_stream_put_word(s, word[k] ^ turn, mask[k]);
}

static LP_ALWAYS_INLINE void
lp_stream_put_four(struct lp_stream *s, const uint64_t *word, const uint64_t *mask)
{
	lp_stream_put_four_turned(s, word, mask, 0);
}

/** Take what others have written after the end, up to a position. */
static LP_ALWAYS_INLINE void
lp_stream_move_to(struct lp_stream *s, size_t pos)
{
	s->pos = pos;
	s->held = s->dst[pos / 8] & lp_low_mask(pos % 8);
}

/** Store what is held; returns the bytes of the stream. */
static LP_ALWAYS_INLINE size_t
lp_stream_end(const struct lp_stream *s)
{
	lp_store64(s->dst + s->pos / 8, s->held);
	return (s->pos + 7) / 8;
}

/** Append an ended stream. */
static LP_ALWAYS_INLINE void
lp_stream_append(struct lp_stream *s, const struct lp_stream *tail)
{
	const size_t used = s->pos % 8, total = used + tail->pos;
	const __m128i up = _mm_cvtsi32_si128((int)used);
	const __m128i down = _mm_cvtsi32_si128(64 - (int)used);
	uint8_t *const out = s->dst + s->pos / 8;

	lp_store64(tail->dst - 8, used == 0 ? 0 : s->held << (64 - used));
	for (size_t i = 0; 8 * i < total; i += 32) {
		const __m256i low = _mm256_loadu_si256((const void *)(tail->dst + i));
		const __m256i high = _mm256_loadu_si256((const void *)(tail->dst + i - 8));

		_mm256_storeu_si256((void *)(out + i),
				_mm256_or_si256(_mm256_sll_epi64(low, up),
						_mm256_srl_epi64(high, down)));
	}
	lp_stream_move_to(s, s->pos + tail->pos);
}

/** Append 256 bits, XOR those of the word before; `carry` has what they have beyond it. */
static LP_ALWAYS_INLINE __m256i
lp_stream_shift(__m256i v, __m128i up, __m128i down, __m256i *carry)
{
	const __m256i above = _mm256_permute4x64_epi64(_mm256_srl_epi64(v, down), 0x93);
	const __m256i shifted = _mm256_or_si256(
			_mm256_sll_epi64(v, up), _mm256_blend_epi32(above, *carry, 3));

	*carry = above;
	return shifted;
}

#endif /* LP_GROUPED_BMI2_H */
