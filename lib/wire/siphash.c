/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <rte_byteorder.h>

#include "siphash.h"

static inline uint64_t
rotl(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static inline void
sip_rounds(uint64_t v[4], unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotl(v[1], 13) ^ v[0];
		v[3] = rotl(v[3], 16) ^ v[2];
		v[0] = rotl(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotl(v[1], 17) ^ v[2];
		v[3] = rotl(v[3], 21) ^ v[0];
		v[2] = rotl(v[2], 32);
	}
}

static inline void
sip_word(uint64_t v[4], uint64_t word, unsigned int rounds)
{
	v[3] ^= word;
	sip_rounds(v, rounds);
	v[0] ^= word;
}

uint64_t
lp_siphash(const struct lp_key *key, const uint8_t *data, size_t len, unsigned int c_rounds,
		unsigned int d_rounds)
{
	/* "somepseudorandomlygeneratedbytes", as the paper has it. */
	uint64_t v[4] = {
		key->k[0] ^ 0x736f6d6570736575,
		key->k[1] ^ 0x646f72616e646f6d,
		key->k[0] ^ 0x6c7967656e657261,
		key->k[1] ^ 0x7465646279746573,
	};
	uint64_t word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, data + i, 8);
		sip_word(v, rte_le_to_cpu_64(word), c_rounds);
	}
	word = 0;
	memcpy(&word, data + i, len - i);
	sip_word(v, rte_le_to_cpu_64(word) | (uint64_t)len << 56, c_rounds);

	v[2] ^= 0xff;
	sip_rounds(v, d_rounds);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t
lp_siphash13(const struct lp_key *key, const uint8_t *data, size_t len)
{
	return lp_siphash(key, data, len, 1, 3);
}
