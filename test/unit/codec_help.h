/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_CODEC_HELP_H
#define TEST_CODEC_HELP_H

/**
 * @file
 * What the tests of the codec share: random numbers, tensor-like data, the shipped books,
 * memory that ends at a page nobody may touch, and the checks every region must pass.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"
#include "suite.h"

#define TEST_BOOKS_MAX 64
#define TEST_BOOK_TEXT_MAX 8192

/** Kinds of data; each is made for an element type. */
enum data_class {
	DATA_GAUSS,
	DATA_TINY,     /**< Gaussian, so small that narrow types are mostly subnormal */
	DATA_SCALES,   /**< Gaussian, another scale every 32 elements */
	DATA_ZEROS_50, /**< Gaussian, half of it zero */
	DATA_ZEROS_90,
	DATA_ZEROS_99,
	DATA_ALL_ZERO,
	DATA_CONSTANT,
	DATA_NAN_INF, /**< Gaussian, a tenth of it NaN or infinite */
	DATA_NOISE,   /**< uniform bytes */
	DATA_RAMP,    /**< numbers going up evenly through zero, again and again */
	DATA_COUNT,
};

/** A shipped book, and the text it was loaded from. */
struct test_book {
	struct lp_codebook *cb;
	struct lp_codebook_info info;
	char text[TEST_BOOK_TEXT_MAX];
};

/** Memory between two pages that must not be touched. */
struct guarded {
	uint8_t *start;
	uint8_t *end;
};

/** A number of a normal distribution of mean 0 and deviation 1. */
double test_random_normal(void);

/** Bits of the number in a type: nearest towards zero, at most the greatest finite one. */
uint32_t test_encode_number(enum lp_type type, double x);

const char *data_name(enum data_class data);

/** A region of `len` bytes that starts `phase` bytes into an element, another at each call. */
void data_region(enum lp_type type, enum data_class data, unsigned int phase, uint8_t *dst,
		size_t len);

/**
 * Load the shipped books of a kind, or with LP_KIND_COUNT all that are used by default, which area
 * books are not; returns how many.
 */
unsigned int test_books_load(enum lp_kind kind, struct test_book *book);

void test_books_free(struct test_book *book, unsigned int books);

/** Make a book use the kernel that LP_TEST_KERNEL names, if that is set; exit 77 if it cannot. */
void test_use_kernel(struct lp_codebook *cb);

/** Values an exponent field of a type can have: what the base of a grouped book is below. */
unsigned int test_exponents(enum lp_type type);

/** A random base that a book allows. */
uint8_t test_random_base(const struct lp_codebook_info *info);

/** Map `len` bytes, rounded up to pages, between two guard pages. */
struct guarded guarded_map(size_t len);

void guarded_unmap(struct guarded *g);

/**
 * Encode and decode a region in all the ways a caller may: output unlimited, exactly limited and
 * a byte too short; body whole, a byte short and a byte long. Tells on stdout what went wrong.
 */
bool region_survives(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len);

/** Encode and decode with every buffer allocated to the exact byte. */
bool region_survives_in_exact_memory(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len);

/**
 * Decode a body at both edges of guarded memory, which must have the same outcome: 0 or -EBADMSG;
 * anything else is wrong. `out` has room for 32 bytes more than the region.
 */
int decode_at_edges(const struct lp_codebook *cb, unsigned int phase, const uint8_t *body,
		size_t body_len, size_t len, const struct guarded *in, const struct guarded *out);

/** Decode every body one bit away from this one, at both edges of guarded memory. */
bool flipped_bits_stay_inside(const struct lp_codebook *cb, unsigned int phase, const uint8_t *body,
		size_t body_len, size_t len);

/** Decode bodies of random bytes, at both edges of guarded memory. */
bool random_bodies_stay_inside(const struct lp_codebook *cb, unsigned int bodies);

/** Do the two agree? If not, tells the first offset at which they differ. */
bool regions_equal(const uint8_t *got, const uint8_t *want, size_t len);

#endif /* TEST_CODEC_HELP_H */
