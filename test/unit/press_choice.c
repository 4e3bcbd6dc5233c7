/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Choices that are remembered by flow: when they are made anew, and what a stale one may cost. */

#include <string.h>

#include "choice.h"
#include "choice_count.h"
#include "linepress/glance.h"
#include "rules_help.h"

#define REGION 4000

/*
 * Longer than with a choice made in full, in the worst case: what lp_choice_fits() tolerates, what
 * a second encoding must promise, and the error of the sample it is chosen by.
 */
#define LONGER_MAX (REGION / 40)

static struct lp_gate gate;
static struct test_frame frame, wire, other, back;

/* Noise is what looks like it: one in a hundred does not at a glance, and is chosen for in full. */
static void
build(struct test_frame *f, enum lp_l4 l4, enum tensor tensor)
{
	const struct frame_spec spec = { .ip_version = 4, .l4 = l4, .region_len = REGION };

	do
		frame_tensor(f, &spec, tensor);
	while (tensor == TENSOR_NOISE && !lp_glance_is_random(f->data + f->at.region_off, REGION));
}

/* Choices made in full while a frame is compressed `times` times. */
static unsigned int
choices_of(struct lp_press *press, const struct test_frame *f, unsigned int times)
{
	const unsigned int before = choices_in_full;

	for (unsigned int k = 0; k < times; k++)
		CU_ASSERT_FATAL(compress_frame(press, f, &wire));
	return choices_in_full - before;
}

static void
a_choice_made_twice_is_taken_for_granted_for_some_frames(void)
{
	struct lp_press *press = press_make(press_conf());

	for (enum tensor tensor = 0; tensor < TENSOR_COUNT; tensor++) {
		build(&frame, LP_L4_UDP, tensor);
		CU_ASSERT_EQUAL(choices_of(press, &frame, 2), 2);
		for (unsigned int k = 0; k < 3; k++) {
			CU_ASSERT_EQUAL(choices_of(press, &frame, LP_CHOICE_FRAMES), 0);
			CU_ASSERT_EQUAL(choices_of(press, &frame, 1), 1);
		}
	}
	lp_press_free(press);
}

static void
flows_are_told_apart(void)
{
	struct lp_press *press = press_make(press_conf());
	unsigned int made = 0;

	build(&frame, LP_L4_ROCE, TENSOR_BF16);
	build(&other, LP_L4_TCP, TENSOR_FP32);
	for (unsigned int k = 0; k < 2 + LP_CHOICE_FRAMES; k++)
		made += choices_of(press, &frame, 1) + choices_of(press, &other, 1);
	CU_ASSERT_EQUAL(made, 4);
	lp_press_free(press);
}

/* Is the frame restored, and coded nearly as short as by a press that remembers nothing? */
static bool
is_coded_well(struct lp_press *press)
{
	struct lp_press *fresh = press_make(press_conf());

	CU_ASSERT_FATAL(compress_frame(fresh, &frame, &other));
	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
	CU_ASSERT_FATAL(restore_frame(fresh, &wire, &back));
	lp_press_free(fresh);
	CU_ASSERT(frame_equal(&frame, &back));
	if (wire.len <= other.len + LONGER_MAX)
		return true;
	printf("\n  %zu bytes instead of %zu", wire.len, other.len);
	return false;
}

static void
a_flow_may_change_its_type(void)
{
	for (enum tensor first = 0; first < TENSOR_COUNT; first++) {
		for (enum tensor then = 0; then < TENSOR_COUNT; then++) {
			struct lp_press *press = press_make(press_conf());

			build(&frame, LP_L4_UDP, first);
			CU_ASSERT_EQUAL(choices_of(press, &frame, 3), 2);
			for (unsigned int k = 0; k < 8; k++) {
				frame_fill(&frame, then);
				CU_ASSERT(is_coded_well(press));
			}
			lp_press_free(press);
		}
	}
	CU_ASSERT(pools_full());
}

