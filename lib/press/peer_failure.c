/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Frames that could not be restored. A fault of the codec hits the same bytes again when the host
 * sends them again, so their flow would hang for ever: the box that restores tells the other, which
 * sends the flow raw for a while. A book that fails with several flows is not used any more.
 */

#include <string.h>

#include "peer.h"

/* Our own list */

void
lp_peer_fail(struct lp_peer *peer, uint32_t flow, uint8_t book, uint64_t now_ms)
{
	struct lp_own_failures *own = &peer->own_failures;

	if (book == 0)
		return;
	for (unsigned int k = 0; k < own->count; k++)
		if (own->entry[k].flow == flow && own->entry[k].book == book)
			return;
	if (own->count == LP_HELLO_FAILURES) {
		own->count--;
		memmove(own->entry, own->entry + 1, own->count * sizeof(own->entry[0]));
		memmove(own->ms, own->ms + 1, own->count * sizeof(own->ms[0]));
	}
	own->entry[own->count] = (struct lp_hello_failure){ .flow = flow, .book = book };
	own->ms[own->count++] = now_ms;
	own->total++;
	peer->send_soon = true;
}

static void
expire_own(struct lp_own_failures *own, uint64_t now_ms)
{
	unsigned int old = 0;

	while (old < own->count && lp_peer_elapsed(now_ms, own->ms[old]) >= LP_PEER_FAILURE_MS)
		old++;
	own->count = (uint8_t)(own->count - old);
	memmove(own->entry, own->entry + old, own->count * sizeof(own->entry[0]));
	memmove(own->ms, own->ms + old, own->count * sizeof(own->ms[0]));
}

/* The peer's list */

static void
clear_slot(struct lp_peer *peer, unsigned int slot)
{
	peer->failures.raw_until_ms[slot] = 0;
	lp_gate_clear_flow(&peer->gate, slot);
}

/* The slot of the flow, else a free one, else the one that would be free first. */
static unsigned int
choose_slot(const struct lp_peer_failures *failures, uint32_t flow)
{
	unsigned int best = 0;

	for (unsigned int slot = 0; slot < LP_GATE_FLOWS; slot++) {
		if (failures->raw_until_ms[slot] != 0 && failures->raw_flow[slot] == flow)
			return slot;
		if (failures->raw_until_ms[slot] < failures->raw_until_ms[best])
			best = slot;
	}
	return best;
}

static void
keep_raw(struct lp_peer *peer, uint32_t flow, uint64_t now_ms)
{
	struct lp_peer_failures *failures = &peer->failures;
	const unsigned int slot = choose_slot(failures, flow);

	failures->raw_flow[slot] = flow;
	failures->raw_until_ms[slot] = now_ms + LP_PEER_FLOW_RAW_MS;
	lp_gate_set_flow(&peer->gate, slot, flow);
}

static void
blame_book(struct lp_peer_failures *failures, uint8_t id, uint64_t now_ms)
{
	if (lp_peer_elapsed(now_ms, failures->first_ms[id]) >= LP_PEER_BOOK_WINDOW_MS)
		failures->count[id] = 0;
	if (failures->count[id] == 0)
		failures->first_ms[id] = now_ms;
	if (failures->count[id] < LP_PEER_BOOK_FAILURES)
		failures->count[id]++;
	if (failures->count[id] == LP_PEER_BOOK_FAILURES)
		lp_book_mask_add(&failures->stopped, id);
}

void
lp_failures_take(struct lp_peer *peer, uint64_t now_ms)
{
	struct lp_peer_failures *failures = &peer->failures;
	const struct lp_hello *hello = &peer->last;
	/* Number of the failure before the first of the list. */
	uint32_t number = hello->failure_total - hello->nb_failures;

	if (!failures->known)
		failures->seen = number;
	failures->known = true;
	for (unsigned int k = 0; k < hello->nb_failures; k++) {
		number++;
		if (lp_peer_seq_reached(failures->seen, number))
			continue;
		keep_raw(peer, hello->failure[k].flow, now_ms);
		blame_book(failures, hello->failure[k].book, now_ms);
	}
	failures->seen = hello->failure_total;
}

void
lp_failures_reset(struct lp_peer *peer)
{
	for (unsigned int slot = 0; slot < LP_GATE_FLOWS; slot++)
		clear_slot(peer, slot);
	memset(&peer->failures, 0, sizeof(peer->failures));
}

void
lp_failures_forget_book(struct lp_peer *peer, unsigned int id)
{
	peer->failures.count[id] = 0;
	lp_book_mask_remove(&peer->failures.stopped, id);
}

void
lp_failures_expire(struct lp_peer *peer, uint64_t now_ms)
{
	struct lp_peer_failures *failures = &peer->failures;

	expire_own(&peer->own_failures, now_ms);
	for (unsigned int slot = 0; slot < LP_GATE_FLOWS; slot++)
		if (failures->raw_until_ms[slot] != 0 && failures->raw_until_ms[slot] <= now_ms)
			clear_slot(peer, slot);
}
