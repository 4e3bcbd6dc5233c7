/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Sampling: which phase and base of a book code a region best.
 *
 * LP_SAMPLE_SYMBOLS symbols, in short runs spread over the region, are taken once for each view of
 * the bytes (element type and phase). Kernels price a grouped book on them directly, with a byte
 * look-up for each symbol; Huffman books are priced on their histogram.
 */

#include <string.h>

#include "book.h"
#include "grouped.h"
#include "sample.h"

#define LOG2_ERROR 23 /* 256ths: the chord is at most 0.0861 too low */

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
enum { VIEW_BYTES = 10, VIEW_ROTATED };

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
	return cb->info.symbol == LP_SYMBOL_BYTE ? VIEW_BYTES : VIEW_ROTATED;
}

void
lp_sample_init(struct lp_sample *sample, const uint8_t *src, size_t len)
{
	sample->src = src;
	sample->len = len;
	sample->taken = 0;
}

static enum lp_type
element_type(const struct lp_codebook *cb)
{
	return cb->info.element_bytes > 1 ? cb->info.type : LP_TYPE_BYTES;
}

static struct lp_span
span_of(const struct lp_codebook *cb, unsigned int phase, size_t len)
{
	return lp_span_of(element_type(cb), phase, len);
}

static unsigned int
symbols_of(const struct lp_span *span)
{
	return span->count < LP_SAMPLE_SYMBOLS ? (unsigned int)span->count : LP_SAMPLE_SYMBOLS;
}

/* Symbols of a view, taken if this is the first look at it. */
static const uint8_t *
view_symbols(const struct lp_codebook *cb, struct lp_sample *sample, unsigned int phase,
		const struct lp_span *span)
{
	const unsigned int view = view_of(cb, phase);
	uint8_t *symbol = sample->symbol[view];

	if ((sample->taken >> view & 1) == 0) {
		cb->kernel->sample->exponents(
				cb->info.type, sample->src + span->lead, span->count, symbol);
		for (unsigned int k = symbols_of(span); k % 32 != 0; k++)
			symbol[k] = symbol[0];
		sample->taken |= 1u << view;
	}
	return symbol;
}

/* Histogram of the bytes, rotated or not. */
static const uint8_t *
view_counts(const struct lp_codebook *cb, struct lp_sample *sample)
{
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;
	const unsigned int view = rotated ? VIEW_ROTATED : VIEW_BYTES;
	uint8_t *count = sample->symbol[view];

	if ((sample->taken >> view & 1) == 0) {
		memset(count, 0, 256);
		for (unsigned int run = 0; run * LP_SAMPLE_RUN < LP_SAMPLE_SYMBOLS; run++) {
			size_t left;
			const uint8_t *p = sample->src + lp_sample_run(sample->len, run, &left);

			for (size_t k = 0; k < left; k++)
				count[rotated ? lp_rotl8(p[k]) : p[k]]++;
		}
		sample->taken |= 1u << view;
	}
	return count;
}

/* ---- grouped books ---- */

/* Mean exponent besides 0. */
static unsigned int
centre_of(const uint8_t *symbol, unsigned int n)
{
	unsigned int sum = 0, others = 0;

	for (unsigned int k = 0; k < n; k++) {
		sum += symbol[k];
		others += symbol[k] != 0;
	}
	return others > 0 ? (sum + others / 2) / others : 0;
}

/*
 * Bits of the sample, as if all were escaped less what the window saves. Bases are tried around
 * the mean, every other one first and then the neighbours of the best.
 */
static unsigned int
best_grouped_base(
		const struct lp_codebook *cb, const uint8_t *symbol, unsigned int n, uint8_t *best)
{
	const struct lp_grouped *g = &cb->grouped;
	const unsigned int range = lp_type_exponents(cb->info.type) - 1;
	const unsigned int coarse = centre_of(symbol, n) - 8;
	uint32_t saved[LP_SAMPLE_TRIES];
	unsigned int most = 0, near;

	cb->kernel->sample->savings(g, range, symbol, n, coarse, 2, LP_SAMPLE_TRIES, saved);
	*best = (uint8_t)(coarse & range);
	for (unsigned int k = 0; k < LP_SAMPLE_TRIES; k++) {
		if (saved[k] > most) {
			most = saved[k];
			*best = (uint8_t)((coarse + 2 * k) & range);
		}
	}
	near = *best - 1u;
	cb->kernel->sample->savings(g, range, symbol, n, near, 2, 2, saved);
	for (unsigned int k = 0; k < 2; k++) {
		if (saved[k] > most) {
			most = saved[k];
			*best = (uint8_t)((near + 2 * k) & range);
		}
	}
	return n * g->longest - most;
}

