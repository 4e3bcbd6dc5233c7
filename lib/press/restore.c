/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Line to host. */

#include <rte_prefetch.h>

#include "press.h"

/* A coded frame and its original. */
struct restoring {
	struct lp_work work;
	struct lp_shim shim;
	struct lp_output out;
	struct rte_mbuf **place; /* in the burst */
};

/*
 * Frames are decoded together, since Huffman bodies are decoded faster side by side. Whatever
 * becomes of them must not depend on it: mbufs may only run out where they would for one frame
 * after the other.
 */
struct batch {
	struct lp_press *press;
	struct restoring frame[LP_RESTORE_BATCH];
	unsigned int waiting; /* to be decoded */
	struct restoring *owner[LP_RESTORE_BATCH];
	struct lp_decode_job job[LP_RESTORE_BATCH];
};

/* Drop a frame that cannot be restored, and would not be the next time. Let the peer know. */
static struct rte_mbuf *
drop_unrestorable(struct lp_press *press, struct restoring *r, enum lp_drop reason)
{
	if (r->shim.type == LP_SHIM_CODED)
		lp_failure_add(press, r->work.mbuf, r->shim.book_id);
	return lp_drop(&press->stats[LP_DIR_RESTORE], r->work.mbuf, reason);
}

/* As drop_unrestorable(), after lp_output_init(). */
static struct rte_mbuf *
drop_failed(struct lp_press *press, struct restoring *r, enum lp_drop reason)
{
	rte_pktmbuf_free(r->out.mbuf);
	return drop_unrestorable(press, r, reason);
}

static void
count_restored(struct lp_press *press, const struct lp_work *work, const struct lp_shim *shim,
		const struct rte_mbuf *restored)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_RESTORE];
	struct lp_book_stats *book = &stats->book[shim->book_id];

	lp_count(&stats->tx_pkts, 1);
	lp_count(&stats->tx_bytes, restored->pkt_len);
	if (shim->type == LP_SHIM_STORED) {
		lp_count(&stats->stored_pkts, 1);
		return;
	}
	lp_count(&stats->coded_pkts, 1);
	lp_count(&book->pkts, 1);
	lp_count(&book->region_bytes, shim->orig_len);
	lp_count(&book->line_bytes, work->frame.region_len);
}

/* The region is back, now the rest. */
static struct rte_mbuf *
finish(struct lp_press *press, struct restoring *r)
{
	const struct lp_bookset *books = press->conf.books;
	const struct lp_frame *frame = &r->work.frame;
	const struct lp_shim *shim = &r->shim;
	const uint64_t digest = shim->type == LP_SHIM_STORED ? 0 : books->digest[shim->book_id];

	if ((shim->flags & LP_SHIM_F_CHECK) != 0 &&
			lp_region_check(r->out.bytes + frame->region_off, shim->orig_len, digest) !=
					shim->check)
		return drop_failed(press, r, LP_DROP_CHECK);

	const uint32_t len = lp_output_tail(
			&r->out, &r->work, frame->region_off + (uint32_t)shim->orig_len);
	struct rte_mbuf *restored = lp_output_finish(&r->out, press, len);

	if (restored == NULL)
		return lp_drop(&press->stats[LP_DIR_RESTORE], r->work.mbuf, LP_DROP_NO_MBUF);
	count_restored(press, &r->work, shim, restored);
	rte_pktmbuf_free(r->work.mbuf);
	return restored;
}

static void
decode_waiting(struct batch *b)
{
	lp_decode_burst(b->job, b->waiting);
	for (unsigned int i = 0; i < b->waiting; i++) {
		struct restoring *r = b->owner[i];

		*r->place = b->job[i].result < 0 ? drop_failed(b->press, r, LP_DROP_DECODE)
						 : finish(b->press, r);
	}
	b->waiting = 0;
}

/* Frames that wait hold mbufs, of which they may give back more than they need. */
static bool
output_init(struct batch *b, struct restoring *r, uint32_t room)
{
	if (lp_output_init(&r->out, b->press, r->work.mbuf, room))
		return true;
	if (b->waiting == 0)
		return false;
	decode_waiting(b);
	return lp_output_init(&r->out, b->press, r->work.mbuf, room);
}

