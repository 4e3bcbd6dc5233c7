/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdlib.h>

#include "boxes.h"
#include "datapath_run.h"
#include "mbuf_frame.h"
#include "message.h"

/* Room for a jumbo frame in one mbuf, as in the appliance. */
#define MBUF_SIZE 9728

struct run {
	const struct datapath_options *opt;
	const struct capture *cap;
	volatile sig_atomic_t *stop;
	struct boxes boxes;
	struct stages stages;
	struct timing (*timing)[STAGE_COUNT]; /* of each burst of the capture */
	size_t nb_bursts;
};

/* A burst under way. */
struct burst {
	const struct capture_frame *origin;
	struct rte_mbuf *pkt[DATAPATH_BURST_MAX];
	uint16_t count;
};

static int
fill(const struct run *run, struct burst *burst, uint16_t count)
{
	for (burst->count = 0; burst->count < count; burst->count++) {
		const struct capture_frame *frame = &burst->origin[burst->count];

		burst->pkt[burst->count] = mbuf_frame_fill(run->boxes.pool[BOXES_POOL_HOST],
				capture_data(run->cap, frame), frame->len);
		if (burst->pkt[burst->count] == NULL)
			return complain("the pool of mbufs is exhausted");
	}
	return 0;
}

static int
check_frame(const struct run *run, const struct capture_frame *frame, const struct rte_mbuf *pkt,
		const char *where)
{
	const uint8_t *sent = capture_data(run->cap, frame);
	const uint8_t *back = rte_pktmbuf_mtod(pkt, const uint8_t *);

	if (pkt->pkt_len == frame->len && memcmp(sent, back, frame->len) == 0)
		return 0;
	return complain("frame %" PRIu64 " of %" PRIu32 " bytes came back from the %s with other "
			"bytes or another length (%" PRIu32 ")",
			frame->number, frame->len, where, pkt->pkt_len);
}

/* One turn of the appliance's loop; the ring is port and port. */
static int
time_loop(struct run *run, struct burst *burst, enum stage loop, struct timing *timing)
{
	struct rte_ring *ring = run->boxes.link;
	struct stopwatch watch;

	if (rte_ring_enqueue_burst(ring, (void **)burst->pkt, burst->count, NULL) < burst->count)
		return complain("the ring took no burst of %u frames", burst->count);
	stopwatch_start(&watch);
	burst->count = (uint16_t)rte_ring_dequeue_burst(
			ring, (void **)burst->pkt, run->opt->burst, NULL);
	if (loop == STAGE_COMPRESS)
		burst->count = lp_press_compress(
				run->boxes.press[LP_DIR_COMPRESS], burst->pkt, burst->count);
	else if (loop == STAGE_RESTORE)
		burst->count = lp_press_restore(
				run->boxes.press[LP_DIR_RESTORE], burst->pkt, burst->count);
	rte_ring_enqueue_burst(ring, (void **)burst->pkt, burst->count, NULL);
	stopwatch_stop(&watch, timing);
	burst->count = (uint16_t)rte_ring_dequeue_burst(
			ring, (void **)burst->pkt, run->opt->burst, NULL);
	return 0;
}

static void
free_stage_mbufs(struct stages *s)
{
	for (uint16_t i = 0; i < s->count; i++) {
		rte_pktmbuf_free(s->frame[i].line);
		rte_pktmbuf_free(s->frame[i].back);
	}
}

static int
run_stages(struct run *run, const struct burst *burst, struct timing *timing)
{
	struct stages *s = &run->stages;
	int ret = 0;

	for (s->count = 0; s->count < burst->count; s->count++) {
		struct stage_frame *f = &s->frame[s->count];

		f->host = burst->pkt[s->count];
		f->line = rte_pktmbuf_alloc(run->boxes.pool[BOXES_POOL_COMPRESS]);
		f->back = rte_pktmbuf_alloc(run->boxes.pool[BOXES_POOL_RESTORE]);
		if (f->line == NULL || f->back == NULL) {
			rte_pktmbuf_free(f->line);
			rte_pktmbuf_free(f->back);
			ret = complain("the pool of mbufs is exhausted");
			break;
		}
	}
	const unsigned int lost = ret == 0 ? stages_run(s, timing) : 0;

	if (lost > 0)
		ret = complain("frame %" PRIu64 " was not restored by the stages",
				burst->origin[lost - 1].number);
	for (uint16_t i = 0; ret == 0 && i < s->count; i++)
		if (s->frame[i].coded)
			ret = check_frame(run, &burst->origin[i], s->frame[i].back, "stages");
	free_stage_mbufs(s);
	return ret;
}

