/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "grouped.h"
#include "linepress/bookset.h"

/* A hint is taken if it saves at least the profile's share less this part of the region. */
#define HINT_TOLERANCE 50

static int
is_book(const struct dirent *entry)
{
	const size_t len = strlen(entry->d_name);

	return len > 5 && strcmp(entry->d_name + len - 5, ".book") == 0;
}

static bool
set_add(struct lp_bookset *set, struct lp_codebook *cb, unsigned int id, const char *path,
		struct lp_error *error)
{
	for (unsigned int k = 0; k < LP_BOOK_IDS; k++) {
		const struct lp_codebook *other = set->book[k];

		if (other == NULL)
			continue;
		if (k == id)
			return lp_error_set(error, 0, "%s: id %u is already that of book '%s'", path,
					id, other->info.name);
		if (strcmp(other->info.name, cb->info.name) == 0)
			return lp_error_set(error, 0, "%s: a book named '%s' is already loaded", path,
					cb->info.name);
	}
	set->book[id] = cb;
	set->digest[id] = lp_codebook_digest64(cb);
	return true;
}

/* Load one file; books without a number wait in `unnumbered`, in order. */
static bool
set_load(struct lp_bookset *set, const char *path, struct lp_codebook **unnumbered,
		unsigned int *nb_unnumbered, struct lp_error *error)
{
	struct lp_error cause;
	struct lp_codebook *cb = lp_codebook_load(path, &cause);

	if (cb == NULL) {
		if (cause.line > 0)
			return lp_error_set(error, cause.line, "%s:%u: %.200s", path, cause.line,
					cause.text);
		return lp_error_set(error, 0, "%s: %.200s", path, cause.text);
	}
	if (cb->info.id == 0) {
		if (*nb_unnumbered == LP_BOOK_IDS - LP_BOOK_ID_FREE) {
			lp_codebook_free(cb);
			return lp_error_set(error, 0, "%s: more than %u books without an id", path,
					*nb_unnumbered);
		}
		unnumbered[(*nb_unnumbered)++] = cb;
		return true;
	}
	if (!set_add(set, cb, cb->info.id, path, error)) {
		lp_codebook_free(cb);
		return false;
	}
	return true;
}

static bool
number_the_rest(struct lp_bookset *set, const char *dir, struct lp_codebook **unnumbered,
		unsigned int nb_unnumbered, struct lp_error *error)
{
	unsigned int id = LP_BOOK_ID_FREE;

	for (unsigned int k = 0; k < nb_unnumbered; k++) {
		while (id < LP_BOOK_IDS && set->book[id] != NULL)
			id++;
		if (id == LP_BOOK_IDS)
			return lp_error_set(error, 0, "%s: no free id for book '%s'", dir,
					unnumbered[k]->info.name);
		if (!set_add(set, unnumbered[k], id, dir, error))
			return false;
		unnumbered[k] = NULL;
	}
	return true;
}

/* Load every listed file of the directory. */
static bool
set_fill(struct lp_bookset *set, const char *dir, struct dirent **list, int entries,
		struct lp_error *error)
{
	struct lp_codebook *unnumbered[LP_BOOK_IDS - LP_BOOK_ID_FREE] = {NULL};
	unsigned int nb_unnumbered = 0;
	bool ok = true;

	for (int k = 0; ok && k < entries; k++) {
		char *path;

		if (asprintf(&path, "%s/%s", dir, list[k]->d_name) < 0)
			return lp_error_set(error, 0, "out of memory");
		ok = set_load(set, path, unnumbered, &nb_unnumbered, error);
		free(path);
	}
	ok = ok && number_the_rest(set, dir, unnumbered, nb_unnumbered, error);
	for (unsigned int k = 0; k < nb_unnumbered; k++)
		lp_codebook_free(unnumbered[k]);
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		if (set->book[id] != NULL)
			set->id[set->count++] = (uint8_t)id;
	return ok;
}

struct lp_bookset *
lp_bookset_load(const char *dir, struct lp_error *error)
{
	struct dirent **list;
	const int entries = scandir(dir, &list, is_book, alphasort);

	if (entries < 0) {
		lp_error_set(error, 0, "%s: %m", dir);
		return NULL;
	}
	struct lp_bookset *set = calloc(1, sizeof(*set));
	bool ok = false;

	if (set == NULL)
		lp_error_set(error, 0, "out of memory");
	else if (entries == 0)
		lp_error_set(error, 0, "%s: no *.book file there", dir);
	else
		ok = set_fill(set, dir, list, entries, error);
	for (int k = 0; k < entries; k++)
		free(list[k]);
	free(list);
	if (!ok) {
		lp_bookset_free(set);
		return NULL;
	}
	return set;
}

void
lp_bookset_free(struct lp_bookset *set)
{
	if (set == NULL)
		return;
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		lp_codebook_free(set->book[id]);
	free(set);
}

/* Body bytes if a book does as well on a region as on its profile, within the tolerance. */
static size_t
expected_bytes(const struct lp_codebook *cb, size_t len)
{
	const struct lp_codebook_info *info = &cb->info;
	double symbols = (double)len, bits = info->profile_code_bits;

	if (bits == 0)
		return 0;
	if (info->kind == LP_KIND_GROUPED) {
		symbols /= (double)lp_type_bytes(info->type);
		bits += lp_type_traits[info->type].raw_bits;
	}
	return (size_t)(symbols * bits / 8) + len / HINT_TOLERANCE;
}

uint8_t
lp_bookset_choose(const struct lp_bookset *set, uint8_t *hint, const uint8_t *src, size_t len,
		struct lp_params *params, size_t *body_bytes)
{
	const struct lp_codebook *last = set->book[*hint];
	struct lp_sample sample;
	uint8_t best = 0;

	lp_sample_init(&sample, src, len);
	*body_bytes = SIZE_MAX;
	/* First the books of the last type; if they do what they promise, the others cannot. */
	for (unsigned int pass = last == NULL; pass < 2; pass++) {
		for (unsigned int k = 0; k < set->count; k++) {
			const struct lp_codebook *cb = set->book[set->id[k]];
			const bool alike = last != NULL && cb->info.type == last->info.type;
			struct lp_params p;

			if (alike != (pass == 0))
				continue;
			const size_t bytes = lp_codebook_choose(cb, &sample, &p);

			if (bytes < *body_bytes) {
				*body_bytes = bytes;
				*params = p;
				best = set->id[k];
			}
		}
		if (pass == 0 && *body_bytes <= expected_bytes(set->book[best], len))
			break;
	}
	*hint = best;
	return best;
}
