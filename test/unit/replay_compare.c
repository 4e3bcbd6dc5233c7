/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "compare.h"
#include "suite.h"

/*
 * A burst is written as a string, a frame as a letter: "ABC" are three frames whose contents
 * differ. Frame numbers start at FIRST_NUMBER.
 */
#define FIRST_NUMBER 100
#define FRAME_LEN 60

static uint8_t content[256][FRAME_LEN];

static uint16_t
make_burst(const char *letters, struct compare_frame *frames)
{
	uint16_t n;

	for (n = 0; letters[n] != '\0'; n++) {
		memset(content[(uint8_t)letters[n]], letters[n], FRAME_LEN);
		frames[n] = (struct compare_frame){
			.data = content[(uint8_t)letters[n]],
			.number = FIRST_NUMBER + n,
			.len = FRAME_LEN,
		};
	}
	return n;
}

static struct compare_result
compare_letters(const char *sent_letters, const char *back_letters)
{
	struct compare_frame sent[COMPARE_BURST_MAX], back[COMPARE_BURST_MAX];
	struct compare_result result = { .sent = 0 };
	const uint16_t nb_sent = make_burst(sent_letters, sent);
	const uint16_t nb_back = make_burst(back_letters, back);

	compare_burst(sent, nb_sent, back, nb_back, &result);
	CU_ASSERT_EQUAL(result.sent, nb_sent);
	CU_ASSERT_EQUAL(result.returned, nb_back);
	return result;
}

static void
check(const char *sent, const char *back, uint64_t lost, uint64_t differing, uint64_t reordered)
{
	const struct compare_result result = compare_letters(sent, back);

	CU_ASSERT_EQUAL(result.lost, lost);
	CU_ASSERT_EQUAL(result.differing, differing);
	CU_ASSERT_EQUAL(result.reordered, reordered);
	CU_ASSERT_EQUAL(compare_is_clean(&result), lost + differing + reordered == 0);
	/* Every frame is accounted for: what was sent came back or was lost. */
	CU_ASSERT_EQUAL(result.sent, result.lost + result.returned - result.extra);
}

static void
equal_burst_is_clean(void)
{
	check("A", "A", 0, 0, 0);
	check("ABCD", "ABCD", 0, 0, 0);
	check("", "", 0, 0, 0);
}

static void
same_content_twice_is_clean(void)
{
	check("AAAA", "AAAA", 0, 0, 0);
	check("ABAB", "ABAB", 0, 0, 0);
}

static void
lost_frames_are_counted_wherever_they_were(void)
{
	check("ABCD", "BCD", 1, 0, 0);
	check("ABCD", "ACD", 1, 0, 0);
	check("ABCD", "ABC", 1, 0, 0);
	check("ABCD", "BD", 2, 0, 0);
	check("ABCD", "", 4, 0, 0);
}

static void
lost_duplicate_is_counted(void)
{
	check("AAAB", "AAB", 1, 0, 0);
	check("ABAB", "BAB", 1, 0, 0);
}

static void
lost_frame_is_told_by_number(void)
{
	const struct compare_result result = compare_letters("ABCD", "BD");

	CU_ASSERT_EQUAL(result.lost_number[0], FIRST_NUMBER);
	CU_ASSERT_EQUAL(result.lost_number[1], FIRST_NUMBER + 2);
}

static void
swapped_frames_are_reordered_not_lost(void)
{
	check("ABCD", "BACD", 0, 0, 1);
	check("ABCD", "ABDC", 0, 0, 1);
	check("ABCD", "DABC", 0, 0, 3);
	check("ABCD", "BCDA", 0, 0, 1);
}

static void
lost_and_reordered_are_told_apart(void)
{
	check("ABCDE", "CBDE", 1, 0, 1);
}

static void
unknown_content_is_a_difference(void)
{
	check("ABCD", "AxCD", 0, 1, 0);
	check("ABCD", "xBCD", 0, 1, 0);
	check("ABCD", "ABCx", 0, 1, 0);
	check("ABCD", "xxxx", 0, 4, 0);
}

static void
frame_in_place_of_another_is_not_clean(void)
{
	check("ABC", "AAC", 0, 1, 0);
	check("ABC", "ACC", 0, 1, 0);
}

static void
altered_frame_of_a_passed_by_one_is_matched_to_it(void)
{
	const struct compare_result result = compare_letters("ABC", "BCx");

	CU_ASSERT_EQUAL(result.differing, 1);
	CU_ASSERT_EQUAL(result.lost, 0);
	CU_ASSERT_EQUAL(result.difference[0].number, FIRST_NUMBER);
}

static void
frame_nobody_sent_is_a_difference(void)
{
	check("AB", "ABx", 0, 1, 0);
	check("", "x", 0, 1, 0);
	CU_ASSERT_EQUAL(compare_letters("AB", "ABx").extra, 1);
}

