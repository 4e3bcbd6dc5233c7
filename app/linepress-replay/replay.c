/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "boxes.h"
#include "mbuf_frame.h"
#include "message.h"
#include "replay.h"

/* The escape of a frame that looks coded is longer than the frame. */
#define LINE_FRAME_MAX (CAPTURE_FRAME_MAX + LP_SHIM_MAX)

/* One pass over a capture. */
struct pass {
	const struct replay *replay;
	const struct capture *cap;
	const char *path; /* of the capture */
	struct boxes *boxes;
	uint8_t *scratch; /* LINE_FRAME_MAX bytes for each frame of a burst */
	bool write;	  /* the first pass fills the output files */
	struct compare_result compare;
	uint64_t cycles[LP_DIR_COUNT];
};

/* One burst of a pass. */
struct burst {
	const struct capture_frame *origin;
	uint16_t nb_origin;
	struct rte_mbuf *pkt[COMPARE_BURST_MAX];
	uint16_t nb_pkts;
};

static const uint8_t *
bytes_of(struct pass *pass, const struct burst *burst, uint16_t i)
{
	return mbuf_frame_bytes(
			burst->pkt[i], pass->scratch + (size_t)i * LINE_FRAME_MAX, LINE_FRAME_MAX);
}

static int
fill(struct pass *pass, struct burst *burst)
{
	uint16_t i;

	for (i = 0; i < burst->nb_origin; i++) {
		burst->pkt[i] = mbuf_frame_fill(pass->boxes->pool[BOXES_POOL_HOST],
				capture_data(pass->cap, &burst->origin[i]), burst->origin[i].len);
		if (burst->pkt[i] == NULL)
			return complain("%s: frame %" PRIu64 ": the pool of mbufs is exhausted",
					pass->path, burst->origin[i].number);
		burst->nb_pkts++;
	}
	return 0;
}

static void
press(struct pass *pass, struct burst *burst, enum lp_dir dir)
{
	struct lp_press *box = pass->boxes->press[dir];
	const uint64_t start = rte_rdtsc();

	if (dir == LP_DIR_COMPRESS)
		burst->nb_pkts = lp_press_compress(box, burst->pkt, burst->nb_pkts);
	else
		burst->nb_pkts = lp_press_restore(box, burst->pkt, burst->nb_pkts);
	pass->cycles[dir] += rte_rdtsc() - start;
}

/*
 * Boxes keep the order, so the origin of a frame is known unless one was dropped; then the run
 * has failed and the file is thrown away.
 */
static int
write_out(struct pass *pass, const struct burst *burst, struct pcap_out *out)
{
	uint16_t i;

	if (out == NULL || !pass->write)
		return 0;
	for (i = 0; i < burst->nb_pkts; i++)
		if (pcap_out_write(out, &burst->origin[i], bytes_of(pass, burst, i),
				    rte_pktmbuf_pkt_len(burst->pkt[i])) < 0)
			return -1;
	return 0;
}

static void
compare(struct pass *pass, const struct burst *burst)
{
	struct compare_frame sent[COMPARE_BURST_MAX], back[COMPARE_BURST_MAX];
	uint16_t i;

	for (i = 0; i < burst->nb_origin; i++)
		sent[i] = (struct compare_frame){
			.data = capture_data(pass->cap, &burst->origin[i]),
			.number = burst->origin[i].number,
			.len = burst->origin[i].len,
		};
	for (i = 0; i < burst->nb_pkts; i++)
		back[i] = (struct compare_frame){
			.data = bytes_of(pass, burst, i),
			.len = rte_pktmbuf_pkt_len(burst->pkt[i]),
		};
	compare_burst(sent, burst->nb_origin, back, burst->nb_pkts, &pass->compare);
}

static int
run_burst(struct pass *pass, struct burst *burst)
{
	const enum replay_mode mode = pass->replay->opt->mode;

	if (fill(pass, burst) < 0)
		return -1;
	if (mode != REPLAY_RESTORE) {
		press(pass, burst, LP_DIR_COMPRESS);
		if (write_out(pass, burst, pass->replay->line) < 0)
			return -1;
	}
	if (mode == REPLAY_PAIR && boxes_carry(pass->boxes, burst->pkt, burst->nb_pkts) < 0)
		return -1;
	if (mode != REPLAY_COMPRESS) {
		press(pass, burst, LP_DIR_RESTORE);
		if (write_out(pass, burst, pass->replay->restored) < 0)
			return -1;
	}
	if (mode == REPLAY_PAIR)
		compare(pass, burst);
	return 0;
}

