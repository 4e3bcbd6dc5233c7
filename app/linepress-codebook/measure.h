/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef MEASURE_H
#define MEASURE_H

/**
 * @file
 * What different ways of coding make of a shard, which is 64 KiB of a tensor.
 *
 * The limits are the Shannon entropy of a shard, and a Huffman code built for it and sent along as
 * 4 bits of length for each symbol from the first to the last that occurs. Both are told of two
 * alphabets: all bytes as they are, as in the papers; and the top byte of each element after a
 * rotation by one (the exponent field; of fp16 also 3 bits of the mantissa; all of an 8-bit type),
 * the rest being raw. A third alphabet, of types whose top byte has more, is the exponent field
 * alone, as in our grouped codes.
 *
 * Fixed books code packets of 4 KiB as the appliance would, with the shim of a RoCE packet counted;
 * every packet is decoded again and compared.
 */

#include <stddef.h>
#include <stdint.h>

#include "linepress/bookset.h"
#include "schemes.h"

#define SHARD_BYTES 65536

/** Ways of coding. */
enum method {
	METHOD_BYTE_SHANNON,
	METHOD_BYTE_HUFFMAN,
	METHOD_SHANNON,
	METHOD_HUFFMAN,
	METHOD_FIELD_SHANNON, /**< exponent field alone, of types whose top byte has more */
	METHOD_FIELD_HUFFMAN,
	METHOD_SCHEME,				/**< the first of as many as there are schemes */
	METHOD_BOOKS = METHOD_SCHEME + SCHEMES, /**< all books of a set, as the appliance chooses */
	METHODS,
};

/** Sums over shards, in bytes after coding. */
struct figures {
	double bytes;
	double coded[METHODS];
	/** Without what comes in addition: tables of Huffman codes, shims, regions sent raw. */
	double bare[METHODS];
	/** 8-bit quantisation, the lossy reference: bytes, and squares of values and errors. */
	double quantised, signal, noise;
};

/** Where packets go. */
struct measurement {
	enum lp_type type;
	const struct lp_bookset *books;
	const struct schemes *schemes; /**< NULL: of no interest, nor is quantisation */
	uint64_t packets[LP_BOOK_IDS]; /**< by book; 0: sent as they are */
};

/**
 * Measure a shard.
 *
 * @param len
 *   Bytes, at most SHARD_BYTES; whole elements.
 * @param f
 *   Receives the figures of this shard.
 * @return
 *   -1, or the offset of a packet that did not come back as it was.
 */
long measure_shard(struct measurement *m, const uint8_t *src, size_t len, struct figures *f);

/** Add the figures of one to another. */
void figures_add(struct figures *sum, const struct figures *f);

/** Percent of the bytes saved. */
double figures_saved(const struct figures *f, enum method method);

/** As figures_saved(), without what comes in addition to codes. */
double figures_saved_bare(const struct figures *f, enum method method);

/** 10 times the decimal logarithm of signal by noise of the quantisation; 0 if there is none. */
double figures_snr_db(const struct figures *f);

/** Is there a code for this method? */
bool method_is_there(const struct measurement *m, enum method method);

/** Name of a method as a key, e.g. "byte_shannon". */
const char *method_key(enum method method);

#endif /* MEASURE_H */
