/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What a glance at a region tells, and that it reads nothing else. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec_help.h"
#include "linepress/bookset.h"
#include "linepress/glance.h"

#define TRIALS 500
#define REGION_LEN 2000

static struct lp_bookset *set;
static uint8_t src[REGION_LEN];

/* A grouped book of a type. */
static const struct lp_codebook *
book_of(enum lp_type type)
{
	struct lp_codebook_info info;

	for (unsigned int k = 0; k < set->count; k++) {
		const struct lp_codebook *cb = set->book[set->id[k]];

		lp_codebook_describe(cb, &info);
		if (info.type == type && info.kind == LP_KIND_GROUPED)
			return cb;
	}
	CU_FAIL_FATAL("no such book");
	return NULL;
}

static unsigned int
element_bytes(enum lp_type type)
{
	return type == LP_TYPE_FP32 ? 4 : type == LP_TYPE_BF16 || type == LP_TYPE_FP16 ? 2 : 1;
}

/* How many of TRIALS regions are found random? */
static unsigned int
found_random(enum lp_type type, enum data_class data)
{
	unsigned int found = 0;

	for (unsigned int k = 0; k < TRIALS; k++) {
		data_region(type, data, k % 4 & (element_bytes(type) - 1), src, REGION_LEN);
		found += lp_glance_is_random(src, REGION_LEN);
	}
	return found;
}

static void
noise_is_found_random_and_tensors_are_not(void)
{
	CU_ASSERT(found_random(LP_TYPE_BYTES, DATA_NOISE) > TRIALS * 9 / 10);
	for (int type = LP_TYPE_BF16; type <= LP_TYPE_INT8; type++) {
		CU_ASSERT(found_random(type, DATA_GAUSS) < TRIALS / 20);
		CU_ASSERT_EQUAL(found_random(type, DATA_ALL_ZERO), 0);
	}
}

/* How many of TRIALS regions of a type are found to be pairs, with a book of another? */
static unsigned int
found_pairs(enum lp_type type, enum lp_type book, unsigned int phase)
{
	const struct lp_codebook *cb = book_of(book);
	unsigned int found = 0;

	for (unsigned int k = 0; k < TRIALS; k++) {
		data_region(type, DATA_GAUSS, phase & (element_bytes(type) - 1), src, REGION_LEN);
		found += lp_glance_finds_pairs(cb, phase, src, REGION_LEN);
	}
	return found;
}

static void
pairs_are_found_at_any_phase(void)
{
	for (unsigned int phase = 0; phase < 4; phase++) {
		CU_ASSERT(found_pairs(LP_TYPE_BF16, LP_TYPE_FP32, phase) > TRIALS * 99 / 100);
		CU_ASSERT(found_pairs(LP_TYPE_FP32, LP_TYPE_FP32, phase) < TRIALS / 50);
	}
	for (unsigned int phase = 0; phase < 2; phase++) {
		CU_ASSERT(found_pairs(LP_TYPE_E5M2, LP_TYPE_FP16, phase) > TRIALS * 99 / 100);
		CU_ASSERT(found_pairs(LP_TYPE_FP16, LP_TYPE_FP16, phase) < TRIALS / 50);
		CU_ASSERT_EQUAL(found_pairs(LP_TYPE_BF16, LP_TYPE_BF16, phase), 0);
	}
}

/* Memory checkers see what lies beyond. */
static void
regions_of_any_length_are_not_left(void)
{
	for (size_t len = 1; len < 700; len++) {
		uint8_t *exact = malloc(len);

		CU_ASSERT_PTR_NOT_NULL_FATAL(exact);
		test_random_bytes(exact, len);
		const bool random = lp_glance_is_random(exact, len);

		CU_ASSERT(len >= 256 || !random);
		for (unsigned int phase = 0; phase < 4; phase++) {
			const bool pairs = lp_glance_finds_pairs(
					book_of(LP_TYPE_FP32), phase, exact, len);

			CU_ASSERT(len >= 256 || pairs);
		}
		free(exact);
	}
}

static CU_TestInfo tests[] = {
	TEST(noise_is_found_random_and_tensors_are_not),
	TEST(pairs_are_found_at_any_phase),
	TEST(regions_of_any_length_are_not_left),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	struct lp_error error;

	test_seed(argc, argv);
	set = lp_bookset_load(LP_CODEBOOK_DIR, &error);
	if (set == NULL) {
		fprintf(stderr, "%s\n", error.text);
		return EXIT_FAILURE;
	}
	const int status = test_run("codec_glance", tests);

	lp_bookset_free(set);
	return status;
}
