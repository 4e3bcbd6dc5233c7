/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <rte_ether.h>

#include "stages.h"

/* Frames that are not coded are searched for what looks like a shim, as lp_press_compress() does.
 */
static void
parse(const struct stages *s, struct stage_frame *f)
{
	f->coded = false;
	f->eligible = lp_work_init(&f->work, f->host) == LP_ELIGIBLE;
	if (!f->eligible)
		return;
	f->eligible = f->work.frame.vlan_tags <= LP_VLAN_TAGS_CODED &&
			f->work.frame.region_len >= LP_PRESS_MIN_REGION &&
			lp_frame_sealable(f->work.head, &f->work.frame);
	if (!f->eligible)
		lp_frame_open(f->work.head, &f->work.frame, &s->key, s->books->digest, &f->shim);
}

static void
choose(const struct stages *s, struct stage_frame *f)
{
	const struct lp_frame *frame = &f->work.frame;
	size_t estimate;

	if (!f->eligible)
		return;
	f->shim = (struct lp_shim){
		.type = LP_SHIM_CODED,
		.flags = lp_shim_flags(f->work.head, frame),
	};
	const uint32_t shim_len = (uint32_t)lp_shim_len(f->shim.flags);

	f->off = frame->region_off + shim_len;
	f->limit = frame->region_len - shim_len - LP_PRESS_MIN_SAVING;
	f->shim.book_id = lp_bookset_choose(s->books,
			rte_pktmbuf_mtod_offset(f->host, const uint8_t *, frame->region_off),
			frame->region_len, f->limit, &f->params, &estimate);
	f->coded = f->shim.book_id != 0;
}

/* A coded frame must not be so short that the far box takes it for a padded one. */
static void
encode(const struct stages *s, struct stage_frame *f)
{
	const struct lp_frame *frame = &f->work.frame;

	if (!f->coded)
		return;
	const int body_len = lp_encode(s->books->book[f->shim.book_id], &f->params,
			rte_pktmbuf_mtod_offset(f->host, const uint8_t *, frame->region_off),
			frame->region_len, rte_pktmbuf_mtod_offset(f->line, uint8_t *, f->off),
			f->limit);

	f->body_len = body_len > 0 ? (uint32_t)body_len : 0;
	f->coded = body_len > 0 &&
			RTE_ETHER_HDR_LEN + f->off + f->body_len - frame->l3_off + frame->icrc_len >
					LP_FRAME_PADDED;
}

static void
seal(const struct stages *s, struct stage_frame *f)
{
	const struct lp_frame *frame = &f->work.frame;
	const uint64_t digest = s->books->digest[f->shim.book_id];
	struct lp_output out = { .mbuf = f->line, .bytes = rte_pktmbuf_mtod(f->line, uint8_t *) };

	if (!f->coded)
		return;
	f->shim.phase = f->params.phase;
	f->shim.element_log2 = (uint8_t)lp_codebook_element_log2(s->books->book[f->shim.book_id]);
	if ((f->shim.flags & LP_SHIM_F_CHECK) != 0)
		f->shim.check = lp_region_check(rte_pktmbuf_mtod_offset(f->host, const uint8_t *,
								frame->region_off),
				frame->region_len, digest);
	memcpy(out.bytes, f->work.head, frame->region_off);
	const uint32_t len = lp_output_tail(&out, &f->work, f->off + f->body_len);

	lp_frame_seal(out.bytes, frame, &f->shim, &s->key, digest, out.bytes + f->off, f->body_len);
	f->line->data_len = (uint16_t)len;
	f->line->pkt_len = len;
}

/* The far box has no idea which frames are coded. A host's frame that looks so is none of ours. */
static void
open_frame(const struct stages *s, struct stage_frame *f)
{
	const bool sealed = lp_work_init(&f->work, f->coded ? f->line : f->host) == LP_ELIGIBLE &&
			lp_frame_open(f->work.head, &f->work.frame, &s->key, s->books->digest,
					&f->shim) == LP_OPEN_SEALED;

	f->coded = f->coded && sealed;
}

/* A burst at once. */
static void
decode(struct stages *s)
{
	struct lp_decode_job job[DATAPATH_BURST_MAX];
	unsigned int n = 0;

	for (uint16_t i = 0; i < s->count; i++) {
		const struct stage_frame *f = &s->frame[i];
		const struct lp_frame *frame = &f->work.frame;
		const uint32_t shim_len = (uint32_t)lp_shim_len(f->shim.flags);

		if (f->coded)
			job[n++] = (struct lp_decode_job){
				.cb = s->books->book[f->shim.book_id],
				.phase = f->shim.phase,
				.body = rte_pktmbuf_mtod_offset(f->line, const uint8_t *,
						frame->region_off + shim_len),
				.body_len = frame->region_len - shim_len,
				.dst = rte_pktmbuf_mtod_offset(
						f->back, uint8_t *, frame->region_off),
				.len = f->shim.orig_len,
			};
	}
	for (unsigned int done = 0; done < n; done += LP_RESTORE_BATCH)
		lp_decode_burst(job + done, RTE_MIN(n - done, (unsigned int)LP_RESTORE_BATCH));
	n = 0;
	for (uint16_t i = 0; i < s->count; i++)
		if (s->frame[i].coded)
			s->frame[i].coded = job[n++].result == 0;
}

static void
verify(const struct stages *s, struct stage_frame *f)
{
	const struct lp_frame *frame = &f->work.frame;
	struct lp_output out = { .mbuf = f->back, .bytes = rte_pktmbuf_mtod(f->back, uint8_t *) };

	if (!f->coded)
		return;
	memcpy(out.bytes, f->work.head, frame->region_off);
	f->coded = lp_frame_unseal(out.bytes, frame, &f->shim) == 0 &&
			((f->shim.flags & LP_SHIM_F_CHECK) == 0 ||
					lp_region_check(out.bytes + frame->region_off,
							f->shim.orig_len,
							s->books->digest[f->shim.book_id]) ==
							f->shim.check);
	const uint32_t len = lp_output_tail(
			&out, &f->work, frame->region_off + (uint32_t)f->shim.orig_len);

	f->back->data_len = (uint16_t)len;
	f->back->pkt_len = len;
}

typedef void stage_fn(const struct stages *s, struct stage_frame *f);

/* Inlined, so that a stage is one loop, as the packet path is. */
static inline __attribute__((always_inline)) void
time_stage(struct stages *s, struct timing *timing, stage_fn *stage)
{
	struct stopwatch watch;

	stopwatch_start(&watch);
	for (uint16_t i = 0; i < s->count; i++)
		stage(s, &s->frame[i]);
	stopwatch_stop(&watch, timing);
}

unsigned int
stages_run(struct stages *s, struct timing *timing)
{
	bool sent[DATAPATH_BURST_MAX];
	struct stopwatch watch;

	time_stage(s, &timing[STAGE_PARSE], parse);
	time_stage(s, &timing[STAGE_CHOOSE], choose);
	time_stage(s, &timing[STAGE_ENCODE], encode);
	time_stage(s, &timing[STAGE_SEAL], seal);
	for (uint16_t i = 0; i < s->count; i++)
		sent[i] = s->frame[i].coded;
	time_stage(s, &timing[STAGE_OPEN], open_frame);
	stopwatch_start(&watch);
	decode(s);
	stopwatch_stop(&watch, &timing[STAGE_DECODE]);
	time_stage(s, &timing[STAGE_VERIFY], verify);
	for (uint16_t i = 0; i < s->count; i++)
		if (sent[i] != s->frame[i].coded)
			return i + 1u;
	return 0;
}