/* ---- Huffman books ---- */

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
			/* Lengths from symbol -base on, around the circle. */
			const unsigned int bits = cb->kernel->sample->bits(
					counts, cb->huffman.code_len + (-base & 255));

			if (bits < least) {
				least = bits;
				*best = (uint8_t)base;
			}
		}
		middle = *best;
	}
	return least;
}

/*
 * No prefix code is shorter on the sample than its entropy, n log n - sum of c log c. The
 * logarithm is rounded up: a chord of the curve, in 256ths, and its largest error.
 */
size_t
lp_sample_byte_floor(const struct lp_codebook *cb, struct lp_sample *sample)
{
	const struct lp_span span = lp_span_of(LP_TYPE_BYTES, 0, sample->len);
	const unsigned int sampled = symbols_of(&span);
	const uint8_t *counts = view_counts(cb, sample);
	uint32_t gain = 0, log = 0;

	for (unsigned int s = 0; s < 256; s++)
		gain += counts[s] * log2_up(counts[s]);
	log = sampled * (log2_up(sampled) - LOG2_ERROR);
	return log > gain ? (log - gain) * span.count / sampled / (8 * 256) : 0;
}

/* Bytes of the body that are the same whatever the base, in all and for the code alone. */
static size_t
fixed_bytes(const struct lp_codebook *cb, const struct lp_span *span)
{
	if (cb->info.kind == LP_KIND_HUFFMAN)
		return cb->info.symbol == LP_SYMBOL_ROTATED;
	return 1 + span->lead + span->tail + lp_raw_bytes(cb->info.type, span->count);
}

bool
lp_sample_repeats(const struct lp_codebook *cb, const struct lp_sample *sample, unsigned int phase)
{
	const struct lp_span span = span_of(cb, phase, sample->len);
	const size_t bytes = cb->info.element_bytes;
	const uint64_t low = bytes == 2 ? UINT64_C(0x0001000100010001) : UINT64_C(0x100000001);
	unsigned int equal = 0, pairs = 0;

	for (unsigned int run = 0; run * LP_SAMPLE_RUN < LP_SAMPLE_SYMBOLS; run++) {
		size_t n;
		const uint8_t *p = sample->src + span.lead +
				lp_sample_run(span.count, run, &n) * bytes;

		if (n < LP_SAMPLE_RUN)
			continue;
		/* Borrows, into the high byte of an element, where the low bytes are equal. */
		const uint64_t differ = (lp_load64(p) ^ lp_load64(p + bytes)) & 0xff * low;

		equal += lp_popcount64((differ - low) & ~differ & low << 15);
		pairs += (unsigned int)(8 / bytes);
	}
	return equal * 32 >= pairs;
}

size_t
lp_sample_estimate(const struct lp_codebook *cb, struct lp_sample *sample, unsigned int phase,
		unsigned int symbols, size_t limit, uint8_t *base)
{
	const struct lp_span span = span_of(cb, phase, sample->len);
	unsigned int sampled = symbols_of(&span);
	const size_t fixed = fixed_bytes(cb, &span);
	unsigned int bits;

	*base = 0;
	if (span.count == 0 || fixed >= limit)
		return span.count == 0 ? sample->len + 1 : fixed;
	if (cb->info.kind == LP_KIND_GROUPED) {
		sampled = sampled < symbols ? sampled : symbols;
		bits = best_grouped_base(cb, view_symbols(cb, sample, phase, &span), sampled, base);
	} else if (cb->info.symbol == LP_SYMBOL_ROTATED)
		bits = best_rotated_base(cb, view_counts(cb, sample), base);
	else
		bits = cb->kernel->sample->bits(view_counts(cb, sample), cb->huffman.code_len);
	return fixed + (bits * span.count / sampled + 7) / 8;
}

size_t
lp_codebook_choose(const struct lp_codebook *cb, struct lp_sample *sample, size_t limit,
		struct lp_params *params)
{
	size_t least = limit;

	for (unsigned int phase = 0; phase < cb->info.element_bytes; phase++) {
		uint8_t base;
		const size_t bytes = lp_sample_estimate(
				cb, sample, phase, LP_SAMPLE_SYMBOLS, least, &base);

		if (bytes < least) {
			least = bytes;
			*params = (struct lp_params){ (uint8_t)phase, base };
		}
	}
	return least;
}
