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

/** A bit stream being written, in words of 8 bytes; writes up to 8 bytes past its end. */
struct lp_stream {
	uint8_t *dst;
	size_t pos;    /**< bits written */
	uint64_t held; /**< the last word so far, not yet stored */
};

/** Append up to 64 bits; those of `bits` above `count` are zero. */
static LP_ALWAYS_INLINE void
lp_stream_put(struct lp_stream *s, uint64_t bits, unsigned int count)
{
	const size_t pos = s->pos + count;
	/* All ones if the word is full. A branch would be missed every third time. */
	const uint64_t full = -(uint64_t)((s->pos ^ pos) / 64 & 1);
	const uint64_t above = bits >> 1 >> (~s->pos & 63);

	s->held |= bits << s->pos % 64;
	lp_store64(s->dst + s->pos / 64 * 8, s->held);
	s->held = (above & full) | (s->held & ~full);
	s->pos = pos;
}

/** Append the bits of a word under a mask. */
static LP_ALWAYS_INLINE void
lp_stream_put_word(struct lp_stream *s, uint64_t word, uint64_t mask)
{
	lp_stream_put(s, _pext_u64(word, mask), lp_popcount64(mask));
}

/** Append four words that have few bits as a rule. */
static LP_ALWAYS_INLINE void
lp_stream_put_four(struct lp_stream *s, const uint64_t *word, const uint64_t *mask)
{
	const unsigned int one = lp_popcount64(mask[0]);
	const unsigned int two = one + lp_popcount64(mask[1]);
	const unsigned int three = two + lp_popcount64(mask[2]);
	const unsigned int four = three + lp_popcount64(mask[3]);

	if (__builtin_expect(four <= 63, 1)) {
		lp_stream_put(s,
				_pext_u64(word[0], mask[0]) | _pext_u64(word[1], mask[1]) << one |
						_pext_u64(word[2], mask[2]) << two |
						_pext_u64(word[3], mask[3]) << three,
				four);
		return;
	}
	for (unsigned int k = 0; k < 4; k++)
		lp_stream_put_word(s, word[k], mask[k]);
}

/** Store what is held; returns the bytes of the stream. */
static LP_ALWAYS_INLINE size_t
lp_stream_end(const struct lp_stream *s)
{
	lp_store64(s->dst + s->pos / 64 * 8, s->held);
	return (s->pos + 7) / 8;
}

/** Append an ended stream. */
static LP_ALWAYS_INLINE void
lp_stream_append(struct lp_stream *s, const struct lp_stream *tail)
{
	const size_t used = s->pos % 64, total = used + tail->pos;
	const __m128i up = _mm_cvtsi32_si128((int)used);
	const __m128i down = _mm_cvtsi32_si128(64 - (int)used);
	uint8_t *const out = s->dst + s->pos / 64 * 8;

	lp_store64(tail->dst - 8, used == 0 ? 0 : s->held << (64 - used));
	for (size_t i = 0; 8 * i < total; i += 32) {
		const __m256i low = _mm256_loadu_si256((const void *)(tail->dst + i));
		const __m256i high = _mm256_loadu_si256((const void *)(tail->dst + i - 8));

		_mm256_storeu_si256((void *)(out + i),
				_mm256_or_si256(_mm256_sll_epi64(low, up),
						_mm256_srl_epi64(high, down)));
	}
	s->pos += tail->pos;
	s->held = lp_load64(out + total / 64 * 8) & lp_low_mask(total % 64);
}

#endif /* LP_GROUPED_BMI2_H */
