/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* When coding towards the other box starts, and what stops it. */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>

#include "peer.h"
#include "peer_sim.h"
#include "press_help.h"

#define DEAD_MS (LP_PEER_DEAD_INTERVALS * LP_PEER_INTERVAL_MS)

static void
start_pair(void)
{
	sim_reset();
	for (unsigned int box = 0; box < 2; box++) {
		sim_start_ready(box);
		sim.box[box].rate = 2;
	}
}

/* Milliseconds until box 0 does not code any more. */
static unsigned int
ms_until_stopped(unsigned int limit)
{
	unsigned int ms = 0;

	for (; ms < limit && sim_codes(0); ms++)
		sim_run(1);
	return ms;
}

static void
wrong_configuration_is_refused(void)
{
	const struct lp_peer_conf good = { .box_id = 1, .nonce = 1, .host_mtu = 68 };
	struct lp_peer_conf bad[] = { good, good, good, good, good, good };
	struct lp_peer *peer = lp_peer_create(&good, 0);

	CU_ASSERT_PTR_NOT_NULL(peer);
	lp_peer_free(peer);
	lp_peer_free(NULL);
	bad[0].box_id = 0;
	bad[1].nonce = 0;
	bad[2].interval_ms = LP_HELLO_INTERVAL_MIN - 1;
	bad[3].interval_ms = LP_HELLO_INTERVAL_MAX + 1;
	bad[4].host_mtu = LP_HELLO_MTU_MIN - 1;
	bad[5].mode = LP_PEER_STATIC + 1;
	for (unsigned int k = 0; k < RTE_DIM(bad); k++) {
		rte_errno = 0;
		CU_ASSERT_PTR_NULL(lp_peer_create(&bad[k], 0));
		CU_ASSERT(rte_errno == EINVAL);
	}
}

static void
two_boxes_with_the_same_books_agree(void)
{
	start_pair();
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_SILENT);
	sim_run(SIM_AGREE_MS);
	for (unsigned int box = 0; box < 2; box++) {
		const struct lp_peer_report *report = sim_report(box);

		CU_ASSERT(report->state == LP_PEER_CODING && report->two_way && report->same_books);
		CU_ASSERT(lp_book_mask_count(&report->usable) == SIM_BOOKS);
		CU_ASSERT(report->hello.box_id == 2 - box && report->hello.coding);
		CU_ASSERT(report->box_id == box + 1u && report->nonce != 0);
		CU_ASSERT(report->counts.coded > 0 && report->counts.decoded > 0);
	}
	sim_end();
}

static void
hellos_come_once_an_interval_and_news_at_once(void)
{
	uint64_t sent;

	sim_start_coding(2, 2);
	sim_run(1000);
	sent = sim_report(0)->sent;
	sim_run(1000);
	CU_ASSERT(sim_report(0)->sent == sent + 1000 / LP_PEER_INTERVAL_MS);
	sent = sim_report(0)->sent;
	for (unsigned int k = 0; k < 1000; k++) {
		lp_peer_fail(sim.box[0].peer, k + 5000, 1, sim.now_ms);
		sim_run(1);
	}
	CU_ASSERT(sim_report(0)->sent == sent + 1000 / LP_HELLO_INTERVAL_MIN);
	sim_end();
}

static void
nothing_is_coded_while_either_box_does_not_hear_the_other(void)
{
	for (unsigned int deaf = 0; deaf < 2; deaf++) {
		start_pair();
		sim.cut[1 - deaf] = true;
		sim_run(2000);
		CU_ASSERT(!sim_codes(0) && !sim_codes(1));
		CU_ASSERT(sim_state(deaf) == LP_PEER_SILENT);
		CU_ASSERT(sim_state(1 - deaf) == LP_PEER_ONE_WAY);
		sim.cut[1 - deaf] = false;
		sim_run(SIM_AGREE_MS);
		CU_ASSERT(sim_codes(0) && sim_codes(1));

		sim.cut[1 - deaf] = true;
		sim_run(2 * DEAD_MS + LP_PEER_INTERVAL_MS);
		CU_ASSERT(!sim_codes(0) && !sim_codes(1));
		CU_ASSERT(sim_state(deaf) == LP_PEER_DEAD);
		CU_ASSERT(sim_state(1 - deaf) == LP_PEER_ONE_WAY);
		sim_end();
	}
}

