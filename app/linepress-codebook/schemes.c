/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "books.h"
#include "collect.h"
#include "message.h"
#include "schemes.h"

#define SET_BOOKS 4 /* books of a set, as shipped */
#define LEVELS_MAX 7
#define CODES_MAX 16

static void
own_book(struct schemes *s, enum scheme scheme, struct lp_codebook *cb)
{
	s->book[scheme][s->books[scheme]++] = cb;
	s->owned[s->nb_owned++] = cb;
}

static int
add_file(struct schemes *s, enum scheme scheme, const char *path)
{
	struct lp_error error;
	struct lp_codebook *cb = lp_codebook_load(path, &error);

	if (cb == NULL)
		return error.line > 0 ? complain("%s:%u: %s", path, error.line, error.text)
				      : complain("%s: %s", path, error.text);
	own_book(s, scheme, cb);
	return 0;
}

static int
load_area_books(struct schemes *s, enum lp_type type)
{
	int ret = 0;

	for (unsigned int k = 1; k <= SET_BOOKS && ret == 0; k++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/area/%s-area-%u.book", codebook_dir(),
				lp_type_name(type), k);
		if (access(path, F_OK) == 0)
			ret = add_file(s, SCHEME_AREA, path);
	}
	return ret;
}

/* Books of the papers are there for all types but `bytes`. */
static int
load_paper_books(struct schemes *s, enum lp_type type)
{
	static const char *const name[] = { "fixed", "dual", "quad" };
	int ret = 0;

	for (unsigned int k = 0; k < sizeof(name) / sizeof(name[0]) && ret == 0; k++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/papers/%s-%s.book", codebook_dir(),
				lp_type_name(type), name[k]);
		if (type != LP_TYPE_BYTES)
			ret = add_file(s, (enum scheme)(SCHEME_FIXED + k), path);
	}
	return ret;
}

int
schemes_load(struct schemes *s, enum lp_type type, const struct lp_bookset *books)
{
	for (unsigned int k = 0; k < books->count; k++) {
		const struct lp_codebook *cb = books->book[books->id[k]];
		struct lp_codebook_info info;

		lp_codebook_describe(cb, &info);
		const enum scheme scheme = info.kind == LP_KIND_GROUPED ? SCHEME_GROUPED
				: info.kind == LP_KIND_HUFFMAN		? SCHEME_HUFFMAN
									: SCHEME_AREA;

		if (info.type == type && s->books[scheme] < SCHEME_BOOKS_MAX)
			s->book[scheme][s->books[scheme]++] = cb;
	}
	if (s->books[SCHEME_AREA] == 0 && load_area_books(s, type) < 0)
		return -1;
	return load_paper_books(s, type);
}

void
schemes_free(struct schemes *s)
{
	for (unsigned int k = 0; k < s->nb_owned; k++)
		lp_codebook_free(s->owned[k]);
	*s = (struct schemes){ 0 };
}

/* ---- books fitted to a profile ---- */

struct fit {
	enum lp_kind kind;
	unsigned int books;
	struct lp_area_limits area;
};

static int
fit_books(struct lp_profile *p, const struct fit *f, char (*text)[LP_FIT_TEXT_MAX])
{
	const struct lp_fit_limits limits = { .levels = LEVELS_MAX, .codes = CODES_MAX };

	switch (f->kind) {
	case LP_KIND_GROUPED:
		return lp_fit_grouped(p, &limits, text[0]);
	case LP_KIND_HUFFMAN:
		return lp_fit_huffman(p, f->books, text);
	default:
		return lp_fit_area(p, &f->area, f->books, text);
	}
}

