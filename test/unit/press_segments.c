/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The result does not depend on how a frame lies in mbufs, and mbufs of others stay as they are. */

#define ALLOW_EXPERIMENTAL_API /* pools of pinned buffers */

#include <stdlib.h>
#include <string.h>

#include "press_help.h"

#define SEGMENT_LONGEST 64
#define EXTERNAL_BYTES (2048 + 64)

static struct test_frame original, wire;

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

/* A press whose outputs are chains of short segments. */
static struct lp_press *
press_small(void)
{
	struct lp_press_conf conf = press_conf();

	conf.pool = bench.small;
	return press_make(conf);
}

/* Longest headers that there are: two tags, IPv6, TCP with all options; and a trailer. */
static void
build_longest_headers(struct lp_press *press, uint16_t region_len)
{
	frame_tensor(&original,
			&(struct frame_spec){ .tpid = { 0x88a8, 0x8100 },
					.ip_version = 6,
					.l4 = LP_L4_TCP,
					.tcp_options = 40,
					.region_len = region_len,
					.trailer_len = 9 },
			TENSOR_BF16);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(wire.len < original.len);
}

static void
build_roce(struct lp_press *press, uint16_t region_len)
{
	frame_tensor(&original,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = LP_L4_ROCE,
					.region_len = region_len,
					.trailer_len = 3 },
			TENSOR_BF16);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(wire.len < original.len);
}

static void
check_compressed(struct rte_mbuf *mbuf)
{
	CU_ASSERT(mbuf_is(mbuf, &wire));
	rte_pktmbuf_free(mbuf);
}

static void
check_restored(struct rte_mbuf *mbuf)
{
	CU_ASSERT(mbuf_is(mbuf, &original));
	rte_pktmbuf_free(mbuf);
}

/* Both directions of a frame whose first segment has `first` bytes and the others `part`. */
static void
check_split(struct lp_press *press, uint16_t first, uint16_t part)
{
	check_compressed(compress_mbuf(
			press, mbuf_split(bench.pool, original.data, original.len, first, part)));
	check_restored(restore_mbuf(
			press, mbuf_split(bench.pool, wire.data, wire.len, first, part)));
}

static void
check_two_segments_everywhere(struct lp_press *press)
{
	for (unsigned int at = 0; at <= original.len; at++)
		check_split(press, (uint16_t)at, UINT16_MAX);
}

static void
two_segments_at_every_boundary(void)
{
	struct lp_press *press = press_make(press_conf());

	build_longest_headers(press, 400);
	check_two_segments_everywhere(press);
	build_roce(press, 400);
	check_two_segments_everywhere(press);
	finish(press);
}

static void
two_segments_at_every_boundary_into_short_mbufs(void)
{
	struct lp_press *press = press_small();

	build_longest_headers(press, 400);
	check_two_segments_everywhere(press);
	build_roce(press, 400);
	check_two_segments_everywhere(press);
	finish(press);
}

static void
check_short_segments(struct lp_press *press)
{
	for (uint16_t part = 1; part <= SEGMENT_LONGEST; part++)
		check_split(press, part, part);
}

static void
segments_of_1_to_64_bytes(void)
{
	struct lp_press *press = press_make(press_conf());

	build_longest_headers(press, 600);
	check_short_segments(press);
	build_roce(press, 600);
	check_short_segments(press);
	finish(press);
}

static void
segments_of_1_to_64_bytes_into_short_mbufs(void)
{
	struct lp_press *press = press_small();

	build_longest_headers(press, 600);
	check_short_segments(press);
	build_roce(press, 600);
	check_short_segments(press);
	finish(press);
}

static void
headers_in_short_segments_and_the_rest_in_one(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *mbuf, *rest;

	build_longest_headers(press, 600);
	for (uint16_t part = 1; part <= SEGMENT_LONGEST; part++) {
		mbuf = mbuf_split(bench.pool, original.data, 130, part, part);
		rest = mbuf_split(bench.pool, original.data + 130, original.len - 130, UINT16_MAX,
				UINT16_MAX);
		CU_ASSERT_FATAL(rte_pktmbuf_chain(mbuf, rest) == 0);
		check_compressed(compress_mbuf(press, mbuf));
	}
	finish(press);
}

static struct rte_mbuf *
mbuf_empty(void)
{
	return mbuf_split(bench.pool, NULL, 0, 0, 0);
}

