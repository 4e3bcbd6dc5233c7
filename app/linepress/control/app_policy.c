/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_policy.h"
#include "books.h"
#include "log.h"
#include "report.h"

static int
out_of_memory(const char *what)
{
	app_error("out of memory for %s", what);
	return -ENOMEM;
}

/*
 * Let lcores use these books and rules from their next round on, and release the old ones when
 * none does any more. Other threads look at them under the lock only.
 */
static int
replace(struct app *app, struct lp_bookset *books, struct lp_rules *rules)
{
	struct policy *policy = calloc(1, sizeof(*policy));
	struct policy *old_policy = app->policy;
	struct lp_bookset *old_books = app->books;
	struct lp_rules *old_rules = app->rules;

	if (policy == NULL)
		return out_of_memory("a policy");
	policy->press = (struct lp_policy){ books, rules, app->opts.checks };
	pthread_mutex_lock(&app->lock);
	app->policy = policy;
	app->books = books;
	app->rules = rules;
	policy_publish(&app->slot, policy);
	pthread_mutex_unlock(&app->lock);
	policy_wait(&app->slot);
	peers_set_books(app->peers, books->digest);
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
	if (load_rules(opts->rules, books, &rules) < 0 || replace(app, books, rules) < 0) {
		lp_rules_free(rules);
		lp_bookset_free(books);
		return -EINVAL;
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
	lp_rules_free(app->rules);
	lp_bookset_free(app->books);
	policy_slot_close(&app->slot);
}

static struct lp_codebook *
load_book(const struct options *opts, const char *path)
{
	struct lp_error error = { 0 };
	struct lp_codebook *book = lp_codebook_load(path, &error);

	if (book == NULL && error.line > 0)
		app_error("%s:%u: %s", path, error.line, error.text);
	else if (book == NULL)
		app_error("%s: %s", path, error.text);
	else if (opts->kernel != NULL && lp_codebook_use_kernel(book, opts->kernel) < 0) {
		app_error("%s: kernel %s fails its self-test with this codebook", path,
				opts->kernel);
		lp_codebook_free(book);
		return NULL;
	}
	return book;
}

/* The rules in use, for other books: at the same lines, for the sake of messages. */
static struct lp_rules *
rules_for(const struct lp_rules *rules, const struct lp_bookset *books)
{
	struct lp_rules *new = NULL;
	unsigned int line = 1;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	for (unsigned int i = 1; i <= lp_rules_count(rules); i++) {
		for (; line < lp_rules_line(rules, i); line++)
			fputc('\n', out);
		fputs(lp_rules_text(rules, i), out);
	}
	if (fclose(out) == 0)
		new = lp_rules_parse(text, len, books, NULL);
	free(text);
	return new;
}

/* Returns the books with one more, NULL after a message. */
static struct lp_bookset *
extend(const struct app *app, const char *path, unsigned int id, struct lp_codebook *book)
{
	struct lp_error error = { 0 };
	struct lp_bookset *books = lp_bookset_extend(app->books, book, id, &error);

	if (books == NULL)
		app_error("load codebook %s: %s", path, error.text);
	return books;
}

static int
add_book(struct app *app, const char *path, unsigned int id, struct lp_codebook *book)
{
	struct lp_bookset *books = extend(app, path, id, book);
	struct lp_rules *rules = NULL;
	int ret;

	if (books == NULL)
		return -EINVAL;
	if (app->rules != NULL)
		rules = rules_for(app->rules, books);
	if (app->rules != NULL && rules == NULL)
		ret = out_of_memory("rules");
	else
		ret = replace(app, books, rules);
	if (ret < 0) {
		lp_rules_free(rules);
		lp_bookset_free(books);
	}
	return ret;
}

int
app_book_add(struct app *app, const char *path, unsigned int id)
{
	struct lp_codebook *book;
	int ret = app_books_load(app);

	if (ret < 0)
		return ret;
	book = load_book(&app->opts, path);
	if (book == NULL)
		return -EINVAL;
	const uint64_t digest = lp_codebook_digest64(book);

	if (app->books->book[id] != NULL && app->books->digest[id] == digest)
		printf("Codebook %u is loaded already\n", id);
	else if ((ret = add_book(app, path, id, book)) == 0)
		printf("Codebook %u loaded, digest %08" PRIx32
		       ": frames are coded with it from now on, restored only where it is loaded, too\n",
				id, (uint32_t)(digest >> 32));
	lp_codebook_free(book);
	return ret;
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
	if (ret < 0)
		return ret;
	ret = replace(app, app->books, rules);
	if (ret < 0)
		lp_rules_free(rules);
	return ret;
}

int
app_set_checks(struct app *app, bool checks)
{
	const bool before = app->opts.checks;
	int ret = 0;

	app->opts.checks = checks;
	if (app->books != NULL)
		ret = replace(app, app->books, app->rules);
	if (ret < 0)
		app->opts.checks = before;
	return ret;
}
