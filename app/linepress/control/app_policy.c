/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_books.h"
#include "app_policy.h"
#include "books.h"
#include "log.h"
#include "report.h"

int
app_policy_replace(struct app *app, struct lp_bookset *books, struct lp_rules *rules)
{
	struct policy *policy = calloc(1, sizeof(*policy));
	struct policy *old_policy = app->policy;
	struct lp_bookset *old_books = app->books;
	struct lp_rules *old_rules = app->rules;

	if (policy == NULL) {
		app_error("out of memory for a policy");
		return -ENOMEM;
	}
	policy->press = (struct lp_policy){
		.books = books,
		.rules = rules,
		.check_every = app->opts.check_every,
		.sample_every = app->opts.sample_every,
	};
	pthread_mutex_lock(&app->lock);
	app->policy = policy;
	app->books = books;
	app->rules = rules;
	policy_publish(&app->slot, policy);
	pthread_mutex_unlock(&app->lock);
	policy_wait(&app->slot);
	free(old_policy);
	if (old_rules != rules)
		lp_rules_free(old_rules);
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

static int
load_rules(const char *path, const struct lp_bookset *books, struct lp_rules **rules)
{
	struct lp_rules_error error;

	*rules = NULL;
	if (path == NULL)
		return 0;
	*rules = lp_rules_load(path, books, &error);
	if (*rules != NULL)
		return 0;
	app_error("%s", error.text);
	return -EINVAL;
}

int
app_books_load(struct app *app)
{
	const struct options *opts = &app->opts;
	struct lp_error error = { 0 };
	struct lp_bookset *books;
	struct lp_rules *rules;

	if (app->books != NULL)
		return 0;
	books = books_load(opts->codebook_dir, opts->kernel, &error);
	if (books == NULL) {
		app_error("%s", error.text);
		return -EINVAL;
	}
	if (load_rules(opts->rules, books, &rules) < 0 ||
			app_policy_replace(app, books, rules) < 0) {
		lp_rules_free(rules);
		lp_bookset_free(books);
		return -EINVAL;
	}
	if (opts->kernel == NULL)
		books_failures(books, warn_of_kernel);
	report_books(books);
	app_books_begin(app);
	if (!opts->has_key)
		LOG(NOTICE, "no --key-file: frames are tagged with a key that is known to everyone");
	return 0;
}

void
app_policy_free(struct app *app)
{
	free(app->policy);
	lp_rules_free(app->rules);
	lp_bookset_free(app->books);
	policy_slot_close(&app->slot);
}

/* ---- how they are used ---- */

/* Those of the options may be what the user means to be rid of. */
static int
load_books_with_rules(struct app *app, const char *path)
{
	const char *of_options = app->opts.rules;

	app->opts.rules = path;
	const int ret = app_books_load(app);

	app->opts.rules = of_options;
	return ret;
}

int
app_rules_set(struct app *app, const char *path)
{
	struct lp_rules *rules;
	int ret;

	if (app->books == NULL)
		return load_books_with_rules(app, path);
	ret = load_rules(path, app->books, &rules);
	if (ret == 0 && rules != NULL && (ret = app_books_check_rules(app, path)) < 0)
		lp_rules_free(rules);
	if (ret < 0)
		return ret;
	ret = app_policy_replace(app, app->books, rules);
	if (ret < 0)
		lp_rules_free(rules);
	return ret;
}

/* Change an option that is part of the policy. */
static int
set_option(struct app *app, uint32_t *option, uint32_t value)
{
	const uint32_t before = *option;
	int ret = 0;

	*option = value;
	if (app->books != NULL)
		ret = app_policy_replace(app, app->books, app->rules);
	if (ret < 0)
		*option = before;
	return ret;
}

int
app_set_checks(struct app *app, uint32_t every)
{
	return set_option(app, &app->opts.check_every, every);
}

int
app_set_sampling(struct app *app, uint32_t every)
{
	return set_option(app, &app->opts.sample_every, every);
}

void
app_kernel_disable(struct app *app)
{
	static const char portable[] = "portable";

	if (app->books == NULL || strcmp(books_kernel(app->books), portable) == 0)
		return;
	LOG(ERR, "kernel %s is not used any more, but %s, which is slower",
			books_kernel(app->books), portable);
	lp_bookset_use_kernel(app->books, portable);
	app->opts.kernel = portable;
}
