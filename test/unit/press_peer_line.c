/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Two boxes to which everything happens, on a line that does everything; the simulation checks each
 * coded frame. And books that change under traffic.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "peer_sim.h"
#include "press_help.h"

#define WORLDS 150
#define EVENTS 120

static void
random_books(unsigned int box)
{
	int versions[SIM_BOOKS];

	for (unsigned int k = 0; k < SIM_BOOKS; k++)
		versions[k] = (int)test_random_in(0, SIM_VERSIONS) - 1;
	sim_start(box, versions);
	if (test_random() % 8 != 0)
		lp_peer_set_state(sim.box[box].peer, LP_HELLO_READY, sim.now_ms);
}

static void
random_line(void)
{
	sim.lost_pct = (uint8_t)(test_random() % 2 ? test_random_in(0, 90) : 0);
	sim.twice_pct = (uint8_t)test_random_in(0, 50);
	sim.late_ms = (uint8_t)(test_random() % 2 ? test_random_in(0, 250) : 0);
	for (unsigned int box = 0; box < 2; box++)
		sim.cut[box] = test_random() % 6 == 0;
}

/* A box asks the other to stop, and leaves as soon as it may. */
static void
leave(unsigned int box)
{
	enum lp_drain drained = LP_DRAIN_WAITING;
	/* What it was before may still be believed, if it was switched off without a word. */
	const bool was_off = sim.now_ms - sim.box[box].stopped_ms > sim_horizon_ms(1 - box);

	lp_peer_drain(sim.box[box].peer, sim.now_ms);
	while (drained == LP_DRAIN_WAITING) {
		sim_run(1);
		drained = lp_peer_drained(sim.box[box].peer, sim.now_ms);
	}
	sim_kill(box);
	sim.box[box].left = was_off && drained != LP_DRAIN_TIMEOUT;
}

static void
change_box(unsigned int box)
{
	struct sim_box *b = &sim.box[box];

	if (b->peer == NULL) {
		random_books(box);
		return;
	}
	switch (test_random_in(0, 7)) {
	case 0:
		sim_kill(box);
		break;
	case 1:
		sim_kill(box);
		random_books(box);
		break;
	case 2:
		leave(box);
		break;
	case 3:
		lp_peer_set_state(b->peer, (enum lp_hello_state)test_random_in(0, 3), sim.now_ms);
		break;
	case 4:
		b->parser_version = test_random() % 4 == 0 ? LP_PARSER_VERSION + 1 : 0;
		break;
	case 5:
		b->mute = test_random() % 3 == 0;
		break;
	default:
		sim_set_book(box, test_random_in(1, SIM_BOOKS),
				(int)test_random_in(0, SIM_VERSIONS) - 1);
	}
}

/* All that disturbs has ended: the boxes agree, unless they have no book in common. */
static void
settle(void)
{
	static const int versions[SIM_BOOKS] = { 0 };
	uint16_t interval_ms = RTE_MAX(sim.box[0].interval_ms, sim.box[1].interval_ms);

	sim.lost_pct = sim.twice_pct = sim.late_ms = 0;
	for (unsigned int box = 0; box < 2; box++) {
		struct sim_box *b = &sim.box[box];

		sim.cut[box] = b->mute = b->blind = false;
		b->parser_version = 0;
		if (b->peer == NULL)
			sim_start(box, versions);
		lp_peer_set_state(b->peer, LP_HELLO_READY, sim.now_ms);
	}
	/* What is late on the line, hellos there and back, and one more. */
	sim_run(250 + 3 * interval_ms + 10);
	for (unsigned int box = 0; box < 2; box++) {
		struct lp_book_mask common = { 0 };

		for (unsigned int id = 1; id <= SIM_BOOKS; id++)
			if (sim.box[0].digest[id] != 0 &&
					sim.box[0].digest[id] == sim.box[1].digest[id])
				lp_book_mask_add(&common, id);
		CU_ASSERT(lp_book_mask_is_empty(&common) ? sim_state(box) == LP_PEER_NO_BOOK
							 : sim_state(box) == LP_PEER_CODING ||
								sim_state(box) ==
										LP_PEER_BLACK_HOLE);
		CU_ASSERT(lp_book_mask_equal(&common, lp_peer_usable_books(sim.box[box].peer)));
	}
}

static void
whatever_happens_no_frame_is_coded_that_cannot_be_restored(void)
{
	uint64_t coded = 0, decoded = 0, holes = 0;

	for (unsigned int world = 0; world < WORLDS; world++) {
		sim_reset();
		for (unsigned int box = 0; box < 2; box++) {
			sim.box[box].interval_ms = (uint16_t)(world % 2 ? 50
									: test_random_in(10, 200));
			sim.box[box].rate = 1;
			random_books(box);
		}
		for (unsigned int event = 0; event < EVENTS; event++) {
			if (test_random() % 3 == 0)
				random_line();
			else
				change_box((unsigned int)test_random() % 2);
			for (unsigned int box = 0; box < 2; box++)
				if (sim.box[box].peer != NULL)
					sim_remove_books(box);
			sim_run(test_random_in(1, test_random() % 10 == 0 ? 3000 : 300));
		}
		settle();
		for (unsigned int box = 0; box < 2; box++) {
			coded += sim.box[box].counts.coded;
			decoded += sim.box[box].counts.decoded;
			holes += sim_report(box)->entered[LP_PEER_BLACK_HOLE];
		}
		sim_end();
	}
	printf("%ju coded, %ju decoded, %ju holes ", (uintmax_t)coded, (uintmax_t)decoded,
			(uintmax_t)holes);
	CU_ASSERT(coded > 10000 && decoded > 10000);
}