static void
a_flow_may_change_its_type_all_the_time(void)
{
	struct lp_press *press = press_make(press_conf());

	build(&frame, LP_L4_UDP, TENSOR_NOISE);
	for (unsigned int k = 0; k < 300; k++) {
		const unsigned int run = test_random_in(1, 4);
		const enum tensor tensor = test_random_in(0, TENSOR_COUNT - 1);

		for (unsigned int i = 0; i < run; i++) {
			frame_fill(&frame, tensor);
			CU_ASSERT(is_coded_well(press));
		}
	}
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static void
other_books_are_taken_up_at_once(void)
{
	struct lp_bookset *books = lp_bookset_load(LP_CODEBOOK_DIR, NULL);
	struct lp_press *press = press_make(press_conf());
	const struct lp_policy policy = { .books = books };

	CU_ASSERT_PTR_NOT_NULL_FATAL(books);
	build(&frame, LP_L4_UDP, TENSOR_BF16);
	CU_ASSERT_EQUAL(choices_of(press, &frame, 10), 2);
	CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
	CU_ASSERT_EQUAL(choices_of(press, &frame, 10), 2);
	CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
	CU_ASSERT_EQUAL(choices_of(press, &frame, 10), 0);
	lp_press_free(press);
	lp_bookset_free(books);
}

static void
other_rules_are_taken_up_at_once(void)
{
	struct lp_rules *rules[2] = { rules_for("-> books fp32-grouped", bench.books),
		rules_for("proto udp -> books bf16-bytes-huffman", bench.books) };
	struct lp_press *press = press_make(press_conf());
	struct lp_shim shim;

	build(&frame, LP_L4_UDP, TENSOR_BF16);
	choices_of(press, &frame, 10);
	for (unsigned int k = 0; k < 2; k++) {
		const struct lp_policy policy = { .books = bench.books, .rules = rules[k] };
		const char *name = k == 0 ? "fp32-grouped" : "bf16-bytes-huffman";
		struct lp_codebook_info info;

		CU_ASSERT_EQUAL(lp_press_set_policy(press, &policy), 0);
		CU_ASSERT_EQUAL(choices_of(press, &frame, 1), 1);
		CU_ASSERT_EQUAL_FATAL(frame_shim(&wire, &shim), LP_OPEN_SEALED);
		lp_codebook_describe(bench.books->book[shim.book_id], &info);
		CU_ASSERT_STRING_EQUAL(info.name, name);
	}
	lp_press_free(press);
	lp_rules_free(rules[0]);
	lp_rules_free(rules[1]);
}

static void
a_book_that_the_gate_closes_is_no_longer_used(void)
{
	struct lp_book_mask allowed = bench.books->numbers;
	struct lp_press_conf conf = press_conf();
	struct lp_press *press;
	struct lp_shim shim;
	uint8_t book;

	lp_gate_set_books(&gate, &allowed);
	conf.gate = &gate;
	press = press_make(conf);
	build(&frame, LP_L4_UDP, TENSOR_BF16);
	choices_of(press, &frame, 10);
	CU_ASSERT_EQUAL_FATAL(frame_shim(&wire, &shim), LP_OPEN_SEALED);
	book = shim.book_id;
	lp_book_mask_remove(&allowed, book);
	lp_gate_set_books(&gate, &allowed);
	CU_ASSERT_EQUAL(choices_of(press, &frame, 10), 2);
	CU_ASSERT_EQUAL_FATAL(frame_shim(&wire, &shim), LP_OPEN_SEALED);
	CU_ASSERT_NOT_EQUAL(shim.book_id, book);
	lp_book_mask_add(&allowed, book);
	lp_gate_set_books(&gate, &allowed);
	choices_of(press, &frame, 1);
	CU_ASSERT_EQUAL_FATAL(frame_shim(&wire, &shim), LP_OPEN_SEALED);
	CU_ASSERT_EQUAL(shim.book_id, book);
	lp_press_free(press);
}

/* A number of the set, by name. */
static uint8_t
book_named(const char *name)
{
	struct lp_codebook_info info = { 0 };
	unsigned int k = 0;

	for (; k < bench.books->count; k++) {
		lp_codebook_describe(bench.books->book[bench.books->id[k]], &info);
		if (strcmp(info.name, name) == 0)
			return bench.books->id[k];
	}
	CU_FAIL_FATAL("no such book");
	return 0;
}

static struct lp_choice_place places[LP_CHOICE_PLACES];

/* Learn it twice, at offset 0 of the stream. */
static void
teach(const struct lp_choice_key *key, const struct lp_choice *choice, uint32_t body_len)
{
	for (unsigned int k = 0; k < 2; k++)
		lp_choice_learn(lp_choice_find(places, key), bench.books, key, LP_CHOICE_OPEN,
				choice, body_len, REGION);
}

static enum lp_choice_known
recall(const struct lp_choice_key *key, struct lp_choice *choice)
{
	return lp_choice_recall(lp_choice_find(places, key), bench.books, key,
			frame.data + frame.at.region_off, REGION, choice);
}

static void
what_is_known_of_one_rule_or_length_is_not_used_for_another(void)
{
	const struct lp_choice choice = { .book = book_named("bf16-grouped") };
	struct lp_choice got;

	build(&frame, LP_L4_UDP, TENSOR_BF16);

	const struct lp_choice_key key = lp_choice_key(frame.data, &frame.at, 1);
	struct lp_choice_key strange = key;

	teach(&key, &choice, REGION / 2);
	CU_ASSERT(recall(&key, &got) == LP_CHOICE_ALL && got.book == choice.book);
	strange.rule = 2;
	CU_ASSERT_EQUAL(recall(&strange, &got), LP_CHOICE_OPEN);
	teach(&key, &choice, REGION / 2);
	strange.rule = 1;
	strange.length++;
	CU_ASSERT_EQUAL(recall(&strange, &got), LP_CHOICE_OPEN);
	CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_ALL);
}

