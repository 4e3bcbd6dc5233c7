/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "bits.h"
#include "book.h"
#include "linepress/glance.h"

/* Words looked at, spread over the region. */
#define WORDS 16
#define LEN_MIN (2 * WORDS * 8)

/* All of these bits of every byte. */
#define BYTES(bits) (UINT64_C(0x0101010101010101) * (bits))
#define FIELDS16(bits) (UINT64_C(0x0001000100010001) * (bits))

static inline const uint8_t *
word_at(const uint8_t *src, size_t len, unsigned int k)
{
	/* Multiples of 4, so that the phase stays. */
	return src + ((len - LEN_MIN / 4) * k / WORDS & ~(size_t)3);
}

/*
 * Whatever the type and phase, neighbours of the same place in their elements are 4 bytes apart. If
 * these are exponents, the bits below the top one are often the same: of random bytes in 1 of 16,
 * that is 8 of 128 (standard deviation 2.7), in tensors of floats in 16 and more. Integers whose
 * two top bits are the same are small: of random bytes 64 (5.7), in tensors 90 and more.
 */
#define EXPONENT_BITS 0x78
#define RANDOM_EXPONENTS_MAX 14
#define RANDOM_SMALL_MAX 83

bool
lp_glance_is_random(const uint8_t *src, size_t len)
{
	unsigned int exponents = 8 * WORDS, small = 8 * WORDS;

	if (len < LEN_MIN)
		return false;
	for (unsigned int k = 0; k < WORDS; k++) {
		const uint8_t *p = word_at(src, len, k);
		const uint64_t w = lp_load64(p), differ = w ^ lp_load64(p + 4);

		exponents -= lp_popcount64(
				((differ & BYTES(EXPONENT_BITS)) + BYTES(0x7f)) & BYTES(0x80));
		small -= lp_popcount64((w ^ w << 1) & BYTES(0x80));
	}
	return exponents <= RANDOM_EXPONENTS_MAX && small <= RANDOM_SMALL_MAX;
}

/*
 * How many elements have much the same exponent in both halves? The high bits of the exponent are
 * compared, 5 of an fp32 element and 3 of an fp16 one.
 */
bool
lp_glance_finds_pairs(
		const struct lp_codebook *cb, unsigned int phase, const uint8_t *src, size_t len)
{
	const bool fp32 = cb->info.type == LP_TYPE_FP32;
	const unsigned int lead = -phase & (cb->info.element_bytes - 1u);
	unsigned int differ = 0;

	if (!fp32 && cb->info.type != LP_TYPE_FP16)
		return false;
	if (len < LEN_MIN)
		return true;
	for (unsigned int k = 0; k < WORDS; k++) {
		const uint64_t w = lp_load64(word_at(src, len, k) + lead);

		if (fp32)
			differ += lp_popcount64((((w ^ w >> 16) & UINT64_C(0x00007c0000007c00)) +
								UINT64_C(0x00007fff00007fff)) &
					UINT64_C(0x0000800000008000));
		else
			differ += lp_popcount64(
					(((w ^ w >> 8) & FIELDS16(0x0070)) + FIELDS16(0x007f)) &
					FIELDS16(0x0080));
	}
	/* By chance 1 of 32, or 8 of 64 (standard deviations 1 and 2.6). */
	return fp32 ? 2 * WORDS - differ >= 6 : 4 * WORDS - differ >= 20;
}
