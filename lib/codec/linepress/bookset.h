/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_BOOKSET_H
#define LINEPRESS_BOOKSET_H

/**
 * @file
 * A set of codebooks under their numbers on the wire, and the choice among them.
 *
 * Both boxes of a pair hold the same set. Loading allocates; a loaded set is
 * read-only and may be used by any number of threads.
 */

#include <stdbool.h>

#include "linepress/book_mask.h"
#include "linepress/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/** First number given to books whose file has no `id` line, in order of their names. */
#define LP_BOOK_ID_FREE 128

/** Codebooks by number. Read-only for users. */
struct lp_bookset {
	/** The book of each number, or NULL. Owned by the set, maybe with others. */
	struct lp_codebook *book[LP_BOOK_IDS];
	/** lp_codebook_digest64() of each book, 0 where there is none. */
	uint64_t digest[LP_BOOK_IDS];
	/** Numbers in use, in the order in which lp_bookset_choose() tries them. */
	uint8_t id[LP_BOOK_IDS];
	/** Their element types, in that order: most books are passed over without a look at them.
	 */
	uint8_t type[LP_BOOK_IDS];
	/** How many are in use. */
	uint16_t count;
	/** How many of them, the first ones, are grouped books. */
	uint16_t grouped;
	/** Numbers in use, as a set. */
	struct lp_book_mask numbers;
	/** Types that have a book over bytes, Huffman or area, a bit for each. */
	uint16_t byte_types;
	/** The books belong to another set, see lp_bookset_subset(). */
	bool is_subset;
	/** Types that have a grouped book in that set, but not in this one. */
	uint16_t lost_types;
};

/**
 * Load all `*.book` files of a directory.
 *
 * The set is refused whole if a book is, if two books have the same number or name,
 * or if the directory has no book. `error->text` names the file.
 *
 * @param dir
 *   Path of the directory.
 * @param error
 *   Filled on failure; may be NULL.
 * @return
 *   The set, to be released with lp_bookset_free(), or NULL.
 */
struct lp_bookset *lp_bookset_load(const char *dir, struct lp_error *error);

/**
 * Some books of a set, as a set of its own: what lp_bookset_choose() may choose from.
 *
 * The books and their numbers are those of `set`, which must outlive the subset and is not changed.
 *
 * @param set
 *   The set.
 * @param ids
 *   Numbers of books in it, in any order; a number may be repeated.
 * @param count
 *   How many numbers, at least 1.
 * @return
 *   The subset, to be released with lp_bookset_free(), or NULL with errno:
 *   - EINVAL: no number, or one without a book in `set`
 *   - ENOMEM: out of memory
 */
struct lp_bookset *lp_bookset_subset(
		const struct lp_bookset *set, const uint8_t *ids, unsigned int count);

/** Types that have a grouped book among these of a set, a bit for each. */
uint16_t lp_bookset_grouped_types(const struct lp_bookset *set, const struct lp_book_mask *among);

/**
 * The books of a set and one more, as a set of its own: to install a book while the old set is in
 * use. Both sets may be used and released independently of each other.
 *
 * @param set
 *   The set; not a subset.
 * @param cb
 *   The book; still to be released by the caller.
 * @param id
 *   Its number, 1 to LP_BOOK_IDS - 1. If its file has an `id` line, it must be the same.
 * @param error
 *   Filled on failure; may be NULL.
 * @return
 *   The set, to be released with lp_bookset_free(), or NULL if number or name are those of a book
 *   of `set`.
 */
struct lp_bookset *lp_bookset_extend(const struct lp_bookset *set, struct lp_codebook *cb,
		unsigned int id, struct lp_error *error);

/**
 * The books of a set but one, as a set of its own; see lp_bookset_extend().
 *
 * @param set
 *   The set; not a subset.
 * @param id
 *   Number of the book that is left out.
 * @return
 *   The set, to be released with lp_bookset_free(), or NULL with errno:
 *   - EINVAL: there is no such book, or no other
 *   - ENOMEM: out of memory
 */
struct lp_bookset *lp_bookset_without(const struct lp_bookset *set, unsigned int id);

/**
 * Release a set and its books, but not those of a subset; NULL is allowed. No thread may be using
 * it, and no subset of it may be left.
 */
void lp_bookset_free(struct lp_bookset *set);

/** lp_codebook_use_kernel() for all books; if one refuses, those before it have changed. */
int lp_bookset_use_kernel(struct lp_bookset *set, const char *name);

/**
 * Choose the book, phase and base that code a region in the fewest bytes, judged by a
 * sample of it.
 *
 * @param set
 *   The candidates.
 * @param src
 *   The region.
 * @param len
 *   Its length in bytes.
 * @param limit
 *   Bytes from which on a body is of no use: saves time on regions that nothing can shorten.
 * @param params
 *   Receives phase and base.
 * @param body_bytes
 *   Receives the estimated bytes of the body.
 * @return
 *   Number of the book, or 0 if no body is expected to be shorter than the limit.
 */
uint8_t lp_bookset_choose(const struct lp_bookset *set, const uint8_t *src, size_t len,
		size_t limit, struct lp_params *params, size_t *body_bytes);

/** As lp_bookset_choose(), but only among the books of the set that are in `usable`. */
uint8_t lp_bookset_choose_usable(const struct lp_bookset *set, const struct lp_book_mask *usable,
		const uint8_t *src, size_t len, size_t limit, struct lp_params *params,
		size_t *body_bytes);

/**
 * As lp_bookset_choose_usable(), but only among books of the element type of one of them, at a
 * known phase: for a region that goes on with a tensor, at a fraction of the time.
 *
 * @param like
 *   Number of a book of the set.
 * @param phase
 *   Bytes of the first element that precede the region, less than an element's.
 * @return
 *   As lp_bookset_choose_usable(); 0 as well if a grouped book of another type with elements of
 *   the same size seems better.
 */
uint8_t lp_bookset_choose_like(const struct lp_bookset *set, const struct lp_book_mask *usable,
		uint8_t like, uint8_t phase, const uint8_t *src, size_t len, size_t limit,
		struct lp_params *params, size_t *body_bytes);

/**
 * Could a grouped book of another type, with elements of the same size, make shorter bodies than
 * this? If not, no look at a region is needed to know.
 *
 * @param book
 *   Number of a book of the set.
 * @param len
 *   Length of a region in bytes.
 * @param body_len
 *   Length of its body, coded with the book.
 */
bool lp_bookset_has_rival(const struct lp_bookset *set, const struct lp_book_mask *usable,
		uint8_t book, size_t len, size_t body_len);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_BOOKSET_H */
