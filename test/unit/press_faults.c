/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Empty pools, bad arguments, frames that are too short or garbage. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "press_help.h"

#define TIGHT_MBUFS 63
#define TIGHT_ROOM (SMALL_DATA_ROOM - RTE_PKTMBUF_HEADROOM)
#define BURST 32

#define RANDOM_FRAMES 200000
#define RANDOM_LONGEST 250
#define MUTATED_FRAMES 60000
#define TEMPLATES 60

static struct test_frame original, wire, stored;

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

/* A pool with few mbufs, of which all but some are held back */

static struct rte_mempool *tight;
static struct rte_mbuf *held[TIGHT_MBUFS];
static unsigned int nb_held;

static void
leave_free(unsigned int count)
{
	rte_pktmbuf_free_bulk(held, nb_held);
	for (nb_held = 0; rte_mempool_avail_count(tight) > count; nb_held++)
		held[nb_held] = rte_pktmbuf_alloc(tight);
	CU_ASSERT_FATAL(rte_mempool_avail_count(tight) == count);
}

static struct lp_press *
press_tight(uint16_t data_room)
{
	struct lp_press_conf conf = press_conf();

	tight = pool_make(TIGHT_MBUFS, data_room);
	nb_held = 0;
	CU_ASSERT_PTR_NOT_NULL_FATAL(tight);
	conf.pool = tight;
	return press_make(conf);
}

static void
finish_tight(struct lp_press *press)
{
	leave_free(TIGHT_MBUFS);
	finish(press);
	rte_mempool_free(tight);
}

/* `original` and its coded and stored forms, of a frame long enough for chains. */
static void
make_forms(struct lp_press *press, uint8_t l4, uint16_t region_len)
{
	frame_tensor(&original,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = l4,
					.region_len = region_len,
					.trailer_len = 5 },
			TENSOR_BF16);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
	CU_ASSERT_FATAL(wire.len < original.len && stored.len > wire.len);
	CU_ASSERT_FATAL(compress_stats(press)->stored_pkts == 1);
}

static unsigned int
mbufs_for(const struct test_frame *frame, uint16_t room)
{
	return ((unsigned int)frame->len + room - 1) / room;
}

/* What becomes of `in` with so many mbufs free: `expected`, NULL for a drop. */
static void
check_with_free(struct lp_press *press, unsigned int spare,
		struct rte_mbuf *(*way)(struct lp_press *press, struct rte_mbuf *mbuf),
		const struct test_frame *in, const struct test_frame *expected)
{
	struct rte_mbuf *mbuf;

	leave_free(spare);
	mbuf = way(press, mbuf_from(in));
	if (expected == NULL) {
		CU_ASSERT_PTR_NULL(mbuf);
	} else {
		CU_ASSERT(mbuf_is(mbuf, expected));
	}
	rte_pktmbuf_free(mbuf);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(tight), spare);
}

/* Run out at each mbuf of the output of `room` bytes each, then have just enough. */
static void
check_compress_starved(struct lp_press *press, uint16_t room)
{
	const unsigned int needed = mbufs_for(&wire, room);

	for (unsigned int spare = 0; spare < needed; spare++)
		check_with_free(press, spare, compress_mbuf, &original, &original);
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_NO_MBUF], needed);
	check_with_free(press, needed, compress_mbuf, &original, &wire);
}

static void
check_escape_starved(struct lp_press *press, uint16_t room)
{
	const unsigned int needed = mbufs_for(&stored, room);

	for (unsigned int spare = 0; spare < needed; spare++)
		check_with_free(press, spare, compress_mbuf, &wire, NULL);
	CU_ASSERT_EQUAL(compress_stats(press)->dropped[LP_DROP_NO_MBUF], needed);
	check_with_free(press, needed, compress_mbuf, &wire, &stored);
}

static void
check_restore_starved(struct lp_press *press, uint16_t room)
{
	const unsigned int needed = mbufs_for(&original, room);

	for (unsigned int spare = 0; spare < needed; spare++)
		check_with_free(press, spare, restore_mbuf, &wire, NULL);
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_NO_MBUF], needed);
	check_with_free(press, needed, restore_mbuf, &wire, &original);
}

