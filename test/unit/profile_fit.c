/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Profiles, and the books fitted to them. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "profile_help.h"

#define SYMBOLS_MAX 512

#define GROUPED_SHARDS 2 /* a grouped fit tries a thousand codes on each */

static uint8_t src[LP_REGION_MAX], body[3 * LP_REGION_MAX];
static char text[BOOKS_MAX + 1][LP_FIT_TEXT_MAX];

/* Codes of a limited length. */

static uint64_t
cost_of(const uint64_t *count, unsigned int symbols, const uint8_t *length)
{
	uint64_t bits = 0;

	for (unsigned int s = 0; s < symbols; s++)
		bits += count[s] * length[s];
	return bits;
}

/* Cost of the best prefix code of any length: join the two lightest until one is left. */
static uint64_t
unlimited_cost(const uint64_t *count, unsigned int symbols)
{
	uint64_t weight[SYMBOLS_MAX], bits = 0;
	unsigned int n = 0;

	for (unsigned int s = 0; s < symbols; s++)
		if (count[s] > 0)
			weight[n++] = count[s];
	for (; n > 1; n--) {
		for (unsigned int place = 0; place < 2; place++)
			for (unsigned int k = place + 1; k < n; k++)
				if (weight[k] < weight[place]) {
					const uint64_t w = weight[k];

					weight[k] = weight[place];
					weight[place] = w;
				}
		weight[0] += weight[1];
		bits += weight[0];
		weight[1] = weight[n - 1];
	}
	return bits;
}

/* Cost of the best code within a limit, by trying all lengths of all symbols. */
static uint64_t
brute_force_cost(const uint64_t *count, unsigned int symbols, unsigned int limit)
{
	uint64_t least = UINT64_MAX;
	unsigned long choices = 1;

	for (unsigned int s = 0; s < symbols; s++)
		choices *= limit;
	for (unsigned long choice = 0; choice < choices; choice++) {
		unsigned int used = 0;
		unsigned long rest = choice;
		uint8_t length[8];

		for (unsigned int s = 0; s < symbols; s++, rest /= limit) {
			length[s] = (uint8_t)(rest % limit + 1);
			used += (1u << limit) >> length[s];
		}
		if (used <= 1u << limit && cost_of(count, symbols, length) < least)
			least = cost_of(count, symbols, length);
	}
	return least;
}

/* Do the lengths make a complete code for exactly those that occur? */
static bool
lengths_are_sound(const uint64_t *count, unsigned int symbols, unsigned int limit,
		const uint8_t *length)
{
	unsigned int used = 0;

	for (unsigned int s = 0; s < symbols; s++) {
		if ((length[s] > 0) != (count[s] > 0) || length[s] > limit)
			return false;
		if (length[s] > 0)
			used += (1u << limit) >> length[s];
	}
	return used == 1u << limit;
}

/* Counts of many shapes: flat, steep, with many ties, with gaps. */
static void
random_counts(uint64_t *count, unsigned int symbols)
{
	const unsigned int bits = test_random_in(1, 40), gaps = test_random_in(0, 3);

	for (unsigned int s = 0; s < symbols; s++) {
		const uint64_t most = UINT64_C(1) << test_random_in(0, bits);

		count[s] = gaps > 0 && test_random_in(0, 3) < gaps ? 0 : 1 + test_random() % most;
	}
	count[0] = count[symbols - 1] = 5;
}

static void
huffman_lengths_cost_what_an_unlimited_code_costs_when_the_limit_is_far(void)
{
	uint64_t count[SYMBOLS_MAX];
	uint8_t length[SYMBOLS_MAX];

	for (unsigned int trial = 0; trial < 300; trial++) {
		const unsigned int symbols = test_random_in(2, trial < 150 ? 16 : 200);

		/* No code is longer than 15 if the lightest is not much lighter than the rest. */
		for (unsigned int s = 0; s < symbols; s++)
			count[s] = test_random_in(symbols > 16 ? 40 : 1, 900);
		CU_ASSERT(lp_huffman_lengths(count, symbols, 15, length) == 0);
		CU_ASSERT(lengths_are_sound(count, symbols, 15, length));
		CU_ASSERT(cost_of(count, symbols, length) == unlimited_cost(count, symbols));
	}
}

