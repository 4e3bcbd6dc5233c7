/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* An encoder that is broken on purpose, and a press that checks what it made. */

#include <string.h>

#include "press_help.h"

#define ROUNDS 500

int __real_lp_encode(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *body, size_t body_cap);
int __wrap_lp_encode(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *body, size_t body_cap);

/* How the encoder errs. */
static enum {
	ENCODER_RIGHT,
	ENCODER_FLIPS_A_BIT,
	ENCODER_ENDS_EARLY,
	ENCODER_FAULTS,
} encoder;

static struct test_frame frame, wire, back;

int
__wrap_lp_encode(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, uint8_t *body, size_t body_cap)
{
	const int body_len = __real_lp_encode(cb, params, src, len, body, body_cap);

	if (body_len <= 1)
		return body_len;
	if (encoder == ENCODER_FLIPS_A_BIT)
		body[test_random_in(0, (uint32_t)body_len - 1)] ^= 1u << test_random_in(0, 7);
	return encoder == ENCODER_ENDS_EARLY ? body_len - 1 : body_len;
}

static struct lp_press *
checking_press(struct rte_mempool *pool)
{
	struct lp_press_conf conf = press_conf();

	conf.check_every = 1;
	conf.pool = pool;
	return press_make(conf);
}

static void
every_fault_is_found_and_the_frame_is_sent_as_it_is(void)
{
	for (encoder = ENCODER_FLIPS_A_BIT; encoder < ENCODER_FAULTS; encoder++) {
		struct lp_press *press = checking_press(bench.pool);
		const struct lp_press_stats *stats = compress_stats(press);

		for (unsigned int k = 0; k < ROUNDS; k++) {
			frame_tensor_random(&frame, (uint16_t)test_random_in(600, 1400));
			CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
			CU_ASSERT_EQUAL(wire.len, frame.len);
			CU_ASSERT_EQUAL(memcmp(wire.data, frame.data, frame.len), 0);
		}
		CU_ASSERT_EQUAL(stats->coded_pkts, 0);
		CU_ASSERT(stats->passed[LP_PASS_MISCODED] > ROUNDS / 2);
		CU_ASSERT_EQUAL(stats->verified_pkts, stats->passed[LP_PASS_MISCODED]);
		CU_ASSERT(stats_add_up(press));
		lp_press_free(press);
	}
	encoder = ENCODER_RIGHT;
	CU_ASSERT(pools_full());
}

static void
right_frames_are_coded_as_without_the_check(void)
{
	struct rte_mempool *pool[] = { bench.pool, bench.small };

	for (unsigned int p = 0; p < RTE_DIM(pool); p++) {
		struct lp_press_conf conf = press_conf();
		struct lp_press *checking = checking_press(pool[p]), *plain;

		conf.pool = pool[p];
		plain = press_make(conf);
		for (unsigned int k = 0; k < ROUNDS; k++) {
			frame_tensor_random(&frame, (uint16_t)test_random_in(1, 1400));
			CU_ASSERT_FATAL(compress_frame(checking, &frame, &wire));
			CU_ASSERT_FATAL(compress_frame(plain, &frame, &back));
			CU_ASSERT_EQUAL(wire.len, back.len);
			CU_ASSERT_EQUAL(memcmp(wire.data, back.data, back.len), 0);
			CU_ASSERT_FATAL(restore_frame(plain, &wire, &back));
			CU_ASSERT_EQUAL(memcmp(frame.data, back.data, frame.len), 0);
		}
		CU_ASSERT(compress_stats(checking)->coded_pkts > ROUNDS / 2);
		CU_ASSERT_EQUAL(compress_stats(checking)->passed[LP_PASS_MISCODED], 0);
		CU_ASSERT_EQUAL(compress_stats(checking)->verified_pkts,
				compress_stats(checking)->coded_pkts);
		CU_ASSERT_EQUAL(compress_stats(plain)->verified_pkts, 0);
		lp_press_free(checking);
		lp_press_free(plain);
	}
	CU_ASSERT(pools_full());
}

static void
check_is_switched_while_the_press_works(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_policy policy = { .books = bench.books };

	encoder = ENCODER_FLIPS_A_BIT;
	for (unsigned int k = 0; k < ROUNDS; k++) {
		const uint64_t found = compress_stats(press)->passed[LP_PASS_MISCODED];

		policy.check_every = k % 2;
		CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
		frame_tensor_random(&frame, 1000);
		CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
		CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_MISCODED] - found, k % 2);
	}
	encoder = ENCODER_RIGHT;
	CU_ASSERT(stats_add_up(press));
	CU_ASSERT_STRING_EQUAL(lp_pass_name(LP_PASS_MISCODED), "miscoded");
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static void
one_in_so_many_is_checked(void)
{
	static const uint32_t every[] = { 1, 2, 3, 10, ROUNDS };
	struct lp_press *press = press_make(press_conf());

	encoder = ENCODER_FLIPS_A_BIT;
	for (unsigned int e = 0; e < RTE_DIM(every); e++) {
		const struct lp_policy policy = { .books = bench.books, .check_every = every[e] };
		const uint64_t found = compress_stats(press)->passed[LP_PASS_MISCODED];

		CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
		for (unsigned int k = 0; k < ROUNDS; k++) {
			frame_tensor_random(&frame, 1000);
			CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
		}
		CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_MISCODED] - found,
				ROUNDS / every[e]);
	}
	encoder = ENCODER_RIGHT;
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(every_fault_is_found_and_the_frame_is_sent_as_it_is),
		TEST(right_frames_are_coded_as_without_the_check),
		TEST(check_is_switched_while_the_press_works),
		TEST(one_in_so_many_is_checked),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_check", tests);
}