/* Rotation */

static void
run_and_remove(uint64_t ms)
{
	for (; ms > 0; ms--) {
		sim_run(1);
		sim_remove_books(0);
		sim_remove_books(1);
	}
}

static bool
both_use(unsigned int id)
{
	return lp_book_mask_has(lp_peer_usable_books(sim.box[0].peer), id) &&
			lp_book_mask_has(lp_peer_usable_books(sim.box[1].peer), id);
}

static void
books_rotate_under_traffic_without_loss(void)
{
	sim_start_coding(3, 3);
	sim.late_ms = 30;
	sim.lost_pct = 20;
	for (unsigned int round = 0; round < 6; round++) {
		const unsigned int id = round % SIM_BOOKS + 1;
		const int version = (int)(round / SIM_BOOKS) + 1;

		CU_ASSERT(sim_set_book(round % 2, id, -1));
		run_and_remove(test_random_in(1, 300));
		CU_ASSERT(!both_use(id));
		CU_ASSERT(sim_set_book(1 - round % 2, id, -1));
		run_and_remove(LP_ROTATION_REUSE_MS - 10000);
		CU_ASSERT(!sim_set_book(0, id, version) && !sim_set_book(1, id, version));
		run_and_remove(10000);
		CU_ASSERT(sim_set_book(0, id, version));
		run_and_remove(test_random_in(1, 300));
		CU_ASSERT(!both_use(id));
		CU_ASSERT(sim_set_book(1, id, version));
		for (unsigned int ms = 0; ms < 2000 && !both_use(id); ms++)
			run_and_remove(1);
		CU_ASSERT(both_use(id));
	}
	sim.box[0].rate = sim.box[1].rate = 0;
	sim_run(10);
	for (unsigned int box = 0; box < 2; box++) {
		CU_ASSERT(sim.box[box].undecodable == 0);
		CU_ASSERT(sim.box[box].counts.decoded == sim.box[1 - box].counts.coded);
	}
	sim_end();
}

/* Even if the peer hears nothing of it: it stops by itself, long before the book is gone. */
static void
retired_book_is_decodable_until_nobody_uses_it(void)
{
	for (unsigned int cut = 0; cut < 2; cut++) {
		sim_start_coding(3, 3);
		sim.box[0].interval_ms = sim.box[1].interval_ms = LP_HELLO_INTERVAL_MAX;
		for (unsigned int box = 0; box < 2; box++) {
			sim_kill(box);
			sim_start_ready(box);
		}
		sim_run(4000);
		CU_ASSERT(sim_codes(0) && sim_codes(1));
		sim.box[0].mute = cut != 0;
		CU_ASSERT(sim_set_book(0, 1, -1));
		run_and_remove(LP_ROTATION_DECODE_MS + 1000);
		CU_ASSERT(!lp_book_mask_has(&sim.box[0].rotation.decodable, 1));
		CU_ASSERT(sim.box[0].undecodable == 0);
		sim_end();
	}
}

static void
rotation_tells_when(void)
{
	struct lp_rotation rotation = { 0 };
	uint64_t at_ms = 0;

	CU_ASSERT(lp_rotation_install(&rotation, 0, 5, 100) == -EINVAL);
	CU_ASSERT(lp_rotation_install(&rotation, 256, 5, 100) == -EINVAL);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 0, 100) == -EINVAL);
	CU_ASSERT(lp_rotation_retire(&rotation, 7, 100) == -ENOENT);
	CU_ASSERT(lp_rotation_retire(&rotation, 256, 100) == -ENOENT);
	CU_ASSERT(lp_rotation_remove(&rotation, 7, 100) == -ENOENT);
	CU_ASSERT(lp_rotation_remove(&rotation, 256, 100) == -ENOENT);

	CU_ASSERT(lp_rotation_may_install(&rotation, 7, 5, 100, &at_ms) == 0 && at_ms == 100);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 5, 100) == 0);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 5, 100) == 0);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 6, 100) == -EEXIST);
	CU_ASSERT(lp_rotation_remove(&rotation, 7, 100) == -EBUSY);
	CU_ASSERT(lp_rotation_retire(&rotation, 7, 1000) == 0);
	CU_ASSERT(lp_rotation_retire(&rotation, 7, 1000) == -ENOENT);

	CU_ASSERT(lp_rotation_may_remove(&rotation, 7, 10999, &at_ms) == -EAGAIN);
	CU_ASSERT(at_ms == 1000 + LP_ROTATION_DECODE_MS);
	CU_ASSERT(lp_book_mask_has(&rotation.decodable, 7));
	CU_ASSERT(lp_rotation_remove(&rotation, 7, 11000) == 0);
	CU_ASSERT(!lp_book_mask_has(&rotation.decodable, 7));

	CU_ASSERT(lp_rotation_may_install(&rotation, 7, 6, 60999, &at_ms) == -EAGAIN);
	CU_ASSERT(at_ms == 1000 + LP_ROTATION_REUSE_MS);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 6, 60999) == -EAGAIN);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 6, 61000) == 0);
	/* The same book may come back at any time. */
	CU_ASSERT(lp_rotation_retire(&rotation, 7, 61001) == 0);
	CU_ASSERT(lp_rotation_install(&rotation, 7, 6, 61002) == 0);
	CU_ASSERT(lp_book_mask_has(&rotation.installed, 7));
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(whatever_happens_no_frame_is_coded_that_cannot_be_restored),
		TEST(books_rotate_under_traffic_without_loss),
		TEST(retired_book_is_decodable_until_nobody_uses_it),
		TEST(rotation_tells_when),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_peer_line", tests);
}