static void
huffman_lengths_are_complete_and_within_the_limit(void)
{
	uint64_t count[SYMBOLS_MAX];
	uint8_t length[SYMBOLS_MAX];

	for (unsigned int trial = 0; trial < 300; trial++) {
		const unsigned int symbols = test_random_in(2, SYMBOLS_MAX);
		uint64_t before = UINT64_MAX;

		random_counts(count, symbols);
		for (unsigned int limit = 9; limit <= 15; limit++) {
			CU_ASSERT(lp_huffman_lengths(count, symbols, limit, length) == 0);
			CU_ASSERT(lengths_are_sound(count, symbols, limit, length));
			const uint64_t bits = cost_of(count, symbols, length);

			CU_ASSERT(bits <= before && bits >= unlimited_cost(count, symbols));
			before = bits;
		}
	}
}

static void
huffman_lengths_of_fibonacci_counts_are_cut_at_the_limit(void)
{
	uint64_t count[30] = { 1, 1 };
	uint8_t length[30];

	for (unsigned int s = 2; s < 30; s++)
		count[s] = count[s - 1] + count[s - 2];
	for (unsigned int limit = 5; limit <= 15; limit++) {
		CU_ASSERT(lp_huffman_lengths(count, 30, limit, length) == 0);
		CU_ASSERT(lengths_are_sound(count, 30, limit, length));
		CU_ASSERT(length[0] == limit);
	}
}

static void
huffman_lengths_of_up_to_6_symbols_are_the_best_there_are(void)
{
	for (unsigned int trial = 0; trial < 600; trial++) {
		const unsigned int symbols = 2 + trial % 5, limit = symbols > 4 ? 3 : 2 + trial % 3;
		uint64_t count[6];
		uint8_t length[6];

		for (unsigned int s = 0; s < symbols; s++)
			count[s] = 1 + test_random() % (UINT64_C(1) << test_random_in(0, 12));
		CU_ASSERT(lp_huffman_lengths(count, symbols, limit, length) == 0);
		CU_ASSERT(lengths_are_sound(count, symbols, limit, length));
		CU_ASSERT(cost_of(count, symbols, length) ==
				brute_force_cost(count, symbols, limit));
	}
}

static void
huffman_length_of_a_single_symbol_is_1(void)
{
	uint64_t count[300] = { 0 };
	uint8_t length[300];

	count[77] = 9;
	memset(length, 0x55, sizeof(length));
	CU_ASSERT(lp_huffman_lengths(count, 300, 11, length) == 0);
	for (unsigned int s = 0; s < 300; s++)
		CU_ASSERT(length[s] == (s == 77));
	CU_ASSERT(lp_huffman_lengths(count + 77, 1, 1, length) == 0 && length[0] == 1);
}

static void
huffman_lengths_of_as_many_symbols_as_fit_are_all_the_limit(void)
{
	uint64_t count[SYMBOLS_MAX];
	uint8_t length[SYMBOLS_MAX];

	for (unsigned int limit = 1; limit <= 9; limit++) {
		const unsigned int symbols = 1u << limit;

		random_counts(count, symbols);
		for (unsigned int s = 0; s < symbols; s++)
			count[s] += 1;
		CU_ASSERT(lp_huffman_lengths(count, symbols, limit, length) == 0);
		for (unsigned int s = 0; s < symbols; s++)
			CU_ASSERT(length[s] == limit);
	}
}

static void
huffman_lengths_that_cannot_be_are_refused(void)
{
	static uint64_t count[SYMBOLS_MAX + 1];
	uint8_t length[SYMBOLS_MAX + 1];

	CU_ASSERT(lp_huffman_lengths(count, 10, 11, length) == -EINVAL);
	for (unsigned int s = 0; s <= SYMBOLS_MAX; s++)
		count[s] = 1;
	for (unsigned int limit = 1; limit <= 8; limit++)
		CU_ASSERT(lp_huffman_lengths(count, (1u << limit) + 1, limit, length) == -EINVAL);
	CU_ASSERT(lp_huffman_lengths(count, SYMBOLS_MAX + 1, 15, length) == -EINVAL);
	CU_ASSERT(lp_huffman_lengths(count, 0, 11, length) == -EINVAL);
	CU_ASSERT(lp_huffman_lengths(count, 2, 0, length) == -EINVAL);
	CU_ASSERT(lp_huffman_lengths(count, 2, 16, length) == -EINVAL);
}

