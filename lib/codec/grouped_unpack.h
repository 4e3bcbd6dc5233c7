/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_UNPACK_H
#define LP_GROUPED_UNPACK_H

/**
 * @file
 * The sparse bits of grouped codes, unpacked with pdep where they are. Loads that might go past the
 * end of the body are made from a copy of its last bytes; that a run ends within the body is for
 * the caller to check, once for each.
 */

#include <immintrin.h>
#include <string.h>

#include "grouped_shape.h"

#define LP_UNPACK_LOAD 9  /**< bytes that are loaded for a word */
#define LP_UNPACK_TAIL 16 /**< bytes at the end of the body that are copied */

/** The sparse bits of a chunk, and what follows them in the body. */
struct lp_unpacker {
	const uint8_t *body;
	size_t safe;				       /**< bytes from which a load may start */
	size_t bits;				       /**< as many as there can be */
	uint8_t tail[LP_UNPACK_TAIL + LP_UNPACK_LOAD]; /**< the last bytes, then zeros */
};

static LP_ALWAYS_INLINE void
lp_unpack_init(struct lp_unpacker *u, const uint8_t *body, size_t len)
{
	const size_t tail = len < LP_UNPACK_TAIL ? len : LP_UNPACK_TAIL;

	u->body = body;
	u->bits = 8 * len;
	u->safe = len < LP_UNPACK_LOAD ? 0 : len - LP_UNPACK_LOAD + 1;
	memset(u->tail, 0, sizeof(u->tail));
	memcpy(u->tail, body + len - tail, tail);
}

/** Where to load bits from that start in a byte of the body. */
static LP_ALWAYS_INLINE const uint8_t *
lp_unpack_bytes(const struct lp_unpacker *u, size_t byte)
{
	const size_t len = u->bits / 8, first = len < LP_UNPACK_TAIL ? 0 : len - LP_UNPACK_TAIL;

	return byte < u->safe ? u->body + byte : u->tail + (byte - first);
}

/** 64 bits of a chunk of bytes. */
static LP_ALWAYS_INLINE uint64_t
lp_unpack_bits(const uint8_t *p, size_t pos)
{
	return lp_load64(p) >> pos % 8 | (uint64_t)p[8] << 1 << (63 - pos % 8);
}

/** Only the low 57 bits are good. */
static LP_ALWAYS_INLINE uint64_t
lp_unpack_few_bits(const uint8_t *p, size_t pos)
{
	return lp_load64(p) >> pos % 8;
}

/** Unpack one word; advances pos. */
static LP_ALWAYS_INLINE uint64_t
lp_unpack_word(const struct lp_unpacker *u, size_t *pos, uint64_t mask)
{
	const uint64_t bits = lp_unpack_bits(lp_unpack_bytes(u, *pos / 8), *pos);

	*pos += lp_popcount64(mask);
	return _pdep_u64(bits, mask);
}

/** The same where a word seldom has more than 57 bits. */
static LP_ALWAYS_INLINE uint64_t
lp_unpack_few(const struct lp_unpacker *u, size_t *pos, uint64_t mask)
{
	const unsigned int count = lp_popcount64(mask);
	const uint8_t *const p = lp_unpack_bytes(u, *pos / 8);
	uint64_t bits = lp_unpack_few_bits(p, *pos);

	if (__builtin_expect(count > 57, 0))
		bits = lp_unpack_bits(p, *pos);
	*pos += count;
	return _pdep_u64(bits, mask);
}

/** The same for four words that seldom have more than 57 bits together. */
static LP_ALWAYS_INLINE void
lp_unpack_four(const struct lp_unpacker *u, size_t *pos, const uint64_t *mask, uint64_t *word)
{
	const unsigned int one = lp_popcount64(mask[0]);
	const unsigned int two = one + lp_popcount64(mask[1]);
	const unsigned int three = two + lp_popcount64(mask[2]);
	const unsigned int four = three + lp_popcount64(mask[3]);

	if (__builtin_expect(four > 57, 0)) {
		for (unsigned int k = 0; k < 4; k++)
			word[k] = lp_unpack_word(u, pos, mask[k]);
		return;
	}
	const uint64_t bits = lp_unpack_few_bits(lp_unpack_bytes(u, *pos / 8), *pos);

	word[0] = _pdep_u64(bits, mask[0]);
	word[1] = _pdep_u64(bits >> one, mask[1]);
	word[2] = _pdep_u64(bits >> two, mask[2]);
	word[3] = _pdep_u64(bits >> three, mask[3]);
	*pos += four;
}

/** Unpack dense bits of n elements; false if padding bits are set. */
static LP_ALWAYS_INLINE bool
lp_unpack_dense(const uint8_t *src, size_t n, uint64_t *plane)
{
	const size_t last = (n - 1) / 64;

	plane[last] = 0;
	memcpy(plane, src, (n + 7) / 8);
	return (plane[last] & ~lp_grouped_valid(n, last)) == 0;
}

#endif /* LP_GROUPED_UNPACK_H */
