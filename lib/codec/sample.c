/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Sampling: which phase and base of a book code a region best.
 *
 * A sample of LP_SAMPLE_SYMBOLS symbols, in short runs spread over the region, is counted once
 * for each view of the bytes (element type and phase). The coded length of the sample is then a
 * short sum of counts times code lengths for any book and base.
 */

#include <string.h>

#include "book.h"
#include "grouped.h"
#include "planes.h"
#include "sample.h"

#define LOG2_ERROR 23 /* 256ths: the chord is at most 0.0861 too low */

#define RUN_LEN 8 /* neighbours in memory: one load of 16 bytes, or one cache line */

/* At least 256 log2(n), and exactly 0 for 0 and 1. */
static unsigned int
log2_up(unsigned int n)
{
	if (n < 2)
		return 0;
	const unsigned int k = 31 - (unsigned int)__builtin_clz(n);

	return 256 * k + ((n << 8) >> k) - 256 + LOG2_ERROR;
}

/* Views: a type with an exponent and a phase, then bytes, then rotated bytes. */
static unsigned int
view_of(const struct lp_codebook *cb, unsigned int phase)
{
	static const uint8_t first[LP_TYPE_COUNT] = {
		[LP_TYPE_BF16] = 0,
		[LP_TYPE_FP16] = 2,
		[LP_TYPE_FP32] = 4,
		[LP_TYPE_E4M3] = 8,
		[LP_TYPE_E5M2] = 9,
	};

	if (cb->info.symbol == LP_SYMBOL_EXPONENT)
		return first[cb->info.type] + phase;
	return cb->info.symbol == LP_SYMBOL_BYTE ? 10 : 11;
}

/* Index of the first element of a run: one in each equal part, at a varying place in it, so
 * that a period in the tensor does not meet the period of the sample.
 */
static size_t
run_start(size_t count, unsigned int run)
{
	const unsigned int runs = LP_SAMPLE_SYMBOLS / RUN_LEN;
	const size_t part = count / runs;
	const uint32_t spread = (run * UINT32_C(0x9e3779b1)) >> 16;

	return run * part + (spread * (part - RUN_LEN + 1) >> 16);
}

/* Symbol at p. Inlined into loops in which type and symbol are constants. */
static inline uint8_t
symbol_at(enum lp_type type, enum lp_symbol symbol, const uint8_t *p)
{
	if (symbol == LP_SYMBOL_EXPONENT)
		return lp_exponent_at(type, p);
	return symbol == LP_SYMBOL_BYTE ? *p : lp_rotl8(*p);
}

static inline __attribute__((always_inline)) void
count_symbols(enum lp_type type, enum lp_symbol symbol, size_t bytes, const uint8_t *elements,
		size_t count, uint8_t *counts)
{
	if (count <= LP_SAMPLE_SYMBOLS) {
		for (size_t i = 0; i < count; i++)
			counts[symbol_at(type, symbol, elements + i * bytes)]++;
		return;
	}
	for (unsigned int run = 0; run < LP_SAMPLE_SYMBOLS / RUN_LEN; run++) {
		const uint8_t *p = elements + run_start(count, run) * bytes;

		for (unsigned int k = 0; k < RUN_LEN; k++)
			counts[symbol_at(type, symbol, p + k * bytes)]++;
	}
}

