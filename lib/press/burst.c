/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Bursts to compress: with rules, frames are first matched together. */

#include <rte_prefetch.h>

#include "press.h"
#include "rules.h"

static inline void
prefetch_next(struct rte_mbuf **pkts, uint16_t nb_pkts, uint16_t k)
{
	if (k + 1 < nb_pkts)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[k + 1], const void *));
}

static struct rte_mbuf *
compress_one(struct lp_press *press, struct rte_mbuf *mbuf)
{
	struct lp_work work;
	const enum lp_ineligible reason = lp_compress_receive(press, &work, mbuf);

	if (reason != LP_ELIGIBLE)
		return lp_pass(&press->stats[LP_DIR_COMPRESS], mbuf, reason);
	return lp_compress_parsed(press, &work, 0);
}

/* Frames are coded in their order, so that mbufs run out where they would one by one. */
static void
compress_batch(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	struct lp_work work[RULES_BATCH];
	enum lp_ineligible reason[RULES_BATCH];
	const struct lp_work *asked[RULES_BATCH];
	uint32_t answer[RULES_BATCH];
	unsigned int questions = 0, next = 0;

	for (uint16_t k = 0; k < nb_pkts; k++) {
		prefetch_next(pkts, nb_pkts, k);
		reason[k] = lp_compress_receive(press, &work[k], pkts[k]);
		if (reason[k] == LP_ELIGIBLE && lp_compress_refusal(press, &work[k]) == 0)
			asked[questions++] = &work[k];
	}
	rules_match(press->conf.rules, press->conf.port, asked, questions, answer);
	for (uint16_t k = 0; k < nb_pkts; k++) {
		const bool is_asked = next < questions && asked[next] == &work[k];
		const uint32_t rule = is_asked ? answer[next++] : 0;

		pkts[k] = reason[k] == LP_ELIGIBLE
				? lp_compress_parsed(press, &work[k], rule)
				: lp_pass(&press->stats[LP_DIR_COMPRESS], pkts[k], reason[k]);
	}
}

void
lp_compress_frames(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	lp_compress_look_at_gate(press);
	if (press->conf.rules != NULL) {
		for (uint32_t k = 0; k < nb_pkts; k += RULES_BATCH)
			compress_batch(press, pkts + k,
					(uint16_t)RTE_MIN(nb_pkts - k, (uint32_t)RULES_BATCH));
		return;
	}
	for (uint16_t k = 0; k < nb_pkts; k++) {
		prefetch_next(pkts, nb_pkts, k);
		pkts[k] = compress_one(press, pkts[k]);
	}
}
