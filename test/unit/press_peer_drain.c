/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A box that is going to stop asks the other to, and knows when it has. */

#include "peer_sim.h"
#include "press_help.h"

static enum lp_drain
drain(unsigned int box, unsigned int limit_ms)
{
	enum lp_drain drained = LP_DRAIN_WAITING;

	CU_ASSERT(lp_peer_drained(sim.box[box].peer, sim.now_ms) == LP_DRAIN_WAITING);
	lp_peer_drain(sim.box[box].peer, sim.now_ms);
	for (; limit_ms > 0 && drained == LP_DRAIN_WAITING; limit_ms--) {
		sim_run(1);
		drained = lp_peer_drained(sim.box[box].peer, sim.now_ms);
	}
	return drained;
}

static void
box_that_drains_leaves_without_losing_a_frame(void)
{
	sim_start_coding(2, 2);
	sim.delay_ms = 7;
	sim_run(500);
	/* Two hellos that do not wait for the interval, their way, and the time to settle. */
	CU_ASSERT(drain(1, 2 * (LP_HELLO_INTERVAL_MIN + 7) + LP_PEER_SETTLE_MS + 2) ==
			LP_DRAIN_STOPPED);
	CU_ASSERT(!sim_codes(0) && !sim_codes(1));
	CU_ASSERT(sim.box[1].counts.decoded == sim.box[0].counts.coded);
	sim_kill(1);
	sim.box[1].left = true;
	sim_run(1000);
	CU_ASSERT(!sim_codes(0));
	sim_end();
}

static void
drain_waits_for_a_peer_that_still_codes(void)
{
	struct lp_hello hello;

	sim_start_coding(2, 2);
	sim.cut[0] = true;
	lp_peer_drain(sim.box[1].peer, sim.now_ms);
	sim_run(LP_HELLO_INTERVAL_MIN + 1);
	hello = sim_last_hello(0);
	hello.echo_seq = sim_last_hello(1).seq;
	CU_ASSERT(sim_last_hello(1).state == LP_HELLO_DRAIN);
	for (unsigned int k = 0; k < 20; k++) {
		hello.seq++;
		hello.coding = k < 10;
		CU_ASSERT(sim_receive(1, &hello) == LP_PEER_ACCEPTED);
		sim_run(LP_PEER_SETTLE_MS);
		CU_ASSERT(lp_peer_drained(sim.box[1].peer, sim.now_ms) ==
				(k < 10 ? LP_DRAIN_WAITING : LP_DRAIN_STOPPED));
	}
	sim_end();
}

static void
drain_waits_for_a_peer_that_does_not_hear_it(void)
{
	sim_start_coding(2, 2);
	/* Box 0 hears nothing more, but codes until it notices. */
	sim.cut[1] = true;
	CU_ASSERT(drain(1, 20000) == LP_DRAIN_TIMEOUT);
	CU_ASSERT(!sim_codes(0));
	sim_end();
}

static void
drain_does_not_wait_for_a_peer_that_is_gone(void)
{
	sim_start_coding(2, 2);
	sim_kill(0);
	CU_ASSERT(drain(1, 8 * LP_PEER_INTERVAL_MS) == LP_DRAIN_NO_PEER);
	sim_end();

	sim_reset();
	sim_start_ready(0);
	CU_ASSERT(drain(0, 1) == LP_DRAIN_NO_PEER);
	sim_end();
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(box_that_drains_leaves_without_losing_a_frame),
		TEST(drain_waits_for_a_peer_that_still_codes),
		TEST(drain_waits_for_a_peer_that_does_not_hear_it),
		TEST(drain_does_not_wait_for_a_peer_that_is_gone),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer_drain", tests);
}
