/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Coded frames that do not arrive, or cannot be restored. */

#include "peer_sim.h"
#include "press_help.h"

/* Two windows that miss frames, and the time until the hello is here. */
#define GUARD_MS (4 * LP_PEER_INTERVAL_MS + 10)

#define FLOW UINT32_C(0x70001267)
#define GROUP_OF_FLOW (UINT32_C(1) << 7)
#define ALL_GROUPS ((UINT32_C(1) << LP_FLOW_GROUPS) - 1)

/* Milliseconds until box 0 codes, or does not any more. */
static uint64_t
ms_until(bool codes, uint64_t limit)
{
	uint64_t ms = 0;

	for (; ms < limit && sim_codes(0) != codes; ms++)
		sim_run(1);
	return ms;
}

/* Milliseconds until box 0 keeps exactly these groups of flows raw. */
static uint64_t
ms_until_raw(uint32_t groups, uint64_t limit)
{
	uint64_t ms = 0;

	for (; ms < limit && lp_gate_groups(lp_peer_gate(sim.box[0].peer)) != groups; ms++)
		sim_run(1);
	return ms;
}

static void
black_hole_is_found_and_tried_again_after_the_hold(void)
{
	uint64_t hold_ms = LP_PEER_HOLD_MS, coded;

	sim_start_coding(2, 0);
	sim.box[0].flow = FLOW;
	sim_run(1000);
	sim.box[1].blind = true;
	for (unsigned int hole = 0; hole <= LP_PEER_HOLD_DOUBLED + 1; hole++) {
		CU_ASSERT(ms_until_raw(GROUP_OF_FLOW, 1000) <= GUARD_MS);
		CU_ASSERT(sim_state(0) == LP_PEER_BLACK_HOLE && sim_codes(0));
		CU_ASSERT(sim_report(0)->hold_ms == hold_ms);
		CU_ASSERT(sim_report(0)->raw_groups == GROUP_OF_FLOW);
		coded = sim.box[0].counts.coded;
		CU_ASSERT(ms_until_raw(0, hold_ms) == hold_ms);
		CU_ASSERT(sim.box[0].counts.coded <= coded + sim.box[0].rate);
		if (hole < LP_PEER_HOLD_DOUBLED)
			hold_ms *= 2;
	}
	CU_ASSERT(sim_report(0)->entered[LP_PEER_BLACK_HOLE] == LP_PEER_HOLD_DOUBLED + 2);
	sim.box[1].blind = false;
	ms_until_raw(0, hold_ms);
	sim_run(1000);
	CU_ASSERT(sim_state(0) == LP_PEER_CODING && sim_report(0)->hold_ms == 0);
	/* Once frames arrive, the hold is short again. */
	sim.box[1].blind = true;
	CU_ASSERT(ms_until_raw(GROUP_OF_FLOW, 1000) <= GUARD_MS);
	CU_ASSERT(sim_report(0)->hold_ms == LP_PEER_HOLD_MS);
	sim_end();
}

static void
black_hole_is_found_by_few_frames(void)
{
	sim_start_coding(0, 0);
	sim.box[0].flow = FLOW;
	sim.box[1].blind = true;
	for (unsigned int k = 0; k < 2 * LP_PEER_LOST_MIN; k++) {
		CU_ASSERT(sim_state(0) == LP_PEER_CODING);
		sim.box[0].rate = 1;
		sim_run(1);
		sim.box[0].rate = 0;
		sim_run(3 * LP_PEER_INTERVAL_MS);
	}
	CU_ASSERT(sim_state(0) == LP_PEER_BLACK_HOLE);
	sim_end();
}

/* Only its flows travel raw. */
static void
black_hole_on_one_of_several_paths_is_found(void)
{
	const uint32_t lost = 0x8421;

	sim_start_coding(8, 0);
	sim.box[1].blind_groups = lost;
	CU_ASSERT(ms_until_raw(lost, 1000) <= 3 * GUARD_MS);
	sim_run(LP_PEER_HOLD_MS / 2);
	CU_ASSERT(sim_report(0)->raw_groups == lost);
	CU_ASSERT(sim_state(0) == LP_PEER_BLACK_HOLE && sim_codes(0));
	sim.box[1].blind_groups = 0;
	CU_ASSERT(ms_until_raw(0, LP_PEER_HOLD_MS) <= LP_PEER_HOLD_MS / 2);
	sim_run(1000);
	CU_ASSERT(sim_state(0) == LP_PEER_CODING);
	sim_end();
}

