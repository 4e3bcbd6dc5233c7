/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_FIT_SET_H
#define LP_FIT_SET_H

/**
 * @file
 * Sets of codes over bytes, whatever the kind of code.
 */

#include "profile.h"

#define LP_FIT_BOOKS_MAX 16

/** A set that is being fitted: the first member of what a kind of code knows of it. */
struct lp_fit_set {
	/** Fit a book to its counts and fill in what its bytes cost. */
	void (*fit)(struct lp_fit_set *f, unsigned int book);
	/** Shards that a new book is tried to start from; 1 for just the one worst served. */
	unsigned int seeds;
	uint64_t count[LP_FIT_BOOKS_MAX][256];
	uint8_t cost[LP_FIT_BOOKS_MAX][256]; /**< bits of a byte, escaped or not */
};

/**
 * Divide the shards of a profile among books, and fit them, until that gains nothing.
 *
 * @return
 *   0; -EINVAL if the profile is of exponents or has fewer shards than books, or if these are not
 *   1 to LP_FIT_BOOKS_MAX; -ENOMEM.
 */
int lp_fit_set(struct lp_fit_set *f, struct lp_profile *p, unsigned int books);

/** Print the lines `profile-*` of a book; returns how many characters. */
int lp_fit_set_print(const struct lp_fit_set *f, unsigned int book, char *text);

#endif /* LP_FIT_SET_H */
