/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What the other box is told of frames that could not be restored. */

#include "linepress/flow.h"
#include "press_help.h"

#define FRAMES 400

static struct test_frame original, wire, restored;

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static uint32_t
flow_of(const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_from(frame);
	const uint32_t flow = lp_flow_hash(mbuf);

	rte_pktmbuf_free(mbuf);
	return flow;
}

/* A coded frame whose body is broken; its tag is right. */
static void
break_frame(struct lp_press *press)
{
	struct lp_shim shim;

	do {
		frame_tensor(&original,
				&(struct frame_spec){ .ip_version = 4,
						.l4 = LP_L4_TCP,
						.region_len = 1400 },
				TENSOR_BF16);
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	} while (frame_shim(&wire, &shim) != LP_OPEN_SEALED);
	wire.data[wire.len - 100] ^= 0x55;
}

static void
failures_are_told_by_flow_and_book(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_hello_failure failures[LP_PRESS_FAILURES + 1];
	struct lp_shim shim;

	CU_ASSERT_EQUAL(lp_press_failures(press, failures, 1), 0);
	for (unsigned int i = 0; i < FRAMES; i++) {
		break_frame(press);
		CU_ASSERT(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
		CU_ASSERT(!restore_frame(press, &wire, &restored));
		CU_ASSERT_EQUAL_FATAL(lp_press_failures(press, failures, LP_PRESS_FAILURES), 1);
		CU_ASSERT_EQUAL(failures[0].flow, flow_of(&original));
		CU_ASSERT_EQUAL(failures[0].book, shim.book_id);
	}
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_CHECK] +
					restore_stats(press)->dropped[LP_DROP_DECODE],
			FRAMES);
	finish(press);
}

/* The line has pushed a tag that our device has no room for: it would again, at each repetition. */
static void
frame_that_is_too_long_is_told_of(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press;
	struct lp_hello_failure failure;

	press = press_make(conf);
	break_frame(press);
	lp_press_free(press);
	conf.max_frame = (uint32_t)original.len - 1;
	press = press_make(conf);
	CU_ASSERT(!restore_frame(press, &wire, &restored));
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_LENGTH], 1);
	CU_ASSERT_EQUAL_FATAL(lp_press_failures(press, &failure, 1), 1);
	CU_ASSERT_EQUAL(failure.flow, flow_of(&original));
	CU_ASSERT_EQUAL(lp_press_failures(press, &failure, 1), 0);
	finish(press);
}

static void
failures_that_are_not_taken_are_bounded(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_hello_failure failures[LP_PRESS_FAILURES + 1];
	uint32_t flow[LP_PRESS_FAILURES + 10];

	for (unsigned int i = 0; i < RTE_DIM(flow); i++) {
		break_frame(press);
		flow[i] = flow_of(&original);
		CU_ASSERT(!restore_frame(press, &wire, &restored));
	}
	CU_ASSERT_EQUAL(lp_press_failures(press, failures, 10), 10);
	CU_ASSERT_EQUAL(failures[9].flow, flow[9]);
	CU_ASSERT_EQUAL_FATAL(lp_press_failures(press, failures, LP_PRESS_FAILURES + 1),
			LP_PRESS_FAILURES - 10);
	for (unsigned int i = 10; i < LP_PRESS_FAILURES; i++)
		CU_ASSERT_EQUAL(failures[i - 10].flow, flow[i]);
	CU_ASSERT_EQUAL(lp_press_failures(press, failures, 1), 0);
	finish(press);
}

static void
stored_frame_that_fails_is_no_fault_of_a_book(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_hello_failure failure;

	break_frame(press);
	wire.data[wire.len - 100] ^= 0x55;
	frame_copy(&original, &wire);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	wire.data[wire.len - 100] ^= 0x55;
	CU_ASSERT(!restore_frame(press, &wire, &restored));
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_CHECK], 1);
	CU_ASSERT_EQUAL(lp_press_failures(press, &failure, 1), 0);
	finish(press);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(failures_are_told_by_flow_and_book),
		TEST(frame_that_is_too_long_is_told_of),
		TEST(failures_that_are_not_taken_are_bounded),
		TEST(stored_frame_that_fails_is_no_fault_of_a_book),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_failures", tests);
}
