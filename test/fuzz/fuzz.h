/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

/**
 * @file
 * What all fuzz targets share. A target is a file with the two functions that libFuzzer calls; it
 * is linked with libFuzzer, or with driver.c into a program that needs no compiler of its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "linepress/bookset.h"
#include "linepress/wire.h"

/** Stop if something that must hold does not: both drivers keep the input of an abort. */
#define FUZZ_CHECK(condition)                                                             \
	do {                                                                              \
		if (!(condition)) {                                                       \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
					#condition);                                      \
			abort();                                                          \
		}                                                                         \
	} while (0)

/** Called once, before all inputs. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/** Called with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** An input that is read from its front. Behind its end there are zeros. */
struct fuzz_input {
	const uint8_t *p;
	size_t left;
};

static inline uint8_t
fuzz_byte(struct fuzz_input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->p++;
}

static inline uint16_t
fuzz_half(struct fuzz_input *in)
{
	const uint16_t high = fuzz_byte(in);

	return (uint16_t)(high << 8 | fuzz_byte(in));
}

/** Memory that ends where no byte may be touched. */
struct fuzz_edge {
	uint8_t *end;
};

/** Map at least `len` bytes. */
struct fuzz_edge fuzz_edge_map(size_t len);

/** Put bytes where the next byte may not be touched. */
uint8_t *fuzz_edge_put(const struct fuzz_edge *edge, const void *bytes, size_t len);

/** A file in memory with these bytes, of mode 0600, and its path; the same file at each call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/**
 * Make the checksum of an IPv4 header right, behind any VLAN tags: only one change in 65536 would
 * get past it.
 */
void fuzz_fix_ip_cksum(uint8_t *frame, size_t len);

/** Start the EAL without devices, or exit. */
void fuzz_eal_start(void);

/** The shipped books, or exit. */
struct lp_bookset *fuzz_books(void);

/** The key of all targets: that of the golden files. */
extern const struct lp_key fuzz_key;

#endif /* TEST_FUZZ_H */