static void
check_unwrap_starved(struct lp_press *press, uint16_t room)
{
	const unsigned int needed = mbufs_for(&wire, room);

	for (unsigned int spare = 0; spare < needed; spare++)
		check_with_free(press, spare, restore_mbuf, &stored, NULL);
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_NO_MBUF], needed);
	check_with_free(press, needed, restore_mbuf, &stored, &wire);
}

/* One direction, with an output of one mbuf and with a chain, for each protocol. */
static void
for_each_starving(void (*check)(struct lp_press *press, uint16_t room))
{
	static const uint16_t rooms[] = { RTE_MBUF_DEFAULT_DATAROOM, TIGHT_ROOM };

	for (unsigned int k = 0; k < RTE_DIM(rooms); k++)
		for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++) {
			struct lp_press *press = press_tight(
					(uint16_t)(rooms[k] + RTE_PKTMBUF_HEADROOM));

			make_forms(press, l4, 1600);
			check(press, rooms[k]);
			finish_tight(press);
		}
}

static void
compress_passes_raw_when_it_runs_out_of_mbufs(void)
{
	for_each_starving(check_compress_starved);
}

/* Raw it would be restored by mistake. */
static void
lookalike_is_dropped_when_its_escape_finds_no_mbuf(void)
{
	for_each_starving(check_escape_starved);
}

static void
restore_drops_when_it_runs_out_of_mbufs(void)
{
	for_each_starving(check_restore_starved);
}

static void
unwrapping_drops_when_it_runs_out_of_mbufs(void)
{
	for_each_starving(check_unwrap_starved);
}

/* A burst that is coded as long as there are mbufs: the rest follows raw, in order. */
static void
burst_that_runs_out_of_mbufs_midway_keeps_its_order(void)
{
	static struct test_frame frames[BURST];
	struct lp_press *press = press_tight(RTE_MBUF_DEFAULT_BUF_SIZE);
	struct rte_mbuf *pkts[BURST];
	const unsigned int enough = 10;

	for (unsigned int k = 0; k < BURST; k++) {
		frame_tensor_random(&frames[k], 1000);
		pkts[k] = mbuf_from(&frames[k]);
	}
	leave_free(enough);
	CU_ASSERT_FATAL(lp_press_compress(press, pkts, BURST) == BURST);
	CU_ASSERT_EQUAL(compress_stats(press)->coded_pkts, enough);
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_NO_MBUF], BURST - enough);
	for (unsigned int k = enough; k < BURST; k++)
		CU_ASSERT(mbuf_is(pkts[k], &frames[k]));
	leave_free(TIGHT_MBUFS - enough);
	CU_ASSERT_FATAL(lp_press_restore(press, pkts, BURST) == BURST);
	for (unsigned int k = 0; k < BURST; k++)
		CU_ASSERT(mbuf_is(pkts[k], &frames[k]));
	rte_pktmbuf_free_bulk(pkts, BURST);
	finish_tight(press);
}

/* An mbuf with no room behind its headroom can hold nothing; that must end, not loop. */
static void
pool_of_mbufs_without_room_is_refused_or_passes_raw(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press;

	conf.pool = pool_make(15, RTE_PKTMBUF_HEADROOM);
	press = lp_press_create(&conf);
	if (press != NULL) {
		frame_tensor_random(&original, 1000);
		CU_ASSERT(compress_frame(press, &original, &wire));
		CU_ASSERT(frame_equal(&wire, &original));
		CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_NO_MBUF], 1);
	}
	finish(press != NULL ? press : press_make(press_conf()));
	CU_ASSERT_EQUAL(rte_mempool_avail_count(conf.pool), 15);
	rte_mempool_free(conf.pool);
}

/* Creation */

static void
check_refused(struct lp_press_conf conf)
{
	rte_errno = 0;
	CU_ASSERT_PTR_NULL(lp_press_create(&conf));
	CU_ASSERT_EQUAL(rte_errno, EINVAL);
}

