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
	return (uint8_t)(lp_rotl8(byte) - base);
}

static inline uint8_t
rotated_byte(uint8_t symbol, unsigned int base)
{
	return lp_rotr8((uint8_t)(symbol + base));
}

static inline uint8_t
symbol_of(uint8_t byte, bool rotated, unsigned int base)
{
	return rotated ? rotated_symbol(byte, base) : byte;
}

static inline uint8_t
byte_of(uint8_t symbol, bool rotated, unsigned int base)
{
	return rotated ? rotated_byte(symbol, base) : symbol;
}

/* Bits of a code, or of the escape and the symbol, at most. */
#define SYMBOL_BITS_MAX (LP_HUFFMAN_BITS_MAX + 8)

int
lp_huffman_encode_portable(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_huffman *h = &cb->huffman;
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;
	const unsigned int base = params->base;
	struct lp_bit_writer w;
	size_t bits = 0, i = 0;

	for (size_t k = 0; k < len; k++)
		bits += h->code_len[symbol_of(src[k], rotated, base)];
	if (rotated + (bits + 7) / 8 > dst_cap)
		return 0;

	if (rotated)
		dst[0] = params->base;
	lp_bits_init(&w, dst + rotated, dst + dst_cap);
	for (; i + 3 <= len; i += 3) {
		const uint8_t a = symbol_of(src[i], rotated, base);
		const uint8_t b = symbol_of(src[i + 1], rotated, base);
		const uint8_t c = symbol_of(src[i + 2], rotated, base);
		const unsigned int two = h->code_len[a] + h->code_len[b];

		static_assert(3 * SYMBOL_BITS_MAX <= 64, "three symbols do not fit in a word");
		lp_bits_put(&w,
				h->code[a] | (uint64_t)h->code[b] << h->code_len[a] |
						(uint64_t)h->code[c] << two,
				two + h->code_len[c]);
	}
	for (; i < len; i++) {
		const uint8_t s = symbol_of(src[i], rotated, base);

		lp_bits_put(&w, h->code[s], h->code_len[s]);
	}
	return (int)(lp_bits_finish(&w) - dst);
}

/* Decode one symbol from bits that start with it; returns how many it takes. */
static inline unsigned int
decode_symbol(const struct lp_huffman *h, uint64_t bits, uint8_t *symbol)
{
	const struct lp_huffman_entry entry = h->entry[bits & ((1u << LP_HUFFMAN_BITS_MAX) - 1)];
	const unsigned int length = entry.length & ~LP_HUFFMAN_F_ESCAPE;

	*symbol = entry.symbol;
	if (__builtin_expect((entry.length & LP_HUFFMAN_F_ESCAPE) == 0, 1))
		return length;
	*symbol = (uint8_t)(bits >> length);
	return length + 8;
}

int
lp_huffman_decode_portable(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_huffman *h = &cb->huffman;
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;
	size_t pos = 0, i = 0;
	uint8_t s;

	(void)phase;
	if (body_len < rotated)
		return -EBADMSG;
	const unsigned int base = rotated ? body[0] : 0;

	body += rotated;
	body_len -= rotated;
	/* A load has 57 good bits: three symbols whatever they are. */
	for (; i + 3 <= len && pos / 8 + 8 <= body_len; i += 3) {
		uint64_t bits = lp_load64(body + pos / 8) >> pos % 8;

		static_assert(3 * SYMBOL_BITS_MAX <= 57, "three symbols do not fit in a load");
		for (unsigned int k = 0; k < 3; k++) {
			const unsigned int taken = decode_symbol(h, bits, &s);

			dst[i + k] = byte_of(s, rotated, base);
			bits >>= taken;
			pos += taken;
		}
	}
	/*
	 * Past the end of the body there are zeros. pos is checked when all is done and cannot run
	 * away, as each of at most 65535 symbols takes at most SYMBOL_BITS_MAX bits.
	 */
	for (; i < len; i++) {
		pos += decode_symbol(h, lp_bits_at(body, body_len, pos), &s);
		dst[i] = byte_of(s, rotated, base);
	}
	if ((pos + 7) / 8 != body_len)
		return -EBADMSG;
	if (pos % 8 != 0 && body[pos / 8] >> pos % 8 != 0)
		return -EBADMSG;
	return 0;
}
