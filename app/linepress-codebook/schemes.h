/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef SCHEMES_H
#define SCHEMES_H

/**
 * @file
 * Ways to code tensors with fixed books: those of the papers and ours, one kind of code each.
 */

#include "linepress/bookset.h"

#define SCHEME_BOOKS_MAX 16

enum scheme {
	SCHEME_FIXED,	/**< one Huffman code of bytes as they are: arXiv 2601.10673 */
	SCHEME_DUAL,	/**< Dual Length Code: arXiv 2602.17849v1 */
	SCHEME_QUAD,	/**< Quad Length Code: arXiv 2602.17849v2 */
	SCHEME_GROUPED, /**< ours, of aligned exponents */
	SCHEME_HUFFMAN, /**< ours, up to 4 books of bytes, aligned if they are floats */
	SCHEME_AREA,	/**< ours, as the one before */
	SCHEMES,
};

/** Books of each scheme for one type of element; none where there are none. */
struct schemes {
	const struct lp_codebook *book[SCHEMES][SCHEME_BOOKS_MAX];
	unsigned int books[SCHEMES];
	struct lp_codebook *owned[SCHEMES * SCHEME_BOOKS_MAX]; /**< those that are of no set */
	unsigned int nb_owned;
};

/**
 * Take the books of our schemes from a set and load the others from directories `papers` and `area`
 * of the shipped ones.
 *
 * @param books
 *   Must outlive the schemes.
 * @return
 *   0, or -1 having said why.
 */
int schemes_load(struct schemes *s, enum lp_type type, const struct lp_bookset *books);

/** Fit the books of all schemes to a profile. 0, or -1 having said why. */
int schemes_fit(struct schemes *s, enum lp_type type, const char *profile);

/** Release the books. */
void schemes_free(struct schemes *s);

#endif /* SCHEMES_H */
