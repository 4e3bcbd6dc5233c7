/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Guard against black holes: frames that take another path than hellos, past the far box, or that
 * something on the line eats.
 *
 * A hello of the peer echoes one of ours. On a line that keeps the order of frames, all that we had
 * coded when we sent that one has arrived when the peer sends its own. Its counters include some
 * that came later; they are credit for the next window, but never more than was coded since. Each
 * window must miss frames of its own, so a line that was down for a moment is no black hole.
 */

#include <rte_common.h>

#include "peer.h"

static uint64_t
arrived(const struct lp_peer *peer)
{
	return peer->last.decoded + peer->last.failed;
}

void
lp_guard_start(struct lp_peer *peer)
{
	peer->guard.coded = peer->counts.coded;
	peer->guard.arrived = arrived(peer);
	peer->guard.strikes = 0;
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

void
lp_guard_hello(struct lp_peer *peer, uint64_t now_ms)
{
	struct lp_guard *guard = &peer->guard;
	const uint64_t coded = lp_peer_sent(peer, peer->last.echo_seq)->coded;
	uint64_t out, in, missing, credit;

	if (coded <= guard->coded)
		return;
	out = coded - guard->coded;
	in = arrived(peer) > guard->arrived ? arrived(peer) - guard->arrived : 0;
	missing = out > in ? out - in : 0;
	if (missing >= LP_PEER_LOST_MIN && missing > out / LP_PEER_LOST_PART) {
		if (++guard->strikes == 2)
			hold(guard, now_ms);
	} else if (missing > 0 && out < LP_PEER_GUARD_WINDOW) {
		/* A few lost frames in a short window prove nothing yet: it goes on. */
		return;
	} else {
		guard->strikes = 0;
		if (out >= LP_PEER_GUARD_WINDOW)
			guard->holes = 0;
	}
	credit = RTE_MIN(in > out ? in - out : 0, peer->counts.coded - coded);
	guard->coded = coded;
	guard->arrived = arrived(peer) - credit;
}