/* Put empty segments before, between and after those of a chain. */
static struct rte_mbuf *
mbuf_with_gaps(const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_empty();

	for (size_t done = 0; done < frame->len; done += 100) {
		const size_t part = RTE_MIN((size_t)100, frame->len - done);

		CU_ASSERT_FATAL(rte_pktmbuf_chain(mbuf,
						mbuf_split(bench.pool, frame->data + done, part,
								UINT16_MAX, UINT16_MAX)) == 0);
		CU_ASSERT_FATAL(rte_pktmbuf_chain(mbuf, mbuf_empty()) == 0);
	}
	return mbuf;
}

static void
empty_segments_do_no_harm(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *mbuf;

	build_longest_headers(press, 600);
	check_compressed(compress_mbuf(press, mbuf_with_gaps(&original)));
	check_restored(restore_mbuf(press, mbuf_with_gaps(&wire)));
	mbuf = mbuf_with_gaps(&original);
	CU_ASSERT_EQUAL(lp_press_verify(press, &mbuf, 1), 0);
	check_restored(mbuf);
	finish(press);
}

static void
random_splits_of_random_frames(void)
{
	struct lp_press *presses[] = { press_make(press_conf()), press_small() };

	for (unsigned int k = 0; k < 300; k++) {
		struct lp_press *press = presses[k % 2];

		frame_tensor_random(&original, (uint16_t)test_random_in(1, 9000));
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
		check_split(press, (uint16_t)test_random_in(1, 300),
				(uint16_t)test_random_in(16, 2000));
	}
	finish(presses[0]);
	finish(presses[1]);
}

static void
passed_frame_keeps_its_segments(void)
{
	struct lp_press *press = press_make(press_conf());

	frame_build_random(&original, 0, 600);
	for (uint16_t part = 1; part <= SEGMENT_LONGEST; part++) {
		struct rte_mbuf *const mbuf = mbuf_split(
				bench.pool, original.data, original.len, part, part);
		const uint16_t segments = mbuf->nb_segs;

		CU_ASSERT_PTR_EQUAL(compress_mbuf(press, mbuf), mbuf);
		CU_ASSERT_PTR_EQUAL(restore_mbuf(press, mbuf), mbuf);
		CU_ASSERT_EQUAL(mbuf->nb_segs, segments);
		check_restored(mbuf);
	}
	finish(press);
}

static void
frame_of_64_kib_chains_in_short_mbufs(void)
{
	struct lp_press *press = press_small();
	struct rte_mbuf *mbuf;

	frame_tensor(&original,
			&(struct frame_spec){
					.ip_version = 4, .l4 = LP_L4_UDP, .region_len = 65000 },
			TENSOR_BF16);
	mbuf = compress_mbuf(press, mbuf_from(&original));
	CU_ASSERT_FATAL(mbuf != NULL);
	CU_ASSERT(mbuf->nb_segs > 300);
	mbuf = restore_mbuf(press, mbuf);
	CU_ASSERT_FATAL(mbuf != NULL);
	CU_ASSERT(mbuf->nb_segs > 500);
	check_restored(mbuf);
	finish(press);
}

/* An escape is longer than what it wraps: the one output that may need one mbuf more. */
static void
escape_of_split_frame_is_that_of_the_whole(void)
{
	struct lp_press *presses[] = { press_make(press_conf()), press_small() };
	static struct test_frame stored;

	build_longest_headers(presses[0], 600);
	CU_ASSERT_FATAL(compress_frame(presses[0], &wire, &stored));
	CU_ASSERT_FATAL(stored.len > wire.len);
	for (uint16_t part = 1; part <= SEGMENT_LONGEST; part++)
		for (unsigned int k = 0; k < 2; k++) {
			struct rte_mbuf *mbuf = compress_mbuf(presses[k],
					mbuf_split(bench.pool, wire.data, wire.len, part, part));

			CU_ASSERT(mbuf_is(mbuf, &stored));
			check_compressed(restore_mbuf(presses[k], mbuf));
		}
	finish(presses[0]);
	finish(presses[1]);
}

/* Frames whose bytes belong to others too */

static void
check_other_reference(struct rte_mbuf *other, const struct test_frame *frame)
{
	CU_ASSERT_EQUAL(rte_mbuf_refcnt_read(other), 1);
	CU_ASSERT(mbuf_is(other, frame));
	rte_pktmbuf_free(other);
}

static struct rte_mbuf *
mbuf_shared(const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_split(bench.pool, frame->data, frame->len, 100, 333);

	rte_pktmbuf_refcnt_update(mbuf, 1);
	return mbuf;
}

