/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_AREA_H
#define LP_AREA_H

/**
 * @file
 * Body of an area code. This is the format; kernels differ only in how they get there.
 *
 * ```
 * base            1 byte, if the symbol is rotated
 * prefixes        the areas of all symbols, block after block
 * suffixes        one LSB-first bit stream of the place of each symbol in its area, in order, in
 *                 as many bits as the area has; filled up with zero bits to a full byte
 *
 * prefixes of a block of 64 symbols, fewer in the last:
 *   plane ...     of 1, 2 or 4 bits of each area: of codes with 3 prefix bits the low two in one
 *                 plane and then the highest in another, of other codes all in one
 *
 * plane of w bits of n symbols:
 *   q = ceil(n * w / 8) bytes; bits w * k and up of byte i are those of symbol i + q * k of the
 *   block, for k from 0 to 8 / w - 1, or zero if there is no such symbol
 * ```
 *
 * The area numbers of 32 or 64 symbols are packed and spread by a shift or two of whole vectors.
 * They alone tell where each suffix is, so that no suffix waits for the one before it: those of
 * eight symbols are gathered and scattered in one step.
 */

#include <errno.h>

#include "bits.h"
#include "book.h"
#include "turn.h"

/** Symbols whose prefixes are packed together. */
#define LP_AREA_BLOCK 64

/** Bytes that the areas of a block may take while they are packed and spread. */
#define LP_AREA_ROOM (LP_AREA_BLOCK + 32)

/** Bytes of a plane of w bits of n symbols. */
static inline size_t
lp_area_plane_bytes(unsigned int w, size_t n)
{
	return (n * w + 7) / 8;
}

/** Bytes of the prefixes of n symbols, at most a block. */
static inline size_t
lp_area_block_bytes(unsigned int prefix_bits, size_t n)
{
	if (prefix_bits == 3)
		return lp_area_plane_bytes(2, n) + lp_area_plane_bytes(1, n);
	return lp_area_plane_bytes(prefix_bits, n);
}

/** Bytes of the prefixes of n symbols. */
static inline size_t
lp_area_prefix_bytes(unsigned int prefix_bits, size_t n)
{
	return n / LP_AREA_BLOCK * lp_area_block_bytes(prefix_bits, LP_AREA_BLOCK) +
			lp_area_block_bytes(prefix_bits, n % LP_AREA_BLOCK);
}

/** Pack w bits of n areas, from bit `low` on; areas after those n are there and zero. */
static inline uint8_t *
lp_area_put_plane(unsigned int w, unsigned int low, const uint8_t *area, size_t n, uint8_t *dst)
{
	const size_t q = lp_area_plane_bytes(w, n);
	const unsigned int mask = (1u << w) - 1;

	memset(dst, 0, q);
	for (unsigned int k = 0; k < 8 / w; k++)
		for (size_t i = 0; i < q; i++)
			dst[i] |= (uint8_t)((area[q * k + i] >> low & mask) << (w * k));
	return dst + q;
}

/** Pack the areas of a block of n symbols, in LP_AREA_ROOM bytes, zeros at the end. */
static inline uint8_t *
lp_area_put_block(unsigned int prefix_bits, const uint8_t *area, size_t n, uint8_t *dst)
{
	if (prefix_bits != 3)
		return lp_area_put_plane(prefix_bits, 0, area, n, dst);
	return lp_area_put_plane(1, 2, area, n, lp_area_put_plane(2, 0, area, n, dst));
}

/** Or w bits of each of n areas, and of what fills the last bytes, into `area` from bit `low` on.
 */
static inline const uint8_t *
lp_area_get_plane(unsigned int w, unsigned int low, const uint8_t *src, size_t n, uint8_t *area)
{
	const size_t q = lp_area_plane_bytes(w, n);
	const unsigned int mask = (1u << w) - 1;

	for (unsigned int k = 0; k < 8 / w; k++)
		for (size_t i = 0; i < q; i++)
			area[q * k + i] |= (uint8_t)((src[i] >> (w * k) & mask) << low);
	return src + q;
}

/**
 * Spread the areas of a block of n symbols into LP_AREA_ROOM bytes. Those after the n are zero if
 * the planes are properly filled.
 */
static inline const uint8_t *
lp_area_get_block(unsigned int prefix_bits, const uint8_t *src, size_t n, uint8_t *area)
{
	memset(area, 0, LP_AREA_ROOM);
	if (prefix_bits != 3)
		return lp_area_get_plane(prefix_bits, 0, src, n, area);
	return lp_area_get_plane(1, 2, lp_area_get_plane(2, 0, src, n, area), n, area);
}

/** Are the areas after the first n, which fill planes, zero? There are at most 7. */
static inline bool
lp_area_is_filled(const uint8_t *area, size_t n)
{
	return lp_load64(area + n) == 0;
}

/** A body that is being decoded. */
struct lp_area_body {
	struct lp_turn turn;
	const uint8_t *prefix;
	const uint8_t *suffix;
	size_t suffix_len; /**< bytes */
};

/** Find the parts of a body; 0, or -EBADMSG if it is too short to have them. */
static inline int
lp_area_open(const struct lp_codebook *cb, const uint8_t *body, size_t body_len, size_t len,
		struct lp_area_body *parts)
{
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;
	const size_t prefix_len = lp_area_prefix_bytes(cb->area.prefix_bits, len);

	if (body_len < rotated + prefix_len)
		return -EBADMSG;
	parts->turn = lp_turn_of(cb, rotated ? body[0] : 0);
	parts->prefix = body + rotated;
	parts->suffix = parts->prefix + prefix_len;
	parts->suffix_len = body_len - rotated - prefix_len;
	return 0;
}

/** Do the suffixes end at a bit of the last byte, with zeros as padding? 0 or -EBADMSG. */
static inline int
lp_area_end(const struct lp_area_body *parts, size_t pos)
{
	if ((pos + 7) / 8 != parts->suffix_len)
		return -EBADMSG;
	if (pos % 8 != 0 && parts->suffix[pos / 8] >> pos % 8 != 0)
		return -EBADMSG;
	return 0;
}

/** A body that is being made. */
struct lp_area_writer {
	struct lp_turn turn;
	uint8_t *prefix;	     /**< of the next block */
	struct lp_bit_writer suffix; /**< room for the prefixes has been left */
};

/** Start a body; false if there is no room for the prefixes. */
static inline bool
lp_area_start(const struct lp_codebook *cb, uint8_t base, size_t len, uint8_t *dst, size_t dst_cap,
		struct lp_area_writer *w)
{
	const size_t prefix_len = lp_area_prefix_bytes(cb->area.prefix_bits, len);

	w->turn = lp_turn_of(cb, base);
	if (dst_cap < w->turn.rotated + prefix_len)
		return false;
	if (w->turn.rotated)
		dst[0] = base;
	w->prefix = dst + w->turn.rotated;
	lp_bits_init(&w->suffix, w->prefix + prefix_len, dst + dst_cap);
	return true;
}

/** Append n symbols, whole blocks and perhaps the last; false if there is no room. */
bool lp_area_put(const struct lp_area *a, struct lp_area_writer *w, const uint8_t *src, size_t n);

#endif /* LP_AREA_H */