static bool
near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void
entropy_has_the_values_of_the_textbook(void)
{
	static const uint64_t none[4], one[] = { 0, 7, 0 }, two[] = { 5, 5 },
				       four[] = { 9, 9, 9, 0, 9 };
	static const uint64_t quarter[] = { 1, 3 }, halves[] = { 4, 2, 1, 1 };
	uint64_t flat[256];

	for (unsigned int s = 0; s < 256; s++)
		flat[s] = 123456789012;
	CU_ASSERT(near(lp_entropy(none, 4), 0) && near(lp_entropy(none, 0), 0));
	CU_ASSERT(near(lp_entropy(one, 3), 0));
	CU_ASSERT(near(lp_entropy(two, 2), 1));
	CU_ASSERT(near(lp_entropy(four, 5), 2));
	CU_ASSERT(near(lp_entropy(quarter, 2), 0.8112781244591328));
	CU_ASSERT(near(lp_entropy(halves, 4), 1.75));
	CU_ASSERT(near(lp_entropy(flat, 256), 8));
}

/* Books. */

static void
profile_takes_shards_of_an_element_to_65535_bytes(void)
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_FP32, LP_SYMBOL_EXPONENT);

	CU_ASSERT_FATAL(p != NULL);
	CU_ASSERT(lp_profile_shards(p) == 0);
	CU_ASSERT(lp_profile_add(p, src, 0) == -EINVAL);
	CU_ASSERT(lp_profile_add(p, src, 3) == -EINVAL);
	CU_ASSERT(lp_profile_add(p, src, LP_REGION_MAX + 1) == -EINVAL);
	CU_ASSERT(lp_profile_shards(p) == 0);
	CU_ASSERT(lp_profile_add(p, src, 4) == 0);
	CU_ASSERT(lp_profile_add(p, src, LP_REGION_MAX) == 0);
	CU_ASSERT(lp_profile_shards(p) == 2);
	lp_profile_free(p);
	lp_profile_free(NULL);
}

static void
profile_of_exponents_needs_a_type_that_has_one(void)
{
	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		struct lp_profile *p = lp_profile_create(type, LP_SYMBOL_EXPONENT);

		CU_ASSERT((p != NULL) == (test_exponents(type) > 1));
		lp_profile_free(p);
	}
	errno = 0;
	CU_ASSERT(lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_EXPONENT) == NULL && errno == EINVAL);
	CU_ASSERT(lp_profile_create(LP_TYPE_COUNT, LP_SYMBOL_BYTE) == NULL);
	CU_ASSERT(lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_COUNT) == NULL);
}

/* Symbols of the profile as printed: all whole elements of all shards. */
static void
profile_counts_every_symbol_once(void)
{
	const struct lp_fit_limits limits = { .levels = 7, .codes = 16 };
	struct lp_profile *p = lp_profile_create(LP_TYPE_FP32, LP_SYMBOL_EXPONENT);

	data_region(LP_TYPE_FP32, DATA_GAUSS, 0, src, 1003);
	CU_ASSERT(lp_profile_add(p, src, 1003) == 0);
	CU_ASSERT(lp_profile_add(p, src, 40) == 0);
	CU_ASSERT(lp_fit_grouped(p, &limits, text[0]) == 0);
	CU_ASSERT(strstr(text[0], "\nprofile-symbols 260\n") != NULL);
	lp_profile_free(p);
}

static bool
grouped_book_is_sound(enum lp_type type, const struct lp_fit_limits *limits, enum data_class data,
		struct lp_codebook_info *info)
{
	const char *groups = strstr(text[0], "\ngroups "), *ranks = strstr(text[0], "\nranks ");
	struct lp_codebook *cb = book_of(type, LP_KIND_GROUPED, text[0]);
	unsigned int levels = 0;

	if (cb == NULL)
		return false;
	for (const char *c = groups + 8; c < ranks; c++)
		levels += *c == ' ';
	lp_codebook_describe(cb, info);
	for (unsigned int trial = 0; trial < 3; trial++) {
		struct lp_params params = { 0, test_random_base(info) };

		data_region(type, data, 0, src, 1000);
		CU_ASSERT(region_survives(cb, &params, src, 1000));
	}
	lp_codebook_free(cb);
	if (levels <= limits->levels && info->codes <= limits->codes)
		return true;
	printf("\n  limits are %u levels, %u codes:\n%s", limits->levels, limits->codes, text[0]);
	return false;
}