static void
shared_mbuf_is_unchanged_for_its_other_owner(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *mbuf;

	build_longest_headers(press, 1000);
	mbuf = mbuf_shared(&original);
	check_compressed(compress_mbuf(press, mbuf));
	check_other_reference(mbuf, &original);
	mbuf = mbuf_shared(&wire);
	check_restored(restore_mbuf(press, mbuf));
	check_other_reference(mbuf, &wire);
	finish(press);
}

static void
shared_lookalike_is_unchanged_for_its_other_owner(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *mbuf, *stored;

	build_longest_headers(press, 1000);
	mbuf = mbuf_shared(&wire);
	stored = compress_mbuf(press, mbuf);
	CU_ASSERT_PTR_NOT_EQUAL(stored, mbuf);
	CU_ASSERT_EQUAL(compress_stats(press)->stored_pkts, 1);
	check_other_reference(mbuf, &wire);
	rte_pktmbuf_free(stored);
	finish(press);
}

static struct rte_mbuf *
mbuf_clone(struct rte_mbuf *mbuf)
{
	struct rte_mbuf *clone = rte_pktmbuf_clone(mbuf, bench.pool);

	CU_ASSERT_PTR_NOT_NULL_FATAL(clone);
	CU_ASSERT_FATAL(RTE_MBUF_CLONED(clone) != 0);
	return clone;
}

static void
indirect_mbuf_leaves_the_direct_one_unchanged(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *direct;

	build_longest_headers(press, 1000);
	direct = mbuf_split(bench.pool, original.data, original.len, 200, 300);
	check_compressed(compress_mbuf(press, mbuf_clone(direct)));
	check_other_reference(direct, &original);
	direct = mbuf_split(bench.pool, wire.data, wire.len, 200, 300);
	check_restored(restore_mbuf(press, mbuf_clone(direct)));
	check_other_reference(direct, &wire);
	finish(press);
}

static void
indirect_mbuf_outlives_the_direct_one(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *direct, *clone;

	build_longest_headers(press, 1000);
	direct = mbuf_from(&original);
	clone = mbuf_clone(direct);
	rte_pktmbuf_free(direct);
	check_compressed(compress_mbuf(press, clone));
	finish(press);
}

/* External memory that must be given back once, unchanged */

struct external {
	const struct test_frame *frame;
	unsigned int freed;
	bool changed;
	uint8_t buffer[EXTERNAL_BYTES];
};

static void
external_freed(void *address, void *opaque)
{
	struct external *const external = opaque;

	external->freed++;
	external->changed = memcmp(address, external->frame->data, external->frame->len) != 0;
}

static struct rte_mbuf *
mbuf_external(struct external *external, const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_empty();
	uint16_t len = sizeof(external->buffer);
	struct rte_mbuf_ext_shared_info *info = rte_pktmbuf_ext_shinfo_init_helper(
			external->buffer, &len, external_freed, external);

	CU_ASSERT_FATAL(info != NULL && frame->len <= len);
	external->frame = frame;
	external->freed = 0;
	memcpy(external->buffer, frame->data, frame->len);
	rte_pktmbuf_attach_extbuf(mbuf, external->buffer, RTE_BAD_IOVA, len, info);
	mbuf->data_len = (uint16_t)frame->len;
	mbuf->pkt_len = (uint32_t)frame->len;
	return mbuf;
}

static void
external_buffer_is_given_back_once_and_unchanged(void)
{
	struct lp_press *press = press_make(press_conf());
	static struct external external;

	build_longest_headers(press, 1000);
	check_compressed(compress_mbuf(press, mbuf_external(&external, &original)));
	CU_ASSERT(external.freed == 1 && !external.changed);
	check_restored(restore_mbuf(press, mbuf_external(&external, &wire)));
	CU_ASSERT(external.freed == 1 && !external.changed);
	finish(press);
}

static void
external_buffer_of_a_passed_frame_stays_attached(void)
{
	struct lp_press *press = press_make(press_conf());
	static struct external external;
	struct rte_mbuf *mbuf;

	frame_build_random(&original, 0, 1000);
	mbuf = mbuf_external(&external, &original);
	CU_ASSERT_PTR_EQUAL(compress_mbuf(press, mbuf), mbuf);
	CU_ASSERT(external.freed == 0 && RTE_MBUF_HAS_EXTBUF(mbuf));
	check_restored(mbuf);
	CU_ASSERT(external.freed == 1 && !external.changed);
	finish(press);
}

/* Room around the data */

static struct rte_mbuf *
mbuf_without_headroom(const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_empty();

	mbuf->data_off = 0;
	memcpy(rte_pktmbuf_append(mbuf, (uint16_t)frame->len), frame->data, frame->len);
	return mbuf;
}

