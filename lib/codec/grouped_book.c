/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Derived tables of a grouped code. */

#include <string.h>

#include "book.h"

/* Largest groups first, so that each starts at a multiple of its size. */
static void
place_groups(struct lp_grouped *g)
{
	unsigned int slot = 0;

	g->suffix_bits_min = LP_GROUP_SUFFIX_MAX;
	g->suffix_bits_max = 0;
	for (int bits = LP_GROUP_SUFFIX_MAX; bits >= 0; bits--) {
		for (unsigned int group = 0; group < g->groups; group++) {
			if (g->suffix_bits[group] != bits)
				continue;
			g->group_slot[group] = (uint8_t)slot;
			slot += 1u << bits;
			if (bits < g->suffix_bits_min)
				g->suffix_bits_min = (uint8_t)bits;
			if (bits > g->suffix_bits_max)
				g->suffix_bits_max = (uint8_t)bits;
		}
	}
	g->slot_bits = 0;
	while (slot > 1u << g->slot_bits)
		g->slot_bits++;
}

static void
fill_slot(struct lp_grouped *g, unsigned int rank, unsigned int group, unsigned int suffix)
{
	const uint8_t slot = (uint8_t)(g->group_slot[group] + suffix);
	const unsigned int last = g->groups - 1u;

	g->slot_levels[slot] = (uint8_t)((1u << group) - 1);
	g->slot_suffix[slot] = (uint8_t)suffix;
	g->slot_length[slot] = (uint8_t)((group < last ? group + 1 : last) + g->suffix_bits[group]);
	if (rank == g->ranks) {
		g->escape_slot = slot;
		g->slot_length[slot] += 8;
	} else {
		g->slot_delta[slot] = g->rank_delta[rank];
		if (rank == g->zero_rank)
			g->zero_slot = slot;
	}
}

/* Do all deltas lie within a window? Some window starts at one of them. */
static bool
within_window(const struct lp_grouped *g, unsigned int exponents)
{
	for (unsigned int first = 0; first < g->ranks; first++) {
		bool inside = first != g->zero_rank;

		for (unsigned int r = 0; r < g->ranks; r++)
			inside = inside &&
					(r == g->zero_rank ||
							((g->rank_delta[r] - g->rank_delta[first]) &
									(exponents - 1)) <
									LP_GROUPED_WINDOW);
		if (inside)
			return true;
	}
	return g->ranks == (g->zero_rank != LP_NO_SLOT);
}

bool
lp_grouped_derive(struct lp_grouped *g, unsigned int exponents, struct lp_error *error)
{
	const unsigned int deltas = g->ranks - (g->zero_rank != LP_NO_SLOT);
	unsigned int places = 0;

	for (unsigned int group = 0; group < g->groups; group++)
		places += 1u << g->suffix_bits[group];
	g->codes = (uint8_t)(g->ranks + (deltas < exponents));
	if (g->codes > LP_GROUPED_CODES_MAX)
		return lp_error_set(error, 0, "%u ranks%s: at most %d", g->codes,
				deltas < exponents ? " with the escape" : "", LP_GROUPED_CODES_MAX);
	if (places != g->codes)
		return lp_error_set(error, 0,
				"groups have %u places, but there are %u ranks%s: must be equal",
				places, g->codes, deltas < exponents ? " with the escape" : "");

	if (!within_window(g, exponents))
		return lp_error_set(
				error, 0, "ranks are more than %d apart", LP_GROUPED_WINDOW - 1);

	place_groups(g);
	g->zero_slot = LP_NO_SLOT;
	g->escape_slot = LP_NO_SLOT;
	for (unsigned int group = 0, rank = 0; group < g->groups; group++)
		for (unsigned int k = 0; k < 1u << g->suffix_bits[group]; k++, rank++)
			fill_slot(g, rank, group, k);

	memset(g->delta_slot, g->escape_slot, sizeof(g->delta_slot));
	for (unsigned int slot = 0; slot < g->codes; slot++) {
		if (slot == g->escape_slot || slot == g->zero_slot)
			continue;
		g->delta_slot[g->slot_delta[slot]] = (uint8_t)slot;
		g->delta_slot[g->slot_delta[slot] + exponents] = (uint8_t)slot;
	}
	return true;
}