/* It needs compression more than any other. */
static void
line_that_loses_most_frames_is_no_black_hole(void)
{
	sim_start_coding(16, 0);
	sim.box[1].lost_pct = 60;
	sim_run(20000);
	CU_ASSERT(sim_state(0) == LP_PEER_CODING);
	CU_ASSERT(sim_report(0)->entered[LP_PEER_BLACK_HOLE] == 0);
	sim_end();
}

static void
all_flows_may_vanish(void)
{
	sim_start_coding(16, 0);
	sim.box[1].blind = true;
	CU_ASSERT(ms_until_raw(ALL_GROUPS, 1000) <= 2 * GUARD_MS);
	sim_end();
}

static void
traffic_in_bursts_is_no_black_hole(void)
{
	sim_start_coding(0, 0);
	sim.delay_ms = 20;
	for (unsigned int k = 0; k < 3000; k++) {
		sim.box[0].rate = test_random() % 4 == 0 ? (uint8_t)test_random_in(1, 60) : 0;
		sim_run(test_random_in(1, 5));
		sim.box[0].rate = 0;
		sim_run(test_random_in(1, 120));
		CU_ASSERT_FATAL(sim_state(0) == LP_PEER_CODING);
	}
	CU_ASSERT(sim.box[0].counts.coded > 1000);
	sim_end();
}

/* Frames that were doubled on the line do not make up for others that do not arrive. */
static void
doubled_frames_do_not_hide_a_black_hole(void)
{
	sim_start_coding(4, 0);
	sim.box[0].flow = FLOW;
	sim_run(1000);
	sim.box[1].counts.arrived_of[lp_flow_group(FLOW)] += 1000000;
	sim_run(200);
	sim.box[1].blind = true;
	CU_ASSERT(ms_until_raw(GROUP_OF_FLOW, 1000) <= GUARD_MS);
	sim_end();
}

static void
line_that_is_down_for_a_moment_is_no_black_hole(void)
{
	for (unsigned int k = 0; k < 100; k++) {
		sim_start_coding(3, 0);
		sim_run(test_random_in(1, 300));
		if (k % 2 != 0) {
			/* Even if it is the first that a new peer sees of us. */
			sim_kill(1);
			sim_start_ready(1);
			ms_until(false, 100);
			ms_until(true, SIM_AGREE_MS);
		}
		sim.cut[0] = sim.cut[1] = true;
		sim_run(test_random_in(1, 400));
		sim.cut[0] = sim.cut[1] = false;
		sim_run(10 * LP_PEER_INTERVAL_MS);
		CU_ASSERT(sim_codes(0) && sim_report(0)->entered[LP_PEER_BLACK_HOLE] == 0);
		sim_end();
	}
}

static void
restarted_peer_ends_the_hold(void)
{
	sim_start_coding(2, 0);
	sim.box[0].flow = FLOW;
	sim.box[1].blind = true;
	ms_until_raw(GROUP_OF_FLOW, 1000);
	sim_kill(1);
	sim.box[1].blind = false;
	sim_start_ready(1);
	CU_ASSERT(ms_until_raw(0, 1000) <= SIM_AGREE_MS);
	sim_run(1000);
	CU_ASSERT(sim_state(0) == LP_PEER_CODING);
	sim_end();
}

/* Failures */

static bool
is_raw(uint32_t flow)
{
	const struct lp_gate *gate = lp_peer_gate(sim.box[0].peer);

	return lp_gate_has_flows(gate) && lp_gate_keeps_raw(gate, flow);
}