static void
nothing_is_coded_unless_both_are_ready(void)
{
	static const enum lp_hello_state not_ready[] = { LP_HELLO_INIT, LP_HELLO_DRAIN,
		LP_HELLO_BYPASS };
	static const enum lp_peer_state expected[] = { LP_PEER_INIT, LP_PEER_DRAIN,
		LP_PEER_BYPASS };

	for (unsigned int k = 0; k < RTE_DIM(not_ready); k++) {
		sim_start_coding(2, 2);
		lp_peer_set_state(sim.box[1].peer, not_ready[k], sim.now_ms);
		CU_ASSERT(!sim_codes(1) && sim_state(1) == LP_PEER_NOT_READY);
		/* At once: hellos are 10 ms apart, and 1 ms on the line. */
		CU_ASSERT(ms_until_stopped(100) <= LP_HELLO_INTERVAL_MIN + 1);
		CU_ASSERT(sim_state(0) == expected[k]);
		lp_peer_set_state(sim.box[1].peer, LP_HELLO_READY, sim.now_ms);
		sim_run(SIM_AGREE_MS);
		CU_ASSERT(sim_codes(0) && sim_codes(1));
		sim_end();
	}
}

static void
coding_ends_3_intervals_after_the_last_hello(void)
{
	uint64_t age_ms;

	sim_start_coding(2, 2);
	sim_run(500);
	age_ms = sim_report(0)->heard_ms;
	sim_kill(1);
	CU_ASSERT(ms_until_stopped(1000) + age_ms == DEAD_MS + 1);
	CU_ASSERT(sim_state(0) == LP_PEER_DEAD);
	sim_end();
}

static void
peer_with_a_longer_interval_is_given_more_time(void)
{
	sim_reset();
	sim.box[0].interval_ms = 10;
	sim.box[1].interval_ms = 1000;
	sim_start_ready(0);
	sim_start_ready(1);
	sim_run(4000);
	CU_ASSERT(sim_codes(0) && sim_codes(1));
	sim_kill(1);
	sim_run(1900);
	CU_ASSERT(sim_codes(0));
	sim_run(1101);
	CU_ASSERT(!sim_codes(0));
	sim_end();
}

static void
restarted_peer_must_answer_first(void)
{
	struct lp_hello old;

	sim_start_coding(2, 2);
	sim_run(200);
	old = sim_last_hello(1);
	sim_kill(1);
	sim_start_ready(1);
	/* Its first hello stops coding. */
	sim_run(2);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_RESTARTED);
	/* A late one of the time before, with an echo that is not old, does not start it. */
	old.seq++;
	CU_ASSERT(sim_receive(0, &old) == LP_PEER_ACCEPTED);
	CU_ASSERT(!sim_codes(0));
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(sim_codes(0) && sim_codes(1));
	CU_ASSERT(sim_report(0)->entered[LP_PEER_RESTARTED] == 1);
	sim_end();
}

static void
recorded_hellos_do_not_start_coding(void)
{
	struct lp_hello recorded[40];

	sim_start_coding(2, 2);
	for (unsigned int k = 0; k < RTE_DIM(recorded); k++) {
		sim_run(LP_PEER_INTERVAL_MS);
		recorded[k] = sim_last_hello(1);
		CU_ASSERT(sim_receive(0, &recorded[k]) == LP_PEER_REPLAYED);
	}
	CU_ASSERT(sim_report(0)->received[LP_PEER_REPLAYED] == RTE_DIM(recorded));
	sim_kill(1);
	sim_run(2 * DEAD_MS);
	CU_ASSERT(sim_state(0) == LP_PEER_DEAD);
	for (unsigned int k = 0; k < RTE_DIM(recorded); k++) {
		CU_ASSERT(sim_receive(0, &recorded[k]) == LP_PEER_REPLAYED);
		/* Even if the line had kept it back until now. */
		recorded[k].seq += 1000;
		CU_ASSERT(sim_receive(0, &recorded[k]) == LP_PEER_ACCEPTED);
		sim_run(1);
		CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_ONE_WAY);
	}
	sim_end();
}

static void
echo_of_a_hello_that_was_never_sent_proves_nothing(void)
{
	struct lp_hello hello;

	sim_start_coding(2, 2);
	hello = sim_last_hello(1);
	hello.seq++;
	hello.echo_seq += LP_PEER_SENT - 1;
	CU_ASSERT(sim_receive(0, &hello) == LP_PEER_ACCEPTED);
	CU_ASSERT(sim_state(0) == LP_PEER_ONE_WAY);
	sim_end();
}

