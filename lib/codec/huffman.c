/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Portable Huffman kernel.
 *
 * Body: the base (1 byte) if the symbol is rotated, then one LSB-first bit stream of a code
 * for each byte of the region, filled up with zero bits to a full byte. The escape's code is
 * followed by the symbol itself, 8 bits.
 */

#include <errno.h>

#include "bits.h"
#include "book.h"

static inline uint8_t
rotated_symbol(uint8_t byte, unsigned int base)
{
	return (uint8_t)((byte << 1 | byte >> 7) - base);
}

static inline uint8_t
rotated_byte(uint8_t symbol, unsigned int base)
{
	const uint8_t v = (uint8_t)(symbol + base);

	return (uint8_t)(v >> 1 | v << 7);
}

int
lp_huffman_encode_portable(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_huffman *h = &cb->huffman;
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;
	struct lp_bit_writer w;
	size_t bits = 0;

	for (size_t i = 0; i < len; i++)
		bits += h->code_len[rotated ? rotated_symbol(src[i], params->base) : src[i]];
	if (rotated + (bits + 7) / 8 > dst_cap)
		return 0;

	if (rotated)
		dst[0] = params->base;
	lp_bits_init(&w, dst + rotated, dst + dst_cap);
	for (size_t i = 0; i < len; i++) {
		const uint8_t s = rotated ? rotated_symbol(src[i], params->base) : src[i];

		lp_bits_put(&w, h->code[s], h->code_len[s]);
	}
	return (int)(lp_bits_finish(&w) - dst);
}

int
lp_huffman_decode_portable(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_huffman *h = &cb->huffman;
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;
	size_t pos = 0;

	(void)phase;
	if (body_len < rotated)
		return -EBADMSG;
	const unsigned int base = rotated ? body[0] : 0;

	body += rotated;
	body_len -= rotated;
	for (size_t i = 0; i < len; i++) {
		/* At least 57 bits, or what is left and then zeros; pos is checked at the end,
		 * and cannot run away: each of at most 65535 symbols takes at most 19 bits.
		 */
		const uint64_t bits = lp_bits_at(body, body_len, pos);
		const struct lp_huffman_entry entry =
				h->entry[bits & ((1u << LP_HUFFMAN_BITS_MAX) - 1)];
		const unsigned int length = entry.length & ~LP_HUFFMAN_F_ESCAPE;
		uint8_t s = entry.symbol;

		pos += length;
		if (entry.length & LP_HUFFMAN_F_ESCAPE) {
			s = (uint8_t)(bits >> length);
			pos += 8;
		}
		dst[i] = rotated ? rotated_byte(s, base) : s;
	}
	if ((pos + 7) / 8 != body_len)
		return -EBADMSG;
	if (pos % 8 != 0 && body[pos / 8] >> pos % 8 != 0)
		return -EBADMSG;
	return 0;
}
