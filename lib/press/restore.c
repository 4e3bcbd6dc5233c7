/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Line to host. */

#include "press.h"

/* Put the original region behind the headers; false with a reason to drop if that fails. */
static bool
restore_region(struct lp_press *press, const struct lp_work *work, const struct lp_shim *shim,
		uint8_t *region, enum lp_drop *reason)
{
	const struct lp_bookset *books = press->conf.books;
	const uint32_t shim_len = (uint32_t)lp_shim_len(shim->flags);
	const uint32_t body_len = work->frame.region_len - shim_len;
	const uint8_t *body = lp_work_bytes(
			work, work->frame.region_off + shim_len, body_len, press->region);
	uint64_t digest = 0;

	*reason = LP_DROP_DECODE;
	if (shim->type == LP_SHIM_STORED) {
		memcpy(region, body, body_len);
	} else {
		const struct lp_codebook *cb = books->book[shim->book_id];

		digest = books->digest[shim->book_id];
		if (shim->element_log2 != lp_codebook_element_log2(cb) ||
				lp_decode(cb, shim->phase, body, body_len, region, shim->orig_len) <
						0)
			return false;
	}
	*reason = LP_DROP_CHECK;
	return (shim->flags & LP_SHIM_F_CHECK) == 0 ||
			lp_region_check(region, shim->orig_len, digest) == shim->check;
}

static void
count_restored(struct lp_press *press, const struct lp_work *work, const struct lp_shim *shim,
		const struct rte_mbuf *restored)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_RESTORE];
	struct lp_book_stats *book = &stats->book[shim->book_id];

	stats->tx_pkts++;
	stats->tx_bytes += restored->pkt_len;
	if (shim->type == LP_SHIM_STORED) {
		stats->stored_pkts++;
		return;
	}
	stats->coded_pkts++;
	book->pkts++;
	book->region_bytes += shim->orig_len;
	book->line_bytes += work->frame.region_len;
}

static struct rte_mbuf *
restore(struct lp_press *press, struct lp_work *work, const struct lp_shim *shim)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_RESTORE];
	const struct lp_frame *frame = &work->frame;
	const uint32_t room = work->mbuf->pkt_len - frame->region_len + shim->orig_len;
	struct lp_output out;
	enum lp_drop reason;

	if (room > LP_LINEAR_MAX || room > press->conf.max_frame)
		return lp_drop(stats, work->mbuf, LP_DROP_LENGTH);
	if (!lp_output_init(&out, press, work->mbuf, room))
		return lp_drop(stats, work->mbuf, LP_DROP_NO_MBUF);
	memcpy(out.bytes, work->head, frame->region_off);
	if (lp_frame_unseal(out.bytes, frame, shim) < 0) {
		rte_pktmbuf_free(out.mbuf);
		return lp_drop(stats, work->mbuf, LP_DROP_LENGTH);
	}
	if (!restore_region(press, work, shim, out.bytes + frame->region_off, &reason)) {
		rte_pktmbuf_free(out.mbuf);
		return lp_drop(stats, work->mbuf, reason);
	}

	const uint32_t len = lp_output_tail(
			&out, work, frame->region_off + (uint32_t)shim->orig_len);
	struct rte_mbuf *restored = lp_output_finish(&out, press, len);

	if (restored == NULL)
		return lp_drop(stats, work->mbuf, LP_DROP_NO_MBUF);
	count_restored(press, work, shim, restored);
	rte_pktmbuf_free(work->mbuf);
	return restored;
}

struct rte_mbuf *
lp_restore_one(struct lp_press *press, struct rte_mbuf *mbuf)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_RESTORE];
	struct lp_work work;
	struct lp_shim shim;

	stats->rx_pkts++;
	stats->rx_bytes += mbuf->pkt_len;

	const enum lp_ineligible reason = lp_work_init(&work, mbuf);

	if (reason != LP_ELIGIBLE)
		return lp_pass(stats, mbuf, reason);
	switch (lp_frame_open(work.head, &work.frame, &press->conf.key, press->conf.books->digest,
			&shim)) {
	case LP_OPEN_SEALED:
		return restore(press, &work, &shim);
	case LP_OPEN_UNKNOWN_BOOK:
		return lp_pass(stats, mbuf, LP_PASS_UNKNOWN_BOOK);
	case LP_OPEN_BAD_TAG:
		return lp_pass(stats, mbuf, LP_PASS_BAD_TAG);
	default:
		return lp_pass(stats, mbuf, LP_PASS_NOT_CODED);
	}
}
