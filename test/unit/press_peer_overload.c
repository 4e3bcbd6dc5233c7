/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * A line that has too much to carry loses hellos like any frame. It needs compression more than any
 * other: without, it would have even more to carry.
 */

#include <stdio.h>

#include "peer_sim.h"
#include "press_help.h"

#define RUN_MS 60000

/* Percent of time that both boxes code, of RUN_MS. */
static unsigned int
coding_pct(void)
{
	uint64_t ms = 0;

	for (unsigned int k = 0; k < RUN_MS; k++) {
		sim_run(1);
		ms += sim_codes(0) && sim_codes(1);
	}
	return (unsigned int)(ms * 100 / RUN_MS);
}

static void
start_overloaded(uint8_t lost_pct)
{
	sim_start_coding(16, 16);
	sim.lost_pct = sim.box[0].lost_pct = sim.box[1].lost_pct = lost_pct;
	sim_run(2000);
}

static void
coding_goes_on_though_most_hellos_are_lost(void)
{
	static const struct {
		uint8_t lost_pct;
		unsigned int coding_pct;
	} cases[] = { { 50, 97 }, { 70, 95 }, { 80, 85 } };

	for (unsigned int k = 0; k < RTE_DIM(cases); k++) {
		start_overloaded(cases[k].lost_pct);

		const unsigned int percent = coding_pct();

		printf("%u %% lost: %u %% of the time ", cases[k].lost_pct, percent);
		CU_ASSERT(percent >= cases[k].coding_pct);
		sim_end();
	}
}

/* One direction is full, the other is not: the box that hears all knows that it is not heard. */
static void
hellos_come_oftener_only_while_they_get_lost(void)
{
	uint64_t sent;

	sim_start_coding(2, 2);
	sim_run(1000);
	sim.box[0].hellos_lost_pct = 80;
	sim_run(2000);
	sent = sim_report(0)->sent;
	sim_run(1000);
	CU_ASSERT(sim_report(0)->sent >= sent + 1000 / LP_HELLO_INTERVAL_MIN - 1);
	CU_ASSERT(sim_report(1)->sent < sent);
	sim.box[0].hellos_lost_pct = 0;
	sim_run(LP_PEER_LOSSY_MS + 1000);
	for (unsigned int box = 0; box < 2; box++) {
		sent = sim_report(box)->sent;
		sim_run(1000);
		CU_ASSERT(sim_report(box)->sent == sent + 1000 / LP_PEER_INTERVAL_MS);
	}
	sim_end();
}

/* They come oftener, but mean no more. */
static void
peer_that_is_gone_is_dead_after_3_intervals_on_a_lossy_line(void)
{
	for (unsigned int k = 0; k < 50; k++) {
		start_overloaded(80);
		sim_run(test_random_in(1, 500));
		sim_kill(1);
		/* A hello may still be under way. */
		sim_run(LP_PEER_DEAD_INTERVALS * LP_PEER_INTERVAL_MS + 2);
		CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_DEAD);
		sim_end();
	}
}

static void
few_frames_that_get_lost_are_no_black_hole(void)
{
	start_overloaded(80);
	sim.box[0].rate = 1;
	sim_run(RUN_MS);
	CU_ASSERT_EQUAL(sim.box[0].raw_flow_pkts, 0);
	/* One that is one is still found, though whenever coding pauses it is looked for anew. */
	sim.box[1].blind = true;
	sim_run(20000);
	CU_ASSERT(sim_report(0)->raw_groups != 0);
	sim_end();
}

static void
drain_is_heard_on_a_lossy_line(void)
{
	uint64_t took_ms = 0;

	for (unsigned int k = 0; k < 50; k++) {
		uint64_t ms = 0;

		start_overloaded(80);
		lp_peer_drain(sim.box[1].peer, sim.now_ms);
		for (; lp_peer_drained(sim.box[1].peer, sim.now_ms) == LP_DRAIN_WAITING; ms++)
			sim_run(1);
		CU_ASSERT(lp_peer_drained(sim.box[1].peer, sim.now_ms) != LP_DRAIN_TIMEOUT);
		CU_ASSERT(!sim_codes(0));
		took_ms += ms;
		sim_end();
	}
	printf("%ju ms on average ", (uintmax_t)took_ms / 50);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(coding_goes_on_though_most_hellos_are_lost),
		TEST(hellos_come_oftener_only_while_they_get_lost),
		TEST(peer_that_is_gone_is_dead_after_3_intervals_on_a_lossy_line),
		TEST(few_frames_that_get_lost_are_no_black_hole),
		TEST(drain_is_heard_on_a_lossy_line),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer_overload", tests);
}