static void
sequence_numbers_wrap_around(void)
{
	start_pair();
	sim.box[0].peer->seq = UINT32_MAX - 40;
	sim.box[1].peer->seq = UINT32_MAX - 20;
	sim_run(SIM_AGREE_MS);
	for (unsigned int k = 0; k < 100; k++) {
		sim_run(LP_PEER_INTERVAL_MS);
		CU_ASSERT(sim_codes(0) && sim_codes(1));
	}
	CU_ASSERT(sim.box[0].peer->seq < 1000 && sim.box[1].peer->seq < 1000);
	sim_end();
}

static void
own_hellos_are_no_peer(void)
{
	struct lp_hello hello;

	start_pair();
	sim.cut[1] = true;
	for (unsigned int k = 0; k < 50; k++) {
		sim_run(LP_PEER_INTERVAL_MS);
		hello = sim_last_hello(0);
		hello.echo_nonce = hello.nonce;
		hello.echo_seq = hello.seq;
		CU_ASSERT(sim_receive(0, &hello) == LP_PEER_LOOPED);
		hello.nonce ^= 2;
		CU_ASSERT(sim_receive(0, &hello) == LP_PEER_SAME_ID);
		CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_SILENT);
	}
	sim_end();
}

static void
second_box_on_the_line_stops_coding(void)
{
	struct lp_hello hello;

	sim_start_coding(2, 2);
	hello = sim_last_hello(1);
	hello.box_id = 77;
	hello.nonce ^= 2;
	CU_ASSERT(sim_receive(0, &hello) == LP_PEER_OTHER_BOX);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_SECOND_BOX);
	sim_run(DEAD_MS - 1);
	CU_ASSERT(sim_state(0) == LP_PEER_SECOND_BOX);
	sim_run(1);
	CU_ASSERT(sim_codes(0));
	/* Another box in place of a dead one is a new peer. */
	sim_kill(1);
	sim_run(2 * DEAD_MS);
	hello.seq = 1;
	CU_ASSERT(sim_receive(0, &hello) == LP_PEER_ACCEPTED);
	CU_ASSERT(sim_state(0) == LP_PEER_RESTARTED && sim_report(0)->hello.box_id == 77);
	sim_end();
}

static void
other_versions_do_not_code(void)
{
	start_pair();
	sim.box[1].parser_version = LP_PARSER_VERSION + 1;
	sim_run(1000);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_PARSER_VERSION);
	sim.box[1].parser_version = 0;
	sim.box[1].shim_version = LP_SHIM_VERSION + 1;
	sim_run(1000);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_SHIM_VERSION);
	sim_end();

	/* A hello that is the peer's but cannot be understood; one that may be anybody's. */
	sim_start_coding(2, 2);
	lp_peer_refuse(sim.box[0].peer, LP_HELLO_MAC, sim.now_ms);
	CU_ASSERT(sim_codes(0));
	lp_peer_refuse(sim.box[0].peer, LP_HELLO_BAD_VERSION, sim.now_ms);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_REFUSED);
	CU_ASSERT(sim_report(0)->refused[LP_HELLO_BAD_VERSION] == 1);
	CU_ASSERT(sim_report(0)->refused[LP_HELLO_MAC] == 1);
	sim_run(LP_PEER_INTERVAL_MS);
	CU_ASSERT(sim_codes(0));
	sim_end();
}

static void
only_books_that_are_equal_are_used(void)
{
	static const int a[SIM_BOOKS] = { 0, 0, 0, -1, 0, -1 },
			 b[SIM_BOOKS] = { 0, 1, -1, 0, 0, -1 };
	const struct lp_book_mask *usable;

	sim_reset();
	sim_start(0, a);
	sim_start(1, b);
	for (unsigned int box = 0; box < 2; box++)
		lp_peer_set_state(sim.box[box].peer, LP_HELLO_READY, sim.now_ms);
	sim_run(SIM_AGREE_MS);
	for (unsigned int box = 0; box < 2; box++) {
		usable = lp_peer_usable_books(sim.box[box].peer);
		CU_ASSERT(lp_book_mask_count(usable) == 2);
		CU_ASSERT(lp_book_mask_has(usable, 1) && lp_book_mask_has(usable, 5));
		CU_ASSERT(!sim_report(box)->same_books);
	}
	CU_ASSERT(sim_set_book(0, 1, -1) && sim_set_book(1, 5, -1));
	sim_run(SIM_AGREE_MS);
	CU_ASSERT(sim_state(0) == LP_PEER_NO_BOOK && sim_state(1) == LP_PEER_NO_BOOK);
	sim_end();
}

