/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Area codes fitted to profiles. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "profile_help.h"

static uint8_t src[LP_REGION_MAX], body[3 * LP_REGION_MAX];
static char text[BOOKS_MAX][LP_FIT_TEXT_MAX];

#define ANY_AREAS                     \
	{                             \
		LP_AREA_ANY, 0, false \
	}

static struct lp_codebook *
area_book_of(struct lp_profile *p, enum lp_type type, const struct lp_area_limits *limits)
{
	CU_ASSERT_FATAL(lp_fit_area(p, limits, 1, text) == 0);
	return book_of(type, LP_KIND_AREA, text[0]);
}

static bool
area_fit_is_sound(enum lp_type type, enum lp_symbol symbol, const struct lp_area_limits *limits,
		enum data_class data, struct lp_codebook_info *info)
{
	struct lp_profile *p = profile_of(type, symbol, data, 5);
	struct lp_codebook *cb = area_book_of(p, type, limits);

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
area_fit_of_every_scheme_type_and_data_is_a_book(void)
{
	static const struct lp_area_limits limits[] = { ANY_AREAS, { LP_AREA_ANY, 1, false },
		{ LP_AREA_ANY, 4, true }, { LP_AREA_DUAL, 0, false }, { LP_AREA_QUAD, 0, false } };
	struct lp_codebook_info info;

	for (unsigned int k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
		for (int data = 0; data < DATA_COUNT; data++) {
			const enum lp_type type = (enum lp_type)(
					(k + (unsigned int)data) % LP_TYPE_COUNT);

			CU_ASSERT(area_fit_is_sound(type, LP_SYMBOL_BYTE, &limits[k], data, &info));
			CU_ASSERT(info.profile_code_bits >= info.profile_entropy - 0.0001);
			CU_ASSERT(area_fit_is_sound(
					type, LP_SYMBOL_ROTATED, &limits[k], data, &info));
		}
	}
}

/*
 * Fewest bits for a count of each symbol with areas in an order: every division of the ranks from
 * `rank` on among the areas that are left is tried.
 */
static uint64_t
best_division(const unsigned int *count, unsigned int first, unsigned int rank, unsigned int areas)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int bits = 0; bits <= 8; bits++) {
		const unsigned int end = rank + (1u << bits);
		uint64_t cost = 0;

		if (areas == 1 ? end < 256 : end >= 256)
			continue;
		for (unsigned int k = rank; k < end && k < 256; k++)
			cost += (uint64_t)count[(first + k) % 256] * bits;
		if (areas > 1) {
			const uint64_t rest = best_division(count, first, end, areas - 1);

			if (rest == UINT64_MAX)
				continue;
			cost += rest;
		}
		if (cost < least)
			least = cost;
	}
	return least;
}

/* A shard of few symbols with random counts, and these counts. */
static void
random_alphabet(unsigned int *count, struct lp_profile *p)
{
	const unsigned int symbols = test_random_in(2, 9), start = test_random_in(0, 255);
	size_t len = 0;

	memset(count, 0, 256 * sizeof(*count));
	for (unsigned int k = 0; k < symbols; k++) {
		const uint8_t s = (uint8_t)(start + k * test_random_in(1, 20));
		const unsigned int times = 1 + test_random_in(0, 7) * test_random_in(0, 90);

		count[s] += times;
		memset(src + len, s, times);
		len += times;
	}
	CU_ASSERT(lp_profile_add(p, src, len) == 0);
}

static void
area_fit_is_the_best_of_all_divisions_from_all_starts(void)
{
	for (unsigned int round = 0; round < 12; round++) {
		struct lp_profile *p = lp_profile_create(LP_TYPE_BYTES, LP_SYMBOL_BYTE);
		const struct lp_area_limits limits = { LP_AREA_ANY, 1 + round % 2, false };
		unsigned int count[256];
		uint64_t least = UINT64_MAX;
		struct lp_codebook_info info;

		random_alphabet(count, p);
		for (unsigned int first = 0; first < 256; first++) {
			const uint64_t bits = best_division(
					count, first, 0, 1u << limits.prefix_bits);

			least = bits < least ? bits : least;
		}
		struct lp_codebook *cb = area_book_of(p, LP_TYPE_BYTES, &limits);

		CU_ASSERT_FATAL(cb != NULL);
		lp_codebook_describe(cb, &info);
		const double symbols = (double)info.profile_symbols;

		CU_ASSERT(fabs((double)least / symbols + limits.prefix_bits -
					  info.profile_code_bits) < 0.00006);
		lp_codebook_free(cb);
		lp_profile_free(p);
	}
}

static void
area_fit_takes_the_best_number_of_prefix_bits(void)
{
	for (int data = 0; data < DATA_COUNT; data++) {
		struct lp_profile *p = profile_of(LP_TYPE_E5M2, LP_SYMBOL_ROTATED, data, 1);
		double least = 100;
		struct lp_codebook_info info;

		for (unsigned int bits = 0; bits <= 4; bits++) {
			const struct lp_area_limits limits = { LP_AREA_ANY, bits, false };
			struct lp_codebook *cb = area_book_of(p, LP_TYPE_E5M2, &limits);

			CU_ASSERT_FATAL(cb != NULL);
			lp_codebook_describe(cb, &info);
			if (bits == 0)
				least = info.profile_code_bits;
			CU_ASSERT(info.profile_code_bits >= least);
			lp_codebook_free(cb);
		}
		lp_profile_free(p);
	}
}

