/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_DEEP_H
#define LP_GROUPED_DEEP_H

/**
 * @file
 * Deep elements: those beyond group 1, about a sixth of all. Vector kernels bring their slots
 * together, 64 in a word, and do the levels from 2 on there: level 2 is then dense, and the others
 * take a sixth of the steps.
 */

#include "grouped_bmi2.h"
#include "grouped_logic.h"

/** Is suffix bit b one that only deep elements have? */
static LP_ALWAYS_INLINE bool
lp_shape_suffix_is_deep(const struct lp_shape *s, unsigned int b)
{
	return s->suffix_bits[0] <= b && s->suffix_bits[1] <= b;
}

/** Words of planes of deep elements: full groups of four, the excess zero. */
static LP_ALWAYS_INLINE size_t
lp_deep_words(size_t count)
{
	return (count + 255) / 256 * 4;
}

/** Which bits of four words are among the first `count`? */
static LP_ALWAYS_INLINE __m256i
lp_deep_valid(size_t count, size_t word)
{
	const __m256i first = _mm256_add_epi64(_mm256_set1_epi64x((long long)(64 * word)),
			_mm256_setr_epi64x(0, 64, 128, 192));
	const __m256i left = _mm256_sub_epi64(_mm256_set1_epi64x((long long)count), first);
	const __m256i none = _mm256_cmpgt_epi64(_mm256_set1_epi64x(1), left);
	const __m256i ones = _mm256_set1_epi8(-1);

	/* A shift by 64 or more gives 0, thus all ones. */
	return _mm256_andnot_si256(none, _mm256_xor_si256(_mm256_sllv_epi64(ones, left), ones));
}

/** Levels of deep elements from 2 on. */
struct lp_deep_levels {
	uint64_t word[LP_GROUPS_MAX - 1][LP_PLANE_WORDS];
};

/**
 * Work out the levels of deep elements from 2 on, and write level 2: all of them have it, so that
 * it only has to be shifted.
 *
 * @param slot
 *   Their slots, XOR the last; what is above `count` is undefined.
 */
static LP_ALWAYS_INLINE void
lp_deep_put_level2(const struct lp_shape *s, uint64_t (*slot)[LP_PLANE_WORDS], size_t count,
		struct lp_deep_levels *level, struct lp_stream *out)
{
	const unsigned int levels = s->groups - 1u, used = out->pos % 8;
	const __m128i up = _mm_cvtsi32_si128((int)used);
	const __m128i down = _mm_cvtsi32_si128(64 - (int)used);
	const size_t words = lp_deep_words(count);
	uint8_t *const dst = out->dst + out->pos / 8;
	__m256i carry = _mm256_set_epi64x(0, 0, 0, (long long)out->held);

	for (size_t word = 0; word < words; word += 4) {
		const struct lp_slot_bits x = lp_slot_bits_load(slot, word);
		const __m256i valid = lp_deep_valid(count, word);

#pragma GCC unroll 8
		for (unsigned int j = 2; j < levels; j++) {
			const __m256i v = _mm256_and_si256(
					valid, lp_slot_in(s, lp_shape_beyond(s, j), &x));

			_mm256_storeu_si256((void *)(level->word[j] + word), v);
			if (j == 2)
				_mm256_storeu_si256((void *)(dst + 8 * word),
						lp_stream_shift(v, up, down, &carry));
		}
	}
	_mm_storel_epi64((void *)(dst + 8 * words), _mm256_castsi256_si128(carry));
	lp_stream_move_to(out, out->pos + count);
}

/** Write the levels of deep elements from 2 on. */
static LP_ALWAYS_INLINE void
lp_deep_put_levels(const struct lp_shape *s, uint64_t (*slot)[LP_PLANE_WORDS], size_t count,
		struct lp_deep_levels *level, struct lp_stream *out)
{
	const unsigned int levels = s->groups - 1u;

	if (levels < 3)
		return;
	lp_deep_put_level2(s, slot, count, level, out);
#pragma GCC unroll 8
	for (unsigned int j = 3; j < levels; j++) {
		const uint64_t *const bits = level->word[j], *const mask = level->word[j - 1];

		for (size_t word = 0; word < lp_deep_words(count); word += 4) {
			if (j > 4) {
				lp_stream_put_four(out, bits + word, mask + word);
				continue;
			}
#pragma GCC unroll 4
			for (unsigned int k = 0; k < 4; k++)
				lp_stream_put_sparse_word(out, bits[word + k], mask[word + k]);
		}
	}
}

/** Write suffix bit b, which only deep elements have. */
static LP_ALWAYS_INLINE void
lp_deep_put_suffix(const struct lp_shape *s, unsigned int b, uint64_t (*slot)[LP_PLANE_WORDS],
		size_t count, const struct lp_deep_levels *level, struct lp_stream *out)
{
	const unsigned int last = s->groups - 1u;
	const uint64_t turn = lp_shape_last_slot(s) >> b & 1 ? ~UINT64_C(0) : 0;

	for (size_t word = 0; word < lp_deep_words(count); word += 4) {
		uint64_t mask[4];

		if (last > 2 && lp_shape_with_suffix(s, b) == 1u << last) {
			lp_stream_put_four_turned(
					out, slot[b] + word, level->word[last - 1] + word, turn);
			continue;
		}
		const struct lp_slot_bits x = lp_slot_bits_load(slot, word);

		_mm256_storeu_si256((void *)mask,
				_mm256_and_si256(lp_deep_valid(count, word),
						lp_slot_in(s, lp_shape_suffixed(s, b), &x)));
		lp_stream_put_four_turned(out, slot[b] + word, mask, turn);
	}
}

#endif /* LP_GROUPED_DEEP_H */
