/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "books.h"

/* An installed program never looks into the tree it was built from, which may be anybody's. */
const char *
codebook_dir(void)
{
	static char beside[PATH_MAX];
	char program[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (len < 0)
		return LP_INSTALLED_CODEBOOK_DIR;
	program[len] = '\0';
	if (strncmp(program, LP_BUILD_DIR "/", sizeof(LP_BUILD_DIR)) == 0)
		return LP_SOURCE_CODEBOOK_DIR;
	snprintf(beside, sizeof(beside), "%.*s/%s", (int)(strrchr(program, '/') - program), program,
			LP_RELATIVE_CODEBOOK_DIR);
	return access(beside, R_OK | X_OK) == 0 ? beside : LP_INSTALLED_CODEBOOK_DIR;
}

static bool
can_run(const char *kernel)
{
	const char *name;

	for (unsigned int k = 0; (name = lp_kernel_name(k)) != NULL; k++)
		if (strcmp(kernel, name) == 0)
			return lp_kernel_is_usable(k);
	return false;
}

/* The name of the book that refuses a kernel. */
static void
find_refusal(const struct lp_bookset *books, const char *kernel, struct lp_codebook_info *info)
{
	for (unsigned int k = 0; k < books->count; k++) {
		struct lp_codebook *cb = books->book[books->id[k]];

		lp_codebook_describe(cb, info);
		if (lp_codebook_use_kernel(cb, kernel) < 0)
			return;
	}
}

static void
explain(const struct lp_bookset *books, const char *kernel, int cause, struct lp_error *error)
{
	struct lp_codebook_info info;
	const char *name;
	int n;

	if (cause == -ENOTSUP && can_run(kernel)) {
		find_refusal(books, kernel, &info);
		snprintf(error->text, sizeof(error->text),
				"the kernel '%s' fails its self-test with the codebook '%s'",
				kernel, info.name);
		return;
	}
	if (cause == -ENOTSUP) {
		snprintf(error->text, sizeof(error->text),
				"this processor cannot run the kernel '%s'", kernel);
		return;
	}
	n = snprintf(error->text, sizeof(error->text), "kernel '%.40s': must be one of", kernel);
	for (unsigned int k = 0; (name = lp_kernel_name(k)) != NULL; k++)
		n += snprintf(error->text + n, sizeof(error->text) - (size_t)n, " %s", name);
}

struct lp_bookset *
books_load(const char *dir, const char *kernel, struct lp_error *error)
{
	struct lp_bookset *books = lp_bookset_load(dir, error);
	const int ret = books == NULL || kernel == NULL ? 0 : lp_bookset_use_kernel(books, kernel);

	if (ret == 0)
		return books;
	explain(books, kernel, ret, error);
	lp_bookset_free(books);
	return NULL;
}

void
books_failures(const struct lp_bookset *books, books_failure_fn *tell)
{
	for (unsigned int i = 0; i < books->count; i++) {
		const struct lp_codebook *cb = books->book[books->id[i]];
		const char *used = lp_codebook_kernel(cb);
		struct lp_codebook_info info;

		lp_codebook_describe(cb, &info);
		for (unsigned int k = 0; strcmp(lp_kernel_name(k), used) != 0; k++)
			if (lp_kernel_is_usable(k))
				tell(lp_kernel_name(k), info.name, used);
	}
}

void
books_print_kernels(FILE *out, const char *indent)
{
	const char *name;

	for (unsigned int k = 0; (name = lp_kernel_name(k)) != NULL; k++)
		fprintf(out, "%s%s%s\n", indent, name,
				lp_kernel_is_usable(k) ? "" : " (not on this processor)");
}

const char *
books_kernel(const struct lp_bookset *books)
{
	const char *kernel = lp_codebook_kernel(books->book[books->id[0]]);

	for (unsigned int k = 1; k < books->count; k++)
		if (strcmp(kernel, lp_codebook_kernel(books->book[books->id[k]])) != 0)
			return "several";
	return kernel;
}
