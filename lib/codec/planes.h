/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PLANES_H
#define LP_PLANES_H

/**
 * @file
 * Elements apart into exponents and raw planes, and together again.
 *
 * An element is rotated left by one, so that its exponent is on top and its sign, the last of
 * the raw bits, at the bottom. Raw bits travel as whole bytes, element after element (low byte
 * first), then as one LSB-first stream of the 3 or 4 bits that fill no byte.
 */

#include "bits.h"
#include "type.h"

/** Bytes of the raw planes of n elements. */
size_t lp_raw_bytes(enum lp_type type, size_t n);

/**
 * Take n elements apart.
 *
 * @param first
 *   Element to begin with, a multiple of 8: a vector routine has done those before it.
 */
void lp_planes_split(enum lp_type type, const uint8_t *src, size_t n, size_t first,
		uint8_t *exponent, uint8_t *raw);

/**
 * Put n elements together, from `first` on. Exponents are in range.
 *
 * @return
 *   0, or -EBADMSG if padding bits of the raw planes are not zero.
 */
int lp_planes_merge(enum lp_type type, const uint8_t *exponent, const uint8_t *raw, size_t n,
		size_t first, uint8_t *dst);

/** Are the bits that fill the last byte of the raw planes of n elements zero? */
static inline bool
lp_raw_is_padded(enum lp_type type, const uint8_t *raw, size_t raw_len, size_t n)
{
	const size_t bits = n * lp_type_traits[type].raw_bits % 8;

	return bits == 0 || raw[raw_len - 1] >> bits == 0;
}

/** Exponent of the element at p; quick if the type is known when compiling. */
static inline uint8_t
lp_exponent_at(enum lp_type type, const uint8_t *p)
{
	switch (type) {
	case LP_TYPE_BF16:
		return (uint8_t)(lp_load16(p) >> 7);
	case LP_TYPE_FP16:
		return p[1] >> 2 & 31;
	case LP_TYPE_FP32:
		return (uint8_t)(lp_load16(p + 2) >> 7);
	case LP_TYPE_E4M3:
		return p[0] >> 3 & 15;
	case LP_TYPE_E5M2:
		return p[0] >> 2 & 31;
	default:
		assert(!"type without an exponent");
		return 0;
	}
}

/** Change the exponent of the element at p. */
static inline void
lp_set_exponent(enum lp_type type, uint8_t *p, uint8_t exponent)
{
	switch (type) {
	case LP_TYPE_BF16:
		lp_store16(p, (uint16_t)((lp_load16(p) & 0x807f) | exponent << 7));
		break;
	case LP_TYPE_FP16:
		p[1] = (uint8_t)((p[1] & 0x83) | exponent << 2);
		break;
	case LP_TYPE_FP32:
		lp_store16(p + 2, (uint16_t)((lp_load16(p + 2) & 0x807f) | exponent << 7));
		break;
	case LP_TYPE_E4M3:
		p[0] = (uint8_t)((p[0] & 0x87) | exponent << 3);
		break;
	default:
		p[0] = (uint8_t)((p[0] & 0x83) | exponent << 2);
	}
}

#endif /* LP_PLANES_H */
