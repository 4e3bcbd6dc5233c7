/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Codebooks that would fit better. They are written, never installed. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "linepress/watch.h"
#include "log.h"
#include "outfile.h"
#include "profiling.h"

#define ENDING ".book"
#define LEVELS_MAX 7
#define CODES_MAX 16

/* The name of a book is that of its file; false, after a word, if it cannot be. */
static bool
name_of(const char *path, char *name)
{
	static const char allowed[] =
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
	const char *slash = strrchr(path, '/');
	const char *file = slash == NULL ? path : slash + 1;
	size_t len = strlen(file);

	if (len > strlen(ENDING) && strcmp(file + len - strlen(ENDING), ENDING) == 0)
		len -= strlen(ENDING);
	if (len == 0 || len > LP_NAME_MAX || strspn(file, allowed) < len) {
		app_error("suggest codebook %s: the file gives the codebook its name: must be 1 to %d letters, digits and - _ . + before .book",
				path, LP_NAME_MAX);
		return false;
	}
	snprintf(name, LP_NAME_MAX + 1, "%.*s", (int)len, file);
	return true;
}

static enum lp_kind
fit(struct lp_watch_basis *basis, char *text, int *ret)
{
	const struct lp_fit_limits limits = { .levels = LEVELS_MAX, .codes = CODES_MAX };

	if (lp_type_bytes(basis->type) > 1) {
		*ret = lp_fit_grouped(basis->profile, &limits, text);
		return LP_KIND_GROUPED;
	}
	*ret = lp_fit_huffman(basis->profile, 1, (char(*)[LP_FIT_TEXT_MAX])text);
	return LP_KIND_HUFFMAN;
}

/* The whole text of a book; NULL, after a word, if it cannot be fitted. */
static char *
compose(const char *name, struct lp_watch_basis *basis)
{
	const time_t now = time(NULL);
	char fitted[LP_FIT_TEXT_MAX], date[16], *text = NULL;
	int ret;
	const enum lp_kind kind = fit(basis, fitted, &ret);

	strftime(date, sizeof(date), "%F", gmtime(&now));
	if (ret < 0 ||
			asprintf(&text,
					"linepress-codebook 1\nname %s\ntype %s\nkind %s\n%s"
					"source suggested %s from %zu sampled regions of traffic\n",
					name, lp_type_name(basis->type), lp_kind_name(kind), fitted,
					date, basis->regions) < 0) {
		app_error("suggest codebook: %s", strerror(ret < 0 ? -ret : ENOMEM));
		return NULL;
	}
	return text;
}

static int
write_text(const char *path, const char *text)
{
	struct outfile *out = outfile_open(path);

	if (out != NULL) {
		fputs(text, outfile_stream(out));
		if (outfile_commit(out) == 0)
			return 0;
	}
	app_error("suggest codebook %s: not written, see above", path);
	return -EIO;
}

static int
write_book(const char *path, const char *text, const struct lp_watch_basis *basis)
{
	struct lp_error error;
	struct lp_codebook *book = lp_codebook_parse(text, strlen(text), &error);
	int ret;

	if (book == NULL) {
		app_error("suggest codebook %s:%u: %s", path, error.line, error.text);
		return -EINVAL;
	}
	const struct lp_codebook *const books[] = { book };
	const double bits = lp_profile_code_bits(basis->profile, books, 1);

	ret = write_text(path, text);
	if (ret == 0)
		printf("Codebook for %s written to %s, from %zu regions %s\n"
		       "  it would save %.2f %% of them, without headers; at present %.2f %% are saved\n"
		       "  nothing is installed: `load codebook %s id N` on both boxes does that\n",
				lp_type_name(basis->type), path, basis->regions,
				basis->is_alarm ? "that do not fit" : "of all that was sampled",
				lp_profile_saved_percent(basis->profile, bits),
				basis->saved_percent, path);
	lp_codebook_free(book);
	return ret;
}

static int
take_basis(struct app *app, int type, struct lp_watch_basis *basis)
{
	int ret;

	pthread_mutex_lock(&app->lock);
	ret = lp_watch_basis(app->profiling.watch, type, basis);
	pthread_mutex_unlock(&app->lock);
	if (ret == -ENOENT && type < 0)
		app_error("suggest codebook: all codebooks fit; name a type for one that fits all that was sampled of it");
	else if (ret == -ENOENT)
		app_error("suggest codebook: nothing of type %s was sampled",
				lp_type_name((enum lp_type)type));
	else if (ret < 0)
		app_error("suggest codebook: %s", strerror(-ret));
	return ret;
}

int
profiling_suggest(struct app *app, const char *path, int type)
{
	struct lp_watch_basis basis;
	char name[LP_NAME_MAX + 1], *text;
	int ret;

	if (app->profiling.watch == NULL) {
		app_error("suggest codebook: nothing was sampled, `set profile on rate 1/N` first");
		return -ENOENT;
	}
	if (!name_of(path, name))
		return -EINVAL;
	ret = take_basis(app, type, &basis);
	if (ret < 0)
		return ret;
	text = compose(name, &basis);
	ret = text == NULL ? -EINVAL : write_book(path, text, &basis);
	free(text);
	lp_profile_free(basis.profile);
	return ret;
}
