/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Hellos that we do not understand. One may be a late one from before the peer was replaced; more
 * come from a second box. What its interval is cannot be read, but it is seen.
 */

#include <rte_common.h>

#include "peer.h"

void
lp_refused_take(struct lp_peer *peer, uint64_t now_ms)
{
	const uint64_t usual_ms = lp_peer_dead_after_ms(peer->conf.interval_ms);
	const uint64_t limit_ms = lp_peer_dead_after_ms(LP_HELLO_INTERVAL_MAX);
	const uint64_t gap_ms = lp_peer_elapsed(now_ms, peer->refused_ms);
	const uint64_t hold_ms = gap_ms <= usual_ms
			? usual_ms
			: RTE_MIN(LP_PEER_DEAD_INTERVALS * gap_ms, limit_ms);

	if (peer->refused_ms != 0 && gap_ms <= limit_ms)
		peer->refused_end_ms = RTE_MAX(peer->refused_end_ms, now_ms + hold_ms);
	peer->refused_ms = now_ms;
	peer->refused = true;
}
