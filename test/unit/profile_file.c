/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Profiles as files, merged and compared. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "linepress/profiles.h"
#include "profile_help.h"

#define SHARDS 12

static uint8_t src[SHARD_BYTES];
static char text[2][BOOKS_MAX][LP_FIT_TEXT_MAX];

static struct lp_profiles *
parse(const char *file)
{
	struct lp_error error = { 0 };
	struct lp_profiles *profiles = lp_profiles_parse(file, strlen(file), &error);

	if (profiles == NULL)
		printf("\n  %u: %s\n", error.line, error.text);
	return profiles;
}

static char *
printed(const struct lp_profiles *profiles)
{
	char *file = NULL;
	size_t size;
	FILE *f = open_memstream(&file, &size);

	CU_ASSERT_FATAL(f != NULL);
	lp_profiles_print(profiles, f);
	fclose(f);
	return file;
}

static struct lp_profiles *
counted(enum lp_type type, enum data_class data)
{
	struct lp_profiles *profiles = lp_profiles_create();

	CU_ASSERT_FATAL(profiles != NULL);
	for (unsigned int k = 0; k < SHARDS; k++) {
		data_region(type, data, 0, src, SHARD_BYTES);
		CU_ASSERT(lp_profiles_add(profiles, type, src, SHARD_BYTES) == 0);
	}
	return profiles;
}

static void
what_is_written_is_read_again(void)
{
	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		struct lp_profiles *profiles = counted((enum lp_type)type, DATA_GAUSS);

		CU_ASSERT(lp_profiles_add_source(profiles, "some\tfile # of mine") == 0);
		char *first = printed(profiles);
		struct lp_profiles *again = parse(first);

		CU_ASSERT_FATAL(again != NULL);
		char *second = printed(again);

		CU_ASSERT_STRING_EQUAL(first, second);
		CU_ASSERT(strstr(first, "\nsource some?file ? of mine\n") != NULL);
		CU_ASSERT(strstr(first, "\nshard 1 ") != NULL);
		free(first);
		free(second);
		lp_profiles_free(again);
		lp_profiles_free(profiles);
	}
}

/* A book from a file must be the one from the tensors, whatever symbol it is over. */
static void
copies_are_as_if_counted(void)
{
	static const struct {
		enum lp_type type;
		enum lp_symbol symbol;
	} cases[] = {
		{ LP_TYPE_BF16, LP_SYMBOL_EXPONENT },
		{ LP_TYPE_FP32, LP_SYMBOL_BYTE },
		{ LP_TYPE_BF16, LP_SYMBOL_ROTATED },
		{ LP_TYPE_E4M3, LP_SYMBOL_EXPONENT },
		{ LP_TYPE_E5M2, LP_SYMBOL_EXPONENT },
		{ LP_TYPE_E5M2, LP_SYMBOL_ROTATED },
		{ LP_TYPE_INT8, LP_SYMBOL_BYTE },
	};
	const struct lp_fit_limits limits = { .levels = 2, .codes = 8 };

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		const bool grouped = cases[k].symbol == LP_SYMBOL_EXPONENT;
		struct lp_profiles *profiles = lp_profiles_create();
		struct lp_profile *p = lp_profile_create(cases[k].type, cases[k].symbol);

		for (unsigned int i = 0; i < SHARDS; i++) {
			data_region(cases[k].type, DATA_GAUSS, 0, src, SHARD_BYTES);
			CU_ASSERT(lp_profiles_add(profiles, cases[k].type, src, SHARD_BYTES) == 0);
			CU_ASSERT(lp_profile_add(p, src, SHARD_BYTES) == 0);
		}
		struct lp_profile *copy = lp_profiles_copy(
				profiles, cases[k].type, cases[k].symbol);

		CU_ASSERT_FATAL(copy != NULL);
		if (grouped) {
			CU_ASSERT(lp_fit_grouped(p, &limits, text[0][0]) == 0);
			CU_ASSERT(lp_fit_grouped(copy, &limits, text[1][0]) == 0);
		} else {
			CU_ASSERT(lp_fit_huffman(p, 1, text[0]) == 0);
			CU_ASSERT(lp_fit_huffman(copy, 1, text[1]) == 0);
		}
		CU_ASSERT_STRING_EQUAL(text[0][0], text[1][0]);
		lp_profile_free(copy);
		lp_profile_free(p);
		lp_profiles_free(profiles);
	}
}

