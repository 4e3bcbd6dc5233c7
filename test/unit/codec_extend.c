/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A book is added to a set by making another set, and either may be released first. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec_help.h"
#include "linepress/bookset.h"

#define ID_FREE 200
#define REGION_BYTES 1400

static struct lp_bookset *
load(void)
{
	struct lp_error error = { 0 };
	struct lp_bookset *set = lp_bookset_load(LP_CODEBOOK_DIR, &error);

	if (set == NULL)
		printf("\n  %s", error.text);
	CU_ASSERT_FATAL(set != NULL);
	return set;
}

/* The whole set, added up, without one book, which is for the caller to release. */
static struct lp_bookset *
all_but(unsigned int left_out, struct lp_codebook **cb)
{
	struct lp_bookset *from = load(), *set = NULL;

	*cb = NULL;
	for (unsigned int k = 0; k < from->count; k++) {
		const unsigned int id = from->id[k];
		struct lp_bookset *more;

		if (id == left_out) {
			*cb = from->book[id];
			continue;
		}
		if (set == NULL) {
			set = calloc(1, sizeof(*set));
			CU_ASSERT_FATAL(set != NULL);
		}
		more = lp_bookset_extend(set, from->book[id], id, NULL);
		CU_ASSERT_FATAL(more != NULL);
		lp_bookset_free(set);
		set = more;
		lp_codebook_free(from->book[id]);
	}
	free(from);
	return set;
}

static void
set_made_book_by_book_is_the_set_loaded_at_once(void)
{
	struct lp_bookset *loaded = load();
	struct lp_codebook *cb;
	struct lp_bookset *set = all_but(loaded->id[loaded->count / 2], &cb);
	struct lp_bookset *more = lp_bookset_extend(set, cb, loaded->id[loaded->count / 2], NULL);

	CU_ASSERT_FATAL(more != NULL);
	CU_ASSERT_EQUAL(more->count, loaded->count);
	CU_ASSERT_EQUAL(more->byte_types, loaded->byte_types);
	CU_ASSERT_EQUAL(memcmp(more->id, loaded->id, sizeof(more->id)), 0);
	CU_ASSERT_EQUAL(memcmp(more->digest, loaded->digest, sizeof(more->digest)), 0);
	CU_ASSERT_EQUAL(set->count, loaded->count - 1u);
	lp_codebook_free(cb);
	lp_bookset_free(set);
	lp_bookset_free(more);
	lp_bookset_free(loaded);
}

/* Every byte of every book is still there when its first set is gone, and the other way round. */
static void
sets_may_be_released_in_any_order(void)
{
	for (int old_first = 0; old_first < 2; old_first++) {
		uint8_t src[REGION_BYTES], body[REGION_BYTES];
		struct lp_codebook *cb;
		struct lp_bookset *loaded = load();
		const unsigned int left_out = loaded->id[0];
		struct lp_bookset *old = all_but(left_out, &cb);
		struct lp_bookset *new = lp_bookset_extend(old, cb, left_out, NULL);

		CU_ASSERT_FATAL(new != NULL);
		lp_codebook_free(cb);
		lp_bookset_free(old_first ? old : new);
		struct lp_bookset *left = old_first ? new : old;

		for (unsigned int k = 0; k < left->count; k++) {
			struct lp_codebook *book = left->book[left->id[k]];
			struct lp_codebook_info info;
			struct lp_params params = { 0 };

			lp_codebook_describe(book, &info);
			data_region(info.type, DATA_GAUSS, 0, src, sizeof(src));
			params.base = test_random_base(&info);
			CU_ASSERT(lp_encode(book, &params, src, sizeof(src), body, sizeof(body)) >=
					0);
		}
		lp_bookset_free(left);
		lp_bookset_free(loaded);
	}
}

static bool
refused(const struct lp_bookset *set, struct lp_codebook *cb, unsigned int id, const char *word)
{
	struct lp_error error = { 0 };
	struct lp_bookset *more = lp_bookset_extend(set, cb, id, &error);

	lp_bookset_free(more);
	if (more == NULL && strstr(error.text, word) != NULL)
		return true;
	printf("\n  id %u: '%s' without '%s'", id, error.text, word);
	return false;
}

