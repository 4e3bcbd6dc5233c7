/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include "split.h"

/* The compiler makes these loops fast where the processor allows it, as for our own kernels. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

size_t
split_bytes(enum lp_type type)
{
	switch (type) {
	case LP_TYPE_BF16:
	case LP_TYPE_FP16:
	case LP_TYPE_FP32:
		return lp_type_bytes(type);
	default:
		return 0;
	}
}

/* Mantissa bits in the top byte after the rotation. */
static unsigned int
mantissa_bits(enum lp_type type)
{
	return type == LP_TYPE_FP16 ? 3 : 0;
}

/* Eight bytes at a time, in four sums of 16 bits, which hold 128 times two bytes. */
VECTORISED static uint64_t
sum_bytes(const uint8_t *bytes, size_t n)
{
	const uint64_t even_bytes = 0x00ff00ff00ff00ff, even_sums = 0x0000ffff0000ffff;
	uint64_t sum = 0;
	size_t i = 0;

	while (i + 8 <= n) {
		const size_t words = (n - i) / 8 < 128 ? (n - i) / 8 : 128;
		uint64_t sums = 0;

		for (size_t k = 0; k < words; k++) {
			uint64_t word;

			memcpy(&word, bytes + i + 8 * k, sizeof(word));
			sums += (word & even_bytes) + (word >> 8 & even_bytes);
		}
		sums = (sums & even_sums) + (sums >> 16 & even_sums);
		sum += (sums & UINT32_MAX) + (sums >> 32);
		i += 8 * words;
	}
	while (i < n)
		sum += bytes[i++];
	return sum;
}

VECTORISED static void
split_16(const uint8_t *restrict src, size_t n, uint8_t *restrict exponent, uint8_t *restrict rest)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t x;

		memcpy(&x, src + 2 * i, sizeof(x));
		x = (uint16_t)(x << 1 | x >> 15);
		exponent[i] = (uint8_t)(x >> 8);
		rest[i] = (uint8_t)x;
	}
}

VECTORISED static void
split_32(const uint8_t *restrict src, size_t n, uint8_t *restrict exponent, uint8_t *restrict rest)
{
	uint8_t *middle = rest + 2 * n;

	for (size_t i = 0; i < n; i++) {
		uint32_t x;

		memcpy(&x, src + 4 * i, sizeof(x));
		x = x << 1 | x >> 31;

		const uint16_t low = (uint16_t)x;

		exponent[i] = (uint8_t)(x >> 24);
		middle[i] = (uint8_t)(x >> 16);
		memcpy(rest + 2 * i, &low, sizeof(low));
	}
}

VECTORISED static void
subtract(uint8_t *exponent, size_t n, uint8_t base)
{
	for (size_t i = 0; i < n; i++)
		exponent[i] = (uint8_t)(exponent[i] - base);
}

VECTORISED bool
split_is_within(const uint8_t *exponent, size_t n, uint8_t low, uint8_t width)
{
	uint8_t farthest = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t distance = (uint8_t)(exponent[i] - low);

		farthest = distance > farthest ? distance : farthest;
	}
	return farthest < width;
}

VECTORISED static void
merge_16(uint8_t base, const uint8_t *restrict exponent, const uint8_t *restrict rest, size_t n,
		uint8_t *restrict dst)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t x = (uint16_t)((uint8_t)(exponent[i] + base) << 8 | rest[i]);

		x = (uint16_t)(x >> 1 | x << 15);
		memcpy(dst + 2 * i, &x, sizeof(x));
	}
}

VECTORISED static void
merge_32(uint8_t base, const uint8_t *restrict exponent, const uint8_t *restrict rest, size_t n,
		uint8_t *restrict dst)
{
	const uint8_t *middle = rest + 2 * n;

	for (size_t i = 0; i < n; i++) {
		uint16_t low;

		memcpy(&low, rest + 2 * i, sizeof(low));

		uint32_t x = (uint32_t)(uint8_t)(exponent[i] + base) << 24 |
				(uint32_t)middle[i] << 16 | low;

		x = x >> 1 | x << 31;
		memcpy(dst + 4 * i, &x, sizeof(x));
	}
}

uint8_t
split(enum lp_type type, const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *rest)
{
	const unsigned int step = 1u << mantissa_bits(type);

	if (split_bytes(type) == 4)
		split_32(src, n, exponent, rest);
	else
		split_16(src, n, exponent, rest);
	const uint8_t base = (uint8_t)((sum_bytes(exponent, n) / n + step / 2) / step * step);

	subtract(exponent, n, base);
	return base;
}

void
merge(enum lp_type type, uint8_t base, const uint8_t *exponent, const uint8_t *rest, size_t n,
		uint8_t *dst)
{
	if (split_bytes(type) == 4)
		merge_32(base, exponent, rest, n, dst);
	else
		merge_16(base, exponent, rest, n, dst);
}
