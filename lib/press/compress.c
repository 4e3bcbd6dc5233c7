/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Host to line. */

#include <rte_ether.h>

#include "press.h"

/* Room in front of the body: headers and shim. */
static inline uint32_t
body_offset(const struct lp_work *work, uint8_t flags)
{
	return work->frame.region_off + (uint32_t)lp_shim_len(flags);
}

static struct rte_mbuf *
send_sealed(struct lp_press *press, struct lp_work *work, struct rte_mbuf *sealed)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];

	lp_count(&stats->tx_pkts, 1);
	lp_count(&stats->tx_bytes, sealed->pkt_len);
	rte_pktmbuf_free(work->mbuf);
	return sealed;
}

/* Wrap a frame that the far box might take for a coded one. */
static struct rte_mbuf *
escape(struct lp_press *press, struct lp_work *work, bool counted_region)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];
	const struct lp_frame *frame = &work->frame;
	struct lp_shim shim = {
		.type = LP_SHIM_STORED,
		.flags = lp_shim_flags(work->head, frame),
	};
	const uint32_t off = body_offset(work, shim.flags);
	const uint32_t room = work->mbuf->pkt_len + (uint32_t)lp_shim_len(shim.flags);
	const uint32_t ip_end = off + frame->region_len + frame->icrc_len - frame->l3_off;
	struct lp_output out;

	if (ip_end > UINT16_MAX || room > press->conf.max_frame ||
			room > LP_LINEAR_MAX - LP_SHIM_MAX || !lp_frame_sealable(work->head, frame))
		return lp_drop(stats, work->mbuf, LP_DROP_ESCAPE);
	if (!lp_output_init(&out, press, work->mbuf, room))
		return lp_drop(stats, work->mbuf, LP_DROP_NO_MBUF);

	const uint8_t *region = lp_work_bytes(
			work, frame->region_off, frame->region_len, press->region);

	if ((shim.flags & LP_SHIM_F_CHECK) != 0)
		shim.check = lp_region_check(region, frame->region_len, 0);
	memcpy(out.bytes, work->head, frame->region_off);
	memcpy(out.bytes + off, region, frame->region_len);

	const uint32_t len = lp_output_tail(&out, work, off + frame->region_len);

	lp_frame_seal(out.bytes, frame, &shim, &press->conf.key, 0, out.bytes + off,
			frame->region_len);

	struct rte_mbuf *sealed = lp_output_finish(&out, press, len);

	if (sealed == NULL)
		return lp_drop(stats, work->mbuf, LP_DROP_NO_MBUF);
	lp_count(&stats->stored_pkts, 1);
	if (counted_region)
		lp_count(&stats->region_line_bytes, off - frame->region_off + frame->region_len);
	return send_sealed(press, work, sealed);
}

/*
 * Forward an eligible frame as it is, unless it looks like a coded one. Whether its tag is right
 * does not matter: the far box may hold other books than we do.
 */
static struct rte_mbuf *
pass_eligible(struct lp_press *press, struct lp_work *work, enum lp_pass reason)
{
	const bool counted_region = work->frame.region_len >= press->conf.min_region &&
			work->frame.vlan_tags <= LP_VLAN_TAGS_CODED;
	struct lp_shim shim;

	if (counted_region)
		lp_count(&press->stats[LP_DIR_COMPRESS].uncoded_pkts, 1);
	if (lp_frame_open(work->head, &work->frame, &press->conf.key, press->conf.books->digest,
			    &shim) != LP_OPEN_RAW)
		return escape(press, work, counted_region);
	if (counted_region)
		lp_count(&press->stats[LP_DIR_COMPRESS].region_line_bytes, work->frame.region_len);
	return lp_pass(&press->stats[LP_DIR_COMPRESS], work->mbuf, reason);
}

/* Would the far box take a frame that is coded up to `end` for one that was padded? */
static bool
is_padded(const struct lp_work *work, uint32_t end)
{
	return RTE_ETHER_HDR_LEN + end - work->frame.l3_off + work->frame.icrc_len <=
			LP_FRAME_PADDED;
}