static void
books_that_differ_in_the_half_a_hello_has_not_are_not_used(void)
{
	struct lp_hello hello;

	sim_start_coding(2, 2);
	hello = sim_last_hello(1);
	hello.seq++;
	hello.books_digest ^= 1;
	CU_ASSERT(sim_receive(0, &hello) == LP_PEER_ACCEPTED);
	CU_ASSERT(!sim_codes(0) && sim_state(0) == LP_PEER_NO_BOOK);
	sim_end();
}

static void
static_mode_uses_all_books_without_hello(void)
{
	const struct lp_peer_conf conf = {
		.box_id = 1, .nonce = 1, .host_mtu = 1500, .mode = LP_PEER_STATIC
	};
	uint64_t digest[LP_BOOK_IDS] = { 0 };
	struct lp_peer *peer = lp_peer_create(&conf, 0);
	struct lp_peer_report report;
	struct lp_hello hello;

	CU_ASSERT_PTR_NOT_NULL_FATAL(peer);
	digest[9] = digest[200] = 5;
	lp_peer_set_books(peer, digest, 0);
	CU_ASSERT(lp_book_mask_is_empty(lp_peer_usable_books(peer)));
	lp_peer_set_state(peer, LP_HELLO_READY, 0);
	for (uint64_t ms = 0; ms < 2000; ms++)
		CU_ASSERT(!lp_peer_tick(peer, ms, &hello));
	CU_ASSERT(lp_book_mask_count(lp_peer_usable_books(peer)) == 2);
	CU_ASSERT(lp_book_mask_has(lp_peer_usable_books(peer), 200));

	sim_start_coding(2, 2);
	hello = sim_last_hello(1);
	hello.state = LP_HELLO_BYPASS;
	hello.coding = false;
	CU_ASSERT(lp_peer_receive(peer, &hello, 2000) == LP_PEER_IGNORED);
	lp_peer_describe(peer, 2000, &report);
	CU_ASSERT(report.state == LP_PEER_ALWAYS && !report.heard);
	lp_peer_drain(peer, 2000);
	CU_ASSERT(lp_book_mask_is_empty(lp_peer_usable_books(peer)));
	CU_ASSERT(lp_peer_drained(peer, 2000) == LP_DRAIN_NO_PEER);
	lp_peer_free(peer);
	sim_end();
}

static void
states_and_receipts_have_names(void)
{
	for (unsigned int k = 0; k < LP_PEER_STATE_COUNT; k++)
		CU_ASSERT_PTR_NOT_NULL(lp_peer_state_name(k));
	CU_ASSERT_PTR_NULL(lp_peer_state_name(LP_PEER_STATE_COUNT));
	for (unsigned int k = 0; k < LP_PEER_RECEIPT_COUNT; k++)
		CU_ASSERT_PTR_NOT_NULL(lp_peer_receipt_name(k));
	CU_ASSERT_PTR_NULL(lp_peer_receipt_name(LP_PEER_RECEIPT_COUNT));
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(wrong_configuration_is_refused),
		TEST(two_boxes_with_the_same_books_agree),
		TEST(hellos_come_once_an_interval_and_news_at_once),
		TEST(nothing_is_coded_while_either_box_does_not_hear_the_other),
		TEST(nothing_is_coded_unless_both_are_ready),
		TEST(coding_ends_3_intervals_after_the_last_hello),
		TEST(peer_with_a_longer_interval_is_given_more_time),
		TEST(restarted_peer_must_answer_first),
		TEST(recorded_hellos_do_not_start_coding),
		TEST(echo_of_a_hello_that_was_never_sent_proves_nothing),
		TEST(sequence_numbers_wrap_around),
		TEST(own_hellos_are_no_peer),
		TEST(second_box_on_the_line_stops_coding),
		TEST(other_versions_do_not_code),
		TEST(only_books_that_are_equal_are_used),
		TEST(books_that_differ_in_the_half_a_hello_has_not_are_not_used),
		TEST(static_mode_uses_all_books_without_hello),
		TEST(states_and_receipts_have_names),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer", tests);
}
