/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Clocks that jump: a virtual machine that was paused, a processor that was taken away. Coding ends
 * if it may be unsafe, and begins again by itself. The clock never goes back, but if it did, time
 * would stand still and not run backwards through all limits.
 */

#include "peer_sim.h"
#include "press_help.h"

#define HOUR_MS 3600000u

/* Give box 0 a time of its own, once. */
static bool
tick_at(uint64_t now_ms)
{
	struct lp_hello hello;

	return lp_peer_tick(sim.box[0].peer, now_ms, &hello);
}

static void
jump_forward_ends_coding_at_once(void)
{
	sim_start_coding(2, 2);
	CU_ASSERT_FATAL(sim_codes(0));
	CU_ASSERT(tick_at(sim.now_ms + HOUR_MS));
	CU_ASSERT(!sim_codes(0));
	sim_end();
}

static void
both_boxes_code_again_after_a_jump_forward(void)
{
	sim_start_coding(2, 2);
	sim.now_ms += HOUR_MS;
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(sim_codes(0) && sim_codes(1));
	CU_ASSERT_EQUAL(sim.unsafe, 0);
	CU_ASSERT_EQUAL(sim.box[0].undecodable + sim.box[1].undecodable, 0);
	sim_end();
}

/* Nobody looks at the clock at all: the gate has a limit of its own. */
static void
gate_has_a_limit_that_needs_no_tick(void)
{
	const uint64_t hz = 2000000, tsc = 1000 * hz;

	sim_start_coding(2, 2);

	struct lp_peer *peer = sim.box[0].peer;
	const uint64_t left_ms = LP_PEER_DEAD_INTERVALS * LP_PEER_INTERVAL_MS + 1 -
			sim_report(0)->heard_ms;

	CU_ASSERT(lp_peer_gate(peer)->end_tsc == 0);
	lp_peer_limit_gate(peer, sim.now_ms, tsc, hz);
	CU_ASSERT(lp_peer_gate(peer)->end_tsc == tsc + left_ms * hz / 1000);
	lp_peer_limit_gate(peer, sim.now_ms + left_ms - 1, tsc, hz);
	CU_ASSERT(lp_peer_gate(peer)->end_tsc == tsc + hz / 1000);
	lp_peer_limit_gate(peer, sim.now_ms + left_ms, tsc, hz);
	CU_ASSERT(lp_peer_gate(peer)->end_tsc == tsc);
	/* A clock that was set back gives no more time than a new hello. */
	lp_peer_limit_gate(peer, 1, tsc, hz);
	CU_ASSERT(lp_peer_gate(peer)->end_tsc ==
			tsc + (LP_PEER_DEAD_INTERVALS * LP_PEER_INTERVAL_MS + 1) * hz / 1000);
	sim_end();

	sim_reset();
	sim_start_ready(0);
	lp_peer_limit_gate(sim.box[0].peer, sim.now_ms, tsc, hz);
	CU_ASSERT(lp_peer_gate(sim.box[0].peer)->end_tsc == tsc);
	sim_end();
}

/* To the very end of time, where a sum would overflow. */
static void
jump_to_the_end_of_time_ends_coding(void)
{
	sim_start_coding(2, 2);
	tick_at(UINT64_MAX);
	CU_ASSERT(!sim_codes(0));
	sim_end();
}

static void
jump_back_ends_nothing_and_starts_nothing(void)
{
	sim_start_coding(2, 2);
	tick_at(sim.now_ms - 400);
	CU_ASSERT(sim_codes(0));
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(sim_codes(0) && sim_codes(1));
	CU_ASSERT_EQUAL(sim.unsafe, 0);
	sim_end();

	sim_start_coding(2, 2);
	sim_kill(1);
	sim_run(1000);
	CU_ASSERT_FATAL(!sim_codes(0));
	tick_at(sim.now_ms - 900);
	sim_run(10);
	CU_ASSERT(!sim_codes(0));
	sim_end();
}

static void
jumps_all_the_time_do_no_harm(void)
{
	sim_start_coding(3, 3);
	for (unsigned int k = 0; k < 400; k++) {
		sim.now_ms += test_random() % 4 ? 0 : test_random_in(0, 2 * HOUR_MS);
		sim_run(test_random_in(1, 60));
	}
	sim_run(1000);
	CU_ASSERT(sim_codes(0) && sim_codes(1));
	CU_ASSERT_EQUAL(sim.unsafe, 0);
	CU_ASSERT_EQUAL(sim.box[0].undecodable + sim.box[1].undecodable, 0);
	sim_end();
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(jump_forward_ends_coding_at_once),
		TEST(both_boxes_code_again_after_a_jump_forward),
		TEST(gate_has_a_limit_that_needs_no_tick),
		TEST(jump_to_the_end_of_time_ends_coding),
		TEST(jump_back_ends_nothing_and_starts_nothing),
		TEST(jumps_all_the_time_do_no_harm),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer_clock", tests);
}
