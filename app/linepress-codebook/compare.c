/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What profiles tell of each other, and what books would save on tensors like theirs. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"
#include "collect.h"
#include "commands.h"
#include "json_file.h"
#include "message.h"

#define PROFILES_MAX 2
#define NAME_WIDTH 40

struct comparison {
	int nb_profiles;
	char **path;
	struct lp_profiles *profiles[PROFILES_MAX];
	const struct lp_bookset *books;
};

/* The end of a path, which tells most. */
static const char *
tail(const char *path)
{
	const size_t len = strlen(path);

	return path + (len > NAME_WIDTH ? len - NAME_WIDTH : 0);
}

static void
compare_entropies(const struct comparison *c, struct lp_profile *const *p, json_t *report)
{
	json_t *profiles = json_object();

	for (int k = 0; k < c->nb_profiles; k++) {
		struct lp_profile_summary s;

		if (p[k] == NULL)
			continue;
		lp_profile_summarize(p[k], &s);
		printf("  %-*s %12llu %9.3f %9.3f %9.3f\n", NAME_WIDTH, tail(c->path[k]),
				(unsigned long long)s.symbols, s.entropy, s.aligned, s.shards_own);
		json_object_set_new(profiles, c->path[k],
				json_pack("{sI sI sf sf sf}", "shards", (json_int_t)s.shards,
						"symbols", (json_int_t)s.symbols, "entropy",
						s.entropy, "aligned_entropy", s.aligned,
						"shards_own_entropy", s.shards_own));
	}
	json_object_set_new(report, "profiles", profiles);
}

static void
compare_divergence(struct lp_profile *const *p, json_t *report)
{
	const char *const key[] = { "first_from_second", "second_from_first" };

	if (p[0] == NULL || p[1] == NULL)
		return;
	json_t *divergence = json_object();

	for (unsigned int k = 0; k < PROFILES_MAX; k++) {
		const double plain = lp_profile_divergence(p[k], p[1 - k], false);
		const double aligned = lp_profile_divergence(p[k], p[1 - k], true);

		printf("  %-*s %12s %9.3f %9.3f\n", NAME_WIDTH,
				k == 0 ? "D(first || second)" : "D(second || first)", "", plain,
				aligned);
		json_object_set_new(divergence, key[k],
				json_pack("{sf sf}", "plain", plain, "aligned", aligned));
	}
	json_object_set_new(report, "divergence", divergence);
}

/* A line of what books take, each alone or the best for each shard. */
static void
compare_books(const struct comparison *c, struct lp_profile *const *p, const char *name,
		const struct lp_codebook *const *books, unsigned int nb_books, json_t *report)
{
	json_t *book = json_object();

	printf("  %-*s", NAME_WIDTH, name);
	for (int k = 0; k < c->nb_profiles; k++) {
		if (p[k] == NULL) {
			printf(" %12s %9s", "", "");
			continue;
		}
		const double bits = lp_profile_code_bits(p[k], books, nb_books);
		const double saved = lp_profile_saved_percent(p[k], bits);

		printf(" %12.3f %9.2f", bits, saved);
		json_object_set_new(book, c->path[k],
				json_pack("{sf sf}", "bits", bits, "saved_percent", saved));
	}
	putchar('\n');
	json_object_set_new(report, name, book);
}

static void
compare_savings(const struct comparison *c, struct lp_profile *const *p, enum lp_type type,
		enum lp_symbol symbol, json_t *report)
{
	const struct lp_codebook *book[LP_BOOK_IDS];
	json_t *savings = json_object();
	unsigned int count = 0;

	for (unsigned int k = 0; k < c->books->count; k++) {
		struct lp_codebook_info info;
		const struct lp_codebook *cb = c->books->book[c->books->id[k]];

		lp_codebook_describe(cb, &info);
		if (info.type != type || info.symbol != symbol)
			continue;
		if (count == 0) {
			printf("  %-*s", NAME_WIDTH, "coded with");
			for (int i = 0; i < c->nb_profiles; i++)
				printf(" %12s %9s", "bits", "saved, %");
			putchar('\n');
		}
		book[count++] = cb;
		compare_books(c, p, info.name, &cb, 1, savings);
	}
	if (count > 1)
		compare_books(c, p, "the best for each shard", book, count, savings);
	json_object_set_new(report, "books", savings);
}