static bool
grouped_fit_is_sound(enum lp_type type, enum data_class data, const struct lp_fit_limits *limits,
		struct lp_codebook_info *info)
{
	struct lp_profile *p = profile_of(type, LP_SYMBOL_EXPONENT, data, GROUPED_SHARDS);
	const bool ok = lp_fit_grouped(p, limits, text[0]) == 0 &&
			grouped_book_is_sound(type, limits, data, info);

	lp_profile_free(p);
	if (!ok)
		printf("\n  fitted to %s %s", lp_type_name(type), data_name(data));
	return ok;
}

static void
grouped_fit_of_gaussian_bf16_is_close_to_the_entropy(void)
{
	const struct lp_fit_limits limits = { .levels = 7, .codes = 16 };
	struct lp_codebook_info info;

	CU_ASSERT_FATAL(grouped_fit_is_sound(LP_TYPE_BF16, DATA_GAUSS, &limits, &info));
	CU_ASSERT(info.profile_symbols == GROUPED_SHARDS * SHARD_BYTES / 2);
	CU_ASSERT(info.profile_entropy > 2.4 && info.profile_entropy < 2.8);
	CU_ASSERT(info.profile_code_bits >= info.profile_entropy);
	CU_ASSERT(info.profile_code_bits < info.profile_entropy + 0.15);
}

static void
grouped_fit_of_every_type_and_data_is_a_book(void)
{
	const struct lp_fit_limits limits = { .levels = 3, .codes = 16 };

	for (int type = LP_TYPE_BF16; type <= LP_TYPE_E5M2; type++) {
		for (int data = 0; data < DATA_COUNT; data++) {
			struct lp_codebook_info info;

			CU_ASSERT(grouped_fit_is_sound(type, data, &limits, &info));
			CU_ASSERT(info.profile_code_bits >= info.profile_entropy - 0.0001);
		}
	}
}

static void
grouped_fit_keeps_to_its_limits(void)
{
	struct lp_profile *p = profile_of(LP_TYPE_BF16, LP_SYMBOL_EXPONENT, DATA_GAUSS, 1);
	double before = 100;

	/* Levels let the code come closer, but for what the search leaves to chance. */
	for (unsigned int levels = 0; levels <= 7; levels++) {
		const struct lp_fit_limits limits = { .levels = levels, .codes = 16 };
		struct lp_codebook_info info = { .profile_code_bits = 100 };

		CU_ASSERT(lp_fit_grouped(p, &limits, text[0]) == 0);
		CU_ASSERT(grouped_book_is_sound(LP_TYPE_BF16, &limits, DATA_GAUSS, &info));
		CU_ASSERT(info.profile_code_bits < before + 0.001);
		before = info.profile_code_bits;
	}
	lp_profile_free(p);
	for (unsigned int codes = 2; codes <= 16; codes += 2) {
		const struct lp_fit_limits limits = { .levels = codes % 5, .codes = codes };
		struct lp_codebook_info info;

		CU_ASSERT(grouped_fit_is_sound(LP_TYPE_E4M3, DATA_ZEROS_50, &limits, &info));
		CU_ASSERT(grouped_fit_is_sound(LP_TYPE_BF16, DATA_NOISE, &limits, &info));
	}
}

static void
grouped_fit_has_the_groups_that_are_asked_for(void)
{
	static const uint8_t groups[][3] = { { 1, 1, 3 }, { 3, 1, 1 }, { 0, 0, 0 }, { 2, 3, 2 } };

	for (unsigned int k = 0; k < sizeof(groups) / sizeof(groups[0]); k++) {
		const struct lp_fit_limits limits = {
			.levels = 7, .codes = 16, .suffix_bits = groups[k], .groups = 3
		};
		struct lp_codebook_info info;
		char line[32];

		sprintf(line, "\ngroups %u %u %u\n", groups[k][0], groups[k][1], groups[k][2]);
		for (int data = 0; data < DATA_COUNT; data++) {
			CU_ASSERT(grouped_fit_is_sound(LP_TYPE_E5M2, data, &limits, &info));
			CU_ASSERT(strstr(text[0], line) != NULL);
		}
	}
}