static int
run_loops(struct run *run, struct burst *burst, struct timing *timing)
{
	const uint16_t count = burst->count;

	if (time_loop(run, burst, STAGE_IO, &timing[STAGE_IO]) < 0 ||
			run_stages(run, burst, timing) < 0 ||
			time_loop(run, burst, STAGE_COMPRESS, &timing[STAGE_COMPRESS]) < 0 ||
			time_loop(run, burst, STAGE_RESTORE, &timing[STAGE_RESTORE]) < 0)
		return -1;
	if (burst->count != count)
		return complain("%d of %u frames from number %" PRIu64 " on were dropped",
				count - burst->count, count, burst->origin->number);
	for (uint16_t i = 0; i < count; i++)
		if (check_frame(run, &burst->origin[i], burst->pkt[i], "boxes") < 0)
			return -1;
	return 0;
}

static int
run_pass(struct run *run)
{
	const size_t size = run->opt->burst;
	int ret = 0;

	for (size_t k = 0; k < run->nb_bursts && ret == 0; k++) {
		struct burst burst = { .origin = &run->cap->frames[k * size] };
		const size_t left = run->cap->count - k * size;

		ret = fill(run, &burst, (uint16_t)RTE_MIN(left, size));
		if (ret == 0)
			ret = run_loops(run, &burst, run->timing[k]);
		rte_pktmbuf_free_bulk(burst.pkt, burst.count);
		if (ret == 0 && *run->stop)
			ret = complain("interrupted");
	}
	return ret;
}

static void
collect(const struct run *run, struct datapath_result *res)
{
	const struct lp_press_stats *stats = lp_press_stats(
			run->boxes.press[LP_DIR_COMPRESS], LP_DIR_COMPRESS);

	res->packets = run->cap->count;
	res->bytes = run->cap->bytes;
	res->coded_packets = stats->coded_pkts / res->passes;
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		res->region_bytes += stats->book[id].region_bytes / res->passes;
	for (size_t k = 0; k < run->nb_bursts; k++) {
		for (int stage = 0; stage < STAGE_COUNT; stage++) {
			const struct timing *timing = &run->timing[k][stage];

			res->cycles[stage] += timing->best;
			res->samples += timing->samples;
			res->quiet += timing->quiet;
		}
	}
}

static int
run_passes(struct run *run, struct datapath_result *res)
{
	const double end = measure_now() + (double)run->opt->seconds;

	do {
		if (run_pass(run) < 0)
			return -1;
		res->passes++;
	} while (measure_now() < end);
	if (boxes_mbufs_in_use(&run->boxes) > 0)
		return complain("leak of %u mbufs", boxes_mbufs_in_use(&run->boxes));
	collect(run, res);
	return 0;
}

int
datapath_run(const struct datapath_options *opt, const struct capture *cap,
		const struct lp_bookset *books, volatile sig_atomic_t *stop,
		struct datapath_result *res)
{
	const uint32_t needed = cap->longest + LP_SHIM_MAX + RTE_PKTMBUF_HEADROOM;
	const struct boxes_conf conf = {
		.books = books,
		.longest = cap->longest + LP_SHIM_MAX,
		.burst = opt->burst,
		.mbuf_size = (uint16_t)RTE_MAX(needed, (uint32_t)MBUF_SIZE),
	};
	struct run *run = calloc(1, sizeof(*run));
	int ret = -1;

	if (needed > UINT16_MAX) {
		free(run);
		return complain("%s: a frame of %" PRIu32 " bytes, allowed are up to %u",
				res->capture, cap->longest,
				UINT16_MAX - LP_SHIM_MAX - RTE_PKTMBUF_HEADROOM);
	}
	if (run == NULL)
		return complain("out of memory");
	run->opt = opt;
	run->cap = cap;
	run->stop = stop;
	run->stages.books = books;
	run->nb_bursts = (cap->count + opt->burst - 1) / opt->burst;
	run->timing = calloc(run->nb_bursts, sizeof(*run->timing));
	if (run->timing == NULL)
		complain("out of memory");
	else if (boxes_create(&run->boxes, &conf) == 0) {
		ret = run_passes(run, res);
		boxes_free(&run->boxes);
	}
	free(run->timing);
	free(run);
	return ret;
}
