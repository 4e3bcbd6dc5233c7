/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "linepress/bookset.h"
#include "type.h"

static int
is_book(const struct dirent *entry)
{
	const size_t len = strlen(entry->d_name);

	return len > 5 && strcmp(entry->d_name + len - 5, ".book") == 0;
}

/* The set takes over the book. `path` begins the error. */
static bool
set_add(struct lp_bookset *set, struct lp_codebook *cb, unsigned int id, const char *path,
		struct lp_error *error)
{
	for (unsigned int k = 0; k < LP_BOOK_IDS; k++) {
		const struct lp_codebook *other = set->book[k];

		if (other == NULL)
			continue;
		if (k == id)
			return lp_error_set(error, 0, "%s: id %u is already that of book '%s'",
					path, id, other->info.name);
		if (strcmp(other->info.name, cb->info.name) == 0)
			return lp_error_set(error, 0, "%s: a book named '%s' is already loaded",
					path, cb->info.name);
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

static int
by_name(const void *a, const void *b)
{
	const struct lp_codebook *const *x = a, *const *y = b;

	return strcmp((*x)->info.name, (*y)->info.name);
}

static bool
number_the_rest(struct lp_bookset *set, const char *dir, struct lp_codebook **unnumbered,
		unsigned int nb_unnumbered, struct lp_error *error)
{
	unsigned int id = LP_BOOK_ID_FREE;

	qsort(unnumbered, nb_unnumbered, sizeof(unnumbered[0]), by_name);
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

/* Grouped books first, since they tell the types apart; then those that can save the most. */
static bool
tried_before(const struct lp_codebook *a, const struct lp_codebook *b)
{
	if (a->info.kind != b->info.kind)
		return a->info.kind == LP_KIND_GROUPED;
	return a->floor_bits < b->floor_bits;
}

static void
order_books(struct lp_bookset *set)
{
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		unsigned int place = set->count;

		if (set->book[id] == NULL)
			continue;
		for (; place > 0 && tried_before(set->book[id], set->book[set->id[place - 1]]);
				place--)
			set->id[place] = set->id[place - 1];
		set->id[place] = (uint8_t)id;
		lp_book_mask_add(&set->numbers, id);
		if (set->book[id]->info.kind != LP_KIND_GROUPED)
			set->byte_types |= (uint16_t)(1u << set->book[id]->info.type);
		else
			set->grouped++;
		set->count++;
	}
	for (unsigned int k = 0; k < set->count; k++)
		set->type[k] = (uint8_t)set->book[set->id[k]]->info.type;
}

/* Load every listed file of the directory. */
static bool
set_fill(struct lp_bookset *set, const char *dir, struct dirent **list, int entries,
		struct lp_error *error)
{
	struct lp_codebook *unnumbered[LP_BOOK_IDS - LP_BOOK_ID_FREE] = { NULL };
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
	order_books(set);
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

uint16_t
lp_bookset_grouped_types(const struct lp_bookset *set, const struct lp_book_mask *among)
{
	uint16_t types = 0;

	for (unsigned int k = 0; k < set->grouped; k++)
		if (lp_book_mask_has(among, set->id[k]))
			types |= (uint16_t)(1u << set->type[k]);
	return types;
}

struct lp_bookset *
lp_bookset_subset(const struct lp_bookset *set, const uint8_t *ids, unsigned int count)
{
	struct lp_bookset *subset;

	for (unsigned int k = 0; k < count; k++) {
		if (set->book[ids[k]] == NULL) {
			errno = EINVAL;
			return NULL;
		}
	}
	if (count == 0) {
		errno = EINVAL;
		return NULL;
	}
	subset = calloc(1, sizeof(*subset));
	if (subset == NULL)
		return NULL;
	subset->is_subset = true;
	for (unsigned int k = 0; k < count; k++) {
		subset->book[ids[k]] = set->book[ids[k]];
		subset->digest[ids[k]] = set->digest[ids[k]];
	}
	order_books(subset);
	subset->lost_types = lp_bookset_grouped_types(set, &set->numbers) &
			(uint16_t)~lp_bookset_grouped_types(set, &subset->numbers);
	return subset;
}

/* The books of a set, which are held twice then, but one, or all if `without` is 0. */
static struct lp_bookset *
set_copy(const struct lp_bookset *set, unsigned int without)
{
	struct lp_bookset *copy = calloc(1, sizeof(*copy));

	for (unsigned int k = 0; copy != NULL && k < set->count; k++) {
		const uint8_t id = set->id[k];

		if (id == without)
			continue;
		copy->book[id] = lp_codebook_hold(set->book[id]);
		copy->digest[id] = set->digest[id];
	}
	return copy;
}

struct lp_bookset *
lp_bookset_extend(const struct lp_bookset *set, struct lp_codebook *cb, unsigned int id,
		struct lp_error *error)
{
	struct lp_bookset *more;

	if (id == 0 || id >= LP_BOOK_IDS) {
		lp_error_set(error, 0, "id %u: must be 1 to %u", id, LP_BOOK_IDS - 1);
		return NULL;
	}
	if (cb->info.id != 0 && cb->info.id != id) {
		lp_error_set(error, 0, "id %u: book '%s' has id %u in its file", id, cb->info.name,
				cb->info.id);
		return NULL;
	}
	more = set_copy(set, 0);
	if (more == NULL) {
		lp_error_set(error, 0, "out of memory");
		return NULL;
	}
	if (!set_add(more, cb, id, cb->info.name, error)) {
		lp_bookset_free(more);
		return NULL;
	}
	lp_codebook_hold(cb);
	order_books(more);
	return more;
}

struct lp_bookset *
lp_bookset_without(const struct lp_bookset *set, unsigned int id)
{
	struct lp_bookset *less;

	if (id >= LP_BOOK_IDS || set->book[id] == NULL || set->count == 1) {
		errno = EINVAL;
		return NULL;
	}
	less = set_copy(set, id);
	if (less != NULL)
		order_books(less);
	return less;
}

int
lp_bookset_use_kernel(struct lp_bookset *set, const char *name)
{
	int ret = 0;

	for (unsigned int k = 0; k < set->count && ret == 0; k++)
		ret = lp_codebook_use_kernel(set->book[set->id[k]], name);
	return ret;
}

void
lp_bookset_free(struct lp_bookset *set)
{
	if (set == NULL)
		return;
	for (unsigned int id = 0; id < LP_BOOK_IDS && !set->is_subset; id++)
		lp_codebook_free(set->book[id]);
	free(set);
}
