/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Programs tell which kernels there are, and which a book does not use though it could. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "books.h"
#include "suite.h"

static unsigned int told;
static const char *tampered; /* name of the book of which the latest was told */

static struct lp_bookset *
load(const char *dir)
{
	struct lp_error error;
	struct lp_bookset *set = books_load(dir, NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(set);
	return set;
}

static unsigned int
faster_than_portable(void)
{
	unsigned int count = 0;

	for (unsigned int k = 0; strcmp(lp_kernel_name(k), "portable") != 0; k++)
		count += lp_kernel_is_usable(k);
	return count;
}

static void
tell(const char *kernel, const char *book, const char *used)
{
	CU_ASSERT_STRING_NOT_EQUAL(kernel, "portable");
	CU_ASSERT_STRING_EQUAL(used, "portable");
	CU_ASSERT_STRING_EQUAL(book, tampered);
	told++;
}

static void
last_kernel_is_always_usable_and_none_is_behind_it(void)
{
	unsigned int k = 0;

	while (lp_kernel_name(k + 1) != NULL)
		k++;
	CU_ASSERT_STRING_EQUAL(lp_kernel_name(k), "portable");
	CU_ASSERT(lp_kernel_is_usable(k));
	CU_ASSERT(!lp_kernel_is_usable(k + 1));
}

static void
no_kernel_fails_on_the_shipped_books(void)
{
	const char *const dirs[] = { LP_CODEBOOK_DIR, LP_CODEBOOK_DIR "/fast" };

	for (unsigned int k = 0; k < 2; k++) {
		struct lp_bookset *books = load(dirs[k]);

		told = 0;
		books_failures(books, tell);
		CU_ASSERT_EQUAL(told, 0);
		lp_bookset_free(books);
	}
}

static void
each_faster_kernel_that_a_book_does_not_use_is_told(void)
{
	struct lp_bookset *books = load(LP_CODEBOOK_DIR);
	struct lp_codebook *cb = books->book[books->id[1]];
	struct lp_codebook_info info;

	told = 0;
	lp_codebook_describe(cb, &info);
	tampered = info.name;
	CU_ASSERT_FATAL(lp_codebook_use_kernel(cb, "portable") == 0);
	books_failures(books, tell);
	CU_ASSERT_EQUAL(told, faster_than_portable());
	lp_bookset_free(books);
}

static void
list_of_kernels_marks_those_that_cannot_run(void)
{
	char list[1024] = "", expected[1024] = "";
	FILE *out = fmemopen(list, sizeof(list), "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	for (unsigned int k = 0; lp_kernel_name(k) != NULL; k++) {
		const size_t len = strlen(expected);

		snprintf(expected + len, sizeof(expected) - len, "> %s%s\n", lp_kernel_name(k),
				lp_kernel_is_usable(k) ? "" : " (not on this processor)");
	}
	books_print_kernels(out, "> ");
	fclose(out);
	CU_ASSERT_STRING_EQUAL(list, expected);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(last_kernel_is_always_usable_and_none_is_behind_it),
		TEST(no_kernel_fails_on_the_shipped_books),
		TEST(each_faster_kernel_that_a_book_does_not_use_is_told),
		TEST(list_of_kernels_marks_those_that_cannot_run),
		CU_TEST_INFO_NULL,
	};

	test_seed(argc, argv);
	return test_run("books_kernels", tests);
}
