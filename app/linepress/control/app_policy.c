/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdlib.h>

#include "app_policy.h"
#include "books.h"
#include "log.h"
#include "report.h"

/*
 * Let lcores use these books from their next round on, and release the old ones when none does any
 * more. Other threads look at books under the lock only.
 */
static int
replace(struct app *app, struct lp_bookset *books)
{
	struct policy *policy = calloc(1, sizeof(*policy));
	struct policy *old_policy = app->policy;
	struct lp_bookset *old_books = app->books;

	if (policy == NULL) {
		app_error("out of memory for a policy");
		return -ENOMEM;
	}
	policy->press.books = books;
	pthread_mutex_lock(&app->lock);
	app->policy = policy;
	app->books = books;
	policy_publish(&app->slot, policy);
	pthread_mutex_unlock(&app->lock);
	policy_wait(&app->slot);
	free(old_policy);
	if (old_books != books)
		lp_bookset_free(old_books);
	return 0;
}

/* ---- codebooks ---- */

static void
warn_of_kernel(const char *kernel, const char *book, const char *used)
{
	LOG(WARNING, "kernel %s fails its self-test with codebook %s, which uses %s instead",
			kernel, book, used);
}

int
app_books_load(struct app *app)
{
	const struct options *opts = &app->opts;
	struct lp_error error = { 0 };
	struct lp_bookset *books;

	if (app->books != NULL)
		return 0;
	books = books_load(opts->codebook_dir, opts->kernel, &error);
	if (books == NULL) {
		app_error("%s", error.text);
		return -EINVAL;
	}
	if (replace(app, books) < 0) {
		lp_bookset_free(books);
		return -ENOMEM;
	}
	if (opts->kernel == NULL)
		books_failures(books, warn_of_kernel);
	report_books(books);
	if (!opts->has_key)
		LOG(NOTICE, "no --key-file: frames are tagged with a key that is known to everyone");
	return 0;
}

void
app_policy_free(struct app *app)
{
	free(app->policy);
	lp_bookset_free(app->books);
	policy_slot_close(&app->slot);
}