/* Another set may lie where the old one was. */
static void
book_that_is_gone_is_not_chosen(void)
{
	const struct lp_choice choice = { .book = book_named("bf16-grouped") };
	struct lp_bookset *less = lp_bookset_without(bench.books, choice.book);
	struct lp_choice_place *place;
	struct lp_choice got;

	CU_ASSERT_FATAL(less != NULL);
	build(&frame, LP_L4_UDP, TENSOR_BF16);

	const struct lp_choice_key key = lp_choice_key(frame.data, &frame.at, 1);

	teach(&key, &choice, REGION / 2);
	place = lp_choice_find(places, &key);
	CU_ASSERT_EQUAL(lp_choice_recall(place, less, &key, frame.data + frame.at.region_off,
					REGION, &got),
			LP_CHOICE_OPEN);
	CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_ALL);
	lp_bookset_free(less);
}

/* The same place and the same numbers: an lcore that slept has seen nothing of the change. */
static void
book_in_the_place_of_another_is_chosen_for_its_own_sake(void)
{
	static const char *const others[] = { "bf16-grouped", "e5m2-grouped", "e4m3-huffman-1",
		"fp16-grouped" };

	for (unsigned int k = 0; k < RTE_DIM(others); k++) {
		const uint8_t was = book_named("fp32-grouped"), is = book_named(others[k]);
		struct lp_bookset set = *bench.books;
		struct lp_press_conf conf = press_conf();
		struct lp_press *press;

		conf.books = &set;
		press = press_make(conf);
		build(&frame, LP_L4_TCP, TENSOR_FP32);
		CU_ASSERT_EQUAL(choices_of(press, &frame, 10), 2);
		set.book[was] = bench.books->book[is];
		set.digest[was] = bench.books->digest[is];
		set.book[is] = bench.books->book[was];
		set.digest[is] = bench.books->digest[was];
		CU_ASSERT_EQUAL(choices_of(press, &frame, 1), 1);
		CU_ASSERT_FATAL(restore_frame(press, &wire, &back));
		CU_ASSERT(frame_equal(&frame, &back));
		lp_press_free(press);
	}
}