static void
flow_that_failed_is_sent_raw_for_a_minute(void)
{
	uint64_t failed;

	sim_start_coding(1, 0);
	sim.box[0].flow = sim.box[1].bad_flow = 4711;
	/* The failure is news: the hello does not wait for the interval. */
	sim_run(LP_HELLO_INTERVAL_MIN + 4);
	CU_ASSERT(is_raw(4711) && !is_raw(4712) && sim_codes(0));
	failed = sim.box[1].counts.failed;
	CU_ASSERT(failed > 0 && failed <= LP_HELLO_INTERVAL_MIN + 4);
	sim_run(LP_PEER_FLOW_RAW_MS - 100);
	CU_ASSERT(sim.box[1].counts.failed <= failed + 2);
	CU_ASSERT(sim_report(0)->raw_flows == 1);
	CU_ASSERT(sim.box[0].raw_flow_pkts >= LP_PEER_FLOW_RAW_MS - 200);
	/* Then it fails anew. */
	failed = sim.box[1].counts.failed;
	sim_run(200);
	CU_ASSERT(sim.box[1].counts.failed > failed && is_raw(4711));
	sim.box[1].bad_flow = 0;
	sim_run(LP_PEER_FLOW_RAW_MS + 100);
	CU_ASSERT(!is_raw(4711) && sim_report(0)->raw_flows == 0);
	sim_end();
}

static void
flow_with_hash_0_is_a_flow(void)
{
	sim_start_coding(0, 0);
	CU_ASSERT(!is_raw(0));
	lp_peer_fail(sim.box[1].peer, 0, 1, sim.now_ms);
	sim_run(20);
	CU_ASSERT(is_raw(0) && !is_raw(1));
	sim_end();
}

static void
table_of_failed_flows_replaces_the_one_that_ends_first(void)
{
	const uint32_t flows = LP_GATE_FLOWS + 10;

	sim_start_coding(0, 0);
	for (uint32_t flow = 1; flow <= flows; flow++) {
		lp_peer_fail(sim.box[1].peer, flow, (uint8_t)(flow % 200 + 1), sim.now_ms);
		sim_run(20);
	}
	CU_ASSERT(sim_report(0)->raw_flows == LP_GATE_FLOWS);
	for (uint32_t flow = 1; flow <= flows; flow++)
		CU_ASSERT(is_raw(flow) == (flow > flows - LP_GATE_FLOWS));
	sim_end();
}

static void
list_of_failures_has_the_newest(void)
{
	struct lp_hello hello;

	sim_start_coding(0, 0);
	for (uint32_t flow = 1; flow <= LP_HELLO_FAILURES + 5; flow++) {
		lp_peer_fail(sim.box[1].peer, flow, 3, sim.now_ms);
		lp_peer_fail(sim.box[1].peer, flow, 3, sim.now_ms);
		lp_peer_fail(sim.box[1].peer, flow, 0, sim.now_ms);
	}
	sim_run(20);
	hello = sim_last_hello(1);
	CU_ASSERT(hello.failure_total == LP_HELLO_FAILURES + 5);
	CU_ASSERT_FATAL(hello.nb_failures == LP_HELLO_FAILURES);
	for (unsigned int k = 0; k < LP_HELLO_FAILURES; k++)
		CU_ASSERT(hello.failure[k].flow == k + 6 && hello.failure[k].book == 3);
	sim_run(LP_PEER_FAILURE_MS + LP_PEER_INTERVAL_MS);
	hello = sim_last_hello(1);
	CU_ASSERT(hello.failure_total == LP_HELLO_FAILURES + 5 && hello.nb_failures == 0);
	sim_end();
}

/* Failures of `book` with `count` flows, `pause_ms` apart. */
static void
fail(uint8_t book, unsigned int count, uint64_t pause_ms)
{
	static uint32_t flow;

	while (count-- > 0) {
		lp_peer_fail(sim.box[1].peer, ++flow, book, sim.now_ms);
		sim_run(20 + pause_ms);
	}
}

static bool
uses(unsigned int book)
{
	return lp_book_mask_has(lp_peer_usable_books(sim.box[0].peer), book);
}