/* Longest body that saves enough, in bytes; 0 if none can. */
static uint32_t
body_limit(const struct lp_press *press, const struct lp_work *work, uint8_t flags)
{
	const uint32_t overhead = (uint32_t)lp_shim_len(flags) + press->conf.min_saving;

	return work->frame.region_len > overhead ? work->frame.region_len - overhead : 0;
}

static void
count_coded(struct lp_press *press, const struct lp_work *work, const struct lp_shim *shim,
		uint32_t line_bytes)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];
	struct lp_book_stats *book = &stats->book[shim->book_id];

	lp_count(&stats->coded_pkts, 1);
	lp_count(&stats->ratio_pkts[line_bytes * LP_RATIO_CLASSES / work->frame.region_len], 1);
	lp_count(&stats->region_line_bytes, line_bytes);
	lp_count(&book->pkts, 1);
	lp_count(&book->region_bytes, work->frame.region_len);
	lp_count(&book->line_bytes, line_bytes);
}

static struct rte_mbuf *
code(struct lp_press *press, struct lp_work *work)
{
	const struct lp_bookset *books = press->conf.books;
	const struct lp_frame *frame = &work->frame;
	struct lp_shim shim = {
		.type = LP_SHIM_CODED,
		.flags = lp_shim_flags(work->head, frame),
	};
	const uint8_t *region = lp_work_bytes(
			work, frame->region_off, frame->region_len, press->region);
	const uint32_t limit = body_limit(press, work, shim.flags);
	const uint32_t off = body_offset(work, shim.flags);
	struct lp_params params;
	struct lp_output out;
	size_t estimate;

	shim.book_id = lp_bookset_choose(
			books, region, frame->region_len, limit, &params, &estimate);
	if (shim.book_id == 0)
		return pass_eligible(press, work, LP_PASS_NO_GAIN);
	if (!lp_output_init(&out, press, work->mbuf, work->mbuf->pkt_len))
		return pass_eligible(press, work, LP_PASS_NO_MBUF);

	const struct lp_codebook *cb = books->book[shim.book_id];
	const int body_len = lp_encode(
			cb, &params, region, frame->region_len, out.bytes + off, limit);

	if (body_len <= 0 || is_padded(work, off + (uint32_t)body_len)) {
		rte_pktmbuf_free(out.mbuf);
		return pass_eligible(press, work, LP_PASS_NO_GAIN);
	}
	shim.phase = params.phase;
	shim.element_log2 = (uint8_t)lp_codebook_element_log2(cb);
	if ((shim.flags & LP_SHIM_F_CHECK) != 0)
		shim.check = lp_region_check(
				region, frame->region_len, books->digest[shim.book_id]);
	memcpy(out.bytes, work->head, frame->region_off);

	const uint32_t len = lp_output_tail(&out, work, off + (uint32_t)body_len);

	lp_frame_seal(out.bytes, frame, &shim, &press->conf.key, books->digest[shim.book_id],
			out.bytes + off, (size_t)body_len);

	struct rte_mbuf *sealed = lp_output_finish(&out, press, len);

	if (sealed == NULL)
		return pass_eligible(press, work, LP_PASS_NO_MBUF);
	count_coded(press, work, &shim, off - frame->region_off + (uint32_t)body_len);
	return send_sealed(press, work, sealed);
}

struct rte_mbuf *
lp_compress_one(struct lp_press *press, struct rte_mbuf *mbuf)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];
	struct lp_work work;

	lp_count(&stats->rx_pkts, 1);
	lp_count(&stats->rx_bytes, mbuf->pkt_len);

	const enum lp_ineligible reason = lp_work_init(&work, mbuf);

	if (reason != LP_ELIGIBLE)
		return lp_pass(stats, mbuf, reason);
	if (work.frame.vlan_tags > LP_VLAN_TAGS_CODED)
		return pass_eligible(press, &work, (enum lp_pass)LP_INELIGIBLE_VLAN_DEPTH);
	if (work.frame.region_len < press->conf.min_region)
		return pass_eligible(press, &work, LP_PASS_SHORT_REGION);
	lp_count(&stats->eligible_pkts, 1);
	lp_count(&stats->region_bytes, work.frame.region_len);
	if (!lp_frame_sealable(work.head, &work.frame))
		return pass_eligible(press, &work, LP_PASS_IP_CHECKSUM_FFFF);
	return code(press, &work);
}
