/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "app_books.h"
#include "app_policy.h"
#include "log.h"

#define MS_PER_S 1000

static uint64_t
now_ms(void)
{
	return (uint64_t)(app_now_s() * MS_PER_S);
}

const uint64_t *
app_books_named(struct app *app)
{
	static uint64_t digest[LP_BOOK_IDS];

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		digest[id] = lp_book_mask_has(&app->rotation.installed, id) ? app->books->digest[id]
									    : 0;
	return digest;
}

void
app_books_begin(struct app *app)
{
	for (unsigned int k = 0; k < app->books->count; k++) {
		const uint8_t id = app->books->id[k];

		lp_rotation_install(&app->rotation, id, app->books->digest[id], now_ms());
	}
}

/* ---- install ---- */

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

/* Put books in the place of those in use. They belong to the program then, or are released. */
static int
adopt(struct app *app, struct lp_bookset *books)
{
	struct lp_rules *rules = NULL;
	int ret = 0;

	if (app->rules != NULL) {
		rules = rules_for(app->rules, books);
		if (rules == NULL)
			ret = -ENOENT;
	}
	if (ret == 0)
		ret = app_policy_replace(app, books, rules);
	if (ret < 0) {
		lp_rules_free(rules);
		lp_bookset_free(books);
	}
	return ret;
}

/* May the number name this book? A message if not. */
static int
check_number(const struct app *app, const char *path, unsigned int id, uint64_t digest)
{
	uint64_t at_ms = 0;
	const int ret = lp_rotation_may_install(&app->rotation, id, digest, now_ms(), &at_ms);

	if (ret == -EAGAIN)
		app_error("load codebook %s: id %u was that of another codebook and is free again in %" PRIu64
			  " s",
				path, id, (at_ms - now_ms()) / MS_PER_S + 1);
	if (ret == -EEXIST) {
		struct lp_codebook_info info;

		lp_codebook_describe(app->books->book[id], &info);
		app_error("load codebook %s: id %u is that of codebook '%s', `retire codebook %u` first",
				path, id, info.name, id);
	}
	return ret;
}

/* Take a book away. Rules that name it prevent that. */
static int
drop_book(struct app *app, unsigned int id)
{
	struct lp_bookset *books = lp_bookset_without(app->books, id);

	return books == NULL ? -EINVAL : adopt(app, books);
}

/* The book is decodable before far boxes hear of it, and they of it before it is coded with. */
static int
add_book(struct app *app, const char *path, unsigned int id, struct lp_codebook *book)
{
	const uint64_t digest = lp_codebook_digest64(book);
	struct lp_error error = { 0 };
	struct lp_bookset *books;
	int ret = check_number(app, path, id, digest);

	if (ret < 0)
		return ret;
	app_books_expire(app);
	if (app->books->book[id] != NULL && app->books->digest[id] != digest &&
			drop_book(app, id) < 0) {
		app_error("load codebook %s: id %u is still that of a retired codebook, which the rules name: `set rules` others first",
				path, id);
		return -EBUSY;
	}
	if (app->books->book[id] == NULL) {
		books = lp_bookset_extend(app->books, book, id, &error);
		if (books == NULL) {
			app_error("load codebook %s: %s", path, error.text);
			return -EINVAL;
		}
		ret = adopt(app, books);
	}
	if (ret < 0)
		return ret;
	lp_rotation_install(&app->rotation, id, digest, now_ms());
	peers_set_books(app->peers, app_books_named(app));
	return 0;
}

/* Does what is coded depend on the far box, now or, if nothing was started, at the next start? */
static bool
asks_far_box(const struct app *app)
{
	return app->is_forwarding ? peers_are_asked(app->peers)
				  : app->opts.mode == FWD_PRESS && app->opts.peer == LP_PEER_HELLO;
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

	if (lp_book_mask_has(&app->rotation.installed, id) && app->books->digest[id] == digest)
		printf("Codebook %u is loaded already\n", id);
	else if ((ret = add_book(app, path, id, book)) == 0)
		printf("Codebook %u loaded, digest %08" PRIx32 ": frames are coded with it %s\n",
				id, (uint32_t)(digest >> 32),
				asks_far_box(app)
						? "as soon as the far box has it, too"
						: "from now on, restored only where it is loaded, too");
	lp_codebook_free(book);
	return ret;
}

/* ---- retire ---- */

/* Could the rules do without this book? A message if not. */
static int
check_rules_without(const struct app *app, unsigned int id)
{
	struct lp_bookset *books = lp_bookset_without(app->books, id);
	struct lp_rules *rules;

	if (books == NULL) {
		app_error("retire codebook %u: it is the only one", id);
		return -EINVAL;
	}
	rules = app->rules == NULL ? NULL : rules_for(app->rules, books);
	if (app->rules != NULL && rules == NULL)
		app_error("retire codebook %u: the rules name it, `set rules` others first", id);
	const int ret = app->rules != NULL && rules == NULL ? -EBUSY : 0;

	lp_rules_free(rules);
	lp_bookset_free(books);
	return ret;
}

/* The books that are not retired; NULL if out of memory. */
static struct lp_bookset *
installed_books(const struct app *app)
{
	uint8_t ids[LP_BOOK_IDS];
	unsigned int count = 0;

	for (unsigned int k = 0; k < app->books->count; k++)
		if (lp_book_mask_has(&app->rotation.installed, app->books->id[k]))
			ids[count++] = app->books->id[k];
	return lp_bookset_subset(app->books, ids, count);
}

int
app_books_check_rules(const struct app *app, const char *path)
{
	struct lp_bookset *books = installed_books(app);
	struct lp_rules_error error;
	struct lp_rules *rules;

	if (books == NULL)
		return -ENOMEM;
	rules = lp_rules_load(path, books, &error);
	if (rules == NULL)
		app_error("%s (retired codebooks do not count)", error.text);
	const int ret = rules == NULL ? -EINVAL : 0;

	lp_rules_free(rules);
	lp_bookset_free(books);
	return ret;
}

static unsigned int
count_installed(const struct app *app)
{
	unsigned int count = 0;

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		count += lp_book_mask_has(&app->rotation.installed, id);
	return count;
}

int
app_book_retire(struct app *app, unsigned int id)
{
	int ret;

	if (!lp_book_mask_has(&app->rotation.installed, id)) {
		app_error("retire codebook %u: there is no such codebook, `show codebook all` lists them",
				id);
		return -ENOENT;
	}
	if (count_installed(app) == 1) {
		app_error("retire codebook %u: it is the only one", id);
		return -EINVAL;
	}
	ret = check_rules_without(app, id);
	if (ret < 0)
		return ret;
	lp_rotation_retire(&app->rotation, id, now_ms());
	peers_set_books(app->peers, app_books_named(app));
	printf("Codebook %u retired: nothing is coded with it, frames are restored with it for %d s more\n",
			id, LP_ROTATION_DECODE_MS / MS_PER_S);
	return 0;
}

void
app_books_expire(struct app *app)
{
	/* rules that were set meanwhile may name it: it stays until they do no more */
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		if (lp_rotation_may_remove(&app->rotation, id, now_ms(), NULL) == 0 &&
				drop_book(app, id) == 0)
			lp_rotation_remove(&app->rotation, id, now_ms());
}