static void
count_view(const struct lp_codebook *cb, const uint8_t *elements, size_t count, uint8_t *counts)
{
	memset(counts, 0, 256);
	if (cb->info.symbol == LP_SYMBOL_BYTE)
		count_symbols(LP_TYPE_BYTES, LP_SYMBOL_BYTE, 1, elements, count, counts);
	else if (cb->info.symbol == LP_SYMBOL_ROTATED)
		count_symbols(LP_TYPE_BYTES, LP_SYMBOL_ROTATED, 1, elements, count, counts);
	else if (cb->info.type == LP_TYPE_BF16)
		count_symbols(LP_TYPE_BF16, LP_SYMBOL_EXPONENT, 2, elements, count, counts);
	else if (cb->info.type == LP_TYPE_FP16)
		count_symbols(LP_TYPE_FP16, LP_SYMBOL_EXPONENT, 2, elements, count, counts);
	else if (cb->info.type == LP_TYPE_FP32)
		count_symbols(LP_TYPE_FP32, LP_SYMBOL_EXPONENT, 4, elements, count, counts);
	else if (cb->info.type == LP_TYPE_E4M3)
		count_symbols(LP_TYPE_E4M3, LP_SYMBOL_EXPONENT, 1, elements, count, counts);
	else
		count_symbols(LP_TYPE_E5M2, LP_SYMBOL_EXPONENT, 1, elements, count, counts);
	/* Once more the first counts, so that a window may run over the end of the range. */
	if (cb->info.symbol == LP_SYMBOL_EXPONENT)
		memcpy(counts + lp_type_exponents(cb->info.type), counts, LP_GROUPED_WINDOW);
}

void
lp_sample_init(struct lp_sample *sample, const uint8_t *src, size_t len)
{
	sample->src = src;
	sample->len = len;
	sample->counted = 0;
}

/* Sum of products: counts times lengths of codes. */
static inline uint32_t
dot(const uint8_t *restrict a, const uint8_t *restrict b, unsigned int n)
{
	uint32_t sum = 0;

	for (unsigned int k = 0; k < n; k++)
		sum += (uint32_t)a[k] * b[k];
	return sum;
}

/* Most frequent exponent besides 0. */
static unsigned int
most_frequent(const uint8_t *counts, unsigned int exponents)
{
	uint8_t most = 0;
	unsigned int mode = 1;

	for (unsigned int e = 1; e < exponents; e++)
		most = counts[e] > most ? counts[e] : most;
	while (mode < exponents - 1 && counts[mode] != most)
		mode++;
	return most > 0 ? mode : 0;
}

/*
 * Bits of the sample: as if all were escaped, less what the window saves. Bases tried are those
 * around the most frequent exponent, which a book's delta 0 stands for.
 */
static unsigned int
best_grouped_base(
		const struct lp_codebook *cb, uint8_t *counts, unsigned int sampled, uint8_t *best)
{
	const struct lp_grouped *g = &cb->grouped;
	const unsigned int exponents = lp_type_exponents(cb->info.type);
	const unsigned int mode = most_frequent(counts, exponents);
	const unsigned int reach = exponents < 16 ? exponents / 2 : 8;
	const uint8_t zeros = counts[0];
	unsigned int fixed = sampled * g->longest, most = 0;

	if (g->zero_slot != LP_NO_SLOT) {
		counts[0] = counts[exponents] = 0;
		fixed -= zeros * (g->longest - g->slot_length[g->zero_slot]);
	}
	for (unsigned int k = 0; k < 2 * reach; k++) {
		const unsigned int base = (mode + exponents - reach + k) & (exponents - 1);
		const unsigned int first = (g->window + base) & (exponents - 1);
		const unsigned int saved = dot(counts + first, g->window_saving, LP_GROUPED_WINDOW);

		if (saved > most || k == 0) {
			most = saved;
			*best = (uint8_t)base;
		}
	}
	counts[0] = counts[exponents] = zeros;
	return fixed - most;
}

static unsigned int
huffman_bits(const struct lp_huffman *h, const uint8_t *counts, unsigned int base)
{
	/* Lengths from symbol -base on, around the circle. */
	const unsigned int turn = -base & 255;

	return dot(counts, h->code_len + turn, 256 - turn) +
			dot(counts + 256 - turn, h->code_len, turn);
}