static void
bodies_fit_that_are_about_as_long_as_the_last_one(void)
{
	const struct lp_choice choice = { .book = book_named("bf16-grouped") };

	build(&frame, LP_L4_UDP, TENSOR_BF16);

	const struct lp_choice_key key = lp_choice_key(frame.data, &frame.at, 0);
	const struct lp_choice_place *place = lp_choice_find(places, &key);

	teach(&key, &choice, REGION / 2);
	CU_ASSERT(lp_choice_fits(place, REGION / 2, REGION));
	CU_ASSERT(lp_choice_fits(place, REGION / 4, REGION / 2));
	CU_ASSERT(lp_choice_fits(place, REGION / 2 + REGION / 200, REGION));
	CU_ASSERT(lp_choice_fits(place, REGION / 2 - REGION / 100, REGION));
	CU_ASSERT_FALSE(lp_choice_fits(place, REGION / 2 + REGION / 100, REGION));
	CU_ASSERT_FALSE(lp_choice_fits(place, REGION / 2 - REGION / 50, REGION));
	CU_ASSERT_FALSE(lp_choice_fits(place, 0, REGION));
}

static void
book_of_a_known_type_is_settled_when_it_comes_out_twice(void)
{
	const struct lp_choice one = { .book = book_named("e4m3-huffman-1") };
	const struct lp_choice two = { .book = book_named("e4m3-huffman-2"), .params.base = 96 };
	struct lp_choice got;

	build(&frame, LP_L4_UDP, TENSOR_BF16);

	const struct lp_choice_key key = lp_choice_key(frame.data, &frame.at, 0);
	struct lp_choice_place *place = lp_choice_find(places, &key);

	teach(&key, &one, REGION / 2);
	CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_ALL);
	for (unsigned int k = 0; k < 2; k++) {
		lp_choice_learn(place, bench.books, &key, LP_CHOICE_TYPE, &two, REGION / 2, REGION);
		CU_ASSERT_EQUAL(recall(&key, &got), k == 0 ? LP_CHOICE_TYPE : LP_CHOICE_ALL);
		CU_ASSERT(got.book == two.book && got.params.base == two.params.base);
	}
	/* Known of the type are the frames that were left, and not more. */
	for (unsigned int k = 3; k < LP_CHOICE_FRAMES; k++)
		CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_ALL);
	CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_OPEN);
	/* Another book of the type leaves the type as known as it was. */
	lp_choice_learn(place, bench.books, &key, LP_CHOICE_OPEN, &one, REGION / 2, REGION);
	CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_TYPE);
}

static void
a_tensor_goes_on_while_its_books_code_it_about_as_well(void)
{
	const struct lp_choice choice = { .book = book_named("bf16-grouped") };

	build(&frame, LP_L4_UDP, TENSOR_BF16);

	const struct lp_choice_key key = lp_choice_key(frame.data, &frame.at, 0);
	const struct lp_choice_place *place = lp_choice_find(places, &key);

	teach(&key, &choice, REGION / 2);
	CU_ASSERT(lp_choice_goes_on(place, REGION / 2 + REGION / 40, REGION));
	CU_ASSERT(lp_choice_goes_on(place, REGION / 2 - REGION / 20, REGION));
	CU_ASSERT_FALSE(lp_choice_goes_on(place, REGION / 2 + REGION / 30, REGION));
	CU_ASSERT_FALSE(lp_choice_goes_on(place, REGION / 2 - REGION / 14, REGION));
	CU_ASSERT_FALSE(lp_choice_goes_on(place, 0, REGION));
}