static void
grouped_fit_with_bad_limits_or_nothing_is_refused(void)
{
	static const uint8_t fast[] = { 1, 1, 1, 3 }, long_suffix = 5, single = 0;
	const struct lp_fit_limits bad[] = {
		{ .levels = 8, .codes = 16 },
		{ .levels = 7, .codes = 17 },
		{ .levels = 7, .codes = 1 },
		{ .levels = 7, .codes = 0 },
		/* groups beyond levels, codes and their own bounds */
		{ .levels = 2, .codes = 16, .suffix_bits = fast, .groups = 4 },
		{ .levels = 7, .codes = 13, .suffix_bits = fast, .groups = 4 },
		{ .levels = 7, .codes = 16, .suffix_bits = &long_suffix, .groups = 1 },
		{ .levels = 7, .codes = 16, .suffix_bits = &single, .groups = 1 },
	};
	struct lp_profile *p = profile_of(LP_TYPE_BF16, LP_SYMBOL_EXPONENT, DATA_GAUSS, 1);
	struct lp_profile *empty = lp_profile_create(LP_TYPE_BF16, LP_SYMBOL_EXPONENT);
	struct lp_profile *bytes = profile_of(LP_TYPE_BF16, LP_SYMBOL_BYTE, DATA_GAUSS, 1);
	const struct lp_fit_limits good = { .levels = 7, .codes = 16 };

	for (unsigned int k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		CU_ASSERT(lp_fit_grouped(p, &bad[k], text[0]) == -EINVAL);
	CU_ASSERT(lp_fit_grouped(empty, &good, text[0]) == -EINVAL);
	CU_ASSERT(lp_fit_grouped(bytes, &good, text[0]) == -EINVAL);
	lp_profile_free(p);
	lp_profile_free(empty);
	lp_profile_free(bytes);
}

static void
grouped_fit_of_one_constant_takes_a_bit_or_less_of_escapes(void)
{
	const struct lp_fit_limits limits = { .levels = 3, .codes = 16 };
	struct lp_codebook_info info;

	for (int type = LP_TYPE_BF16; type <= LP_TYPE_E5M2; type++) {
		CU_ASSERT(grouped_fit_is_sound(type, DATA_CONSTANT, &limits, &info));
		CU_ASSERT(info.profile_entropy == 0 && info.profile_code_bits == 1);
		CU_ASSERT(grouped_fit_is_sound(type, DATA_ALL_ZERO, &limits, &info));
		CU_ASSERT(info.profile_entropy == 0 && info.profile_code_bits == 1);
	}
}

/* Put bf16 elements of given exponents into src, as often as asked. */
static size_t
exponents_put(size_t at, unsigned int exponent, unsigned int times)
{
	for (unsigned int k = 0; k < times; k++, at += 2) {
		src[at] = (uint8_t)(exponent << 7);
		src[at + 1] = (uint8_t)(exponent >> 1);
	}
	return at;
}

static struct lp_profile *
profile_of_exponents(unsigned int shards, const unsigned int (*exponent_times)[2])
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_BF16, LP_SYMBOL_EXPONENT);

	for (unsigned int k = 0; k < shards; k++) {
		size_t len = 0;

		for (unsigned int i = 0; exponent_times[i][1] > 0; i++)
			len = exponents_put(
					len, exponent_times[i][0] + 30 * k, exponent_times[i][1]);
		CU_ASSERT(lp_profile_add(p, src, len) == 0);
	}
	return p;
}

/*
 * A book may have more ranks than exponents occur within the window. Those that fill up the groups
 * must be of the window too.
 */