/* All bases a sixteenth of the range apart, then finer; steps of 2 leave the sign alone. */
static unsigned int
best_rotated_base(const struct lp_codebook *cb, const uint8_t *counts, uint8_t *best)
{
	unsigned int least = UINT32_MAX, middle = 0;

	for (unsigned int step = 16; step >= 2; step /= 2) {
		const unsigned int first = step == 16 ? 0 : middle - step;
		const unsigned int tries = step == 16 ? 16 : 3;

		for (unsigned int k = 0; k < tries; k++) {
			const unsigned int base = (first + k * step) & 255;
			const unsigned int bits = huffman_bits(&cb->huffman, counts, base);

			if (bits < least) {
				least = bits;
				*best = (uint8_t)base;
			}
		}
		middle = *best;
	}
	return least;
}

/* Bytes of the body that are the same whatever the base, in all and for the code alone. */
static size_t
fixed_bytes(const struct lp_codebook *cb, const struct lp_span *span)
{
	if (cb->info.kind == LP_KIND_HUFFMAN)
		return cb->info.symbol == LP_SYMBOL_ROTATED;
	return 1 + span->lead + span->tail + lp_raw_bytes(cb->info.type, span->count);
}

/* Counts of a view of the region, made if this is the first look at it. */
static uint8_t *
view_counts(const struct lp_codebook *cb, struct lp_sample *sample, unsigned int phase,
		const struct lp_span *span)
{
	const unsigned int view = view_of(cb, phase);

	if ((sample->counted >> view & 1) == 0) {
		count_view(cb, sample->src + span->lead, span->count, sample->count[view]);
		sample->counted |= 1u << view;
	}
	return sample->count[view];
}

/*
 * No prefix code is shorter on the sample than its entropy, n log n - sum of c log c. The
 * logarithm is rounded up: a chord of the curve, in 256ths, and its largest error.
 */
size_t
lp_sample_byte_floor(const struct lp_codebook *cb, struct lp_sample *sample)
{
	const struct lp_span span = lp_span_of(LP_TYPE_BYTES, 0, sample->len);
	const size_t sampled = span.count < LP_SAMPLE_SYMBOLS ? span.count : LP_SAMPLE_SYMBOLS;
	const uint8_t *counts = view_counts(cb, sample, 0, &span);
	uint32_t gain = 0, log = 0;

	for (unsigned int s = 0; s < 256; s++)
		gain += counts[s] * log2_up(counts[s]);
	log = (uint32_t)sampled * (log2_up((unsigned int)sampled) - LOG2_ERROR);
	return log > gain ? (log - gain) * span.count / sampled / (8 * 256) : 0;
}

/* Body bytes of a region at one phase, and the base that gives them. */
static size_t
estimate(const struct lp_codebook *cb, struct lp_sample *sample, unsigned int phase, size_t limit,
		uint8_t *base)
{
	const enum lp_type type = cb->info.element_bytes > 1 ? cb->info.type : LP_TYPE_BYTES;
	const struct lp_span span = lp_span_of(type, phase, sample->len);
	const size_t sampled = span.count < LP_SAMPLE_SYMBOLS ? span.count : LP_SAMPLE_SYMBOLS;
	const size_t fixed = fixed_bytes(cb, &span);
	unsigned int bits;

	*base = 0;
	if (span.count == 0 || fixed >= limit)
		return span.count == 0 ? sample->len + 1 : fixed;

	uint8_t *counts = view_counts(cb, sample, phase, &span);

	if (cb->info.kind == LP_KIND_GROUPED)
		bits = best_grouped_base(cb, counts, (unsigned int)sampled, base);
	else if (cb->info.symbol == LP_SYMBOL_ROTATED)
		bits = best_rotated_base(cb, counts, base);
	else
		bits = huffman_bits(&cb->huffman, counts, 0);
	return fixed + (bits * span.count / sampled + 7) / 8;
}

size_t
lp_codebook_choose(const struct lp_codebook *cb, struct lp_sample *sample, size_t limit,
		struct lp_params *params)
{
	size_t least = limit;

	for (unsigned int phase = 0; phase < cb->info.element_bytes; phase++) {
		uint8_t base;
		const size_t bytes = estimate(cb, sample, phase, least, &base);

		if (bytes < least) {
			least = bytes;
			*params = (struct lp_params){ (uint8_t)phase, base };
		}
	}
	return least;
}
