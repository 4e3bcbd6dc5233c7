/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What the other box allows, seen from the data path. */

#include <pthread.h>
#include <string.h>

#include "linepress/flow.h"
#include "rules_help.h"

#define FRAMES 400

static struct test_frame original, wire, restored;
static struct lp_gate gate;

static struct lp_press *
press_gated(const struct lp_rules *rules)
{
	struct lp_press_conf conf = press_conf();

	memset(&gate, 0, sizeof(gate));
	conf.gate = &gate;
	conf.rules = rules;
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
allow(const struct lp_book_mask *books)
{
	lp_gate_set_books(&gate, books);
}

static void
allow_one(uint8_t id)
{
	struct lp_book_mask mask = { 0 };

	lp_book_mask_add(&mask, id);
	allow(&mask);
}

static uint64_t
passed(const struct lp_press *press, unsigned int reason)
{
	return compress_stats(press)->passed[reason];
}

/* Book that a frame is coded with, 0 if it goes as it is. */
static uint8_t
book_of(struct lp_press *press)
{
	struct lp_shim shim;

	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	if (frame_shim(&wire, &shim) != LP_OPEN_SEALED) {
		CU_ASSERT(frame_equal(&wire, &original));
		return 0;
	}
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	CU_ASSERT(frame_equal(&restored, &original));
	return shim.book_id;
}

static uint8_t
book_for(struct lp_press *press, enum tensor tensor)
{
	frame_tensor_random(&original, 1400);
	frame_fill(&original, tensor);
	return book_of(press);
}

static void
shut_gate_lets_all_frames_pass_as_they_are(void)
{
	struct lp_press *press = press_gated(NULL);

	for (unsigned int i = 0; i < FRAMES; i++)
		CU_ASSERT(book_for(press, i % TENSOR_COUNT) == 0);
	CU_ASSERT_EQUAL(passed(press, LP_PASS_NO_PEER), FRAMES);
	CU_ASSERT_EQUAL(compress_stats(press)->uncoded_pkts, FRAMES);
	finish(press);
}

static void
open_gate_changes_nothing(void)
{
	struct lp_press *press = press_gated(NULL), *free_press = press_make(press_conf());

	allow(&bench.books->numbers);
	for (unsigned int i = 0; i < FRAMES; i++) {
		const uint8_t book = book_for(press, i % TENSOR_COUNT);

		CU_ASSERT_EQUAL(book_of(free_press), book);
	}
	CU_ASSERT(compress_stats(press)->coded_pkts > FRAMES / 2);
	CU_ASSERT(memcmp(compress_stats(press), compress_stats(free_press),
				  sizeof(*compress_stats(press))) == 0);
	lp_press_free(free_press);
	finish(press);
}

static void
gate_is_read_at_every_burst(void)
{
	const struct lp_book_mask none = { 0 };
	struct lp_press *press = press_gated(NULL);

	for (unsigned int i = 0; i < FRAMES; i++) {
		const bool open = test_random() % 2;

		allow(open ? &bench.books->numbers : &none);
		CU_ASSERT((book_for(press, TENSOR_BF16) != 0) == open);
	}
	finish(press);
}

/* Whoever should shut it may not run. */
static void
gate_shuts_by_itself_when_its_time_is_over(void)
{
	struct lp_press *press = press_gated(NULL);

	allow(&bench.books->numbers);
	for (unsigned int i = 0; i < FRAMES; i++) {
		const bool open = test_random() % 2;

		lp_gate_set_end(&gate, rte_rdtsc() + (open ? 10 * rte_get_tsc_hz() : 0));
		CU_ASSERT((book_for(press, TENSOR_BF16) != 0) == open);
	}
	lp_gate_set_end(&gate, 0);
	CU_ASSERT(book_for(press, TENSOR_BF16) != 0);
	finish(press);
}

static void
only_usable_books_are_used(void)
{
	struct lp_press *press = press_gated(NULL);
	unsigned int coded = 0;

	for (unsigned int i = 0; i < 4 * FRAMES; i++) {
		struct lp_book_mask usable = { 0 };
		uint8_t id;

		for (unsigned int k = 0; k < 4; k++)
			lp_book_mask_add(&usable,
					bench.books->id[test_random_in(
							0, bench.books->count - 1u)]);
		allow(&usable);
		id = book_for(press, i % TENSOR_COUNT);
		CU_ASSERT(id == 0 || lp_book_mask_has(&usable, id));
		coded += id != 0;
	}
	CU_ASSERT(coded > FRAMES && coded == compress_stats(press)->coded_pkts);
	CU_ASSERT_EQUAL(passed(press, LP_PASS_NO_PEER) + passed(press, LP_PASS_PEER_BOOK), 0);
	finish(press);
}

static void
frame_whose_rule_has_no_usable_book_passes(void)
{
	struct lp_codebook_info info;
	char text[100];

	lp_codebook_describe(bench.books->book[bench.books->id[0]], &info);
	snprintf(text, sizeof(text), "proto udp -> books %s\n", info.name);

	struct lp_rules *rules = rules_for(text, bench.books);
	struct lp_press *press = press_gated(rules);

	for (unsigned int i = 0; i < FRAMES; i++) {
		const uint8_t l4 = i % 2 ? LP_L4_UDP : LP_L4_TCP;

		allow_one(bench.books->id[1]);
		frame_tensor(&original,
				&(struct frame_spec){
						.ip_version = 4, .l4 = l4, .region_len = 1400 },
				TENSOR_BF16);
		CU_ASSERT(book_of(press) != bench.books->id[0]);
	}
	CU_ASSERT_EQUAL(passed(press, LP_PASS_PEER_BOOK), FRAMES / 2);
	finish(press);
	lp_rules_free(rules);
}

/* What coding would save does not depend on whether there is a peer yet. */
static void
dry_run_needs_no_peer(void)
{
	struct lp_rules *rules = rules_for("proto udp -> dry-run\n", bench.books);
	struct lp_press *press = press_gated(rules);

	for (unsigned int i = 0; i < FRAMES; i++) {
		frame_tensor(&original,
				&(struct frame_spec){ .ip_version = 4,
						.l4 = LP_L4_UDP,
						.region_len = 1400 },
				TENSOR_BF16);
		CU_ASSERT(book_of(press) == 0);
	}
	CU_ASSERT_EQUAL(passed(press, LP_PASS_DRY_RUN), FRAMES);
	CU_ASSERT_EQUAL(rule_stats(press, 1).would_coded_pkts, FRAMES);
	finish(press);
	lp_rules_free(rules);
}

static void
shut_gate_still_escapes_what_looks_coded(void)
{
	struct lp_press *press = press_gated(NULL);
	const struct lp_book_mask none = { 0 };
	struct lp_shim shim;

	for (unsigned int i = 0; i < FRAMES; i++) {
		allow(&bench.books->numbers);
		frame_tensor_random(&original, 1400);
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
		frame_copy(&original, &wire);
		allow(&none);
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
		CU_ASSERT(frame_shim(&wire, &shim) == LP_OPEN_SEALED &&
				shim.type == LP_SHIM_STORED);
		CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
		CU_ASSERT(frame_equal(&restored, &original));
	}
	CU_ASSERT_EQUAL(compress_stats(press)->stored_pkts, FRAMES);
	finish(press);
}

static uint32_t
flow_of(const struct test_frame *frame)
{
	struct rte_mbuf *mbuf = mbuf_from(frame);
	const uint32_t flow = lp_flow_hash(mbuf);

	rte_pktmbuf_free(mbuf);
	return flow;
}

static void
flow_that_failed_passes_until_the_gate_forgets_it(void)
{
	struct lp_press *press = press_gated(NULL);

	allow(&bench.books->numbers);
	for (unsigned int i = 0; i < FRAMES; i++) {
		const unsigned int slot = test_random_in(0, LP_GATE_FLOWS - 1);

		CU_ASSERT(book_for(press, TENSOR_BF16) != 0);
		lp_gate_set_flow(&gate, slot, flow_of(&original) ^ 1);
		CU_ASSERT(book_of(press) != 0);
		lp_gate_set_flow(&gate, slot, flow_of(&original));
		CU_ASSERT(book_of(press) == 0);
		lp_gate_clear_flow(&gate, slot);
		CU_ASSERT(!lp_gate_has_flows(&gate));
		CU_ASSERT(book_of(press) != 0);
	}
	CU_ASSERT_EQUAL(passed(press, LP_PASS_PEER_FLOW), FRAMES);
	finish(press);
}

/* One that changes the gate while another codes: each frame still is coded with a whole book. */
static void *
change_gate(void *arg)
{
	const bool *stop = arg;
	const struct lp_book_mask none = { 0 };

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		allow(&none);
		lp_gate_set_flow(&gate, 3, 1);
		allow_one(bench.books->id[0]);
		lp_gate_clear_flow(&gate, 3);
	}
	return NULL;
}

static void
gate_may_change_at_any_time(void)
{
	struct lp_press *press = press_gated(NULL);
	bool stop = false;
	pthread_t thread;

	CU_ASSERT_FATAL(pthread_create(&thread, NULL, change_gate, &stop) == 0);
	for (unsigned int i = 0; i < 20 * FRAMES; i++) {
		const uint8_t id = book_for(press, TENSOR_BF16);

		CU_ASSERT(id == 0 || id == bench.books->id[0]);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	finish(press);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(shut_gate_lets_all_frames_pass_as_they_are),
		TEST(open_gate_changes_nothing),
		TEST(gate_is_read_at_every_burst),
		TEST(gate_shuts_by_itself_when_its_time_is_over),
		TEST(only_usable_books_are_used),
		TEST(frame_whose_rule_has_no_usable_book_passes),
		TEST(dry_run_needs_no_peer),
		TEST(shut_gate_still_escapes_what_looks_coded),
		TEST(flow_that_failed_passes_until_the_gate_forgets_it),
		TEST(gate_may_change_at_any_time),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_gate", tests);
}
