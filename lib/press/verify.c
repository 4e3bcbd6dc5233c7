/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Compress and restore a copy, and compare. */

#include "press.h"

static bool
frames_equal(const struct rte_mbuf *a, const struct rte_mbuf *b)
{
	uint32_t off_a = 0, off_b = 0;

	if (a->pkt_len != b->pkt_len)
		return false;
	while (a != NULL && b != NULL) {
		const uint32_t part = RTE_MIN(a->data_len - off_a, b->data_len - off_b);

		if (memcmp(rte_pktmbuf_mtod_offset(a, const void *, off_a),
				    rte_pktmbuf_mtod_offset(b, const void *, off_b), part) != 0)
			return false;
		off_a += part;
		off_b += part;
		if (off_a == a->data_len) {
			a = a->next;
			off_a = 0;
		}
		if (off_b == b->data_len) {
			b = b->next;
			off_b = 0;
		}
	}
	return true;
}

/* Is the frame damaged? A frame dropped for want of an mbuf or of room is not. */
static bool
is_wrong(struct lp_press *press, const struct rte_mbuf *original, struct rte_mbuf *copy)
{
	const uint64_t *no_mbuf = &press->stats[LP_DIR_RESTORE].dropped[LP_DROP_NO_MBUF];
	const uint64_t no_mbuf_before = *no_mbuf;
	struct rte_mbuf *frame = copy;

	lp_compress_frames(press, &frame, 1);
	if (frame == NULL)
		return false;
	lp_restore_batch(press, &frame, 1);
	if (frame == NULL)
		return *no_mbuf == no_mbuf_before;

	const bool equal = frames_equal(frame, original);

	rte_pktmbuf_free(frame);
	return !equal;
}

uint16_t
lp_press_verify(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];
	uint16_t wrong = 0;

	for (uint16_t k = 0; k < nb_pkts; k++) {
		struct rte_mbuf *copy = rte_pktmbuf_copy(pkts[k], press->conf.pool, 0, UINT32_MAX);

		if (copy != NULL) {
			wrong += is_wrong(press, pkts[k], copy);
			continue;
		}
		lp_count(&stats->rx_pkts, 1);
		lp_count(&stats->rx_bytes, pkts[k]->pkt_len);
		lp_pass(stats, pkts[k], LP_PASS_NO_MBUF);
	}
	return wrong;
}
