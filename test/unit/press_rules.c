/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Rules decide what becomes of frames, and count it. */

#include <string.h>

#include "rules_frame.h"

#define FRAMES 120
#define BURST 40

static void
frame_that_no_rule_matches_is_coded_as_without_rules(void)
{
	struct lp_rules *rules = rules_for("proto udp -> pass", bench.books);
	struct lp_press *press = press_with(rules, 0), *plain = press_make(press_conf());
	static struct test_frame without;

	build(4, LP_L4_TCP, 1000);
	CU_ASSERT(comes_back(press));
	CU_ASSERT_FATAL(compress_frame(plain, &frame, &without));
	CU_ASSERT(frame_equal(&wire, &without));
	CU_ASSERT_EQUAL(rule_stats(press, 0).coded_pkts, 1);
	CU_ASSERT_EQUAL(rule_stats(plain, 0).coded_pkts, 1);
	finish(plain, NULL);
	finish(press, rules);
}

static uint8_t
book_on_the_wire(void)
{
	struct lp_shim shim;

	return frame_shim(&wire, &shim) == LP_OPEN_SEALED ? shim.book_id : 0;
}

/* Tensors of all types are coded, some of them with books that are not made for them. */
static void
frames_use_only_the_books_of_their_rule(void)
{
	struct lp_rules *rules = rules_for("dscp 1 -> books fp16-grouped,fp32-grouped\n"
					   "dscp 2 -> books 1\n",
			bench.books);
	struct lp_press *press = press_with(rules, 0);
	bool used[3][LP_BOOK_IDS] = { 0 };
	struct lp_codebook_info info;

	for (unsigned int k = 0; k < 3 * FRAMES; k++) {
		build(4, LP_L4_UDP, 1400);
		frame_fill(&frame, (enum tensor)(k / 3 % TENSOR_NOISE));
		put_bytes(frame.at.l3_off + 1u, &(uint8_t){ (uint8_t)(k % 3 << 2) }, 1);
		CU_ASSERT(comes_back(press));
		used[k % 3][book_on_the_wire()] = true;
	}
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		if (bench.books->book[id] == NULL)
			continue;
		lp_codebook_describe(bench.books->book[id], &info);
		CU_ASSERT_EQUAL(used[1][id],
				strcmp(info.name, "fp16-grouped") == 0 ||
						strcmp(info.name, "fp32-grouped") == 0);
		CU_ASSERT_EQUAL(used[2][id], id == 1);
	}
	CU_ASSERT(rule_stats(press, 2).coded_pkts < rule_stats(press, 0).coded_pkts);
	finish(press, rules);
}

static void
pass_sends_the_mbuf_it_was_given_and_counts_it(void)
{
	struct lp_rules *rules = rules_for("-> pass", bench.books);
	struct lp_press *press = press_with(rules, 0);
	struct rte_mbuf *mbuf;

	build(6, LP_L4_TCP, 1000);
	mbuf = mbuf_from(&frame);
	CU_ASSERT(compress_mbuf(press, mbuf) == mbuf);
	CU_ASSERT(mbuf_is(mbuf, &frame));
	rte_pktmbuf_free(mbuf);
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_RULE], 1);
	CU_ASSERT_STRING_EQUAL(lp_pass_name(LP_PASS_RULE), "rule");
	CU_ASSERT_EQUAL(rule_stats(press, 1).line_bytes, 1000);
	CU_ASSERT_EQUAL(rule_stats(press, 1).coded_pkts, 0);
	CU_ASSERT_EQUAL(rule_stats(press, 1).would_line_bytes, 0);
	finish(press, rules);
}

static void
short_regions_pass_before_rules_are_asked(void)
{
	struct lp_rules *rules = rules_for("-> dry-run", bench.books);
	struct lp_press *press = press_with(rules, 0);

	build(4, LP_L4_TCP, LP_PRESS_MIN_REGION - 1);
	CU_ASSERT(comes_back(press));
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_SHORT_REGION], 1);
	CU_ASSERT_EQUAL(rule_stats(press, 1).pkts, 0);
	finish(press, rules);
}