static void
grouped_fit_of_few_exponents_far_apart_is_a_book(void)
{
	static const unsigned int sparse[][2] = { { 110, 2 }, { 95, 8 }, { 101, 2 }, { 109, 360 },
		{ 0, 0 } };
	static const unsigned int mostly_zero[][2] = { { 164, 4 }, { 163, 53 }, { 0, 243 },
		{ 0, 0 } };
	static const unsigned int two[][2] = { { 77, 1 }, { 0, 11 }, { 0, 0 } };
	static const struct {
		struct lp_fit_limits limits;
		unsigned int shards;
		const unsigned int (*exponent_times)[2];
	} cases[] = { { { .levels = 2, .codes = 9 }, 2, sparse },
		{ { .levels = 2, .codes = 15 }, 1, mostly_zero },
		{ { .levels = 2, .codes = 5 }, 1, two } };

	for (unsigned int k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct lp_profile *p = profile_of_exponents(
				cases[k].shards, cases[k].exponent_times);
		struct lp_codebook_info info;

		CU_ASSERT(lp_fit_grouped(p, &cases[k].limits, text[0]) == 0);
		CU_ASSERT(grouped_book_is_sound(LP_TYPE_BF16, &cases[k].limits, DATA_GAUSS, &info));
		lp_profile_free(p);
	}
}

static void
grouped_fit_of_random_sparse_exponents_is_a_book(void)
{
	for (unsigned int trial = 0; trial < 80; trial++) {
		const struct lp_fit_limits limits = { .levels = test_random_in(0, 3),
			.codes = test_random_in(4, 16) };
		unsigned int exponent_times[6][2] = { { 0, 0 } };
		struct lp_codebook_info info;

		for (unsigned int i = 0; i < 2 + trial % 4; i++) {
			exponent_times[i][0] = test_random_in(0, 7) == 0 ? 0
									 : test_random_in(90, 112);
			exponent_times[i][1] = test_random_in(1, 1u << test_random_in(0, 10));
		}
		struct lp_profile *p = profile_of_exponents(1 + trial % 2, exponent_times);

		CU_ASSERT(lp_fit_grouped(p, &limits, text[0]) == 0);
		CU_ASSERT(grouped_book_is_sound(LP_TYPE_BF16, &limits, DATA_GAUSS, &info));
		lp_profile_free(p);
	}
}

/* The base of each shard is free: tensors of different scales have one book. */
static void
grouped_fit_aligns_shards_of_different_scale(void)
{
	const struct lp_fit_limits limits = { .levels = 4, .codes = 16 };
	struct lp_profile *p = lp_profile_create(LP_TYPE_BF16, LP_SYMBOL_EXPONENT);
	struct lp_codebook_info info;

	for (int scale = -60; scale <= 60; scale += 20) {
		for (size_t i = 0; i < SHARD_BYTES; i += 2) {
			const uint32_t v = test_encode_number(
					LP_TYPE_BF16, ldexp(test_random_normal(), scale));

			src[i] = (uint8_t)v;
			src[i + 1] = (uint8_t)(v >> 8);
		}
		CU_ASSERT(lp_profile_add(p, src, SHARD_BYTES) == 0);
	}
	CU_ASSERT(lp_fit_grouped(p, &limits, text[0]) == 0);
	CU_ASSERT(grouped_book_is_sound(LP_TYPE_BF16, &limits, DATA_GAUSS, &info));
	CU_ASSERT(info.profile_code_bits < 2.8);
	lp_profile_free(p);
}

static bool
huffman_fit_is_sound(enum lp_type type, enum lp_symbol symbol, enum data_class data,
		struct lp_codebook_info *info)
{
	struct lp_profile *p = profile_of(type, symbol, data, 5);
	struct lp_codebook *cb = NULL;

	if (lp_fit_huffman(p, 1, text) == 0)
		cb = book_of(type, LP_KIND_HUFFMAN, text[0]);
	lp_profile_free(p);
	if (cb == NULL)
		return false;
	lp_codebook_describe(cb, info);
	for (unsigned int trial = 0; trial < 3; trial++) {
		struct lp_params params = { 0, test_random_base(info) };

		data_region(type, data, 0, src, 1000);
		CU_ASSERT(region_survives(cb, &params, src, 1000));
	}
	lp_codebook_free(cb);
	return info->symbol == symbol && info->profile_symbols == 5 * SHARD_BYTES;
}

static void
huffman_fit_of_every_type_and_data_is_a_book(void)
{
	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		for (int data = 0; data < DATA_COUNT; data++) {
			struct lp_codebook_info info;

			CU_ASSERT(huffman_fit_is_sound(type, LP_SYMBOL_BYTE, data, &info));
			CU_ASSERT(info.profile_code_bits >= info.profile_entropy - 0.0001);
			CU_ASSERT(info.profile_code_bits <= info.profile_entropy + 1);
			CU_ASSERT(huffman_fit_is_sound(type, LP_SYMBOL_ROTATED, data, &info));
		}
	}
}