/* Copies of the profiles, NULL where one does not tell. 0, or -1 if memory ran out. */
static int
take_profiles(const struct comparison *c, enum lp_type type, enum lp_symbol symbol,
		struct lp_profile **p)
{
	for (int k = 0; k < c->nb_profiles; k++) {
		errno = 0;
		p[k] = lp_profiles_copy(c->profiles[k], type, symbol);
		if (p[k] == NULL && errno != ENOENT)
			return complain("out of memory");
	}
	return 0;
}

static int
compare_symbol(const struct comparison *c, enum lp_type type, enum lp_symbol symbol, json_t *report)
{
	struct lp_profile *p[PROFILES_MAX] = { NULL };
	int ret = 0;

	/* Nobody codes rotated bytes of wide elements. */
	if (symbol == LP_SYMBOL_ROTATED && type != LP_TYPE_E4M3 && type != LP_TYPE_E5M2)
		return 0;
	ret = take_profiles(c, type, symbol, p);
	if (ret == 0 && (p[0] != NULL || p[1] != NULL)) {
		json_t *part = json_object();
		const char *name = lp_type_name(type);

		printf("%s %-*s %12s %9s %9s %9s\n", name, NAME_WIDTH + 1 - (int)strlen(name),
				lp_symbol_name(symbol), "symbols", "entropy", "aligned",
				"of shards");
		compare_entropies(c, p, part);
		compare_divergence(p, part);
		compare_savings(c, p, type, symbol, part);
		json_object_set_new(report, lp_symbol_name(symbol), part);
	}
	for (int k = 0; k < c->nb_profiles; k++)
		lp_profile_free(p[k]);
	return ret;
}

static int
compare_profiles(const struct comparison *c, const char *json)
{
	json_t *report = json_object();
	int ret = 0;

	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++) {
		json_t *part = json_object();

		for (unsigned int symbol = 0; symbol < LP_SYMBOL_COUNT && ret == 0; symbol++)
			ret = compare_symbol(c, (enum lp_type)type, (enum lp_symbol)symbol, part);
		if (json_object_size(part) > 0)
			json_object_set_new(report, lp_type_name((enum lp_type)type), part);
		else
			json_decref(part);
	}
	if (ret == 0 && json != NULL)
		return json_file_write(json, report);
	json_decref(report);
	return ret;
}

static int
load_and_compare(struct comparison *c, const char *dir, const char *json)
{
	struct lp_error error;
	struct lp_bookset *books = lp_bookset_load(dir, &error);
	int ret = 0;

	if (books == NULL)
		return complain("%s", error.text);
	c->books = books;
	for (int k = 0; k < c->nb_profiles && ret == 0; k++) {
		c->profiles[k] = load_profiles(c->path[k]);
		ret = c->profiles[k] != NULL ? 0 : -1;
	}
	if (ret == 0)
		ret = compare_profiles(c, json);
	for (int k = 0; k < c->nb_profiles; k++)
		lp_profiles_free(c->profiles[k]);
	lp_bookset_free(books);
	return ret;
}

int
compare_command(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "codebooks", required_argument, NULL, 'c' },
		{ "json", required_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	const char *dir = codebook_dir(), *json = NULL;
	struct comparison c = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (option == '?')
			return EXIT_FAILURE;
		if (option == 'c')
			dir = optarg;
		else
			json = optarg;
	}
	c.path = argv + optind;
	c.nb_profiles = argc - optind;
	if (c.nb_profiles < 1 || c.nb_profiles > PROFILES_MAX) {
		complain("compare: %d profiles: must be 1 or 2", c.nb_profiles);
		return EXIT_FAILURE;
	}
	if (json_file_check(json) < 0 || load_and_compare(&c, dir, json) < 0)
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
