/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Frames restored in a burst become what they become one by one, even where mbufs run out. */

#include <string.h>

#include "press_help.h"

#define FRAMES 100 /* more than are restored together, and no multiple of it */
#define ROUNDS 20
#define LONGEST 4000 /* longer than an mbuf of the usual size */
#define TIGHT_MBUFS 4095

enum kind {
	KIND_CODED,
	KIND_CODED_TOO,
	KIND_STORED,
	KIND_RAW,
	KIND_CORRUPT,	/* a body with wrong bytes, properly sealed */
	KIND_TRUNCATED, /* a body without its end, properly sealed */
	KIND_FLIPPED,	/* a bit of the whole frame */
	KIND_COUNT,
};

/* On the line, and what came back of them one by one. */
static struct test_frame line[FRAMES], expected[FRAMES];
static bool segmented[FRAMES];

static void
seal_damaged(struct test_frame *frame, const struct test_frame *original,
		const struct test_frame *coded, bool truncate)
{
	static uint8_t body[TEST_FRAME_MAX];
	const struct lp_press_conf conf = press_conf();
	struct lp_shim shim;

	CU_ASSERT_FATAL(frame_shim(coded, &shim) == LP_OPEN_SEALED);
	const size_t off = coded->at.region_off + lp_shim_len(shim.flags);
	size_t len = coded->at.region_len - lp_shim_len(shim.flags);

	memcpy(body, coded->data + off, len);
	if (truncate)
		len -= test_random_in(1, 40);
	else
		for (unsigned int k = test_random_in(1, 20); k > 0; k--)
			body[test_random_in(0, (uint32_t)len - 1)] ^= (uint8_t)test_random();
	frame_seal(frame, original, &shim, &conf.key, bench.books->digest[shim.book_id], body, len);
}

static void
make_frame(struct lp_press *press, struct test_frame *frame, enum kind kind)
{
	static struct test_frame original, coded;

	frame_build_random(&original, 0, (uint16_t)test_random_in(400, LONGEST));
	frame_fill(&original,
			kind == KIND_RAW ? TENSOR_NOISE
					 : (enum tensor)test_random_in(0, TENSOR_NOISE - 1));
	CU_ASSERT_FATAL(compress_frame(press, &original, &coded));
	switch (kind) {
	case KIND_STORED:
		CU_ASSERT_FATAL(compress_frame(press, &coded, frame));
		break;
	case KIND_CORRUPT:
	case KIND_TRUNCATED:
		seal_damaged(frame, &original, &coded, kind == KIND_TRUNCATED);
		break;
	default:
		frame_copy(frame, &coded);
	}
	if (kind == KIND_FLIPPED)
		frame->data[test_random_in(0, (uint32_t)frame->len - 1)] ^= (uint8_t)(1u
				<< test_random_in(0, 7));
}

static void
make_frames(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < FRAMES; k++) {
		make_frame(press, &line[k], (enum kind)test_random_in(0, KIND_COUNT - 1));
		segmented[k] = test_random_in(0, 9) == 0;
	}
	lp_press_free(press);
}

static struct rte_mbuf *
received(struct rte_mempool *pool, unsigned int k)
{
	const uint16_t part = segmented[k] ? 200 : UINT16_MAX;

	return mbuf_split(pool, line[k].data, line[k].len, part, part);
}

/* What a pool has left when the frames have been received. */
struct shortage {
	struct rte_mempool *pool;
	unsigned int spare;
	struct rte_mbuf *held[TIGHT_MBUFS];
	unsigned int nb_held;
};

static void
run_short(struct shortage *s)
{
	for (s->nb_held = 0; rte_mempool_avail_count(s->pool) > s->spare; s->nb_held++)
		s->held[s->nb_held] = rte_pktmbuf_alloc(s->pool);
}

/* Restore all frames in bursts of `burst`, return those that are left. */
static uint16_t
restore_all(struct lp_press *press, struct rte_mempool *from, struct shortage *s, uint16_t burst,
		struct rte_mbuf **pkts)
{
	uint16_t kept = 0;

	for (unsigned int k = 0; k < FRAMES; k++)
		pkts[k] = received(from, k);
	if (s != NULL)
		run_short(s);
	for (uint16_t k = 0; k < FRAMES; k = (uint16_t)(k + burst)) {
		const uint16_t n = RTE_MIN(burst, (uint16_t)(FRAMES - k));
		const uint16_t got = lp_press_restore(press, pkts + k, n);

		memmove(pkts + kept, pkts + k, got * sizeof(pkts[0]));
		kept = (uint16_t)(kept + got);
	}
	if (s != NULL)
		rte_pktmbuf_free_bulk(s->held, s->nb_held);
	return kept;
}