/* Get the original region back, or let the body wait for others. */
static struct rte_mbuf *
restore_region(struct batch *b, struct restoring *r)
{
	struct lp_press *press = b->press;
	const struct lp_shim *shim = &r->shim;
	const struct lp_codebook *cb = press->conf.books->book[shim->book_id];
	const uint32_t shim_len = (uint32_t)lp_shim_len(shim->flags);
	const uint32_t body_len = r->work.frame.region_len - shim_len;
	const uint8_t *body = lp_work_bytes(
			&r->work, r->work.frame.region_off + shim_len, body_len, press->region);
	uint8_t *region = r->out.bytes + r->work.frame.region_off;

	if (shim->type == LP_SHIM_STORED) {
		decode_waiting(b);
		memcpy(region, body, body_len);
		return finish(press, r);
	}
	if (shim->element_log2 != lp_codebook_element_log2(cb))
		return drop_failed(press, r, LP_DROP_DECODE);
	b->owner[b->waiting] = r;
	b->job[b->waiting++] = (struct lp_decode_job){
		.cb = cb,
		.phase = shim->phase,
		.body = body,
		.body_len = body_len,
		.dst = region,
		.len = shim->orig_len,
	};
	/* There is one scratch of each, and the chain may take mbufs only after those before. */
	if (body == press->region || r->out.bytes == press->linear) {
		decode_waiting(b);
		return *r->place;
	}
	return NULL;
}

/* Returns the frame to send; NULL if it was dropped or waits. */
static struct rte_mbuf *
restore(struct batch *b, struct restoring *r)
{
	struct lp_press *press = b->press;
	const struct lp_frame *frame = &r->work.frame;
	const uint32_t room = r->work.mbuf->pkt_len - frame->region_len + r->shim.orig_len;

	if (room > LP_LINEAR_MAX || room > press->conf.max_frame)
		return drop_unrestorable(press, r, LP_DROP_LENGTH);
	if (!output_init(b, r, room))
		return lp_drop(&press->stats[LP_DIR_RESTORE], r->work.mbuf, LP_DROP_NO_MBUF);
	memcpy(r->out.bytes, r->work.head, frame->region_off);
	if (lp_frame_unseal(r->out.bytes, frame, &r->shim) < 0)
		return drop_failed(press, r, LP_DROP_LENGTH);
	return restore_region(b, r);
}

/* As restore(), for any frame. */
static struct rte_mbuf *
take(struct batch *b, struct restoring *r)
{
	struct lp_press_stats *stats = &b->press->stats[LP_DIR_RESTORE];
	const struct lp_press_conf *conf = &b->press->conf;
	struct rte_mbuf *mbuf = *r->place;

	lp_count(&stats->rx_pkts, 1);
	lp_count(&stats->rx_bytes, mbuf->pkt_len);

	const enum lp_ineligible reason = lp_work_init(&r->work, mbuf);

	if (reason != LP_ELIGIBLE)
		return lp_pass(stats, mbuf, reason);
	switch (lp_frame_open(
			r->work.head, &r->work.frame, &conf->key, conf->books->digest, &r->shim)) {
	case LP_OPEN_SEALED:
		if (r->shim.type == LP_SHIM_CODED)
			lp_count(&stats->group_pkts[lp_work_group(&r->work)], 1);
		return restore(b, r);
	case LP_OPEN_NO_CHECK:
		return lp_pass(stats, mbuf, LP_PASS_NO_CHECK);
	case LP_OPEN_UNKNOWN_BOOK:
		return lp_pass(stats, mbuf, LP_PASS_UNKNOWN_BOOK);
	case LP_OPEN_BAD_TAG:
		return lp_pass(stats, mbuf, LP_PASS_BAD_TAG);
	default:
		return lp_pass(stats, mbuf, LP_PASS_NOT_CODED);
	}
}

void
lp_restore_batch(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	struct batch batch;

	batch.press = press;
	batch.waiting = 0;
	for (uint16_t k = 0; k < nb_pkts; k++) {
		if (k + 1 < nb_pkts)
			rte_prefetch0(rte_pktmbuf_mtod(pkts[k + 1], const void *));
		batch.frame[k].place = &pkts[k];
		pkts[k] = take(&batch, &batch.frame[k]);
	}
	decode_waiting(&batch);
}
