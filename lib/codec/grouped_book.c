/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Derived tables of a grouped code. */

#include <string.h>

#include "book.h"

/* In order of the groups, if alignment does not leave too many gaps: kernels like that. */
static bool
place_in_order(struct lp_shape *shape)
{
	unsigned int slot = 0;

	for (unsigned int group = 0; group < shape->groups; group++) {
		const unsigned int size = 1u << shape->suffix_bits[group];

		slot = (slot + size - 1) & ~(size - 1);
		shape->slot[group] = (uint8_t)slot;
		slot += size;
	}
	return slot <= LP_GROUPED_CODES_MAX;
}

/* Largest groups first, so that each starts at a multiple of its size without gaps. */
static void
place_by_size(struct lp_shape *shape)
{
	unsigned int slot = 0;

	for (int bits = LP_GROUP_SUFFIX_MAX; bits >= 0; bits--) {
		for (unsigned int group = 0; group < shape->groups; group++) {
			if (shape->suffix_bits[group] != bits)
				continue;
			shape->slot[group] = (uint8_t)slot;
			slot += 1u << bits;
		}
	}
}

static void
measure_suffixes(struct lp_grouped *g)
{
	g->suffix_bits_min = LP_GROUP_SUFFIX_MAX;
	g->suffix_bits_max = 0;
	for (unsigned int group = 0; group < g->shape.groups; group++) {
		const uint8_t bits = g->shape.suffix_bits[group];

		if (bits < g->suffix_bits_min)
			g->suffix_bits_min = bits;
		if (bits > g->suffix_bits_max)
			g->suffix_bits_max = bits;
	}
}

static void
fill_slot(struct lp_grouped *g, unsigned int rank, unsigned int group, unsigned int suffix)
{
	const uint8_t slot = (uint8_t)(g->shape.slot[group] + suffix);
	const unsigned int last = g->shape.groups - 1u;

	g->rank_slot[rank] = slot;
	if (slot >> g->slot_bits != 0)
		g->slot_bits = (uint8_t)(32 - __builtin_clz(slot));
	g->slot_levels[slot] = (uint8_t)((1u << group) - 1);
	g->slot_suffix[slot] = (uint8_t)suffix;
	g->slot_length[slot] = (uint8_t)((group < last ? group + 1 : last) +
			g->shape.suffix_bits[group]);
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
within_window(struct lp_grouped *g, unsigned int exponents)
{
	for (unsigned int first = 0; first < g->ranks; first++) {
		bool inside = first != g->zero_rank;

		for (unsigned int r = 0; r < g->ranks; r++)
			inside = inside &&
					(r == g->zero_rank ||
							((g->rank_delta[r] - g->rank_delta[first]) &
									(exponents - 1)) <
									LP_GROUPED_WINDOW);
		if (inside) {
			g->window = g->rank_delta[first];
			return true;
		}
	}
	return g->ranks == (g->zero_rank != LP_NO_SLOT);
}

bool
lp_grouped_derive(struct lp_grouped *g, unsigned int exponents, struct lp_error *error)
{
	const unsigned int deltas = g->ranks - (g->zero_rank != LP_NO_SLOT);
	unsigned int places = 0;

	for (unsigned int group = 0; group < g->shape.groups; group++)
		places += 1u << g->shape.suffix_bits[group];
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

	if (!place_in_order(&g->shape))
		place_by_size(&g->shape);
	measure_suffixes(g);
	g->zero_slot = LP_NO_SLOT;
	g->escape_slot = LP_NO_SLOT;
	for (unsigned int group = 0, rank = 0; group < g->shape.groups; group++)
		for (unsigned int k = 0; k < 1u << g->shape.suffix_bits[group]; k++, rank++)
			fill_slot(g, rank, group, k);

	memset(g->delta_slot, g->escape_slot, sizeof(g->delta_slot));
	for (unsigned int rank = 0; rank < g->ranks; rank++) {
		const uint8_t slot = g->rank_slot[rank];

		if (slot == g->zero_slot)
			continue;
		g->delta_slot[g->slot_delta[slot]] = slot;
		g->delta_slot[g->slot_delta[slot] + exponents] = slot;
	}
	for (unsigned int slot = 0; slot < LP_GROUPED_CODES_MAX; slot++)
		if (g->slot_length[slot] > g->longest)
			g->longest = g->slot_length[slot];
	for (unsigned int k = 0; k < LP_GROUPED_WINDOW; k++) {
		const uint8_t slot = g->delta_slot[(g->window + k) & (exponents - 1)];

		g->window_saving[k] = g->longest - g->slot_length[slot];
		g->window_pattern[k] = lp_grouped_pattern(g, slot);
	}
	return true;
}
