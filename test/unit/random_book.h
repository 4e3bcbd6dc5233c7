/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_RANDOM_BOOK_H
#define TEST_RANDOM_BOOK_H

#include "linepress/codec.h"

/** A grouped book of random groups and ranks; `text` (TEST_BOOK_TEXT_MAX bytes) receives it. */
struct lp_codebook *random_book(char *text, enum lp_type type) __attribute__((nonnull));

/**
 * A Huffman book of random codes for so many symbols, always with an escape; `text`
 * (TEST_BOOK_TEXT_MAX bytes) receives it.
 */
struct lp_codebook *random_huffman_book(char *text, unsigned int symbols) __attribute__((nonnull));

/**
 * An area book of random areas, of so many prefix bits, and ranks: in the order of symbols, half
 * the time, or in any; `text` (TEST_BOOK_TEXT_MAX bytes) receives it.
 */
struct lp_codebook *random_area_book(char *text, unsigned int prefix_bits) __attribute__((nonnull));

#endif /* TEST_RANDOM_BOOK_H */