static void
create_refuses_bad_arguments(void)
{
	struct lp_press_conf conf = press_conf();

	conf.books = NULL;
	check_refused(conf);
	conf = press_conf();
	conf.pool = NULL;
	check_refused(conf);
	conf = press_conf();
	for (conf.min_saving = 1; conf.min_saving < LP_SHIM_SAVING_MIN; conf.min_saving++)
		check_refused(conf);
}

static void
create_takes_extreme_arguments(void)
{
	struct lp_press_conf conf = press_conf();

	conf.min_region = UINT16_MAX;
	conf.min_saving = UINT16_MAX;
	conf.max_frame = UINT32_MAX;
	conf.socket = 0;
	struct lp_press *press = press_make(conf);

	frame_tensor(&original,
			&(struct frame_spec){
					.ip_version = 6, .l4 = LP_L4_UDP, .region_len = 65500 },
			TENSOR_BF16);
	CU_ASSERT(compress_frame(press, &original, &wire));
	CU_ASSERT(frame_equal(&wire, &original));
	finish(press);
}

static void
free_takes_null(void)
{
	lp_press_free(NULL);
}

#define BLOCKS_MAX 8192

static void *blocks[BLOCKS_MAX];
static unsigned int nb_blocks;

static void
take_memory(size_t size)
{
	while (nb_blocks < BLOCKS_MAX) {
		blocks[nb_blocks] = rte_malloc(NULL, size, 0);
		if (blocks[nb_blocks] == NULL)
			return;
		nb_blocks++;
	}
}

static unsigned int
allocations(void)
{
	struct rte_malloc_socket_stats stats = { 0 };

	rte_malloc_get_socket_stats(0, &stats);
	return stats.alloc_count;
}

/* Give memory back bit by bit: creation fails at each of its allocations, then succeeds. */
static void
create_without_memory_fails_and_leaks_nothing(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press = NULL;
	unsigned int failed = 0;

	take_memory(1 << 20);
	take_memory(1 << 12);
	CU_ASSERT_FATAL(nb_blocks < BLOCKS_MAX);
	while (press == NULL && nb_blocks > 0) {
		const unsigned int before = allocations();

		rte_errno = 0;
		press = lp_press_create(&conf);
		if (press == NULL) {
			failed++;
			CU_ASSERT_EQUAL(rte_errno, ENOMEM);
			CU_ASSERT_EQUAL(allocations(), before);
			rte_free(blocks[--nb_blocks]);
		}
	}
	CU_ASSERT_PTR_NOT_NULL(press);
	CU_ASSERT(failed > 2);
	lp_press_free(press);
	while (nb_blocks > 0)
		rte_free(blocks[--nb_blocks]);
}

/* Verify */

static void
verify_finds_good_frames_equal_and_leaves_them(void)
{
	static struct test_frame frames[BURST];
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *pkts[BURST], *same[BURST];

	for (unsigned int k = 0; k < BURST; k++) {
		frame_tensor_random(&frames[k], (uint16_t)test_random_in(1, 9000));
		if (k % 4 == 3)
			frame_fill(&frames[k], TENSOR_NOISE);
		pkts[k] = mbuf_split(bench.pool, frames[k].data, frames[k].len, 77, 1000);
	}
	memcpy(same, pkts, sizeof(pkts));
	CU_ASSERT_EQUAL(lp_press_verify(press, pkts, BURST), 0);
	CU_ASSERT(memcmp(same, pkts, sizeof(pkts)) == 0);
	for (unsigned int k = 0; k < BURST; k++)
		CU_ASSERT(mbuf_is(pkts[k], &frames[k]));
	CU_ASSERT_EQUAL(compress_stats(press)->rx_pkts, BURST);
	CU_ASSERT_EQUAL(restore_stats(press)->rx_pkts, BURST);
	CU_ASSERT(compress_stats(press)->coded_pkts > 0);
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, compress_stats(press)->coded_pkts);
	rte_pktmbuf_free_bulk(pkts, BURST);
	finish(press);
}

