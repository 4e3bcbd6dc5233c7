/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Huffman encoder for AVX2 and BMI2.
 *
 * A bit stream is written by a chain of shifts, and waiting for that chain costs more than all the
 * rest. So several parts of the region are encoded side by side into buffers, from where they are
 * appended to the body, shifted. Only then is it checked that they fit, as their length is known
 * without having been counted before.
 */

#include <immintrin.h>

#include "huffman.h"
#include "huffman_x86.h"

#define PARTS 2
#define STEP 6		  /* symbols between two stores */
#define PART_SYMBOLS 2052 /* at most; a multiple of STEP */
#define PART_BYTES ((PART_SYMBOLS * LP_HUFFMAN_SYMBOL_BITS_MAX + 7) / 8 + 8)

/* Bits of a word that can be used: the lowest hold what is left of the lengths of codes. */
#define WORD_BITS 59

static_assert(LP_HUFFMAN_SYMBOL_BITS_MAX < 1 << (64 - WORD_BITS), "lengths are longer");

/*
 * What is kept in registers while a part is written. Codes come in at the top of the word, and
 * move those before them down. What was stored is not removed: only `count` tells where it ends.
 */
struct writer {
	uint64_t word;
	uint64_t count; /* bits not yet stored, in the low byte */
	uint8_t *next;
};

static inline void
put(const struct lp_huffman *h, struct writer *w, uint8_t symbol)
{
	const uint64_t code = h->code_top[symbol];

	w->word = w->word >> (code & 63) | code;
	w->count += code;
	/* One after the other: taken together they need more registers than there are. */
	__asm__("" : "+r"(w->word), "+r"(w->count));
}

static inline void
flush(struct writer *w)
{
	const unsigned int count = (uint8_t)w->count;

	lp_x86_store64(w->next, w->word >> (-count & 63));
	w->next += count / 8;
	w->count = count % 8;
}

static inline void
put_step(const struct lp_huffman *h, struct writer *w, const uint8_t *symbol)
{
	for (unsigned int k = 0; k < STEP; k++)
		put(h, w, symbol[k]);
	if (__builtin_expect((uint8_t)w->count > WORD_BITS, 0)) {
		/* Long codes, or escapes: one after the other again, from what flush() stored. */
		__asm__("" : "+r"(symbol)); /* keep nothing for this in registers */
		for (unsigned int k = 0; k < STEP; k++)
			w->count -= h->code_len[symbol[k]];
		w->count %= 8;
		w->word = w->count > 0 ? lp_x86_load64(w->next) << (64 - w->count) : 0;
		for (unsigned int k = 0; k < STEP; k++) {
			put(h, w, symbol[k]);
			flush(w);
		}
		return;
	}
	flush(w);
}

/* A part in its buffer. */
struct part {
	size_t bits;
	uint8_t bytes[PART_BYTES];
};

/* Encode PARTS times n symbols. */
static void
encode_parts(const struct lp_huffman *h, struct part *part, const uint8_t *symbol, size_t n)
{
	struct writer w[PARTS];

#pragma GCC unroll 8
	for (unsigned int k = 0; k < PARTS; k++)
		w[k] = (struct writer){ .next = part[k].bytes };
	for (size_t i = 0; i < n; i += STEP)
#pragma GCC unroll 8
		for (unsigned int k = 0; k < PARTS; k++)
			put_step(h, &w[k], symbol + k * n + i);
#pragma GCC unroll 8
	for (unsigned int k = 0; k < PARTS; k++) {
		part[k].bits = (size_t)(w[k].next - part[k].bytes) * 8 + w[k].count % 8;
	}
}

/* The words of a part are moved up by `shift` bits: what the i-th becomes, i > 0. */
static inline uint64_t
moved_word(const struct part *p, size_t i, unsigned int shift)
{
	return lp_x86_load64(p->bytes + 8 * i) << shift |
			lp_x86_load64(p->bytes + 8 * i - 8) >> 1 >> (63 - shift);
}

static inline __m256i
moved_words(const struct part *p, size_t i, __m128i shift, __m128i rest)
{
	const __m256i word = _mm256_loadu_si256((const __m256i *)(p->bytes + 8 * i));
	const __m256i before = _mm256_loadu_si256((const __m256i *)(p->bytes + 8 * i - 8));

	return _mm256_or_si256(_mm256_sll_epi64(word, shift), _mm256_srl_epi64(before, rest));
}

/* Append a part to the body, in which it fits. */
static void
append(struct lp_bit_writer *w, const struct part *p)
{
	const unsigned int shift = w->count;
	const __m128i left = _mm_cvtsi32_si128((int)shift);
	const __m128i right = _mm_cvtsi32_si128(64 - (int)shift);
	const size_t words = p->bits / 64;

	if (words > 0) {
		size_t i = 1;

		lp_x86_store64(w->next, lp_x86_load64(p->bytes) << shift | w->held);
		for (; i + 4 <= words; i += 4)
			_mm256_storeu_si256((__m256i *)(w->next + 8 * i),
					moved_words(p, i, left, right));
		for (; i < words; i++)
			lp_x86_store64(w->next + 8 * i, moved_word(p, i, shift));
		w->next += 8 * words;
		w->held = lp_x86_load64(p->bytes + 8 * words - 8) >> 1 >> (63 - shift);
	}
	lp_bits_put(w, lp_x86_load64(p->bytes + 8 * words) & lp_low_mask(p->bits % 64),
			p->bits % 64);
}

int
lp_huffman_encode_avx2(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_huffman *h = &cb->huffman;
	const struct lp_turn turn = lp_turn_of(cb, params->base);
	struct part part[PARTS];
	uint8_t turned[PARTS * PART_SYMBOLS];
	struct lp_bit_writer w;

	if (dst_cap < turn.rotated)
		return 0;
	lp_bits_init(&w, dst + turn.rotated, dst + dst_cap);
	while (len >= PARTS * STEP) {
		const size_t n = len < sizeof(turned) ? len / (PARTS * STEP) * STEP : PART_SYMBOLS;
		const uint8_t *symbol = src;
		size_t bits = w.count;

		if (turn.rotated) {
			for (size_t i = 0; i < PARTS * n; i++)
				turned[i] = lp_turn_symbol(turn, src[i]);
			symbol = turned;
		}
		encode_parts(h, part, symbol, n);
		for (unsigned int k = 0; k < PARTS; k++)
			bits += part[k].bits;
		if ((bits + 7) / 8 > (size_t)(w.end - w.next))
			return 0;
		for (unsigned int k = 0; k < PARTS; k++)
			append(&w, &part[k]);
		src += PARTS * n;
		len -= PARTS * n;
	}
	if (!lp_huffman_put(h, turn, &w, src, len))
		return 0;
	if (turn.rotated)
		dst[0] = turn.base;
	return (int)(lp_bits_finish(&w) - dst);
}
