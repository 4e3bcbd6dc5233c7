/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdbool.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "latency_summary.h"
#include "suite.h"

#define GHZ 1000000000 /* so that a cycle is a nanosecond */
#define ERROR_PERCENT 3.2
#define DRAWS 100000

static struct latency latency[2];

static void
forget_all(void)
{
	memset(latency, 0, sizeof(latency));
}

static bool
is_near(uint64_t want, uint64_t got)
{
	const double off = got > want ? (double)(got - want) : (double)(want - got);

	return off <= (double)want * ERROR_PERCENT / 100;
}

static void
every_time_has_a_class_that_tells_it_well(void)
{
	for (int i = 0; i < DRAWS; i++) {
		const uint64_t cycles = test_random() >> test_random_in(64 - LATENCY_MAX_LOG2, 63);
		const unsigned int class = latency_class(cycles);

		CU_ASSERT_FATAL(class < LATENCY_CLASSES);
		CU_ASSERT(is_near(cycles, latency_cycles(class)));
	}
}

static void
classes_are_in_order_without_gaps(void)
{
	unsigned int class = latency_class(0);

	CU_ASSERT_EQUAL(class, 0);
	for (uint64_t cycles = 1; cycles < 1 << 20; cycles++) {
		const unsigned int next = latency_class(cycles);

		CU_ASSERT_FATAL(next == class || next == class + 1);
		class = next;
	}
}

static void
times_too_long_count_in_the_last_class(void)
{
	CU_ASSERT_EQUAL(latency_class((UINT64_C(1) << LATENCY_MAX_LOG2) - 1), LATENCY_CLASSES - 1);
	CU_ASSERT_EQUAL(latency_class(UINT64_C(1) << LATENCY_MAX_LOG2), LATENCY_CLASSES - 1);
	CU_ASSERT_EQUAL(latency_class(UINT64_MAX), LATENCY_CLASSES - 1);
}

static void
no_frames_have_no_latency(void)
{
	struct latency_summary summary;

	forget_all();
	memset(&summary, 0xff, sizeof(summary));
	latency_summarize(latency, 2, GHZ, &summary);
	CU_ASSERT_EQUAL(summary.samples, 0);
	CU_ASSERT_EQUAL(summary.p50_ns, 0);
	CU_ASSERT_EQUAL(summary.max_ns, 0);
}

/* 1 to 10000 ns, one frame each, dealt out to two lcores. */
static void
percentiles_are_those_of_all_lcores(void)
{
	struct latency_summary summary;

	forget_all();
	for (uint64_t ns = 1; ns <= 10000; ns++)
		latency_record(&latency[ns % 2], ns, 1);
	latency_summarize(latency, 2, GHZ, &summary);
	CU_ASSERT_EQUAL(summary.samples, 10000);
	CU_ASSERT(is_near(5000, summary.p50_ns));
	CU_ASSERT(is_near(9000, summary.p90_ns));
	CU_ASSERT(is_near(9900, summary.p99_ns));
	CU_ASSERT(is_near(9990, summary.p999_ns));
	CU_ASSERT(is_near(10000, summary.max_ns));
}

/* One frame of 1000 is above the 99.9th percentile, two are not. */
static void
a_burst_weighs_as_many_frames_as_it_has(void)
{
	struct latency_summary summary;

	forget_all();
	latency_record(&latency[0], 100, 999);
	latency_record(&latency[0], 1000000, 1);
	latency_summarize(latency, 1, GHZ, &summary);
	CU_ASSERT(is_near(100, summary.p999_ns));
	CU_ASSERT(is_near(1000000, summary.max_ns));
	latency_record(&latency[0], 1000000, 1);
	latency_summarize(latency, 1, GHZ, &summary);
	CU_ASSERT_EQUAL(summary.samples, 1001);
	CU_ASSERT(is_near(1000000, summary.p999_ns));
}

static void
cycles_become_nanoseconds(void)
{
	struct latency_summary summary;

	forget_all();
	latency_record(&latency[0], 42000, 8);
	latency_summarize(latency, 1, 2100000000, &summary);
	CU_ASSERT(is_near(20000, summary.p50_ns));
}

static CU_TestInfo tests[] = {
	TEST(every_time_has_a_class_that_tells_it_well),
	TEST(classes_are_in_order_without_gaps),
	TEST(times_too_long_count_in_the_last_class),
	TEST(no_frames_have_no_latency),
	TEST(percentiles_are_those_of_all_lcores),
	TEST(a_burst_weighs_as_many_frames_as_it_has),
	TEST(cycles_become_nanoseconds),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("latency", tests);
}