static void
verify_finds_lookalikes_equal(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *mbuf;

	make_forms(press, LP_L4_UDP, 1000);
	mbuf = mbuf_from(&wire);
	CU_ASSERT_EQUAL(lp_press_verify(press, &mbuf, 1), 0);
	CU_ASSERT_EQUAL(restore_stats(press)->stored_pkts, 1);
	CU_ASSERT(mbuf_is(mbuf, &wire));
	rte_pktmbuf_free(mbuf);
	finish(press);
}

/* The decoder's book is not the encoder's: what verify is there to find. */
static void
verify_counts_a_frame_that_comes_back_different(void)
{
	struct lp_press_conf conf = press_conf();
	static struct lp_bookset books;

	books = *bench.books;
	conf.books = &books;
	struct lp_press *press = press_make(conf);
	struct rte_mbuf *pkts[3];

	make_forms(press, LP_L4_TCP, 1000);
	for (unsigned int k = 0; k < RTE_DIM(pkts); k++)
		pkts[k] = mbuf_from(&original);
	memset(books.digest, 0, sizeof(books.digest)); /* so none is accepted coming back */
	CU_ASSERT_EQUAL(lp_press_verify(press, pkts, RTE_DIM(pkts)), RTE_DIM(pkts));
	for (unsigned int k = 0; k < RTE_DIM(pkts); k++)
		CU_ASSERT(mbuf_is(pkts[k], &original));
	rte_pktmbuf_free_bulk(pkts, RTE_DIM(pkts));
	finish(press);
}

/* Frames that verify calls wrong, of one frame with so many mbufs free. */
static uint16_t
verify_with_free(struct lp_press *press, const struct test_frame *frame, unsigned int spare)
{
	struct rte_mbuf *mbuf = mbuf_from(frame);
	uint16_t wrong;

	leave_free(spare);
	wrong = lp_press_verify(press, &mbuf, 1);
	CU_ASSERT(mbuf_is(mbuf, frame));
	CU_ASSERT_EQUAL(rte_mempool_avail_count(tight), spare);
	rte_pktmbuf_free(mbuf);
	return wrong;
}

static void
verify_that_runs_out_of_mbufs_finds_nothing_wrong(void)
{
	struct lp_press *press = press_tight(SMALL_DATA_ROOM);

	make_forms(press, LP_L4_TCP, 1600);
	for (unsigned int spare = 0; spare <= TIGHT_MBUFS; spare++)
		CU_ASSERT_EQUAL(verify_with_free(press, &original, spare), 0);
	CU_ASSERT(compress_stats(press)->passed[LP_PASS_NO_MBUF] > 0);
	CU_ASSERT(restore_stats(press)->coded_pkts > 0);
	finish_tight(press);
}

/* A lookalike that could not be tried for want of mbufs is no fault of the codec. */
static void
verify_of_a_lookalike_that_runs_out_of_mbufs_finds_nothing_wrong(void)
{
	struct lp_press *press = press_tight(SMALL_DATA_ROOM);
	unsigned int wrong = 0;

	make_forms(press, LP_L4_TCP, 1600);
	for (unsigned int spare = 0; spare <= TIGHT_MBUFS; spare++)
		wrong += verify_with_free(press, &wire, spare);
	CU_ASSERT_EQUAL(wrong, 0);
	finish_tight(press);
}

/* Frames that are no frames */

static void
check_unchanged(struct lp_press *press, const uint8_t *data, size_t len)
{
	struct rte_mbuf *const mbuf = mbuf_split(bench.pool, data, len, UINT16_MAX, UINT16_MAX);

	CU_ASSERT_PTR_EQUAL(compress_mbuf(press, mbuf), mbuf);
	CU_ASSERT_PTR_EQUAL(restore_mbuf(press, mbuf), mbuf);
	CU_ASSERT(mbuf_holds(mbuf, data, len));
	rte_pktmbuf_free(mbuf);
}

static const size_t shortest[] = { 0, 1, 13, 14, 59, 60, 61 };

static void
build_shortest(bool random)
{
	frame_tensor(&original,
			&(struct frame_spec){ .ip_version = 4, .l4 = LP_L4_UDP, .region_len = 19 },
			TENSOR_BF16);
	CU_ASSERT_FATAL(original.len == 61);
	if (random)
		test_random_bytes(original.data, original.len);
}