static void
frame_without_headroom(void)
{
	struct lp_press *press = press_make(press_conf());

	build_longest_headers(press, 1000);
	check_compressed(compress_mbuf(press, mbuf_without_headroom(&original)));
	check_restored(restore_mbuf(press, mbuf_without_headroom(&wire)));
	finish(press);
}

static struct rte_mbuf *
mbuf_without_tailroom(const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_empty();

	mbuf->data_off = (uint16_t)(mbuf->buf_len - frame->len);
	memcpy(rte_pktmbuf_append(mbuf, (uint16_t)frame->len), frame->data, frame->len);
	CU_ASSERT_EQUAL(rte_pktmbuf_tailroom(mbuf), 0);
	return mbuf;
}

static void
frame_without_tailroom(void)
{
	struct lp_press *press = press_make(press_conf());

	build_longest_headers(press, 1000);
	check_compressed(compress_mbuf(press, mbuf_without_tailroom(&original)));
	check_restored(restore_mbuf(press, mbuf_without_tailroom(&wire)));
	finish(press);
}

/* Lengths around the room of one mbuf: where an output turns from one mbuf into a chain. */
static void
outputs_around_the_room_of_one_mbuf(void)
{
	struct lp_press *press = press_make(press_conf());
	const uint16_t room = RTE_MBUF_DEFAULT_DATAROOM;

	for (uint16_t len = room - 20; len <= room + 20; len++) {
		struct rte_mbuf *mbuf;

		frame_tensor(&original,
				&(struct frame_spec){ .ip_version = 4,
						.l4 = LP_L4_TCP,
						.region_len = (uint16_t)(len - 54) },
				TENSOR_BF16);
		CU_ASSERT_FATAL(original.len == len);
		mbuf = restore_mbuf(press, compress_mbuf(press, mbuf_from(&original)));
		CU_ASSERT_FATAL(mbuf != NULL);
		CU_ASSERT_EQUAL(mbuf->nb_segs, len <= room ? 1 : 2);
		check_restored(mbuf);
	}
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, 41);
	finish(press);
}

/* Mbufs pinned to external memory: an output must not forget that it is one. */
static void
output_from_a_pool_of_pinned_buffers_keeps_them(void)
{
	static uint8_t memory[16 * 2048] __rte_cache_aligned;
	struct rte_pktmbuf_extmem area = { .buf_ptr = memory,
		.buf_iova = RTE_BAD_IOVA,
		.buf_len = sizeof(memory),
		.elt_size = 2048 };
	struct lp_press_conf conf = press_conf();
	struct rte_mbuf *mbuf;

	conf.pool = rte_pktmbuf_pool_create_extbuf(
			"pinned", 15, 0, 0, 2048, SOCKET_ID_ANY, &area, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(conf.pool);
	struct lp_press *press = press_make(conf);

	build_longest_headers(press, 1000);
	mbuf = compress_mbuf(press, mbuf_from(&original));
	CU_ASSERT_EQUAL(compress_stats(press)->coded_pkts, 2);
	CU_ASSERT(RTE_MBUF_HAS_EXTBUF(mbuf) != 0);
	check_compressed(mbuf);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(conf.pool), 15);
	finish(press);
	rte_mempool_free(conf.pool);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(two_segments_at_every_boundary),
		TEST(two_segments_at_every_boundary_into_short_mbufs),
		TEST(segments_of_1_to_64_bytes),
		TEST(segments_of_1_to_64_bytes_into_short_mbufs),
		TEST(headers_in_short_segments_and_the_rest_in_one),
		TEST(empty_segments_do_no_harm),
		TEST(random_splits_of_random_frames),
		TEST(passed_frame_keeps_its_segments),
		TEST(frame_of_64_kib_chains_in_short_mbufs),
		TEST(escape_of_split_frame_is_that_of_the_whole),
		TEST(shared_mbuf_is_unchanged_for_its_other_owner),
		TEST(shared_lookalike_is_unchanged_for_its_other_owner),
		TEST(indirect_mbuf_leaves_the_direct_one_unchanged),
		TEST(indirect_mbuf_outlives_the_direct_one),
		TEST(external_buffer_is_given_back_once_and_unchanged),
		TEST(external_buffer_of_a_passed_frame_stays_attached),
		TEST(frame_without_headroom),
		TEST(frame_without_tailroom),
		TEST(outputs_around_the_room_of_one_mbuf),
		TEST(output_from_a_pool_of_pinned_buffers_keeps_them),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_segments", tests);
}