/* Bodies of other lengths, but of the same type. */
static void
rows_of_a_tensor_are_no_reason_to_doubt_its_type(void)
{
	struct lp_press *press = press_make(press_conf());
	unsigned int full;

	build(&frame, LP_L4_UDP, TENSOR_E5M2);
	CU_ASSERT_EQUAL(choices_of(press, &frame, 2), 2);
	full = choices_in_full;
	choices_alike = 0;
	for (unsigned int k = 0; k < LP_CHOICE_FRAMES; k++) {
		uint8_t *const elements = frame.data + frame.at.region_off;

		frame_fill(&frame, TENSOR_E5M2);
		/* every other row has a zero in each 32 elements */
		for (unsigned int e = 0; k % 2 == 0 && e < REGION; e += 32)
			elements[e] = 0;
		CU_ASSERT(is_coded_well(press));
	}
	/* is_coded_well() makes a choice in full of its own */
	CU_ASSERT(choices_in_full - full - LP_CHOICE_FRAMES < choices_alike);
	lp_press_free(press);
}

/* Elements go on across segments of any length. */
static void
phases_follow_the_byte_stream(void)
{
	const struct lp_choice choice = { .book = book_named("fp32-grouped"), .params.phase = 1 };
	struct lp_choice got;

	build(&frame, LP_L4_TCP, TENSOR_FP32);
	for (unsigned int start = 0; start < 4; start++) {
		struct lp_choice_key key;

		frame.data[frame.at.l4_off + 7] = (uint8_t)(0x40 + start);
		key = lp_choice_key(frame.data, &frame.at, 0);
		CU_ASSERT_EQUAL(key.offset, start);
		teach(&key, &choice, REGION / 2);
		for (unsigned int on = 0; on < 7; on++) {
			key.offset = (uint8_t)((start + on) & 3);
			CU_ASSERT_EQUAL(recall(&key, &got), LP_CHOICE_ALL);
			CU_ASSERT_EQUAL(got.params.phase, (choice.params.phase + on) & 3);
		}
	}
}

static void
a_queue_pair_is_a_flow_whatever_its_source_port(void)
{
	build(&frame, LP_L4_ROCE, TENSOR_BF16);

	const struct lp_choice_key key = lp_choice_key(frame.data, &frame.at, 0);

	frame.data[frame.at.l4_off] ^= 0x55;
	frame.data[frame.at.l4_off + 1] ^= 0xaa;
	CU_ASSERT_EQUAL(lp_choice_key(frame.data, &frame.at, 0).flow, key.flow);
	for (unsigned int k = 0; k < 3; k++) {
		frame.data[frame.at.l4_off + 8 + 5 + k] ^= 1;
		CU_ASSERT_NOT_EQUAL(lp_choice_key(frame.data, &frame.at, 0).flow, key.flow);
		frame.data[frame.at.l4_off + 8 + 5 + k] ^= 1;
	}
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(a_choice_made_twice_is_taken_for_granted_for_some_frames),
		TEST(flows_are_told_apart),
		TEST(a_flow_may_change_its_type),
		TEST(a_flow_may_change_its_type_all_the_time),
		TEST(other_books_are_taken_up_at_once),
		TEST(other_rules_are_taken_up_at_once),
		TEST(a_book_that_the_gate_closes_is_no_longer_used),
		TEST(what_is_known_of_one_rule_or_length_is_not_used_for_another),
		TEST(book_that_is_gone_is_not_chosen),
		TEST(book_in_the_place_of_another_is_chosen_for_its_own_sake),
		TEST(bodies_fit_that_are_about_as_long_as_the_last_one),
		TEST(book_of_a_known_type_is_settled_when_it_comes_out_twice),
		TEST(a_tensor_goes_on_while_its_books_code_it_about_as_well),
		TEST(rows_of_a_tensor_are_no_reason_to_doubt_its_type),
		TEST(phases_follow_the_byte_stream),
		TEST(a_queue_pair_is_a_flow_whatever_its_source_port),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_choice", tests);
}