static void
shortest_frames_are_unchanged(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press;

	conf.min_region = 1;
	press = press_make(conf);
	for (unsigned int k = 0; k < 2 * RTE_DIM(shortest); k++) {
		build_shortest(k % 2);
		check_unchanged(press, original.data, shortest[k / 2]);
	}
	/* All but those of 61 bytes. */
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_INELIGIBLE_SHORT_FRAME],
			2 * (RTE_DIM(shortest) - 1));
	finish(press);
}

static void
shortest_frames_verify(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 2 * RTE_DIM(shortest); k++) {
		struct rte_mbuf *mbuf;

		build_shortest(k % 2);
		mbuf = mbuf_split(
				bench.pool, original.data, shortest[k / 2], UINT16_MAX, UINT16_MAX);
		CU_ASSERT_EQUAL(lp_press_verify(press, &mbuf, 1), 0);
		CU_ASSERT(mbuf_holds(mbuf, original.data, shortest[k / 2]));
		rte_pktmbuf_free(mbuf);
	}
	finish(press);
}

/*
 * A press that tries only the book of bf16, as choosing among all of them takes most of the time
 * of a short frame. It decodes with all.
 */
static struct lp_press *
press_fast(struct lp_bookset *books)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press = press_make(conf);
	struct lp_shim shim;

	make_forms(press, LP_L4_TCP, 1400);
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	lp_press_free(press);
	*books = *bench.books;
	books->id[0] = shim.book_id;
	books->count = 1;
	conf.books = books;
	conf.min_region = 1;
	return press_make(conf);
}

/* Random bytes that are led some way into the parser. */
static uint32_t
build_random(uint8_t *data)
{
	const uint32_t len = test_random_in(0, RANDOM_LONGEST);
	const uint64_t dice = test_random();

	test_random_bytes(data, RANDOM_LONGEST);
	if (dice & 1) {
		data[12] = dice & 2 ? 0x08 : 0x86;
		data[13] = dice & 2 ? 0x00 : 0xdd;
		data[14] = dice & 2 ? 0x45 : 0x60;
	}
	if (dice & 4) {
		data[16] = data[18] = 0;
		data[17] = data[19] = (uint8_t)(len - (dice & 2 ? 14 : 54));
		data[20] = dice & 2 ? 0x40 : dice & 8 ? 6 : 17;
		data[21] = 0;
		data[23] = dice & 8 ? 6 : 17;
	}
	return len;
}

