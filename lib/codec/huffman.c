/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Portable Huffman kernel, and the careful steps of the others. */

#include <errno.h>

#include "huffman.h"

bool
lp_huffman_put(const struct lp_huffman *h, struct lp_turn turn, struct lp_bit_writer *w,
		const uint8_t *src, size_t n)
{
	size_t bits = w->count, i = 0;

	for (size_t k = 0; k < n; k++)
		bits += h->code_len[lp_turn_symbol(turn, src[k])];
	if ((bits + 7) / 8 > (size_t)(w->end - w->next))
		return false;
	for (; i + 3 <= n; i += 3) {
		const uint8_t a = lp_turn_symbol(turn, src[i]);
		const uint8_t b = lp_turn_symbol(turn, src[i + 1]);
		const uint8_t c = lp_turn_symbol(turn, src[i + 2]);
		const unsigned int two = h->code_len[a] + h->code_len[b];

		static_assert(3 * LP_HUFFMAN_SYMBOL_BITS_MAX <= 64,
				"three symbols do not fit in a word");
		lp_bits_put(w,
				h->code[a] | (uint64_t)h->code[b] << h->code_len[a] |
						(uint64_t)h->code[c] << two,
				two + h->code_len[c]);
	}
	for (; i < n; i++) {
		const uint8_t s = lp_turn_symbol(turn, src[i]);

		lp_bits_put(w, h->code[s], h->code_len[s]);
	}
	return true;
}

int
lp_huffman_encode_portable(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_turn turn = lp_turn_of(cb, params->base);
	struct lp_bit_writer w;

	if (dst_cap < turn.rotated)
		return 0;
	lp_bits_init(&w, dst + turn.rotated, dst + dst_cap);
	if (!lp_huffman_put(&cb->huffman, turn, &w, src, len))
		return 0;
	if (turn.rotated)
		dst[0] = turn.base;
	return (int)(lp_bits_finish(&w) - dst);
}

/* Decode one symbol from bits that start with it; returns how many it takes. */
static inline unsigned int
decode_symbol(const struct lp_huffman *h, uint64_t bits, uint8_t *symbol)
{
	const unsigned int next = bits & ((1u << LP_HUFFMAN_BITS_MAX) - 1);
	const unsigned int step = h->step[next], escape_len = h->length[LP_HUFFMAN_ESCAPE];

	*symbol = h->symbol[next];
	if (__builtin_expect(step != LP_HUFFMAN_STEP_ESCAPE, 1))
		return step;
	*symbol = (uint8_t)(bits >> escape_len);
	return escape_len + 8;
}

void
lp_huffman_get(const struct lp_huffman *h, struct lp_huffman_reader *r, uint8_t *symbol, size_t n)
{
	size_t pos = r->pos, i = 0;

	/* A load has 57 good bits: three symbols whatever they are. */
	for (; i + 3 <= n && pos / 8 + 8 <= r->len; i += 3) {
		uint64_t bits = lp_load64(r->src + pos / 8) >> pos % 8;

		static_assert(3 * LP_HUFFMAN_SYMBOL_BITS_MAX <= 57,
				"three symbols do not fit in a load");
		for (unsigned int k = 0; k < 3; k++) {
			const unsigned int taken = decode_symbol(h, bits, &symbol[i + k]);

			bits >>= taken;
			pos += taken;
		}
	}
	for (; i < n && pos / 8 + 8 <= r->len; i++)
		pos += decode_symbol(h, lp_load64(r->src + pos / 8) >> pos % 8, &symbol[i]);
	/*
	 * Past the end of the body there are zeros. pos is checked when all is done and cannot run
	 * away, as each of at most 65535 symbols takes at most LP_HUFFMAN_SYMBOL_BITS_MAX bits.
	 */
	if (i < n && r->len >= 8) {
		const uint64_t last = lp_load64(r->src + r->len - 8);

		for (; i < n; i++) {
			const size_t left = r->len * 8 > pos ? r->len * 8 - pos : 0;

			pos += decode_symbol(h, left > 0 ? last >> (64 - left) : 0, &symbol[i]);
		}
	}
	for (; i < n; i++)
		pos += decode_symbol(h, lp_bits_at(r->src, r->len, pos), &symbol[i]);
	r->pos = pos;
}

int
lp_huffman_end(const struct lp_huffman_reader *r)
{
	if ((r->pos + 7) / 8 != r->len)
		return -EBADMSG;
	if (r->pos % 8 != 0 && r->src[r->pos / 8] >> r->pos % 8 != 0)
		return -EBADMSG;
	return 0;
}

int
lp_huffman_decode_portable(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;

	(void)phase;
	if (body_len < rotated)
		return -EBADMSG;
	const struct lp_turn turn = lp_turn_of(cb, rotated ? body[0] : 0);
	struct lp_huffman_reader r = { body + rotated, body_len - rotated, 0 };

	lp_huffman_get(&cb->huffman, &r, dst, len);
	for (size_t i = 0; rotated && i < len; i++)
		dst[i] = lp_turn_byte(turn, dst[i]);
	return lp_huffman_end(&r);
}

void
lp_huffman_decode_burst_portable(struct lp_decode_job **jobs, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		struct lp_decode_job *job = jobs[k];

		job->result = lp_huffman_decode_portable(
				job->cb, job->phase, job->body, job->body_len, job->dst, job->len);
	}
}
