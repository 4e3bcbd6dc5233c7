/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "linepress/gate.h"

/* Hash 0 is a hash like any other. */
#define FLOW_USED (UINT64_C(1) << 32)

bool
lp_gate_keeps_raw(const struct lp_gate *gate, uint32_t hash)
{
	for (unsigned int slot = 0; slot < LP_GATE_FLOWS; slot++)
		if (__atomic_load_n(&gate->flow[slot], __ATOMIC_RELAXED) == (FLOW_USED | hash))
			return true;
	return false;
}

void
lp_gate_set_books(struct lp_gate *gate, const struct lp_book_mask *mask)
{
	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		__atomic_store_n(&gate->books[k], mask->word[k], __ATOMIC_RELEASE);
}

void
lp_gate_set_end(struct lp_gate *gate, uint64_t end_tsc)
{
	__atomic_store_n(&gate->end_tsc, end_tsc, __ATOMIC_RELEASE);
}

void
lp_gate_set_max_frame(struct lp_gate *gate, uint32_t max_frame)
{
	__atomic_store_n(&gate->max_frame, max_frame, __ATOMIC_RELEASE);
}

void
lp_gate_set_groups(struct lp_gate *gate, uint32_t groups)
{
	__atomic_store_n(&gate->groups, groups, __ATOMIC_RELEASE);
}

static void
set_slot(struct lp_gate *gate, unsigned int slot, uint64_t entry)
{
	const int change = (entry != 0) - (gate->flow[slot] != 0);

	__atomic_store_n(&gate->flow[slot], entry, __ATOMIC_RELAXED);
	__atomic_store_n(&gate->nb_flows, gate->nb_flows + (uint32_t)change, __ATOMIC_RELEASE);
}

void
lp_gate_set_flow(struct lp_gate *gate, unsigned int slot, uint32_t hash)
{
	set_slot(gate, slot, FLOW_USED | hash);
}

void
lp_gate_clear_flow(struct lp_gate *gate, unsigned int slot)
{
	set_slot(gate, slot, 0);
}