/* A number stands for one book, or the far box would decode with another. */
static void
numbers_and_names_in_use_are_refused(void)
{
	struct lp_bookset *loaded = load();
	const unsigned int left_out = loaded->id[0];
	struct lp_codebook *cb;
	struct lp_bookset *set = all_but(left_out, &cb);

	CU_ASSERT(refused(set, cb, 0, "1 to 255"));
	CU_ASSERT(refused(set, cb, LP_BOOK_IDS, "1 to 255"));
	CU_ASSERT(refused(set, cb, ID_FREE, "in its file"));
	CU_ASSERT(refused(loaded, cb, left_out, "already that of book"));
	CU_ASSERT_EQUAL(set->count, loaded->count - 1u);
	CU_ASSERT_PTR_NULL(set->book[left_out]);
	lp_codebook_free(cb);
	lp_bookset_free(set);
	lp_bookset_free(loaded);
}

/* A book whose file leaves its number to the one who installs it. */
static struct lp_codebook *
without_id(const char *text)
{
	char copy[TEST_BOOK_TEXT_MAX];
	const char *line = strstr(text, "\nid ");
	const char *rest = line == NULL ? NULL : strchr(line + 1, '\n');

	CU_ASSERT_FATAL(rest != NULL);
	snprintf(copy, sizeof(copy), "%.*s%s", (int)(line - text), text, rest);
	return lp_codebook_parse(copy, strlen(copy), NULL);
}

static void
name_in_use_is_refused_and_a_book_without_number_gets_one(void)
{
	struct test_book book[TEST_BOOKS_MAX];
	const unsigned int books = test_books_load(LP_KIND_GROUPED, book);
	struct lp_codebook *cb = without_id(book[0].text), *left_out;
	struct lp_bookset *loaded = load(), *set = all_but(book[0].info.id, &left_out);
	struct lp_bookset *more;

	CU_ASSERT_FATAL(cb != NULL);
	CU_ASSERT(refused(loaded, cb, ID_FREE, book[0].info.name));
	more = lp_bookset_extend(set, cb, ID_FREE, NULL);
	CU_ASSERT_FATAL(more != NULL);
	CU_ASSERT(more->book[ID_FREE] == cb);
	lp_bookset_free(more);
	lp_codebook_free(left_out);
	lp_codebook_free(cb);
	lp_bookset_free(set);
	lp_bookset_free(loaded);
	test_books_free(book, books);
}

/* What is left can be used when the first set is gone; a book that is put back changes nothing. */
static void
book_is_left_out(void)
{
	struct lp_bookset *loaded = load();
	const unsigned int id = loaded->id[loaded->count / 2];
	struct lp_bookset *less = lp_bookset_without(loaded, id);
	struct lp_bookset *again;

	CU_ASSERT_FATAL(less != NULL);
	CU_ASSERT_EQUAL(less->count, loaded->count - 1u);
	CU_ASSERT_PTR_NULL(less->book[id]);
	CU_ASSERT_EQUAL(less->digest[id], 0);
	CU_ASSERT_FALSE(lp_book_mask_has(&less->numbers, id));
	again = lp_bookset_extend(less, loaded->book[id], id, NULL);
	CU_ASSERT_FATAL(again != NULL);
	CU_ASSERT_EQUAL(memcmp(again->id, loaded->id, sizeof(again->id)), 0);
	CU_ASSERT_EQUAL(memcmp(again->digest, loaded->digest, sizeof(again->digest)), 0);
	lp_bookset_free(loaded);
	lp_bookset_free(again);
	for (unsigned int k = 0; k < less->count; k++)
		CU_ASSERT_EQUAL(lp_codebook_digest64(less->book[less->id[k]]),
				less->digest[less->id[k]]);
	lp_bookset_free(less);
}

static void
book_that_is_not_there_or_the_only_one_cannot_be_left_out(void)
{
	struct lp_bookset *set = load();

	CU_ASSERT_PTR_NULL(lp_bookset_without(set, 0));
	CU_ASSERT_PTR_NULL(lp_bookset_without(set, ID_FREE));
	CU_ASSERT_PTR_NULL(lp_bookset_without(set, LP_BOOK_IDS));
	while (set->count > 1) {
		struct lp_bookset *less = lp_bookset_without(set, set->id[0]);

		CU_ASSERT_FATAL(less != NULL);
		lp_bookset_free(set);
		set = less;
	}
	CU_ASSERT_PTR_NULL(lp_bookset_without(set, set->id[0]));
	lp_bookset_free(set);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(set_made_book_by_book_is_the_set_loaded_at_once),
		TEST(sets_may_be_released_in_any_order),
		TEST(numbers_and_names_in_use_are_refused),
		TEST(name_in_use_is_refused_and_a_book_without_number_gets_one),
		TEST(book_is_left_out),
		TEST(book_that_is_not_there_or_the_only_one_cannot_be_left_out),
		CU_TEST_INFO_NULL,
	};

	test_seed(argc, argv);
	return test_run("codec_extend", tests);
}