static struct lp_codebook *
parse_fitted(enum lp_type type, enum lp_kind kind, const char *fitted)
{
	char text[LP_FIT_TEXT_MAX + 128];
	struct lp_error error;
	const int len = snprintf(text, sizeof(text),
			"linepress-codebook 1\nname fitted\ntype %s\nkind %s\n%s",
			lp_type_name(type), lp_kind_name(kind), fitted);
	struct lp_codebook *cb = lp_codebook_parse(text, (size_t)len, &error);

	if (cb == NULL)
		complain("a fitted book is refused: %u: %s", error.line, error.text);
	return cb;
}

static int
fit_scheme(struct schemes *s, enum scheme scheme, enum lp_type type, struct lp_profile *p,
		struct fit f)
{
	static char text[SCHEME_BOOKS_MAX][LP_FIT_TEXT_MAX];
	int ret;

	if (lp_profile_shards(p) < f.books)
		f.books = 1;
	ret = fit_books(p, &f, text);
	if (ret < 0)
		return complain("%s", strerror(-ret));
	for (unsigned int k = 0; k < f.books; k++) {
		struct lp_codebook *cb = parse_fitted(type, f.kind, text[k]);

		if (cb == NULL)
			return -1;
		own_book(s, scheme, cb);
	}
	return 0;
}

static bool
is_float8(enum lp_type type)
{
	return type == LP_TYPE_E4M3 || type == LP_TYPE_E5M2;
}

/* Books over bytes as they are, and, of types of one byte, over aligned ones. */
static int
fit_bytes(struct schemes *s, enum lp_type type, const struct lp_profiles *profiles)
{
	const bool wide = lp_type_bytes(type) > 1;
	const struct lp_area_limits any = { .by_count = wide };
	const struct lp_area_limits dual = { .scheme = LP_AREA_DUAL };
	const struct lp_area_limits quad = { .scheme = LP_AREA_QUAD };
	const unsigned int books = wide ? 1 : SET_BOOKS;
	struct lp_profile *p = lp_profiles_copy(profiles, type, LP_SYMBOL_BYTE);
	struct lp_profile *aligned = lp_profiles_copy(
			profiles, type, is_float8(type) ? LP_SYMBOL_ROTATED : LP_SYMBOL_BYTE);
	int ret = p == NULL || aligned == NULL ? complain("out of memory") : 0;

	if (ret == 0)
		ret = fit_scheme(s, SCHEME_FIXED, type, p, (struct fit){ LP_KIND_HUFFMAN, 1, any });
	if (ret == 0)
		ret = fit_scheme(s, SCHEME_DUAL, type, p, (struct fit){ LP_KIND_AREA, 1, dual });
	if (ret == 0)
		ret = fit_scheme(s, SCHEME_QUAD, type, p, (struct fit){ LP_KIND_AREA, 1, quad });
	if (ret == 0)
		ret = fit_scheme(s, SCHEME_HUFFMAN, type, aligned,
				(struct fit){ LP_KIND_HUFFMAN, books, any });
	if (ret == 0)
		ret = fit_scheme(s, SCHEME_AREA, type, aligned,
				(struct fit){ LP_KIND_AREA, books, any });
	lp_profile_free(p);
	lp_profile_free(aligned);
	return ret;
}

int
schemes_fit(struct schemes *s, enum lp_type type, const char *profile)
{
	struct lp_profiles *profiles = load_profiles(profile);
	int ret;

	if (profiles == NULL)
		return -1;
	if (lp_profiles_stored(profiles, type, LP_SYMBOL_BYTE) == NULL) {
		lp_profiles_free(profiles);
		return complain("%s: has no profile of bytes of %s", profile, lp_type_name(type));
	}
	ret = fit_bytes(s, type, profiles);
	struct lp_profile *p = ret == 0 ? lp_profiles_copy(profiles, type, LP_SYMBOL_EXPONENT)
					: NULL;

	if (p != NULL)
		ret = fit_scheme(s, SCHEME_GROUPED, type, p,
				(struct fit){ .kind = LP_KIND_GROUPED, .books = 1 });
	lp_profile_free(p);
	lp_profiles_free(profiles);
	return ret;
}