static void
huffman_fit_of_gaussian_bf16_is_close_to_the_entropy(void)
{
	struct lp_codebook_info info;

	CU_ASSERT_FATAL(huffman_fit_is_sound(LP_TYPE_BF16, LP_SYMBOL_BYTE, DATA_GAUSS, &info));
	CU_ASSERT(info.profile_code_bits < info.profile_entropy + 0.15);
}

static void
huffman_fit_of_one_constant_zeros_and_noise_is_what_it_must_be(void)
{
	struct lp_codebook_info info;

	CU_ASSERT(huffman_fit_is_sound(LP_TYPE_INT8, LP_SYMBOL_BYTE, DATA_CONSTANT, &info));
	CU_ASSERT(info.codes == 1 && info.profile_code_bits == 1 && info.profile_entropy == 0);
	CU_ASSERT(huffman_fit_is_sound(LP_TYPE_E4M3, LP_SYMBOL_ROTATED, DATA_ALL_ZERO, &info));
	CU_ASSERT(info.codes == 1 && info.profile_code_bits == 1);
	CU_ASSERT(huffman_fit_is_sound(LP_TYPE_BYTES, LP_SYMBOL_BYTE, DATA_NOISE, &info));
	CU_ASSERT(info.codes == 256);
	CU_ASSERT(info.profile_entropy > 7.98 && info.profile_code_bits < 8.03);
}

/* The cost in the text is that of the encoder. */
static void
huffman_fit_says_what_the_encoder_will_need(void)
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_BYTE);
	struct lp_codebook_info info;
	const struct lp_params params = { 0, 0 };

	data_region(LP_TYPE_INT8, DATA_SCALES, 0, src, 60000);
	CU_ASSERT(lp_profile_add(p, src, 60000) == 0);
	CU_ASSERT(lp_fit_huffman(p, 1, text) == 0);
	struct lp_codebook *cb = book_of(LP_TYPE_INT8, LP_KIND_HUFFMAN, text[0]);

	CU_ASSERT_FATAL(cb != NULL);
	lp_codebook_describe(cb, &info);
	const int n = lp_encode(cb, &params, src, 60000, body, sizeof(body));

	CU_ASSERT(fabs(8.0 * n / 60000 - info.profile_code_bits) < 0.0003);
	lp_codebook_free(cb);
	lp_profile_free(p);
}

static void
huffman_fit_of_fewer_shards_than_books_is_refused(void)
{
	struct lp_profile *p = profile_of(LP_TYPE_INT8, LP_SYMBOL_BYTE, DATA_GAUSS, 3);
	struct lp_profile *empty = lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_BYTE);
	struct lp_profile *exponents = profile_of(LP_TYPE_BF16, LP_SYMBOL_EXPONENT, DATA_GAUSS, 1);

	CU_ASSERT(lp_fit_huffman(p, 4, text) == -EINVAL);
	CU_ASSERT(lp_fit_huffman(p, 0, text) == -EINVAL);
	CU_ASSERT(lp_fit_huffman(p, BOOKS_MAX + 1, text) == -EINVAL);
	CU_ASSERT(lp_fit_huffman(p, 3, text) == 0);
	CU_ASSERT(lp_fit_huffman(empty, 1, text) == -EINVAL);
	CU_ASSERT(lp_fit_huffman(exponents, 1, text) == -EINVAL);
	lp_profile_free(p);
	lp_profile_free(empty);
	lp_profile_free(exponents);
}

static void
huffman_set_of_4_beats_one_book_on_mixed_data(void)
{
	static const enum lp_symbol symbol[] = { LP_SYMBOL_BYTE, LP_SYMBOL_ROTATED };

	for (unsigned int k = 0; k < 2; k++) {
		struct lp_profile *p = mixed_profile(LP_TYPE_E4M3, symbol[k]);
		double bits[5];
		uint64_t symbols;

		for (unsigned int books = 1; books <= 4; books++) {
			CU_ASSERT(lp_fit_huffman(p, books, text) == 0);
			bits[books] = set_bits(
					LP_TYPE_E4M3, LP_KIND_HUFFMAN, text, books, &symbols);
			CU_ASSERT(symbols == 24 * 2048);
		}
		CU_ASSERT(bits[2] <= bits[1] && bits[3] <= bits[2] && bits[4] <= bits[3]);
		CU_ASSERT(bits[4] < 0.95 * bits[1]);
		lp_profile_free(p);
	}
}

