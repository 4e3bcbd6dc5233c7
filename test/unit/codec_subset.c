/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A subset of a set of books chooses among its own books only, and leaves the set as it was. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec_help.h"
#include "linepress/bookset.h"

#define FRAME_BYTES 1400
#define TRIALS 30

static struct lp_bookset *set;
static uint8_t src[FRAME_BYTES];

static enum lp_type
type_of(unsigned int id)
{
	struct lp_codebook_info info;

	lp_codebook_describe(set->book[id], &info);
	return info.type;
}

static uint8_t
chosen(const struct lp_bookset *from, struct lp_params *params, size_t *bytes)
{
	return lp_bookset_choose(from, src, FRAME_BYTES, FRAME_BYTES, params, bytes);
}

static bool
refused(const uint8_t *ids, unsigned int count)
{
	struct lp_bookset *subset;

	errno = 0;
	subset = lp_bookset_subset(set, ids, count);
	lp_bookset_free(subset);
	return subset == NULL && errno == EINVAL;
}

static void
subset_of_nothing_or_of_what_is_not_there_is_refused(void)
{
	const uint8_t none = 0, first = set->id[0];
	uint8_t absent[2] = { first, LP_BOOK_IDS - 1 };

	while (set->book[absent[1]] != NULL)
		absent[1]--;
	CU_ASSERT(refused(&first, 0));
	CU_ASSERT(refused(&none, 1));
	CU_ASSERT(refused(absent, 2));
}

static void
subset_holds_the_books_it_was_given_once(void)
{
	const uint8_t ids[] = { set->id[2], set->id[0], set->id[2] };
	struct lp_bookset *subset = lp_bookset_subset(set, ids, 3);

	CU_ASSERT_FATAL(subset != NULL);
	CU_ASSERT_EQUAL(subset->count, 2);
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		const bool in = id == ids[0] || id == ids[1];

		CU_ASSERT(subset->book[id] == (in ? set->book[id] : NULL));
		CU_ASSERT(subset->digest[id] == (in ? set->digest[id] : 0));
	}
	lp_bookset_free(subset);
}

static void
subset_of_all_chooses_as_the_set(void)
{
	struct lp_bookset *subset = lp_bookset_subset(set, set->id, set->count);

	CU_ASSERT_FATAL(subset != NULL);
	CU_ASSERT_EQUAL(memcmp(subset->id, set->id, sizeof(set->id)), 0);
	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		for (unsigned int trial = 0; trial < TRIALS; trial++) {
			struct lp_params a = { 0 }, b = { 0 };
			size_t bytes_a, bytes_b;

			data_region(type, (enum data_class)(trial % DATA_COUNT), 0, src,
					FRAME_BYTES);
			CU_ASSERT_EQUAL(chosen(subset, &a, &bytes_a), chosen(set, &b, &bytes_b));
			CU_ASSERT(bytes_a == bytes_b && a.phase == b.phase && a.base == b.base);
		}
	}
	lp_bookset_free(subset);
}

static void
subset_never_chooses_another_book(void)
{
	unsigned int used = 0;

	for (unsigned int trial = 0; trial < 40 * TRIALS; trial++) {
		const uint8_t ids[] = { set->id[test_random_in(0, set->count - 1u)],
			set->id[test_random_in(0, set->count - 1u)] };
		struct lp_bookset *subset = lp_bookset_subset(set, ids, 2);
		struct lp_params params;
		size_t bytes;

		CU_ASSERT_FATAL(subset != NULL);
		data_region((enum lp_type)test_random_in(0, LP_TYPE_COUNT - 1),
				(enum data_class)test_random_in(0, DATA_COUNT - 1), 0, src,
				FRAME_BYTES);
		const uint8_t id = chosen(subset, &params, &bytes);

		CU_ASSERT(id == 0 || id == ids[0] || id == ids[1]);
		used += id != 0;
		lp_bookset_free(subset);
	}
	CU_ASSERT(used > 10 * TRIALS);
}

/* Fewest estimated bytes of all books, or the region as it is. */
static size_t
exhaustive_minimum(const struct lp_bookset *from)
{
	size_t least = FRAME_BYTES;

	for (unsigned int k = 0; k < from->count; k++) {
		struct lp_sample sample;
		struct lp_params params;

		lp_sample_init(&sample, src, FRAME_BYTES);
		const size_t bytes = lp_codebook_choose(
				from->book[from->id[k]], &sample, least, &params);

		least = bytes < least ? bytes : least;
	}
	return least;
}

