/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Guard against black holes: frames that take another path than hellos, past the far box, or that
 * something on the line eats because they are coded.
 *
 * A hello of the peer echoes one of ours. On a line that keeps the order of frames, all that we had
 * coded when we sent that one has arrived when the peer sends its own. So if its counter of a group
 * of flows stands still while ours has moved on, none of those has. Each window must have coded
 * frames of its own, so a line that was down for a moment is no black hole.
 */

#include <rte_common.h>

#include "peer.h"

static void
begin_window(struct lp_guard *guard, uint32_t coded, uint32_t arrived)
{
	guard->coded = coded;
	guard->arrived = arrived;
}

void
lp_guard_start(struct lp_peer *peer)
{
	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++) {
		begin_window(&peer->guard[g], peer->counts.coded_of[g], peer->last.arrived[g]);
		peer->guard[g].strikes = 0;
	}
}

static void
hold(struct lp_guard *guard, uint64_t now_ms)
{
	guard->hold_end_ms = now_ms +
			((uint64_t)LP_PEER_HOLD_MS << RTE_MIN(
					 guard->holes, (unsigned int)LP_PEER_HOLD_DOUBLED));
	guard->holes++;
	guard->strikes = 0;
}

static void
look(struct lp_guard *guard, uint32_t coded, uint32_t arrived, uint32_t lost_min, uint64_t now_ms)
{
	const uint32_t out = coded - guard->coded;

	if ((int32_t)out <= 0)
		return;
	if (arrived != guard->arrived) {
		guard->strikes = 0;
		guard->holes = 0;
	} else if (out < lost_min) {
		return; /* a few lost frames prove nothing yet: the window goes on */
	} else if (++guard->strikes == 2) {
		hold(guard, now_ms);
	}
	begin_window(guard, coded, arrived);
}

void
lp_guard_hello(struct lp_peer *peer, uint64_t now_ms)
{
	const struct lp_sent *sent = lp_peer_sent(peer, peer->last.echo_seq);
	const uint32_t lost_min = lp_peer_is_lossy(peer, now_ms) ? LP_PEER_LOSSY_MIN
								 : LP_PEER_LOST_MIN;

	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++)
		if (peer->guard[g].hold_end_ms == 0)
			look(&peer->guard[g], sent->coded_of[g], peer->last.arrived[g], lost_min,
					now_ms);
}

uint32_t
lp_guard_holds(struct lp_peer *peer, uint64_t now_ms)
{
	uint32_t groups = 0;

	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++) {
		struct lp_guard *guard = &peer->guard[g];

		if (guard->hold_end_ms == 0)
			continue;
		if (now_ms < guard->hold_end_ms) {
			groups |= UINT32_C(1) << g;
			continue;
		}
		guard->hold_end_ms = 0;
		begin_window(guard, peer->counts.coded_of[g], peer->last.arrived[g]);
	}
	return groups;
}
