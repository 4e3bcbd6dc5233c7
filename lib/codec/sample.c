/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Sampling: which phase and base of a book code a region best.
 *
 * LP_SAMPLE_SYMBOLS symbols, in short runs spread over the region, are taken once for each view of
 * the bytes (element type and phase). Kernels price a grouped book on them directly, with a byte
 * look-up for each symbol; Huffman and area books are priced on their histogram.
 */

#include <string.h>

#include "book.h"
#include "grouped.h"
#include "planes.h"
#include "sample.h"

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
	memset(sample->taken, 0, sizeof(sample->taken));
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

/* Counts of a histogram are bytes. */
#define BYTES_MAX (LP_SAMPLE_SYMBOLS - LP_SAMPLE_RUN)

static unsigned int
at_most(size_t count, unsigned int max)
{
	return count < max ? (unsigned int)count : max;
}

/*
 * Exponents of a view, at least the first `symbols` of the sample. If the region has fewer than
 * that, they are all there, followed by copies of the first up to a multiple of 32.
 */
static const uint8_t *
view_exponents(const struct lp_codebook *cb, struct lp_sample *sample, unsigned int phase,
		const struct lp_span *span, unsigned int symbols)
{
	const enum lp_type type = cb->info.type;
	const unsigned int view = view_of(cb, phase), runs = symbols / LP_SAMPLE_RUN;
	const unsigned int whole = at_most(span->count, symbols) / 32 * (32 / LP_SAMPLE_RUN);
	const uint8_t *elements = sample->src + span->lead;
	uint8_t *const symbol = sample->symbol[view], *const taken = &sample->taken[view];

	if (*taken >= runs)
		return symbol;
	if (*taken < whole)
		lp_book_kernel(cb)->sample->exponents(
				type, elements, span->count, *taken, whole, symbol);
	if (span->count < symbols) {
		for (size_t k = whole * LP_SAMPLE_RUN; k < span->count; k++)
			symbol[k] = lp_exponent_at(type, elements + k * lp_type_traits[type].bytes);
		memset(symbol + span->count, symbol[0], -span->count % 32);
	}
	*taken = (uint8_t)runs;
	return symbol;
}

/* Histogram of the bytes. */
static const uint8_t *
count_bytes(struct lp_sample *sample)
{
	const unsigned int sampled = at_most(sample->len, BYTES_MAX);
	const bool whole = sample->len <= BYTES_MAX;
	uint8_t *const count = sample->symbol[VIEW_BYTES];

	if (sample->taken[VIEW_BYTES] != 0)
		return count;
	sample->taken[VIEW_BYTES] = 1;
	memset(count, 0, 256);
	for (unsigned int k = 0; k < sampled; k += LP_SAMPLE_RUN) {
		const size_t first = whole ? k : lp_sample_run(sample->len, k / LP_SAMPLE_RUN);
		const uint8_t *p = sample->src + first;

		for (unsigned int i = 0; i < LP_SAMPLE_RUN && k + i < sampled; i++)
			count[p[i]]++;
	}
	return count;
}

/* Histogram of the bytes rotated, in which the upper half of the bytes is odd. */
static const uint8_t *
count_rotated(struct lp_sample *sample)
{
	const uint8_t *const bytes = count_bytes(sample);
	uint8_t *const count = sample->symbol[VIEW_ROTATED];

	if (sample->taken[VIEW_ROTATED] != 0)
		return count;
	sample->taken[VIEW_ROTATED] = 1;
	for (unsigned int s = 0; s < 128; s++) {
		count[2 * s] = bytes[s];
		count[2 * s + 1] = bytes[128 + s];
	}
	return count;
}

/* ---- grouped books ---- */

/* Bits that a symbol is shorter than if it were escaped. */
static unsigned int
saving_of(const struct lp_grouped *g, unsigned int range, uint8_t symbol, unsigned int base)
{
	const unsigned int delta = (symbol - g->window - base) & range;

	if (symbol == 0 && g->zero_slot != LP_NO_SLOT)
		return g->longest - g->slot_length[g->zero_slot];
	return delta < LP_GROUPED_WINDOW ? g->window_saving[delta] : 0;
}

/* Exponents under trial, and what is best so far. */
struct bases {
	const struct lp_codebook *cb;
	const uint8_t *symbol;
	unsigned int n;
	uint32_t saved;
	uint8_t best;
};

static void
try_bases(struct bases *b, unsigned int first, unsigned int tries)
{
	const struct lp_grouped *g = &b->cb->grouped;
	const unsigned int range = lp_type_exponents(b->cb->info.type) - 1, pad = -b->n % 32;
	uint32_t saved[LP_SAMPLE_TRIES];

	lp_book_kernel(b->cb)->sample->savings(
			g, range, b->symbol, b->n + pad, first, 2, tries, saved);
	for (unsigned int k = 0; k < tries; k++) {
		const unsigned int base = (first + 2 * k) & range;

		if (pad > 0)
			saved[k] -= pad * saving_of(g, range, b->symbol[0], base);
		if (saved[k] > b->saved) {
			b->saved = saved[k];
			b->best = (uint8_t)base;
		}
	}
}

/*
 * Bits of the symbols, as if all were escaped less what the window saves. Bases are tried around
 * the mean, every other one first and then the neighbours of the best.
 */