/* As many books as shards, all shards the same: books that nobody needs are still books. */
static void
huffman_set_of_16_on_equal_shards_is_16_books(void)
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_ROTATED);
	uint64_t symbols;

	data_region(LP_TYPE_INT8, DATA_GAUSS, 0, src, 1000);
	for (unsigned int k = 0; k < BOOKS_MAX; k++)
		CU_ASSERT(lp_profile_add(p, src, 1000) == 0);
	memset(text[BOOKS_MAX], 0x55, sizeof(text[BOOKS_MAX]));
	CU_ASSERT(lp_fit_huffman(p, BOOKS_MAX, text) == 0);
	CU_ASSERT(set_bits(LP_TYPE_INT8, LP_KIND_HUFFMAN, text, BOOKS_MAX, &symbols) > 0);
	CU_ASSERT(symbols == BOOKS_MAX * 1000);
	CU_ASSERT(text[BOOKS_MAX][0] == 0x55);
	lp_profile_free(p);
}

/* Many small shards make the profile grow. */
static void
profile_of_thousands_of_shards_is_fitted(void)
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_BYTE);
	uint64_t symbols;

	for (unsigned int k = 0; k < 3000; k++) {
		data_region(LP_TYPE_INT8, DATA_NOISE, 0, src, 60);
		CU_ASSERT(lp_profile_add(p, src, 60) == 0);
	}
	CU_ASSERT(lp_profile_shards(p) == 3000);
	CU_ASSERT(lp_fit_huffman(p, 2, text) == 0);
	set_bits(LP_TYPE_INT8, LP_KIND_HUFFMAN, text, 2, &symbols);
	CU_ASSERT(symbols == 3000 * 60);
	lp_profile_free(p);
}

static CU_TestInfo tests[] = {
	TEST(huffman_lengths_cost_what_an_unlimited_code_costs_when_the_limit_is_far),
	TEST(huffman_lengths_are_complete_and_within_the_limit),
	TEST(huffman_lengths_of_fibonacci_counts_are_cut_at_the_limit),
	TEST(huffman_lengths_of_up_to_6_symbols_are_the_best_there_are),
	TEST(huffman_length_of_a_single_symbol_is_1),
	TEST(huffman_lengths_of_as_many_symbols_as_fit_are_all_the_limit),
	TEST(huffman_lengths_that_cannot_be_are_refused),
	TEST(entropy_has_the_values_of_the_textbook),
	TEST(profile_takes_shards_of_an_element_to_65535_bytes),
	TEST(profile_of_exponents_needs_a_type_that_has_one),
	TEST(profile_counts_every_symbol_once),
	TEST(grouped_fit_of_gaussian_bf16_is_close_to_the_entropy),
	TEST(grouped_fit_of_every_type_and_data_is_a_book),
	TEST(grouped_fit_keeps_to_its_limits),
	TEST(grouped_fit_has_the_groups_that_are_asked_for),
	TEST(grouped_fit_with_bad_limits_or_nothing_is_refused),
	TEST(grouped_fit_of_one_constant_takes_a_bit_or_less_of_escapes),
	TEST(grouped_fit_of_few_exponents_far_apart_is_a_book),
	TEST(grouped_fit_of_random_sparse_exponents_is_a_book),
	TEST(grouped_fit_aligns_shards_of_different_scale),
	TEST(huffman_fit_of_every_type_and_data_is_a_book),
	TEST(huffman_fit_of_gaussian_bf16_is_close_to_the_entropy),
	TEST(huffman_fit_of_one_constant_zeros_and_noise_is_what_it_must_be),
	TEST(huffman_fit_says_what_the_encoder_will_need),
	TEST(huffman_fit_of_fewer_shards_than_books_is_refused),
	TEST(huffman_set_of_4_beats_one_book_on_mixed_data),
	TEST(huffman_set_of_16_on_equal_shards_is_16_books),
	TEST(profile_of_thousands_of_shards_is_fitted),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("profile_fit", tests);
}
