/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_BOOKS_H
#define LINEPRESS_BOOKS_H

#include <stdio.h>

#include "linepress/bookset.h"

/**
 * Directory of the codebooks shipped with the program: those of the source tree for a program
 * that runs from its build directory, else those installed beside it, else where it was to be
 * installed.
 */
const char *codebook_dir(void);

/**
 * Load a directory of codebooks.
 *
 * @param dir
 *   The directory.
 * @param kernel
 *   Name of the kernel the books shall use, or NULL for the fastest.
 * @param error
 *   Its text receives the cause on failure.
 * @return
 *   The books, to be released with lp_bookset_free(), or NULL.
 */
struct lp_bookset *books_load(const char *dir, const char *kernel, struct lp_error *error);

/** A kernel failed its self-test with a book, which uses another. */
typedef void books_failure_fn(const char *kernel, const char *book, const char *used);

/** Tell of each kernel that a book would use, were it not for its self-test. */
void books_failures(const struct lp_bookset *books, books_failure_fn *tell);

/** Print the kernels of this build, fastest first, a line each, and whether they can run here. */
void books_print_kernels(FILE *out, const char *indent);

/** Name of the kernel that all books of a set use, or "several". */
const char *books_kernel(const struct lp_bookset *books);

#endif /* LINEPRESS_BOOKS_H */