/* A frame that looks coded, because it is. */
static void
build_lookalike(void)
{
	struct lp_press *press = press_make(press_conf());

	build(4, LP_L4_TCP, 1400);
	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
	frame_copy(&frame, &wire);
	lp_press_free(press);
}

static void
frames_that_look_coded_are_escaped_whatever_the_rule(void)
{
	static const char *const texts[] = { "-> pass", "-> dry-run", "-> books fp16-grouped" };

	for (unsigned int k = 0; k < RTE_DIM(texts); k++) {
		struct lp_rules *rules = rules_for(texts[k], bench.books);
		struct lp_press *press = press_with(rules, 0);
		struct lp_shim shim;

		build_lookalike();
		CU_ASSERT(comes_back(press));
		CU_ASSERT_EQUAL(frame_shim(&wire, &shim), LP_OPEN_SEALED);
		CU_ASSERT_EQUAL(shim.type, LP_SHIM_STORED);
		CU_ASSERT_EQUAL(compress_stats(press)->stored_pkts, 1);
		CU_ASSERT_EQUAL(rule_stats(press, 1).line_bytes, wire.at.region_len);
		finish(press, rules);
	}
}

/* Frames of all sorts for counting, the same for every press. */
static struct test_frame sample[FRAMES];

static void
make_sample(void)
{
	for (unsigned int k = 0; k < FRAMES; k++) {
		frame_build_random(&frame, 0, (uint16_t)test_random_in(200, 3000));
		frame_fill(&frame, (enum tensor)(k % TENSOR_COUNT));
		if (k % 10 == 9)
			build_lookalike();
		if (k % 10 == 8 && frame.at.ip_version == 4)
			frame_put16(&frame, frame.at.l3_off + 10u, 0xffff);
		frame_copy(&sample[k], &frame);
	}
}

static void
send_sample(struct lp_press *press)
{
	for (unsigned int k = 0; k < FRAMES; k += BURST) {
		struct rte_mbuf *pkts[BURST];

		for (unsigned int i = 0; i < BURST; i++)
			pkts[i] = mbuf_from(&sample[k + i]);
		rte_pktmbuf_free_bulk(pkts, lp_press_compress(press, pkts, BURST));
	}
}

static void
check_dry_run(const char *dry, const char *real)
{
	struct lp_rules *dry_rules = rules_for(dry, bench.books);
	struct lp_rules *real_rules = rules_for(real, bench.books);
	struct lp_press *a = press_with(dry_rules, 0), *b = press_with(real_rules, 0);

	send_sample(a);
	send_sample(b);

	const struct lp_rule_stats would = rule_stats(a, 1), is = rule_stats(b, 1);

	CU_ASSERT_EQUAL(would.pkts, is.pkts);
	CU_ASSERT_EQUAL(would.region_bytes, is.region_bytes);
	CU_ASSERT_EQUAL(would.would_line_bytes, is.line_bytes);
	CU_ASSERT_EQUAL(would.would_coded_pkts, is.coded_pkts);
	CU_ASSERT_EQUAL(would.coded_pkts, 0);
	CU_ASSERT(would.line_bytes >= would.region_bytes);
	CU_ASSERT(would.would_coded_pkts > 10);
	CU_ASSERT(would.would_coded_pkts < would.pkts);
	CU_ASSERT_EQUAL(is.would_coded_pkts, 0);
	CU_ASSERT_EQUAL(is.would_line_bytes, 0);
	CU_ASSERT(compress_stats(a)->passed[LP_PASS_DRY_RUN] > 10);
	CU_ASSERT_EQUAL(compress_stats(a)->coded_pkts, 0);
	finish(a, dry_rules);
	finish(b, real_rules);
}