/* The paper's figures: 4 bits for the 8 most frequent, 9 for the others, in order. */
static void
dual_length_code_is_that_of_the_paper(void)
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_BYTES, LP_SYMBOL_BYTE);
	const struct lp_area_limits limits = { LP_AREA_DUAL, 0, false };
	size_t len = 0;

	for (unsigned int k = 0; k < 20; k++) {
		memset(src + len, (int)(7 * k), 100 - k);
		len += 100 - k;
	}
	CU_ASSERT(lp_profile_add(p, src, len) == 0);
	CU_ASSERT(lp_fit_area(p, &limits, 1, text) == 0);
	CU_ASSERT(strstr(text[0], "\nareas 3 8\nranks 00 07 0e 15 1c 23 2a 31 01-06 08-0d ") !=
			NULL);
	lp_profile_free(p);
}

static void
quad_length_code_has_8_areas_of_at_most_4_sizes(void)
{
	const struct lp_area_limits limits = { LP_AREA_QUAD, 0, false };

	for (int data = 0; data < DATA_COUNT; data++) {
		struct lp_profile *p = profile_of(LP_TYPE_E4M3, LP_SYMBOL_BYTE, data, 3);
		unsigned int size[8], seen = 0, last = 0;

		CU_ASSERT(lp_fit_area(p, &limits, 1, text) == 0);
		CU_ASSERT(sscanf(strstr(text[0], "\nareas "), "\nareas %u %u %u %u %u %u %u %u\n",
					  &size[0], &size[1], &size[2], &size[3], &size[4],
					  &size[5], &size[6], &size[7]) == 8);
		for (unsigned int k = 0; k < 8; k++) {
			seen |= 1u << size[k];
			CU_ASSERT(data == DATA_NOISE || size[k] >= last);
			last = size[k];
		}
		CU_ASSERT(__builtin_popcount(seen) <= 4);
		lp_profile_free(p);
	}
}

static void
area_fit_says_what_the_encoder_will_need(void)
{
	struct lp_profile *p = lp_profile_create(LP_TYPE_INT8, LP_SYMBOL_BYTE);
	const struct lp_area_limits limits = ANY_AREAS;
	const struct lp_params params = { 0, 0 };
	struct lp_codebook_info info;

	data_region(LP_TYPE_INT8, DATA_SCALES, 0, src, 60000);
	CU_ASSERT(lp_profile_add(p, src, 60000) == 0);
	struct lp_codebook *cb = area_book_of(p, LP_TYPE_INT8, &limits);

	CU_ASSERT_FATAL(cb != NULL);
	lp_codebook_describe(cb, &info);
	const int n = lp_encode(cb, &params, src, 60000, body, sizeof(body));

	CU_ASSERT(fabs(8.0 * n / 60000 - info.profile_code_bits) < 0.0003);
	lp_codebook_free(cb);
	lp_profile_free(p);
}

static void
area_fit_with_bad_limits_or_too_few_shards_is_refused(void)
{
	struct lp_profile *p = profile_of(LP_TYPE_INT8, LP_SYMBOL_BYTE, DATA_GAUSS, 3);
	static const struct lp_area_limits good = ANY_AREAS,
					   bad[] = { { LP_AREA_ANY, 5, false },
						   { LP_AREA_DUAL, 1, false },
						   { LP_AREA_QUAD, 0, true },
						   { (enum lp_area_scheme)3, 0, false } };

	for (unsigned int k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		CU_ASSERT(lp_fit_area(p, &bad[k], 1, text) == -EINVAL);
	CU_ASSERT(lp_fit_area(p, &good, 4, text) == -EINVAL);
	CU_ASSERT(lp_fit_area(p, &good, 0, text) == -EINVAL);
	CU_ASSERT(lp_fit_area(p, &good, 3, text) == 0);
	lp_profile_free(p);
}

static void
area_set_of_4_beats_one_book_on_mixed_data(void)
{
	struct lp_profile *p = mixed_profile(LP_TYPE_E4M3, LP_SYMBOL_ROTATED);
	const struct lp_area_limits limits = ANY_AREAS;
	double bits[5];
	uint64_t symbols;

	for (unsigned int books = 1; books <= 4; books++) {
		CU_ASSERT(lp_fit_area(p, &limits, books, text) == 0);
		bits[books] = set_bits(LP_TYPE_E4M3, LP_KIND_AREA, text, books, &symbols);
		CU_ASSERT(symbols == 24 * 2048);
	}
	CU_ASSERT(bits[2] <= bits[1] && bits[3] <= bits[2] && bits[4] <= bits[3]);
	CU_ASSERT(bits[4] < 0.95 * bits[1]);
	lp_profile_free(p);
}

static CU_TestInfo tests[] = {
	TEST(area_fit_of_every_scheme_type_and_data_is_a_book),
	TEST(area_fit_is_the_best_of_all_divisions_from_all_starts),
	TEST(area_fit_takes_the_best_number_of_prefix_bits),
	TEST(dual_length_code_is_that_of_the_paper),
	TEST(quad_length_code_has_8_areas_of_at_most_4_sizes),
	TEST(area_fit_says_what_the_encoder_will_need),
	TEST(area_fit_with_bad_limits_or_too_few_shards_is_refused),
	TEST(area_set_of_4_beats_one_book_on_mixed_data),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("profile_area", tests);
}
