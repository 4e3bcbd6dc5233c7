/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "bytes.h"
#include "siphash.h"

uint64_t
lp_siphash(const struct lp_key *key, const uint8_t *data, size_t len, unsigned int c_rounds,
		unsigned int d_rounds)
{
	struct siphash s;
	size_t i;

	siphash_begin(&s, key);
	for (i = 0; i + 8 <= len; i += 8)
		siphash_put(&s, load_le64(data + i), 8, c_rounds);
	for (; i < len; i++)
		siphash_put(&s, data[i], 1, c_rounds);
	return siphash_end(&s, c_rounds, d_rounds);
}

uint64_t
lp_siphash13(const struct lp_key *key, const uint8_t *data, size_t len)
{
	return lp_siphash(key, data, len, 1, 3);
}