static void
dry_run_counts_what_coding_really_saves(void)
{
	make_sample();
	check_dry_run("-> dry-run", "-> books all");
	check_dry_run("-> dry-run books bf16-grouped", "-> books bf16-grouped");
	CU_ASSERT_STRING_EQUAL(lp_pass_name(LP_PASS_DRY_RUN), "dry_run");
}

static void
dry_run_changes_no_frame(void)
{
	struct lp_rules *rules = rules_for("-> dry-run", bench.books);
	struct lp_press *press = press_with(rules, 0);

	for (unsigned int k = 0; k < FRAMES; k++) {
		frame_tensor_random(&frame, (uint16_t)test_random_in(100, 9000));
		CU_ASSERT(comes_back(press));
		CU_ASSERT(frame_equal(&wire, &frame));
	}
	finish(press, rules);
}

/* Rules for about every fourth frame of the sample each, the rest matches none. */
static const char mixed_rules[] = "proto tcp -> pass\n"
				  "src 0.0.0.0/0 proto udp -> books bf16-grouped,fp32-grouped\n"
				  "proto roce min-region 1500 -> dry-run\n";

static void
burst_becomes_what_its_frames_become_one_by_one(void)
{
	struct lp_rules *rules = rules_for(mixed_rules, bench.books);
	struct lp_press *alone = press_with(rules, 0), *together = press_with(rules, 0);
	struct rte_mbuf *pkts[FRAMES];

	make_sample();
	for (unsigned int k = 0; k < FRAMES; k++)
		pkts[k] = mbuf_from(&sample[k]);
	const uint16_t count = lp_press_compress(together, pkts, FRAMES);

	CU_ASSERT_EQUAL_FATAL(count, FRAMES);
	for (unsigned int k = 0; k < FRAMES; k++) {
		CU_ASSERT_FATAL(compress_frame(alone, &sample[k], &wire));
		CU_ASSERT(mbuf_is(pkts[k], &wire));
	}
	for (unsigned int k = 0; k <= 3; k++) {
		const struct lp_rule_stats a = rule_stats(alone, k), b = rule_stats(together, k);

		CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof(a)), 0);
		CU_ASSERT(a.pkts > 0);
	}
	CU_ASSERT_EQUAL(memcmp(compress_stats(alone), compress_stats(together),
					sizeof(struct lp_press_stats)),
			0);
	rte_pktmbuf_free_bulk(pkts, count);
	lp_press_free(alone);
	finish(together, rules);
}

static void
verify_goes_by_the_rules(void)
{
	struct lp_rules *rules = rules_for("dscp 1 -> pass\ndscp 2 -> dry-run", bench.books);
	struct lp_press *press = press_with(rules, 0);
	struct rte_mbuf *mbuf;

	for (uint8_t dscp = 0; dscp < 3; dscp++) {
		build(4, LP_L4_TCP, 1000);
		put_bytes(frame.at.l3_off + 1u, &(uint8_t){ (uint8_t)(dscp << 2) }, 1);
		mbuf = mbuf_from(&frame);
		CU_ASSERT_EQUAL(lp_press_verify(press, &mbuf, 1), 0);
		CU_ASSERT_EQUAL(rule_stats(press, dscp).pkts, 1);
		rte_pktmbuf_free(mbuf);
	}
	CU_ASSERT_EQUAL(compress_stats(press)->coded_pkts, 1);
	finish(press, rules);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(frame_that_no_rule_matches_is_coded_as_without_rules),
		TEST(frames_use_only_the_books_of_their_rule),
		TEST(pass_sends_the_mbuf_it_was_given_and_counts_it),
		TEST(short_regions_pass_before_rules_are_asked),
		TEST(frames_that_look_coded_are_escaped_whatever_the_rule),
		TEST(dry_run_counts_what_coding_really_saves),
		TEST(dry_run_changes_no_frame),
		TEST(burst_becomes_what_its_frames_become_one_by_one),
		TEST(verify_goes_by_the_rules),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_rules", tests);
}