static unsigned int
best_grouped_base(
		const struct lp_codebook *cb, const uint8_t *symbol, unsigned int n, uint8_t *best)
{
	const unsigned int range = lp_type_exponents(cb->info.type) - 1;
	const unsigned int near = at_most(n + -n % 32, LP_SAMPLE_QUICK);
	const unsigned int first = lp_book_kernel(cb)->sample->mean(symbol, near) - 8;
	struct bases b = { .cb = cb, .symbol = symbol, .n = n, .best = (uint8_t)(first & range) };

	try_bases(&b, first, LP_SAMPLE_TRIES);
	try_bases(&b, b.best - 1u, 2);
	*best = b.best;
	return n * cb->grouped.longest - b.saved;
}

/* ---- Huffman and area books ---- */

/* All bases a sixteenth of the range apart, then finer; steps of 2 leave the sign alone. */
static unsigned int
best_rotated_base(const struct lp_codebook *cb, const uint8_t *counts, uint8_t *best)
{
	/* Bits, then the base: branches would be mispredicted. */
	uint32_t least = UINT32_MAX;

	for (unsigned int step = 16; step >= 2; step /= 2) {
		const unsigned int first = step == 16 ? 0 : (least & 255) - step;
		const unsigned int tries = step == 16 ? 16 : 3;
		uint32_t bits[16];

		lp_book_kernel(cb)->sample->bits(
				counts, lp_book_code_len(cb), first, step, tries, bits);
		for (unsigned int k = 0; k < tries; k++) {
			const uint32_t priced = bits[k] << 8 | ((first + k * step) & 255);

			least = priced < least ? priced : least;
		}
	}
	*best = (uint8_t)least;
	return least >> 8;
}

/* Without a base. */
static unsigned int
byte_bits(const struct lp_codebook *cb, const uint8_t *counts)
{
	uint32_t bits;

	lp_book_kernel(cb)->sample->bits(counts, lp_book_code_len(cb), 0, 1, 1, &bits);
	return bits;
}

#define LOG2_ERROR 23 /* 256ths: the chord is at most 0.0861 too low */

/*
 * At least 256 log2(n), n > 1: a chord of the curve, as exponent and mantissa of a float are, and
 * its largest error. Compilers make vectors of it.
 */
static inline uint32_t
log2_up(uint32_t n)
{
	union {
		float number;
		uint32_t bits;
	} f = { .number = (float)n };

	return (f.bits >> 15) - (127 << 8) + LOG2_ERROR;
}

/* No prefix code is shorter on the sample than its entropy, n log n - sum of c log c. */
size_t
lp_sample_byte_floor(struct lp_sample *sample)
{
	const struct lp_span span = lp_span_of(LP_TYPE_BYTES, 0, sample->len);
	const unsigned int sampled = at_most(span.count, BYTES_MAX);
	const uint8_t *counts = count_bytes(sample);
	uint32_t gain = 0, log = 0;

	if (sampled < 2)
		return 0;
	for (unsigned int s = 0; s < 256; s++)
		gain += counts[s] < 2 ? 0 : counts[s] * log2_up(counts[s]);
	log = sampled * (log2_up(sampled) - LOG2_ERROR);
	return log > gain ? (log - gain) * span.count / sampled / (8 * 256) : 0;
}

/* Bytes of the body that are the same whatever the base, in all and for the code alone. */
static size_t
fixed_bytes(const struct lp_codebook *cb, const struct lp_span *span)
{
	if (cb->info.kind != LP_KIND_GROUPED)
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

	for (unsigned int run = 0; run < at_most(span.count, LP_SAMPLE_SYMBOLS) / LP_SAMPLE_RUN;
			run += 2) {
		const uint8_t *p = sample->src + span.lead + lp_sample_run(span.count, run) * bytes;
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
	const bool grouped = cb->info.kind == LP_KIND_GROUPED;
	const unsigned int sampled = at_most(span.count, grouped ? symbols : BYTES_MAX);
	const size_t fixed = fixed_bytes(cb, &span);
	unsigned int bits;

	*base = 0;
	if (span.count == 0 || fixed >= limit)
		return span.count == 0 ? sample->len + 1 : fixed;
	if (grouped)
		bits = best_grouped_base(cb, view_exponents(cb, sample, phase, &span, symbols),
				sampled, base);
	else if (cb->info.symbol == LP_SYMBOL_ROTATED)
		bits = best_rotated_base(cb, count_rotated(sample), base);
	else
		bits = byte_bits(cb, count_bytes(sample));
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

/* A neighbour must code this part of a bit a symbol better, or the sample's noise would decide. */
#define MOVE_PART 12

size_t
lp_codebook_adjust(const struct lp_codebook *cb, const uint8_t *src, size_t len,
		struct lp_params *params)
{
	const struct lp_grouped *g = &cb->grouped;
	const struct lp_span span = span_of(cb, params->phase, len);
	const unsigned int n = LP_ADJUST_SYMBOLS, first = params->base - 1u;
	uint32_t saved[LP_ADJUST_BASES];

	if (cb->info.kind != LP_KIND_GROUPED || span.count < LP_SAMPLE_SYMBOLS)
		return 0;
	lp_book_kernel(cb)->sample->neighbours(
			g, cb->info.type, src + span.lead, span.count, first, saved);

	const unsigned int to = saved[2] > saved[0] ? 2 : 0;

	if (saved[to] > saved[1] + n / MOVE_PART) {
		params->base = (uint8_t)((first + to) & (lp_type_exponents(cb->info.type) - 1));
		saved[1] = saved[to];
	}
	return fixed_bytes(cb, &span) + ((n * g->longest - saved[1]) * span.count / n + 7) / 8;
}