/* A weight is as good as counting so often, in every kind of fit. */
static void
weights_count_as_repetitions(void)
{
	const struct lp_fit_limits limits = { .levels = 2, .codes = 8 };
	const struct lp_area_limits area = { .prefix_bits = 2 };
	struct lp_profiles *narrow = counted(LP_TYPE_E4M3, DATA_GAUSS);
	struct lp_profiles *sparse = counted(LP_TYPE_E4M3, DATA_ZEROS_90);
	struct lp_profiles *sum[2] = { lp_profiles_create(), lp_profiles_create() };

	CU_ASSERT(lp_profiles_merge(sum[0], narrow, 1) == 0);
	CU_ASSERT(lp_profiles_merge(sum[0], sparse, 3) == 0);
	CU_ASSERT(lp_profiles_merge(sum[1], narrow, 1) == 0);
	for (unsigned int k = 0; k < 3; k++)
		CU_ASSERT(lp_profiles_merge(sum[1], sparse, 1) == 0);
	CU_ASSERT_EQUAL(lp_profiles_symbols(sum[0], true), lp_profiles_symbols(sum[1], false));
	for (unsigned int kind = 0; kind < 3; kind++) {
		for (unsigned int k = 0; k < 2; k++) {
			struct lp_profile *p = lp_profiles_copy(sum[k], LP_TYPE_E4M3,
					kind == 0 ? LP_SYMBOL_EXPONENT : LP_SYMBOL_ROTATED);

			CU_ASSERT_FATAL(p != NULL);
			CU_ASSERT(0 ==
					(kind == 0 ? lp_fit_grouped(p, &limits, text[k][0])
									: kind == 1
									? lp_fit_huffman(p, 2,
											  text[k])
									: lp_fit_area(p, &area, 1,
											  text[k])));
			lp_profile_free(p);
		}
		CU_ASSERT_STRING_EQUAL(text[0][0], text[1][0]);
	}
	lp_profiles_free(narrow);
	lp_profiles_free(sparse);
	lp_profiles_free(sum[0]);
	lp_profiles_free(sum[1]);
}

static void
weights_have_a_limit_and_are_reduced(void)
{
	struct lp_profiles *once = parse("linepress-profile 1\n"
					 "tensors int8 byte shards 2 symbols 3\n"
					 "shard 500000 00:1\nshard 4 01:2\n");
	struct lp_profiles *sum = lp_profiles_create();

	CU_ASSERT_FATAL(once != NULL && sum != NULL);
	CU_ASSERT(lp_profiles_merge(sum, once, 3) == -ERANGE);
	lp_profiles_reduce(once);
	char *file = printed(once);

	CU_ASSERT(strstr(file, "\nshard 125000 00:1\nshard 1 01:2\n") != NULL);
	free(file);
	lp_profiles_free(once);
	lp_profiles_free(sum);
}

/* 1/2, 1/4, 1/4 against equal thirds: D is 1.5 - log2(3) one way, log2(3)^-1 terms the other. */
static void
divergence_is_that_of_kullback_and_leibler(void)
{
	struct lp_profiles *a = parse("linepress-profile 1\n"
				      "tensors int8 byte shards 1 symbols 40000\n"
				      "shard 1 00:20000 01:10000 ff:10000\n");
	struct lp_profiles *b = parse("linepress-profile 1\n"
				      "tensors int8 byte shards 1 symbols 30000\n"
				      "shard 1 00:10000 01:10000 ff:10000\n");

	CU_ASSERT_FATAL(a != NULL && b != NULL);
	const struct lp_profile *p = lp_profiles_stored(a, LP_TYPE_INT8, LP_SYMBOL_BYTE);
	const struct lp_profile *q = lp_profiles_stored(b, LP_TYPE_INT8, LP_SYMBOL_BYTE);

	CU_ASSERT_DOUBLE_EQUAL(lp_profile_divergence(p, q, false), log2(3) - 1.5, 0.01);
	CU_ASSERT_DOUBLE_EQUAL(lp_profile_divergence(q, p, false),
			log2(4. / 3) * 2 / 3 - log2(1.5) / 3, 0.01);
	CU_ASSERT_DOUBLE_EQUAL(lp_profile_divergence(p, p, true), 0, 0.01);
	lp_profiles_free(a);
	lp_profiles_free(b);
}

