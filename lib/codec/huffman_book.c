/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Derived tables of a Huffman code. */

#include "book.h"

static unsigned int
reverse_bits(unsigned int code, unsigned int length)
{
	unsigned int reversed = 0;

	for (unsigned int k = 0; k < length; k++)
		reversed |= (code >> k & 1) << (length - 1 - k);
	return reversed;
}

void
lp_canonical_codes(const uint8_t *length, unsigned int symbols, uint16_t *code)
{
	unsigned int next = 0;

	for (unsigned int bits = 1; bits <= 15; bits++, next <<= 1)
		for (unsigned int s = 0; s < symbols; s++)
			if (length[s] == bits)
				code[s] = (uint16_t)reverse_bits(next++, bits);
}

static void
derive_encoder(struct lp_huffman *h, const uint16_t *code)
{
	const unsigned int escape_len = h->length[LP_HUFFMAN_ESCAPE];

	h->shortest = LP_HUFFMAN_BITS_MAX;
	for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++) {
		const unsigned int length = h->length[s];

		if (length > 0) {
			h->code_low[s] = (uint8_t)code[s];
			h->code_high[s] = (uint8_t)(code[s] >> 8 | length << 4);
			h->shortest = length < h->shortest ? (uint8_t)length : h->shortest;
		}
		if (s == LP_HUFFMAN_ESCAPE)
			break;
		h->code[s] = length > 0 ? code[s] : code[LP_HUFFMAN_ESCAPE] | s << escape_len;
		h->code_len[s] = (uint8_t)(length > 0 ? length : escape_len + 8);
		h->code_len[256 + s] = h->code_len[s];
		h->code_top[s] = (uint64_t)h->code[s] << (64 - h->code_len[s]) | h->code_len[s];
	}
}

static void
derive_decoder(struct lp_huffman *h, const uint16_t *code)
{
	const unsigned int full = 1u << LP_HUFFMAN_BITS_MAX;

	for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++) {
		const unsigned int length = h->length[s];

		for (unsigned int k = code[s]; length > 0 && k < full; k += 1u << length) {
			h->step[k] = s == LP_HUFFMAN_ESCAPE ? LP_HUFFMAN_STEP_ESCAPE
							    : (uint8_t)length;
			h->symbol[k] = (uint8_t)s;
			h->entry[k] = (uint16_t)(h->step[k] | h->symbol[k] << 8);
		}
	}
	for (unsigned int k = 0; k < full; k++) {
		const unsigned int first = h->step[k],
				   next = first > LP_HUFFMAN_BITS_MAX ? 0 : k >> first;
		const unsigned int both = first + h->step[next];

		h->pair[k] = both <= LP_HUFFMAN_BITS_MAX
				? LP_HUFFMAN_PAIR(both, 2, h->symbol[k], h->symbol[next])
				: LP_HUFFMAN_PAIR(first, 1, h->symbol[k], 0);
	}
}

bool
lp_huffman_derive(struct lp_huffman *h, struct lp_error *error)
{
	const unsigned int full = 1u << LP_HUFFMAN_BITS_MAX;
	const unsigned int escape_len = h->length[LP_HUFFMAN_ESCAPE];
	uint16_t code[LP_HUFFMAN_SYMBOLS] = { 0 };
	unsigned int used = 0, missing = 0;

	for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++)
		if (h->length[s] > 0)
			used += full >> h->length[s];
		else if (s != LP_HUFFMAN_ESCAPE)
			missing++;
	if (used != full)
		return lp_error_set(error, 0,
				"code lengths use %u of %u parts of the code space: must be all",
				used, full);
	if (missing > 0 && escape_len == 0)
		return lp_error_set(
				error, 0, "%u bytes have no code, and there is no escape", missing);

	lp_canonical_codes(h->length, LP_HUFFMAN_SYMBOLS, code);
	derive_encoder(h, code);
	derive_decoder(h, code);
	return true;
}