static int
run_pass(struct pass *pass)
{
	const uint16_t size = pass->replay->opt->burst;
	size_t done;
	int ret = 0;

	for (done = 0; done < pass->cap->count && ret == 0; done += size) {
		struct burst burst = {
			.origin = &pass->cap->frames[done],
			.nb_origin = RTE_MIN((size_t)size, pass->cap->count - done),
		};

		ret = run_burst(pass, &burst);
		rte_pktmbuf_free_bulk(burst.pkt, burst.nb_pkts);
		if (ret == 0 && *pass->replay->stop)
			ret = complain("%s: interrupted", pass->path);
	}
	return ret;
}

/* All members are counters of 64 bits. */
static void
stats_since(const struct lp_press_stats *now, const struct lp_press_stats *before,
		struct lp_press_stats *since)
{
	const uint64_t *n = (const uint64_t *)now, *b = (const uint64_t *)before;
	uint64_t *s = (uint64_t *)since;
	size_t i;

	static_assert(sizeof(*now) % sizeof(uint64_t) == 0, "a counter is not of 64 bits");
	for (i = 0; i < sizeof(*now) / sizeof(uint64_t); i++)
		s[i] = n[i] - b[i];
}

static void
keep_fastest(struct replay_result *res, const struct pass *pass)
{
	unsigned int dir;

	for (dir = 0; dir < LP_DIR_COUNT; dir++)
		if (res->loops == 0 || pass->cycles[dir] < res->cycles[dir])
			res->cycles[dir] = pass->cycles[dir];
}

static int
run_and_collect(struct pass *pass, struct replay_result *res)
{
	struct lp_press_stats before[LP_DIR_COUNT], since[LP_DIR_COUNT];
	struct replay_result this = *res;
	unsigned int dir;

	for (dir = 0; dir < LP_DIR_COUNT; dir++)
		before[dir] = *lp_press_stats(pass->boxes->press[dir], dir);
	if (run_pass(pass) < 0)
		return -1;
	for (dir = 0; dir < LP_DIR_COUNT; dir++)
		stats_since(lp_press_stats(pass->boxes->press[dir], dir), &before[dir],
				&since[dir]);
	this.compare = pass->compare;
	memcpy(this.stats, since, sizeof(since));
	keep_fastest(res, pass);
	if (res->loops++ == 0 || !result_is_good(&this)) {
		res->compare = this.compare;
		memcpy(res->stats, this.stats, sizeof(this.stats));
	}
	return 0;
}

static int
run_loops(const struct replay *replay, const struct capture *cap, struct boxes *boxes,
		struct replay_result *res)
{
	const unsigned int in_use = boxes_mbufs_in_use(boxes);
	struct pass pass;
	uint8_t *scratch = malloc((size_t)replay->opt->burst * LINE_FRAME_MAX);
	int ret = scratch == NULL ? complain("out of memory") : 0;

	while (ret == 0 && res->loops < replay->opt->loops &&
			(res->loops == 0 || result_is_good(res))) {
		pass = (struct pass){
			.replay = replay,
			.cap = cap,
			.path = res->capture,
			.boxes = boxes,
			.scratch = scratch,
			.write = res->loops == 0,
		};
		ret = run_and_collect(&pass, res);
	}
	free(scratch);
	if (boxes_mbufs_in_use(boxes) != in_use)
		return complain("%s: leak of %d mbufs", res->capture,
				(int)(boxes_mbufs_in_use(boxes) - in_use));
	return ret;
}

int
replay_capture(const struct replay *replay, const struct capture *cap, struct replay_result *res)
{
	const struct options *opt = replay->opt;
	const struct boxes_conf conf = {
		.books = replay->books,
		.key = replay->key,
		.longest = opt->mode == REPLAY_RESTORE ? LINE_FRAME_MAX
						       : cap->longest + LP_SHIM_MAX,
		.burst = opt->burst,
		.mbuf_size = opt->mbuf_size,
		.min_region = opt->min_region,
	};
	struct boxes boxes;
	int ret;

	if (boxes_create(&boxes, &conf) < 0)
		return -1;
	res->mode = opt->mode;
	res->packets = cap->count;
	res->skipped = cap->skipped;
	ret = run_loops(replay, cap, &boxes, res);
	res->original_bytes = opt->mode == REPLAY_RESTORE ? res->stats[LP_DIR_RESTORE].tx_bytes
							  : cap->bytes;
	boxes_free(&boxes);
	return ret;
}