static struct compare_difference
difference_of(const char *sent, size_t sent_len, const char *back, size_t back_len)
{
	const struct compare_frame s = { (const uint8_t *)sent, FIRST_NUMBER, sent_len };
	const struct compare_frame b = { (const uint8_t *)back, 0, back_len };
	struct compare_result result = { .sent = 0 };

	compare_burst(&s, 1, &b, 1, &result);
	CU_ASSERT_EQUAL(result.differing, 1);
	return result.difference[0];
}

static void
difference_tells_offset_and_both_bytes(void)
{
	const struct compare_difference d = difference_of("abcd", 4, "abXY", 4);

	CU_ASSERT_EQUAL(d.number, FIRST_NUMBER);
	CU_ASSERT_EQUAL(d.offset, 2);
	CU_ASSERT_EQUAL(d.sent_byte, 'c');
	CU_ASSERT_EQUAL(d.back_byte, 'X');
}

static void
byte_above_127_is_not_negative(void)
{
	const struct compare_difference d = difference_of("\xff", 1, "\x80", 1);

	CU_ASSERT_EQUAL(d.sent_byte, 0xff);
	CU_ASSERT_EQUAL(d.back_byte, 0x80);
}

static void
shorter_and_longer_frames_differ_at_the_end(void)
{
	struct compare_difference d = difference_of("abcd", 4, "abc", 3);

	CU_ASSERT_EQUAL(d.offset, 3);
	CU_ASSERT_EQUAL(d.sent_byte, 'd');
	CU_ASSERT_EQUAL(d.back_byte, COMPARE_NO_BYTE);
	CU_ASSERT_EQUAL(d.sent_len, 4);
	CU_ASSERT_EQUAL(d.back_len, 3);
	d = difference_of("abc", 3, "abcd", 4);
	CU_ASSERT_EQUAL(d.offset, 3);
	CU_ASSERT_EQUAL(d.sent_byte, COMPARE_NO_BYTE);
	CU_ASSERT_EQUAL(d.back_byte, 'd');
	d = difference_of("", 0, "a", 1);
	CU_ASSERT_EQUAL(d.offset, 0);
}

static void
only_the_first_differences_are_described(void)
{
	struct compare_frame sent[2], back[2];
	struct compare_result result = { .sent = 0 };
	unsigned int i;

	make_burst("AB", sent);
	make_burst("xy", back);
	for (i = 0; i < 3 * COMPARE_DETAILS; i++)
		compare_burst(sent, 2, back, i % 3, &result);
	CU_ASSERT_EQUAL(result.differing, 3 * COMPARE_DETAILS);
	CU_ASSERT_EQUAL(result.lost, 3 * COMPARE_DETAILS);
	CU_ASSERT_EQUAL(result.difference[COMPARE_DETAILS - 1].number, FIRST_NUMBER);
}

static void
largest_burst_reversed_is_all_but_one_reordered(void)
{
	static uint8_t data[COMPARE_BURST_MAX][2];
	static struct compare_frame sent[COMPARE_BURST_MAX], back[COMPARE_BURST_MAX];
	struct compare_result result = { .sent = 0 };
	unsigned int i;

	for (i = 0; i < COMPARE_BURST_MAX; i++) {
		data[i][0] = i >> 8;
		data[i][1] = i & 0xff;
		sent[i] = (struct compare_frame){ data[i], i + 1, 2 };
		back[COMPARE_BURST_MAX - 1 - i] = sent[i];
	}
	compare_burst(sent, COMPARE_BURST_MAX, back, COMPARE_BURST_MAX, &result);
	CU_ASSERT_EQUAL(result.reordered, COMPARE_BURST_MAX - 1);
	CU_ASSERT_EQUAL(result.lost + result.differing, 0);
}

int
main(void)
{
	CU_TestInfo tests[] = {
		TEST(equal_burst_is_clean),
		TEST(same_content_twice_is_clean),
		TEST(lost_frames_are_counted_wherever_they_were),
		TEST(lost_duplicate_is_counted),
		TEST(lost_frame_is_told_by_number),
		TEST(swapped_frames_are_reordered_not_lost),
		TEST(lost_and_reordered_are_told_apart),
		TEST(unknown_content_is_a_difference),
		TEST(frame_in_place_of_another_is_not_clean),
		TEST(altered_frame_of_a_passed_by_one_is_matched_to_it),
		TEST(frame_nobody_sent_is_a_difference),
		TEST(difference_tells_offset_and_both_bytes),
		TEST(byte_above_127_is_not_negative),
		TEST(shorter_and_longer_frames_differ_at_the_end),
		TEST(only_the_first_differences_are_described),
		TEST(largest_burst_reversed_is_all_but_one_reordered),
		CU_TEST_INFO_NULL,
	};

	return test_run("replay_compare", tests);
}
