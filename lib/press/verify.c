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

uint16_t
lp_press_verify(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint16_t wrong = 0;

	for (uint16_t k = 0; k < nb_pkts; k++) {
		struct rte_mbuf *frame = rte_pktmbuf_copy(pkts[k], press->conf.pool, 0, UINT32_MAX);

		if (frame == NULL) {
			struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];

			stats->rx_pkts++;
			stats->rx_bytes += pkts[k]->pkt_len;
			lp_pass(stats, pkts[k], LP_PASS_NO_MBUF);
			continue;
		}
		frame = lp_compress_one(press, frame);
		if (frame != NULL)
			frame = lp_restore_one(press, frame);
		if (frame == NULL || !frames_equal(frame, pkts[k]))
			wrong++;
		rte_pktmbuf_free(frame);
	}
	return wrong;
}