/* The set knows tensors by the grouped book of their type, which may not be in the subset. */
static void
subset_of_two_loses_at_most_a_percent_against_trying_both(void)
{
	for (unsigned int a = 0; a < set->count; a++) {
		for (unsigned int b = 0; b < a; b++) {
			const uint8_t ids[] = { set->id[a], set->id[b] };
			struct lp_bookset *subset = lp_bookset_subset(set, ids, 2);
			size_t sum = 0, least = 0;

			CU_ASSERT_FATAL(subset != NULL);
			for (unsigned int trial = 0; trial < 2 * TRIALS; trial++) {
				struct lp_params params;
				size_t bytes;

				data_region(type_of(ids[trial % 2]), DATA_GAUSS, 0, src,
						FRAME_BYTES);
				sum += chosen(subset, &params, &bytes) != 0 ? bytes : FRAME_BYTES;
				least += exhaustive_minimum(subset);
			}
			CU_ASSERT(sum <= least + least / 100);
			if (sum > least + least / 100)
				printf("\n  books %u and %u: %zu instead of %zu", ids[0], ids[1],
						sum, least);
			lp_bookset_free(subset);
		}
	}
}

/* Books over bytes are tried only where the grouped book of the type fits: here there is none. */
static void
book_alone_is_chosen_for_its_type(void)
{
	for (unsigned int k = 0; k < set->count; k++) {
		struct lp_bookset *subset = lp_bookset_subset(set, &set->id[k], 1);
		struct lp_params params;
		size_t bytes;

		CU_ASSERT_FATAL(subset != NULL);
		data_region(type_of(set->id[k]), DATA_GAUSS, 0, src, FRAME_BYTES);
		const uint8_t whole = chosen(set, &params, &bytes);
		const uint8_t alone = chosen(subset, &params, &bytes);

		CU_ASSERT(alone == 0 || alone == set->id[k]);
		if (whole == set->id[k])
			CU_ASSERT_EQUAL(alone, whole);
		lp_bookset_free(subset);
	}
}

static void
usable_books_of_a_set_are_chosen_from_as_a_subset(void)
{
	unsigned int used = 0;

	for (unsigned int trial = 0; trial < 40 * TRIALS; trial++) {
		const unsigned int count = test_random_in(1, set->count);
		struct lp_params a = { 0 }, b = { 0 };
		struct lp_book_mask usable = { 0 };
		uint8_t ids[LP_BOOK_IDS];
		size_t bytes_a, bytes_b;

		for (unsigned int k = 0; k < count; k++) {
			ids[k] = set->id[test_random_in(0, set->count - 1u)];
			lp_book_mask_add(&usable, ids[k]);
		}
		struct lp_bookset *subset = lp_bookset_subset(set, ids, count);

		CU_ASSERT_FATAL(subset != NULL);
		CU_ASSERT(lp_book_mask_equal(&subset->numbers, &usable));
		/* What is usable elsewhere, but not in the set, changes nothing. */
		for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
			if (set->book[id] == NULL)
				lp_book_mask_add(&usable, id);
		data_region((enum lp_type)test_random_in(0, LP_TYPE_COUNT - 1),
				(enum data_class)test_random_in(0, DATA_COUNT - 1), 0, src,
				FRAME_BYTES);
		const uint8_t id = lp_bookset_choose_usable(
				set, &usable, src, FRAME_BYTES, FRAME_BYTES, &a, &bytes_a);

		CU_ASSERT_EQUAL(id, chosen(subset, &b, &bytes_b));
		CU_ASSERT(bytes_a == bytes_b && a.phase == b.phase && a.base == b.base);
		used += id != 0;
		lp_bookset_free(subset);
	}
	CU_ASSERT(used > 10 * TRIALS);
}

static void
nothing_is_chosen_if_nothing_is_usable(void)
{
	const struct lp_book_mask none = { 0 };
	struct lp_params params;
	size_t bytes;

	data_region(LP_TYPE_BF16, DATA_GAUSS, 0, src, FRAME_BYTES);
	CU_ASSERT(chosen(set, &params, &bytes) != 0);
	CU_ASSERT(lp_bookset_choose_usable(
				  set, &none, src, FRAME_BYTES, FRAME_BYTES, &params, &bytes) == 0);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(subset_of_nothing_or_of_what_is_not_there_is_refused),
		TEST(subset_holds_the_books_it_was_given_once),
		TEST(subset_of_all_chooses_as_the_set),
		TEST(subset_never_chooses_another_book),
		TEST(subset_of_two_loses_at_most_a_percent_against_trying_both),
		TEST(book_alone_is_chosen_for_its_type),
		TEST(usable_books_of_a_set_are_chosen_from_as_a_subset),
		TEST(nothing_is_chosen_if_nothing_is_usable),
		CU_TEST_INFO_NULL,
	};
	struct lp_error error = { 0 };
	int status = EXIT_FAILURE;

	test_seed(argc, argv);
	set = lp_bookset_load(LP_CODEBOOK_DIR, &error);
	if (set == NULL)
		fprintf(stderr, "%s\n", error.text);
	else
		status = test_run("codec_subset", tests);
	lp_bookset_free(set);
	return status;
}