static void
book_that_fails_with_several_flows_is_not_used(void)
{
	sim_start_coding(1, 0);
	fail(2, LP_PEER_BOOK_FAILURES - 1, 0);
	CU_ASSERT(uses(2));
	fail(3, 1, 0);
	fail(2, 1, 0);
	CU_ASSERT(!uses(2) && uses(3) && sim_codes(0));
	CU_ASSERT(lp_book_mask_has(&sim_report(0)->stopped, 2));
	CU_ASSERT(lp_book_mask_count(&sim_report(0)->stopped) == 1);
	sim_run(LP_PEER_FLOW_RAW_MS + LP_PEER_FAILURE_MS);
	CU_ASSERT(!uses(2));
	/* Until the peer starts anew. */
	sim_kill(1);
	sim_start_ready(1);
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(uses(2) && lp_book_mask_is_empty(&sim_report(0)->stopped));
	sim_end();
}

static void
book_that_failed_is_used_again_when_it_has_changed(void)
{
	for (unsigned int changes = 0; changes < 2; changes++) {
		sim_start_coding(1, 0);
		fail(2, LP_PEER_BOOK_FAILURES, 0);
		CU_ASSERT(!uses(2));
		CU_ASSERT(sim_set_book(changes, 2, -1));
		sim_run(SIM_AGREE_MS);
		CU_ASSERT(!uses(2) && lp_book_mask_is_empty(&sim_report(0)->stopped));
		CU_ASSERT(sim_set_book(changes, 2, 0));
		sim_run(SIM_AGREE_MS);
		CU_ASSERT(uses(2));
		sim_end();
	}
}

static void
failures_long_ago_do_not_count(void)
{
	sim_start_coding(1, 0);
	fail(2, LP_PEER_BOOK_FAILURES - 1, 0);
	sim_run(LP_PEER_BOOK_WINDOW_MS);
	fail(2, LP_PEER_BOOK_FAILURES - 1, 0);
	CU_ASSERT(uses(2));
	fail(2, 1, 0);
	CU_ASSERT(!uses(2));
	sim_end();
}

static void
lost_hellos_do_not_lose_failures(void)
{
	sim_start_coding(1, 0);
	sim.lost_pct = 40;
	for (unsigned int k = 0; k < 50; k++) {
		const uint32_t flow = 100000 + k;

		lp_peer_fail(sim.box[1].peer, flow, (uint8_t)(k + 100), sim.now_ms);
		for (unsigned int ms = 0; ms < 5000 && !is_raw(flow); ms++)
			sim_run(1);
		CU_ASSERT(is_raw(flow));
	}
	sim_end();
}

static void
failures_in_an_old_hello_are_not_believed(void)
{
	struct lp_hello hello;

	sim_start_coding(0, 0);
	hello = sim_last_hello(1);
	hello.seq += 5;
	hello.echo_nonce ^= 2;
	hello.failure_total = hello.nb_failures = 1;
	hello.failure[0] = (struct lp_hello_failure){ 99, 1 };
	CU_ASSERT(sim_receive(0, &hello) == LP_PEER_ACCEPTED);
	CU_ASSERT(!is_raw(99));
	sim_end();
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(black_hole_is_found_and_tried_again_after_the_hold),
		TEST(black_hole_is_found_by_few_frames),
		TEST(black_hole_on_one_of_several_paths_is_found),
		TEST(line_that_loses_most_frames_is_no_black_hole),
		TEST(all_flows_may_vanish),
		TEST(traffic_in_bursts_is_no_black_hole),
		TEST(doubled_frames_do_not_hide_a_black_hole),
		TEST(line_that_is_down_for_a_moment_is_no_black_hole),
		TEST(restarted_peer_ends_the_hold),
		TEST(flow_that_failed_is_sent_raw_for_a_minute),
		TEST(flow_with_hash_0_is_a_flow),
		TEST(table_of_failed_flows_replaces_the_one_that_ends_first),
		TEST(list_of_failures_has_the_newest),
		TEST(book_that_fails_with_several_flows_is_not_used),
		TEST(book_that_failed_is_used_again_when_it_has_changed),
		TEST(failures_long_ago_do_not_count),
		TEST(lost_hellos_do_not_lose_failures),
		TEST(failures_in_an_old_hello_are_not_believed),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer_faults", tests);
}
