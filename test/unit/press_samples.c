/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Regions that a press keeps for profiling. */

#include <rte_random.h>

#include "press_help.h"

#define ROUNDS 200
#define SEED 42

static struct test_frame frame, wire;

static struct lp_press *
sampling_press(uint32_t every)
{
	struct lp_press_conf conf = press_conf();

	conf.can_sample = true;
	conf.sample_every = every;
	return press_make(conf);
}

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static void
compress(struct lp_press *press, enum tensor tensor, uint16_t region_len)
{
	const struct frame_spec spec = {
		.ip_version = 4, .l4 = LP_L4_UDP, .region_len = region_len
	};

	frame_tensor(&frame, &spec, tensor);
	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
}

static unsigned int
drain(struct lp_press *press, uint32_t *missed)
{
	const struct lp_press_sample *sample;
	unsigned int n = 0;

	for (; (sample = lp_press_sample_next(press)) != NULL; n++) {
		*missed += sample->missed;
		lp_press_sample_done(press, sample);
	}
	return n;
}

/* Is this the region of the last frame, and what became of it? */
static bool
tells_of_last_frame(const struct lp_press_sample *sample)
{
	struct lp_shim shim;
	const bool is_coded = frame_shim(&wire, &shim) == LP_OPEN_SEALED;
	const uint32_t region_len = frame.at.region_len;

	if (sample->len != region_len ||
			memcmp(sample->region, frame.data + frame.at.region_off, region_len) != 0)
		return false;
	if (!is_coded)
		return sample->book == 0 && sample->body_len == 0 && sample->digest == 0;
	return sample->book == shim.book_id && sample->params.phase == shim.phase &&
			sample->digest == bench.books->digest[shim.book_id] &&
			wire.len + region_len ==
			frame.len + sample->body_len + lp_shim_len(shim.flags);
}

static void
samples_tell_what_became_of_regions(void)
{
	struct lp_press *press = sampling_press(1);
	unsigned int coded = 0, uncoded = 0;

	CU_ASSERT_PTR_NULL(lp_press_sample_next(press));
	for (unsigned int k = 0; k < ROUNDS; k++) {
		compress(press, (enum tensor)(k % TENSOR_COUNT),
				(uint16_t)test_random_in(LP_PRESS_MIN_REGION, 1400));

		const struct lp_press_sample *sample = lp_press_sample_next(press);

		CU_ASSERT_FATAL(sample != NULL);
		CU_ASSERT(tells_of_last_frame(sample));
		CU_ASSERT_EQUAL(sample->missed, 0);
		coded += sample->book != 0;
		uncoded += sample->book == 0;
		lp_press_sample_done(press, sample);
		CU_ASSERT_PTR_NULL(lp_press_sample_next(press));
	}
	CU_ASSERT(coded > ROUNDS / 2);
	CU_ASSERT(uncoded >= ROUNDS / TENSOR_COUNT);
	finish(press);
}

static void
frames_left_alone_for_other_reasons_are_no_samples(void)
{
	static const struct lp_gate nothing;
	struct lp_press *press = sampling_press(1);

	compress(press, TENSOR_BF16, LP_PRESS_MIN_REGION - 1);
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_SHORT_REGION], 1);
	CU_ASSERT_PTR_NULL(lp_press_sample_next(press));
	finish(press);

	struct lp_press_conf conf = press_conf();

	conf.can_sample = true;
	conf.sample_every = 1;
	conf.gate = &nothing;
	press = press_make(conf);
	compress(press, TENSOR_BF16, 1000);
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_NO_PEER], 1);
	CU_ASSERT_PTR_NULL(lp_press_sample_next(press));
	finish(press);
}

static void
samples_that_nobody_takes_are_bounded_and_counted(void)
{
	struct lp_press *press = sampling_press(1);
	uint32_t missed = 0;

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int k = 0; k < LP_PRESS_SAMPLES + 10; k++)
			compress(press, TENSOR_BF16, 1000);
		CU_ASSERT_EQUAL(drain(press, &missed), LP_PRESS_SAMPLES);
		CU_ASSERT_EQUAL(missed, 10 * round);
	}
	compress(press, TENSOR_BF16, 1000);
	CU_ASSERT_EQUAL(drain(press, &missed), 1);
	CU_ASSERT_EQUAL(missed, 30);
	finish(press);
}

static void
one_in_so_many_is_taken(void)
{
	static const uint32_t every[] = { 2, 5, 20 };
	struct lp_press *press = sampling_press(0);

	rte_srand(SEED);
	for (unsigned int e = 0; e < RTE_DIM(every); e++) {
		const struct lp_policy policy = { .books = bench.books, .sample_every = every[e] };
		const unsigned int expected = 100;
		unsigned int n = 0;
		uint32_t missed = 0;

		CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
		for (unsigned int k = 0; k < expected * every[e]; k++) {
			compress(press, TENSOR_BF16, 300);
			n += drain(press, &missed);
		}
		CU_ASSERT(n > expected * 7 / 10 && n < expected * 13 / 10);
		CU_ASSERT_EQUAL(missed, 0);
	}
	finish(press);
}

static void
sampling_is_switched_while_the_press_works(void)
{
	struct lp_press *press = sampling_press(0);
	struct lp_policy policy = { .books = bench.books };
	uint32_t missed = 0;

	for (unsigned int k = 0; k < ROUNDS; k++) {
		policy.sample_every = k % 2;
		CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
		compress(press, TENSOR_BF16, 1000);
		CU_ASSERT_EQUAL(drain(press, &missed), k % 2);
	}
	finish(press);
}

static void
press_without_room_for_samples_takes_none(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_policy policy = { .books = bench.books, .sample_every = 1 };
	struct lp_press *press;

	conf.sample_every = 1;
	press = press_make(conf);
	compress(press, TENSOR_BF16, 1000);
	CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
	policy.sample_every = 2;
	CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
	compress(press, TENSOR_BF16, 1000);
	CU_ASSERT_PTR_NULL(lp_press_sample_next(press));
	finish(press);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(samples_tell_what_became_of_regions),
		TEST(frames_left_alone_for_other_reasons_are_no_samples),
		TEST(samples_that_nobody_takes_are_bounded_and_counted),
		TEST(one_in_so_many_is_taken),
		TEST(sampling_is_switched_while_the_press_works),
		TEST(press_without_room_for_samples_takes_none),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_samples", tests);
}