static void
random_frames_are_unchanged(void)
{
	static uint8_t data[BURST][RANDOM_LONGEST + 8];
	static struct lp_bookset books;
	struct lp_press *press = press_fast(&books);
	struct rte_mbuf *pkts[BURST];
	uint32_t len[BURST];
	unsigned int wrong = 0;

	for (unsigned int round = 0; round < RANDOM_FRAMES / BURST; round++) {
		for (unsigned int k = 0; k < BURST; k++) {
			len[k] = build_random(data[k]);
			pkts[k] = mbuf_split(bench.pool, data[k], len[k], UINT16_MAX, UINT16_MAX);
		}
		CU_ASSERT_FATAL(lp_press_compress(press, pkts, BURST) == BURST);
		CU_ASSERT_FATAL(lp_press_restore(press, pkts, BURST) == BURST);
		for (unsigned int k = 0; k < BURST; k++)
			wrong += !mbuf_holds(pkts[k], data[k], len[k]);
		rte_pktmbuf_free_bulk(pkts, BURST);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(compress_stats(press)->eligible_pkts > 0);
	finish(press);
}

/* Good frames: a third each original, coded and stored. */
static void
make_templates(struct lp_press *press, struct test_frame *templates)
{
	for (unsigned int k = 0; k < TEMPLATES; k++) {
		frame_tensor_random(&original, (uint16_t)test_random_in(300, 500));
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
		CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
		frame_copy(&templates[k], k % 3 == 0 ? &original : k % 3 == 1 ? &wire : &stored);
	}
}

/* Change a few bytes, most of them in the headers, or the length. */
static void
mutate(struct test_frame *frame)
{
	for (unsigned int n = test_random_in(1, 4); n > 0; n--) {
		const uint32_t last = test_random() % 4 ? 90 : (uint32_t)frame->len - 1;
		const uint32_t at = test_random_in(0, last);

		frame->data[at] = (uint8_t)(test_random() % 2 ? test_random()
							      : frame->data[at] ^ 1u << n);
	}
	if (test_random() % 8 == 0)
		frame->len = test_random_in(0, (uint32_t)frame->len);
	if (test_random() % 2)
		frame_fix_ip_cksum(frame);
}

/* From a host: it comes back equal, or is one that cannot be escaped. */
static bool
mutant_from_host(struct lp_press *press, const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = compress_mbuf(press, mbuf_from(frame));

	if (mbuf == NULL)
		return true;
	mbuf = restore_mbuf(press, mbuf);
	const bool equal = mbuf_is(mbuf, frame);

	rte_pktmbuf_free(mbuf);
	return equal;
}

/* From the line: it is dropped or it is a good mbuf, the same if it was not accepted. */
static bool
mutant_from_line(struct lp_press *press, const struct test_frame *frame)
{
	struct rte_mbuf *const mbuf = mbuf_from(frame);
	struct rte_mbuf *const result = restore_mbuf(press, mbuf);
	const char *reason;
	bool good = true;

	if (result != NULL)
		good = result == mbuf ? mbuf_is(result, frame)
				      : rte_mbuf_check(result, 1, &reason) == 0;
	rte_pktmbuf_free(result);
	return good;
}

static void
mutated_frames_come_back_equal_or_are_dropped(void)
{
	static struct test_frame templates[TEMPLATES], mutant;
	static struct lp_bookset books;
	struct lp_press *press = press_fast(&books);
	unsigned int wrong = 0;

	make_templates(press, templates);
	for (unsigned int k = 0; k < MUTATED_FRAMES; k++) {
		frame_copy(&mutant, &templates[k % TEMPLATES]);
		mutate(&mutant);
		wrong += !mutant_from_host(press, &mutant);
		wrong += !mutant_from_line(press, &mutant);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(compress_stats(press)->dropped[LP_DROP_NO_MBUF], 0);
	/* A random IPv4 header checksum of 0xFFFF is all that keeps an escape from being made. */
	CU_ASSERT(compress_stats(press)->dropped[LP_DROP_ESCAPE] < MUTATED_FRAMES / 1000);
	CU_ASSERT(compress_stats(press)->stored_pkts > MUTATED_FRAMES / 10);
	CU_ASSERT(restore_stats(press)->dropped[LP_DROP_CHECK] > 0);
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_NO_MBUF], 0);
	finish(press);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(compress_passes_raw_when_it_runs_out_of_mbufs),
		TEST(lookalike_is_dropped_when_its_escape_finds_no_mbuf),
		TEST(restore_drops_when_it_runs_out_of_mbufs),
		TEST(unwrapping_drops_when_it_runs_out_of_mbufs),
		TEST(burst_that_runs_out_of_mbufs_midway_keeps_its_order),
		TEST(pool_of_mbufs_without_room_is_refused_or_passes_raw),
		TEST(create_refuses_bad_arguments),
		TEST(create_takes_extreme_arguments),
		TEST(free_takes_null),
		TEST(create_without_memory_fails_and_leaks_nothing),
		TEST(verify_finds_good_frames_equal_and_leaves_them),
		TEST(verify_finds_lookalikes_equal),
		TEST(verify_counts_a_frame_that_comes_back_different),
		TEST(verify_that_runs_out_of_mbufs_finds_nothing_wrong),
		TEST(verify_of_a_lookalike_that_runs_out_of_mbufs_finds_nothing_wrong),
		TEST(shortest_frames_are_unchanged),
		TEST(shortest_frames_verify),
		TEST(random_frames_are_unchanged),
		TEST(mutated_frames_come_back_equal_or_are_dropped),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_faults", tests);
}
