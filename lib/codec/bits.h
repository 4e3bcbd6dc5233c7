/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_BITS_H
#define LP_BITS_H

/**
 * @file
 * Unaligned loads, bit gather and scatter, and the LSB-first bit stream.
 */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
lp_load16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
lp_load32(const uint8_t *p)
{
	return lp_load16(p) | (uint32_t)lp_load16(p + 2) << 16;
}

static inline uint64_t
lp_load64(const uint8_t *p)
{
	return lp_load32(p) | (uint64_t)lp_load32(p + 4) << 32;
}

static inline void
lp_store16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void
lp_store32(uint8_t *p, uint32_t v)
{
	lp_store16(p, (uint16_t)v);
	lp_store16(p + 2, (uint16_t)(v >> 16));
}

static inline void
lp_store64(uint8_t *p, uint64_t v)
{
	lp_store32(p, (uint32_t)v);
	lp_store32(p + 4, (uint32_t)(v >> 32));
}

/** Load 1 to 8 bytes, the missing ones as zero. */
static inline uint64_t
lp_load_part(const uint8_t *p, size_t len)
{
	uint8_t word[8] = { 0 };

	memcpy(word, p, len);
	return lp_load64(word);
}

/** Sign last: the way in which floats are taken apart. */
static inline uint8_t
lp_rotl8(uint8_t v)
{
	return (uint8_t)(v << 1 | v >> 7);
}

static inline uint8_t
lp_rotr8(uint8_t v)
{
	return (uint8_t)(v >> 1 | v << 7);
}

static inline unsigned int
lp_popcount64(uint64_t x)
{
	return (unsigned int)__builtin_popcountll(x);
}

/** The `n` lowest bits set; n is 0 to 64. */
static inline uint64_t
lp_low_mask(unsigned int n)
{
	return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/**
 * Steps of the parallel-suffix method for a mask: bit i of move[k] tells that the bit i of
 * the source travels 2^k places down. Warren, Hacker's Delight, 2nd ed., section 7-4.
 */
struct lp_moves {
	uint64_t move[6];
};

static inline struct lp_moves
lp_moves(uint64_t mask)
{
	struct lp_moves m;
	uint64_t zeros_below = ~mask << 1;

	for (unsigned int k = 0; k < 6; k++) {
		uint64_t odd = zeros_below ^ (zeros_below << 1);

		odd ^= odd << 2;
		odd ^= odd << 4;
		odd ^= odd << 8;
		odd ^= odd << 16;
		odd ^= odd << 32;
		m.move[k] = odd & mask;
		mask = (mask ^ m.move[k]) | (m.move[k] >> (1u << k));
		zeros_below &= ~odd;
	}
	return m;
}

/** Gather the bits of x under the mask at the low end, as the instruction pext does. */
static inline uint64_t
lp_gather64(uint64_t x, uint64_t mask)
{
	if (mask == 0)
		return 0;
	const struct lp_moves m = lp_moves(mask);

	x &= mask;
	for (unsigned int k = 0; k < 6; k++) {
		const uint64_t t = x & m.move[k];

		x = (x ^ t) | (t >> (1u << k));
	}
	return x;
}

/** Scatter the low bits of x to the places of the mask, as the instruction pdep does. */
static inline uint64_t
lp_scatter64(uint64_t x, uint64_t mask)
{
	if (mask == 0)
		return 0;
	const struct lp_moves m = lp_moves(mask);

	for (unsigned int k = 6; k-- > 0;) {
		const uint64_t t = x << (1u << k);

		x = (x & ~m.move[k]) | (t & m.move[k]);
	}
	return x & mask;
}

/** Bit k (0 to 7) of each of 8 bytes, gathered into one byte. */
static inline uint8_t
lp_bit_of_bytes(uint64_t bytes, unsigned int k)
{
	return (uint8_t)((((bytes >> k) & UINT64_C(0x0101010101010101)) *
					 UINT64_C(0x0102040810204080)) >>
			56);
}

/** Each bit of a byte as a byte of 0 or 1: the inverse of lp_bit_of_bytes(). */
static inline uint64_t
lp_bytes_of_bits(uint8_t bits)
{
	const uint64_t one = UINT64_C(0x0101010101010101);
	/* Byte i keeps only bit i, then any bit set carries into bit 7. */
	const uint64_t apart = (bits * one) & UINT64_C(0x8040201008040201);

	return (apart + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & one;
}

/**
 * Writer of an LSB-first bit stream. The caller has proved that the stream fits: nothing is
 * checked here but asserted.
 */
struct lp_bit_writer {
	uint64_t held;	    /* bits not yet stored */
	unsigned int count; /* how many, below 8 between calls */
	uint8_t *next;
	const uint8_t *end;
};

static inline void
lp_bits_init(struct lp_bit_writer *w, uint8_t *dst, const uint8_t *end)
{
	*w = (struct lp_bit_writer){ .next = dst, .end = end };
}

/** Append 0 to 64 bits; those of `bits` above `count` are zero. */
static inline void
lp_bits_put(struct lp_bit_writer *w, uint64_t bits, unsigned int count)
{
	const uint64_t above = w->count == 0 ? 0 : bits >> (64 - w->count);
	const unsigned int total = w->count + count;

	w->held |= bits << w->count;
	if (w->end - w->next >= 8) {
		lp_store64(w->next, w->held);
		w->next += total / 8;
		w->held = total >= 64 ? above : w->held >> (total & ~7u);
		w->count = total % 8;
		return;
	}
	w->count = total;
	for (; w->count >= 8; w->count -= 8) {
		assert(w->next < w->end);
		*w->next++ = (uint8_t)w->held;
		w->held >>= 8;
		if (w->count >= 64)
			w->held |= above << 56;
	}
}

/** Fill the last byte with zero bits; returns the end of the stream. */
static inline uint8_t *
lp_bits_finish(struct lp_bit_writer *w)
{
	if (w->count > 0) {
		assert(w->next < w->end);
		*w->next++ = (uint8_t)w->held;
	}
	return w->next;
}

/** 64 bits of a stream from a bit position on; bits past the end read as zero. */
static inline uint64_t
lp_bits_at(const uint8_t *src, size_t len, size_t pos)
{
	const size_t byte = pos / 8;
	const unsigned int shift = pos % 8;

	if (byte + 9 <= len) {
		const uint64_t low = lp_load64(src + byte) >> shift;

		return shift == 0 ? low : low | (uint64_t)src[byte + 8] << (64 - shift);
	}
	if (byte >= len)
		return 0;
	const size_t part = len - byte < 8 ? len - byte : 8;
	const uint64_t low = lp_load_part(src + byte, part) >> shift;

	return low;
}

#endif /* LP_BITS_H */
