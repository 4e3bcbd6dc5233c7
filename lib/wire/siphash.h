/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_SIPHASH_H
#define LINEPRESS_WIRE_SIPHASH_H

/**
 * @file
 * SipHash-c-d. The number of rounds is a parameter so that the published vectors, which are
 * those of SipHash-2-4, test the code that computes tags.
 */

#include <stddef.h>
#include <stdint.h>

#include "linepress/wire.h"

/** A hash under way. */
struct siphash {
	uint64_t v[4];
	uint64_t word;	   /**< bytes that wait for more, the first one lowest */
	unsigned int bits; /**< how many bits of it, below 64 */
	size_t len;	   /**< bytes so far */
};

static inline uint64_t
siphash_rotl(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static inline void
siphash_rounds(uint64_t v[4], unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = siphash_rotl(v[1], 13) ^ v[0];
		v[3] = siphash_rotl(v[3], 16) ^ v[2];
		v[0] = siphash_rotl(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = siphash_rotl(v[1], 17) ^ v[2];
		v[3] = siphash_rotl(v[3], 21) ^ v[0];
		v[2] = siphash_rotl(v[2], 32);
	}
}

static inline void
siphash_word(struct siphash *s, uint64_t word, unsigned int c_rounds)
{
	s->v[3] ^= word;
	siphash_rounds(s->v, c_rounds);
	s->v[0] ^= word;
}

static inline void
siphash_begin(struct siphash *s, const struct lp_key *key)
{
	/* "somepseudorandomlygeneratedbytes", as the paper has it. */
	*s = (struct siphash){ 0 };
	s->v[0] = key->k[0] ^ 0x736f6d6570736575;
	s->v[1] = key->k[1] ^ 0x646f72616e646f6d;
	s->v[2] = key->k[0] ^ 0x6c7967656e657261;
	s->v[3] = key->k[1] ^ 0x7465646279746573;
}

/**
 * Append 1 to 8 bytes, given as a little-endian number: in registers, as a message put together
 * in memory is not there yet when it is hashed.
 */
static inline void
siphash_put(struct siphash *s, uint64_t value, unsigned int bytes, unsigned int c_rounds)
{
	const unsigned int bits = s->bits + 8 * bytes;

	s->word |= value << s->bits;
	if (bits >= 64) {
		siphash_word(s, s->word, c_rounds);
		s->word = value >> 1 >> (63 - s->bits);
	}
	s->bits = bits % 64;
	s->len += bytes;
}

static inline uint64_t
siphash_end(struct siphash *s, unsigned int c_rounds, unsigned int d_rounds)
{
	siphash_word(s, s->word | (uint64_t)s->len << 56, c_rounds);
	s->v[2] ^= 0xff;
	siphash_rounds(s->v, d_rounds);
	return s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3];
}

/** Of bytes in memory. */
uint64_t lp_siphash(const struct lp_key *key, const uint8_t *data, size_t len,
		unsigned int c_rounds, unsigned int d_rounds);

#endif /* LINEPRESS_WIRE_SIPHASH_H */
