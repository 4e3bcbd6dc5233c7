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

/**
 * Write the levels of deep elements from 2 on.
 *
 * @param slot
 *   Their slots, XOR the last; what is above `count` is undefined.
 */
static LP_ALWAYS_INLINE void
lp_deep_put_levels(const struct lp_shape *s, uint64_t (*slot)[LP_PLANE_WORDS], size_t count,
		struct lp_stream *out)
{
	uint64_t level[LP_GROUPS_MAX - 1][LP_PLANE_WORDS];
	const unsigned int levels = s->groups - 1u;
	const size_t words = lp_deep_words(count);

	if (levels < 3)
		return;
	for (size_t word = 0; word < words; word += 4) {
		const struct lp_slot_bits x = lp_slot_bits_load(slot, word);
		const __m256i valid = lp_deep_valid(count, word);

#pragma GCC unroll 8
		for (unsigned int j = 2; j < levels; j++)
			_mm256_storeu_si256((void *)(level[j] + word),
					_mm256_and_si256(valid,
							lp_slot_in(s, lp_shape_beyond(s, j), &x)));
	}
	for (size_t word = 0; word < count / 64; word++)
		lp_stream_put(out, level[2][word], 64);
	if (count % 64 != 0)
		lp_stream_put(out, level[2][count / 64], count % 64);
#pragma GCC unroll 8
	for (unsigned int j = 3; j < levels; j++) {
		for (size_t word = 0; word < words; word += 4) {
			if (j > 4) {
				lp_stream_put_four(out, level[j] + word, level[j - 1] + word);
				continue;
			}
#pragma GCC unroll 4
			for (unsigned int k = 0; k < 4; k++)
				lp_stream_put_word(out, level[j][word + k], level[j - 1][word + k]);
		}
	}
}

/** Write suffix bit b, which only deep elements have. */
static LP_ALWAYS_INLINE void
lp_deep_put_suffix(const struct lp_shape *s, unsigned int b, uint64_t (*slot)[LP_PLANE_WORDS],
		size_t count, struct lp_stream *out)
{
	for (size_t word = 0; word < lp_deep_words(count); word += 4) {
		const struct lp_slot_bits x = lp_slot_bits_load(slot, word);
		uint64_t suffix[4], mask[4];

		_mm256_storeu_si256((void *)suffix, lp_slot_suffix(s, b, &x));
		_mm256_storeu_si256((void *)mask,
				_mm256_and_si256(lp_deep_valid(count, word),
						lp_slot_in(s, lp_shape_suffixed(s, b), &x)));
		lp_stream_put_four(out, suffix, mask);
	}
}

#endif /* LP_GROUPED_DEEP_H */