static uint16_t
expect(struct rte_mbuf **pkts, uint16_t count)
{
	for (uint16_t k = 0; k < count; k++) {
		const void *data = rte_pktmbuf_read(pkts[k], 0, pkts[k]->pkt_len, expected[k].data);

		if (data != expected[k].data)
			memcpy(expected[k].data, data, pkts[k]->pkt_len);
		expected[k].len = pkts[k]->pkt_len;
	}
	rte_pktmbuf_free_bulk(pkts, count);
	return count;
}

/* One by one, then in bursts of some sizes; returns the counters. */
static struct lp_press_stats
check_bursts(struct lp_press_conf conf, struct rte_mempool *from, struct shortage *s)
{
	static const uint16_t bursts[] = { 2, 31, 32, 33, FRAMES };
	const unsigned int free_before = rte_mempool_avail_count(conf.pool);
	struct rte_mbuf *pkts[FRAMES];
	struct lp_press *press = press_make(conf);
	const uint16_t count = expect(pkts, restore_all(press, from, s, 1, pkts));
	const struct lp_press_stats stats = *restore_stats(press);

	lp_press_free(press);
	for (unsigned int b = 0; b < RTE_DIM(bursts); b++) {
		press = press_make(conf);
		const uint16_t got = restore_all(press, from, s, bursts[b], pkts);

		CU_ASSERT_EQUAL(got, count);
		for (unsigned int k = 0; k < RTE_MIN(got, count); k++)
			CU_ASSERT(mbuf_is(pkts[k], &expected[k]));
		CU_ASSERT_EQUAL(memcmp(&stats, restore_stats(press), sizeof(stats)), 0);
		CU_ASSERT(stats_add_up(press));
		rte_pktmbuf_free_bulk(pkts, got);
		lp_press_free(press);
		CU_ASSERT_EQUAL(rte_mempool_avail_count(conf.pool), free_before);
	}
	CU_ASSERT(pools_full());
	return stats;
}

static unsigned int
huffman_books_used(const struct lp_press_stats *stats)
{
	unsigned int used = 0;

	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info;

		if (stats->book[id].pkts == 0)
			continue;
		lp_codebook_describe(bench.books->book[id], &info);
		used += info.kind == LP_KIND_HUFFMAN;
	}
	return used;
}

static void
burst_restores_what_single_frames_do(void)
{
	struct lp_press_stats sum = { 0 };

	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct lp_press_conf conf = press_conf();

		make_frames();
		conf.max_frame = round % 4 == 3 ? LONGEST / 2 : 0;

		const struct lp_press_stats stats = check_bursts(conf, bench.pool, NULL);

		lp_press_stats_add(&sum, &stats);
	}
	CU_ASSERT(huffman_books_used(&sum) >= 3);
	CU_ASSERT(sum.coded_pkts > 0 && sum.stored_pkts > 0);
	CU_ASSERT(sum.passed[LP_PASS_NOT_CODED] > 0 && sum.passed[LP_PASS_BAD_TAG] > 0);
	CU_ASSERT(sum.dropped[LP_DROP_DECODE] > 0 && sum.dropped[LP_DROP_CHECK] > 0);
	CU_ASSERT(sum.dropped[LP_DROP_LENGTH] > 0 && sum.dropped[LP_DROP_NO_MBUF] == 0);
}

static void
burst_restores_chains_as_single_frames_do(void)
{
	struct lp_press_conf conf = press_conf();

	conf.pool = bench.small;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		make_frames();
		check_bursts(conf, bench.pool, NULL);
	}
}

/* Frames come from a pool of their own, or from that which runs out. */
static void
check_shortages(uint16_t data_room, unsigned int spare_max)
{
	static struct shortage s;
	struct lp_press_conf conf = press_conf();
	uint64_t dropped = 0;

	s.pool = conf.pool = pool_make(TIGHT_MBUFS, data_room);
	CU_ASSERT_FATAL(s.pool != NULL);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		make_frames();
		s.spare = test_random_in(0, spare_max);
		dropped += check_bursts(conf, bench.pool, &s).dropped[LP_DROP_NO_MBUF];
		s.spare = test_random_in(0, 4);
		dropped += check_bursts(conf, s.pool, &s).dropped[LP_DROP_NO_MBUF];
	}
	CU_ASSERT(dropped > 0);
	rte_mempool_free(s.pool);
}

static void
burst_that_runs_out_of_mbufs_drops_the_frames_that_would_be_dropped_alone(void)
{
	check_shortages(RTE_MBUF_DEFAULT_BUF_SIZE, FRAMES);
}

static void
burst_that_runs_out_of_mbufs_for_chains_drops_them_too(void)
{
	check_shortages(SMALL_DATA_ROOM, 20 * FRAMES);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(burst_restores_what_single_frames_do),
		TEST(burst_restores_chains_as_single_frames_do),
		TEST(burst_that_runs_out_of_mbufs_drops_the_frames_that_would_be_dropped_alone),
		TEST(burst_that_runs_out_of_mbufs_for_chains_drops_them_too),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_burst", tests);
}
