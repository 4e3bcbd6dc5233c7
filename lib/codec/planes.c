/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>

#include "bits.h"
#include "planes.h"

static inline uint16_t
rotl16(uint16_t v)
{
	return (uint16_t)(v << 1 | v >> 15);
}

static inline uint16_t
rotr16(uint16_t v)
{
	return (uint16_t)(v >> 1 | v << 15);
}

size_t
lp_raw_bytes(enum lp_type type, size_t n)
{
	const size_t bits = lp_type_traits[type].raw_bits;

	return n * (bits / 8) + (n * (bits % 8) + 7) / 8;
}

static void
split_bf16(const uint8_t *restrict src, size_t n, size_t first, uint8_t *restrict exponent,
		uint8_t *restrict raw)
{
	for (size_t i = first; i < n; i++) {
		const uint16_t v = rotl16(lp_load16(src + 2 * i));

		exponent[i] = (uint8_t)(v >> 8);
		raw[i] = (uint8_t)v;
	}
}

static void
merge_bf16(const uint8_t *restrict exponent, const uint8_t *restrict raw, size_t n, size_t first,
		uint8_t *restrict dst)
{
	for (size_t i = first; i < n; i++)
		lp_store16(dst + 2 * i, rotr16((uint16_t)(exponent[i] << 8 | raw[i])));
}

static void
split_fp32(const uint8_t *restrict src, size_t n, size_t first, uint8_t *restrict exponent,
		uint8_t *restrict raw)
{
	for (size_t i = first; i < n; i++) {
		const uint32_t v = lp_load32(src + 4 * i);
		const uint32_t r = v << 1 | v >> 31;

		exponent[i] = (uint8_t)(r >> 24);
		lp_store16(raw + 3 * i, (uint16_t)r);
		raw[3 * i + 2] = (uint8_t)(r >> 16);
	}
}

static void
merge_fp32(const uint8_t *restrict exponent, const uint8_t *restrict raw, size_t n, size_t first,
		uint8_t *restrict dst)
{
	for (size_t i = first; i < n; i++) {
		const uint32_t r = lp_load16(raw + 3 * i) | (uint32_t)raw[3 * i + 2] << 16 |
				(uint32_t)exponent[i] << 24;

		lp_store32(dst + 4 * i, r >> 1 | r << 31);
	}
}

/*
 * The types below leave 3 or 4 bits an element that fill no byte. Blocks of 8 elements fill
 * 3 or 4 bytes exactly; only the last block is cut.
 */

static size_t
block_of(size_t n, size_t i)
{
	return n - i < 8 ? n - i : 8;
}

static void
store_fields(uint8_t *dst, uint32_t fields, size_t bits)
{
	for (size_t byte = 0; byte < (bits + 7) / 8; byte++)
		dst[byte] = (uint8_t)(fields >> 8 * byte);
}

/* Returns the fields of a block; `bad` collects padding bits. */
static uint32_t
load_fields(const uint8_t *src, size_t bits, uint64_t *bad)
{
	const uint64_t fields = lp_load_part(src, (bits + 7) / 8);

	*bad |= fields >> bits;
	return (uint32_t)fields;
}

static void
split_fp16(const uint8_t *restrict src, size_t n, size_t first, uint8_t *restrict exponent,
		uint8_t *restrict raw)
{
	uint8_t *packed = raw + n + first / 8 * 3;

	for (size_t i = first; i < n; i += 8, packed += 3) {
		const size_t block = block_of(n, i);
		uint32_t fields = 0;

		for (size_t k = 0; k < block; k++) {
			const uint16_t v = rotl16(lp_load16(src + 2 * (i + k)));

			exponent[i + k] = (uint8_t)(v >> 11);
			raw[i + k] = (uint8_t)v;
			fields |= (uint32_t)(v >> 8 & 7) << 3 * k;
		}
		store_fields(packed, fields, 3 * block);
	}
}

static uint64_t
merge_fp16(const uint8_t *restrict exponent, const uint8_t *restrict raw, size_t n, size_t first,
		uint8_t *restrict dst)
{
	const uint8_t *packed = raw + n + first / 8 * 3;
	uint64_t bad = 0;

	for (size_t i = first; i < n; i += 8, packed += 3) {
		const size_t block = block_of(n, i);
		const uint32_t fields = load_fields(packed, 3 * block, &bad);

		for (size_t k = 0; k < block; k++) {
			const uint16_t v = (uint16_t)(exponent[i + k] << 11 |
					(fields >> 3 * k & 7) << 8 | raw[i + k]);

			lp_store16(dst + 2 * (i + k), rotr16(v));
		}
	}
	return bad;
}

/* 8-bit floats: `width` raw bits below the exponent. */
static inline void
split_fp8(const uint8_t *restrict src, size_t n, size_t first, uint8_t *restrict exponent,
		uint8_t *restrict raw, unsigned int width)
{
	raw += first / 8 * width;
	for (size_t i = first; i < n; i += 8, raw += width) {
		const size_t block = block_of(n, i);
		uint32_t fields = 0;

		for (size_t k = 0; k < block; k++) {
			const uint8_t v = lp_rotl8(src[i + k]);

			exponent[i + k] = (uint8_t)(v >> width);
			fields |= (uint32_t)(v & ((1u << width) - 1)) << width * k;
		}
		store_fields(raw, fields, width * block);
	}
}

static inline uint64_t
merge_fp8(const uint8_t *restrict exponent, const uint8_t *restrict raw, size_t n, size_t first,
		uint8_t *restrict dst, unsigned int width)
{
	uint64_t bad = 0;

	raw += first / 8 * width;
	for (size_t i = first; i < n; i += 8, raw += width) {
		const size_t block = block_of(n, i);
		const uint32_t fields = load_fields(raw, width * block, &bad);

		for (size_t k = 0; k < block; k++)
			dst[i + k] = lp_rotr8((uint8_t)(exponent[i + k] << width |
					(fields >> width * k & ((1u << width) - 1))));
	}
	return bad;
}

void
lp_planes_split(enum lp_type type, const uint8_t *src, size_t n, size_t first, uint8_t *exponent,
		uint8_t *raw)
{
	switch (type) {
	case LP_TYPE_BF16:
		split_bf16(src, n, first, exponent, raw);
		break;
	case LP_TYPE_FP16:
		split_fp16(src, n, first, exponent, raw);
		break;
	case LP_TYPE_FP32:
		split_fp32(src, n, first, exponent, raw);
		break;
	case LP_TYPE_E4M3:
		split_fp8(src, n, first, exponent, raw, 4);
		break;
	case LP_TYPE_E5M2:
		split_fp8(src, n, first, exponent, raw, 3);
		break;
	default:
		assert(!"type without an exponent");
	}
}

int
lp_planes_merge(enum lp_type type, const uint8_t *exponent, const uint8_t *raw, size_t n,
		size_t first, uint8_t *dst)
{
	uint64_t bad = 0;

	switch (type) {
	case LP_TYPE_BF16:
		merge_bf16(exponent, raw, n, first, dst);
		break;
	case LP_TYPE_FP16:
		bad = merge_fp16(exponent, raw, n, first, dst);
		break;
	case LP_TYPE_FP32:
		merge_fp32(exponent, raw, n, first, dst);
		break;
	case LP_TYPE_E4M3:
		bad = merge_fp8(exponent, raw, n, first, dst, 4);
		break;
	case LP_TYPE_E5M2:
		bad = merge_fp8(exponent, raw, n, first, dst, 3);
		break;
	default:
		assert(!"type without an exponent");
	}
	return bad == 0 ? 0 : -EBADMSG;
}
