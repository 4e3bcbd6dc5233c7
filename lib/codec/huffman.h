/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_HUFFMAN_H
#define LP_HUFFMAN_H

/**
 * @file
 * What the Huffman kernels share.
 *
 * Body: the base (1 byte) if the symbol is rotated, then one LSB-first bit stream of a code
 * for each byte of the region, filled up with zero bits to a full byte. The escape's code is
 * followed by the symbol itself, 8 bits.
 */

#include "bits.h"
#include "book.h"
#include "turn.h"

/** Bits of a code, or of the escape and the symbol, at most. */
#define LP_HUFFMAN_SYMBOL_BITS_MAX (LP_HUFFMAN_BITS_MAX + 8)

/** Append a code for each of `n` bytes; false, with nothing appended, if there is no room. */
bool lp_huffman_put(const struct lp_huffman *h, struct lp_turn turn, struct lp_bit_writer *w,
		const uint8_t *src, size_t n);

/** A body that is being decoded. */
struct lp_huffman_reader {
	const uint8_t *src; /**< the bit stream */
	size_t len;	    /**< its bytes */
	size_t pos;	    /**< bits that have been decoded */
};

/** Decode `n` symbols; the reader may have got past the end of the stream. */
void lp_huffman_get(
		const struct lp_huffman *h, struct lp_huffman_reader *r, uint8_t *symbol, size_t n);

/** Does the stream end where the reader is, with zeros as padding? 0 or -EBADMSG. */
int lp_huffman_end(const struct lp_huffman_reader *r);

#endif /* LP_HUFFMAN_H */
