/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Derived tables of an area code. */

#include "area.h"

#define NO_CUT 127 /* no signed byte is above it */

/* Give each area its ranks; false if they are too few for all, or too many. */
static bool
divide_ranks(struct lp_area *a, struct lp_error *error)
{
	unsigned int next = 0;

	for (unsigned int k = 0; k < a->areas; k++) {
		const unsigned int size = 1u << a->suffix_bits[k];
		const unsigned int count = 256 - next < size ? 256 - next : size;

		if (count == 0)
			return lp_error_set(error, 0,
					"the first %u of %u areas hold all 256 symbols: the others none",
					k, a->areas);
		if (count < size && k + 1u < a->areas)
			return lp_error_set(error, 0,
					"the first %u of %u areas hold %u symbols: must be below 256",
					k + 1, a->areas, next + size);
		a->first[k] = (uint8_t)next;
		a->limit[k] = (uint8_t)(count - 1);
		a->mask[k] = (uint8_t)(size - 1);
		a->full = count == size;
		next += count;
	}
	if (next < 256)
		return lp_error_set(
				error, 0, "all areas hold %u symbols: must be at least 256", next);
	return true;
}

static void
derive_symbols(struct lp_area *a)
{
	a->in_turn = true;
	for (unsigned int k = 0; k < a->areas; k++) {
		for (unsigned int i = 0; i <= a->limit[k]; i++) {
			const unsigned int rank = a->first[k] + i;
			const uint8_t s = a->symbol[rank];

			a->rank[s] = (uint8_t)rank;
			a->rank_area[rank] = (uint8_t)k;
			a->code_len[s] = (uint8_t)(a->prefix_bits + a->suffix_bits[k]);
			a->code_len[256 + s] = a->code_len[s];
			a->in_turn &= s == (uint8_t)(a->symbol[0] + rank);
		}
	}
}

static void
derive_cuts(struct lp_area *a)
{
	uint8_t used[16] = { 0 };

	memset(a->cut, NO_CUT, sizeof(a->cut));
	for (unsigned int k = 0; k < a->areas; k++) {
		const unsigned int block = (a->first[k] ^ 0x80) >> 4;

		if (a->first[k] % 16 == 0)
			continue;
		a->cut[used[block]++][block] = (int8_t)(a->first[k] - 1 - 128);
		if (used[block] > a->cuts)
			a->cuts = used[block];
	}
	for (unsigned int block = 0; block < 16; block++)
		a->block_area[block] = a->rank_area[(block << 4) ^ 0x80];
}

bool
lp_area_derive(struct lp_area *a, struct lp_error *error)
{
	if (a->ranks < 256)
		return lp_error_set(
				error, 0, "'ranks' lists %u symbols: must be all 256", a->ranks);
	a->prefix_bits = (uint8_t)__builtin_ctz(a->areas);
	if (!divide_ranks(a, error))
		return false;
	derive_symbols(a);
	derive_cuts(a);
	return true;
}
