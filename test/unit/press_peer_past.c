/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Starts whose place another has taken: over and recorded, or living on. */

#include <rte_common.h>

#include "peer.h"
#include "peer_sim.h"
#include "press_help.h"

#define DEAD_MS (LP_PEER_DEAD_INTERVALS * LP_PEER_INTERVAL_MS)

/* Each recorded start is looked at once; that of the living peer is believed at any time. */
static void
start_that_is_over_is_not_believed_again(void)
{
	struct lp_hello past[LP_PEER_PAST - 1];
	uint64_t begun;

	sim_start_coding(2, 2);
	for (unsigned int k = 0; k < RTE_DIM(past); k++) {
		sim_run(200);
		past[k] = sim_last_hello(1);
		sim_kill(1);
		sim_start_ready(1);
		sim_run(SIM_AGREE_MS);
		CU_ASSERT(sim_codes(0));
	}
	sim_run(2000);
	begun = sim_report(0)->entered[LP_PEER_RESTARTED];
	for (unsigned int k = 0; k < 10 * RTE_DIM(past); k++) {
		struct lp_hello recorded = past[k % RTE_DIM(past)];

		recorded.seq += k;
		CU_ASSERT(sim_receive(0, &recorded) == LP_PEER_REPLAYED);
		sim_run(7);
		CU_ASSERT(sim_codes(0));
	}
	CU_ASSERT(sim_report(0)->entered[LP_PEER_RESTARTED] == begun);
	/* One that was never seen is looked at, and the living one is back at once. */
	past[0].nonce = 4711;
	CU_ASSERT(sim_receive(0, &past[0]) == LP_PEER_ACCEPTED);
	CU_ASSERT(!sim_codes(0));
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(sim_codes(0));
	CU_ASSERT(sim_receive(0, &past[0]) == LP_PEER_REPLAYED);
	CU_ASSERT(sim_codes(0));
	sim_end();
}

/* A cable is moved to another box, and back: both live, and the first follows the second. */
static void
box_of_the_past_that_lives_on_is_a_second_box(void)
{
	struct lp_hello first, second;

	sim_start_coding(2, 2);
	first = sim_last_hello(1);
	sim.cut[1] = true;
	sim_run(2 * DEAD_MS);
	second = first;
	second.box_id = 77;
	second.nonce = 4711;
	CU_ASSERT(sim_receive(0, &second) == LP_PEER_ACCEPTED);
	sim_run(LP_PEER_INTERVAL_MS);
	second.seq++;
	second.echo_seq = sim_last_hello(0).seq;
	CU_ASSERT(sim_receive(0, &second) == LP_PEER_ACCEPTED);
	CU_ASSERT(sim_codes(0));
	/* What was recorded of the first is old. */
	CU_ASSERT(sim_receive(0, &first) == LP_PEER_REPLAYED);
	CU_ASSERT(sim_codes(0));
	first = sim_last_hello(1);
	first.seq++;
	first.echo_nonce = second.nonce;
	CU_ASSERT(sim_receive(0, &first) == LP_PEER_OTHER_BOX);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_SECOND_BOX);
	CU_ASSERT(sim_receive(0, &first) == LP_PEER_REPLAYED);
	sim_end();
}

/* It forbids at once, whether it echoes us or not, as any other. */
static void
start_that_came_back_is_no_start_of_the_past(void)
{
	struct lp_hello past, living;

	sim_start_coding(2, 2);
	past = sim_last_hello(1);
	past.nonce = 4711;
	CU_ASSERT(sim_receive(0, &past) == LP_PEER_ACCEPTED);
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(sim_codes(0));
	living = sim_last_hello(1);
	living.seq++;
	living.echo_seq -= LP_PEER_SENT;
	living.state = LP_HELLO_DRAIN;
	living.coding = false;
	CU_ASSERT(sim_receive(0, &living) == LP_PEER_ACCEPTED);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_DRAIN);
	sim_end();
}

/* Its hellos and those of the peer take turns. */
static void
second_box_that_is_not_understood_stops_coding(void)
{
	sim_start_coding(2, 2);
	lp_peer_refuse(sim.box[0].peer, LP_HELLO_BAD_VERSION, sim.now_ms);
	CU_ASSERT(!sim_codes(0));
	for (unsigned int k = 0; k < 100; k++) {
		sim_run(LP_PEER_INTERVAL_MS);
		lp_peer_refuse(sim.box[0].peer, LP_HELLO_BAD_VERSION, sim.now_ms);
		for (unsigned int ms = 0; k > 0 && ms < LP_PEER_INTERVAL_MS; ms++) {
			sim_run(1);
			CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_REFUSED);
		}
	}
	sim_run(DEAD_MS + LP_PEER_INTERVAL_MS);
	CU_ASSERT(sim_codes(0));
	sim_end();
}

/* Some of its hellos are lost, and some come early since it has news. */
static void
second_box_that_is_not_understood_may_have_any_interval(void)
{
	static const uint16_t intervals[] = { LP_HELLO_INTERVAL_MIN, LP_PEER_INTERVAL_MS,
		4 * LP_PEER_INTERVAL_MS, LP_HELLO_INTERVAL_MAX };

	for (unsigned int i = 0; i < RTE_DIM(intervals); i++) {
		sim_start_coding(2, 2);
		for (unsigned int k = 0; k < 100; k++) {
			if (k > 1 && k % 7 == 0)
				sim_run(intervals[i]);
			sim_run(intervals[i]);
			lp_peer_refuse(sim.box[0].peer, LP_HELLO_BAD_VERSION, sim.now_ms);
			for (unsigned int more = 0; more < k % 3; more++) {
				sim_run(LP_HELLO_INTERVAL_MIN);
				lp_peer_refuse(sim.box[0].peer, LP_HELLO_BAD_VERSION, sim.now_ms);
			}
		}
		/* The first may have been a late one of the peer. */
		CU_ASSERT(sim_report(0)->entered[LP_PEER_REFUSED] <= 2);
		CU_ASSERT(!sim_codes(0));
		sim_run(2 * LP_PEER_DEAD_INTERVALS * LP_HELLO_INTERVAL_MAX);
		CU_ASSERT(sim_codes(0));
		sim_end();
	}
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(start_that_is_over_is_not_believed_again),
		TEST(box_of_the_past_that_lives_on_is_a_second_box),
		TEST(start_that_came_back_is_no_start_of_the_past),
		TEST(second_box_that_is_not_understood_stops_coding),
		TEST(second_box_that_is_not_understood_may_have_any_interval),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer_past", tests);
}