/* The same numbers at another scale are the same once they are aligned, and only then. */
static void
alignment_takes_scale_away(void)
{
	struct lp_profiles *a = parse("linepress-profile 1\n"
				      "tensors bf16 exponent shards 2 symbols 60000\n"
				      "shard 1 70:5000 71:10000 72:15000\n"
				      "shard 1 20:5000 21:10000 22:15000\n");
	struct lp_profiles *b = parse("linepress-profile 1\n"
				      "tensors bf16 exponent shards 1 symbols 60000\n"
				      "shard 1 a0:10000 a1:20000 a2:30000\n");
	struct lp_profile_summary s;

	CU_ASSERT_FATAL(a != NULL && b != NULL);
	const struct lp_profile *p = lp_profiles_stored(a, LP_TYPE_BF16, LP_SYMBOL_EXPONENT);
	const struct lp_profile *q = lp_profiles_stored(b, LP_TYPE_BF16, LP_SYMBOL_EXPONENT);

	CU_ASSERT(lp_profile_divergence(p, q, false) > 5);
	CU_ASSERT_DOUBLE_EQUAL(lp_profile_divergence(p, q, true), 0, 0.02);
	lp_profile_summarize(p, &s);
	CU_ASSERT_EQUAL(s.symbols, 60000);
	CU_ASSERT_DOUBLE_EQUAL(s.entropy, s.shards_own + 1, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(s.aligned, s.shards_own, 1e-9);
	lp_profiles_free(a);
	lp_profiles_free(b);
}

/* What is expected of a book is what its fit says it takes. */
static void
expected_bits_are_those_of_the_fit(void)
{
	static const enum lp_kind kinds[] = { LP_KIND_GROUPED, LP_KIND_HUFFMAN, LP_KIND_AREA };
	const struct lp_fit_limits limits = { .levels = 7, .codes = 16 };
	const struct lp_area_limits area = { .prefix_bits = 0 };

	for (unsigned int k = 0; k < 3; k++) {
		struct lp_profile *p = profile_of(LP_TYPE_E5M2,
				k == 0 ? LP_SYMBOL_EXPONENT : LP_SYMBOL_ROTATED, DATA_ZEROS_90, 2);
		struct lp_codebook_info info;
		int ret = k == 0	 ? lp_fit_grouped(p, &limits, text[0][0])
				: k == 1 ? lp_fit_huffman(p, 1, text[0])
					 : lp_fit_area(p, &area, 1, text[0]);
		struct lp_codebook *cb = book_of(LP_TYPE_E5M2, kinds[k], text[0][0]);

		CU_ASSERT(ret == 0);
		CU_ASSERT_FATAL(cb != NULL);
		lp_codebook_describe(cb, &info);
		const struct lp_codebook *book = cb;

		CU_ASSERT_DOUBLE_EQUAL(
				lp_profile_code_bits(p, &book, 1), info.profile_code_bits, 0.001);
		CU_ASSERT_DOUBLE_EQUAL(lp_profile_saved_percent(p, info.profile_code_bits),
				info.profile_saved_percent, 1e-9);
		lp_codebook_free(cb);
		lp_profile_free(p);
	}
}

static void
what_does_not_fit_is_refused(void)
{
	struct lp_profiles *profiles = counted(LP_TYPE_INT8, DATA_GAUSS);
	struct lp_profile *p = lp_profiles_copy(profiles, LP_TYPE_INT8, LP_SYMBOL_BYTE);
	struct lp_profile *other = lp_profile_create(LP_TYPE_BF16, LP_SYMBOL_BYTE);

	CU_ASSERT(lp_profiles_copy(profiles, LP_TYPE_INT8, LP_SYMBOL_EXPONENT) == NULL);
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT(lp_profiles_copy(profiles, LP_TYPE_BF16, LP_SYMBOL_BYTE) == NULL);
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT_EQUAL(lp_profile_append(other, p), -EINVAL);
	CU_ASSERT(lp_profile_divergence(p, other, false) < 0);
	CU_ASSERT(lp_profile_code_bits(p, NULL, 0) < 0);
	CU_ASSERT_EQUAL(lp_profiles_add(profiles, LP_TYPE_FP32, src, 3), -EINVAL);
	lp_profile_free(p);
	lp_profile_free(other);
	lp_profiles_free(profiles);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(what_is_written_is_read_again),
		TEST(copies_are_as_if_counted),
		TEST(weights_count_as_repetitions),
		TEST(weights_have_a_limit_and_are_reduced),
		TEST(divergence_is_that_of_kullback_and_leibler),
		TEST(alignment_takes_scale_away),
		TEST(expected_bits_are_those_of_the_fit),
		TEST(what_does_not_fit_is_refused),
		CU_TEST_INFO_NULL,
	};

	test_seed(argc, argv);
	return test_run("profile_file", tests);
}
