/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Inner loops of sampling, portable. */

#include <string.h>

#include "planes.h"
#include "sample.h"

static inline __attribute__((always_inline)) void
take_run(enum lp_type type, const uint8_t *elements, unsigned int n, uint8_t *symbol)
{
	for (unsigned int k = 0; k < n; k++)
		symbol[k] = lp_exponent_at(type, elements + k * lp_type_traits[type].bytes);
}

static inline __attribute__((always_inline)) void
take(enum lp_type type, const uint8_t *elements, size_t count, unsigned int first, unsigned int end,
		uint8_t *symbol)
{
	for (unsigned int run = first; run < end; run++)
		take_run(type, elements + lp_sample_run(count, run) * lp_type_traits[type].bytes,
				LP_SAMPLE_RUN, symbol + run * LP_SAMPLE_RUN);
}

static void
exponents(enum lp_type type, const uint8_t *elements, size_t count, unsigned int first,
		unsigned int end, uint8_t *symbol)
{
	switch (type) {
	case LP_TYPE_BF16:
		take(LP_TYPE_BF16, elements, count, first, end, symbol);
		break;
	case LP_TYPE_FP16:
		take(LP_TYPE_FP16, elements, count, first, end, symbol);
		break;
	case LP_TYPE_FP32:
		take(LP_TYPE_FP32, elements, count, first, end, symbol);
		break;
	case LP_TYPE_E4M3:
		take(LP_TYPE_E4M3, elements, count, first, end, symbol);
		break;
	default:
		take(LP_TYPE_E5M2, elements, count, first, end, symbol);
	}
}

static unsigned int
mean(const uint8_t *symbol, unsigned int n)
{
	unsigned int sum = 0, others = 0;

	for (unsigned int k = 0; k < n; k++) {
		sum += symbol[k];
		others += symbol[k] != 0;
	}
	return others > 0 ? (sum + others / 2) / others : 0;
}

static void
savings(const struct lp_grouped *g, unsigned int range, const uint8_t *symbol, unsigned int n,
		unsigned int first, unsigned int step, unsigned int tries, uint32_t *saved)
{
	uint16_t count[256] = { 0 };
	uint32_t zeros = 0;

	for (unsigned int k = 0; k < n; k++)
		count[symbol[k]]++;
	if (g->zero_slot != LP_NO_SLOT) {
		zeros = count[0] * (uint32_t)(g->longest - g->slot_length[g->zero_slot]);
		count[0] = 0;
	}
	for (unsigned int t = 0; t < tries; t++) {
		const unsigned int window = g->window + first + t * step;

		saved[t] = zeros;
		for (unsigned int k = 0; k < LP_GROUPED_WINDOW; k++)
			saved[t] += (uint32_t)count[(window + k) & range] * g->window_saving[k];
	}
}

static void
neighbours(const struct lp_grouped *g, enum lp_type type, const uint8_t *elements, size_t count,
		unsigned int first, uint32_t *saved)
{
	uint8_t symbol[LP_ADJUST_SYMBOLS];

	for (unsigned int run = 0; run < LP_ADJUST_RUNS; run++)
		take_run(type, elements + lp_adjust_run(count, run) * lp_type_traits[type].bytes,
				LP_ADJUST_RUN, symbol + run * LP_ADJUST_RUN);
	savings(g, lp_type_exponents(type) - 1, symbol, LP_ADJUST_SYMBOLS, first, 1,
			LP_ADJUST_BASES, saved);
}

static void
bits(const uint8_t *count, const uint8_t *length, unsigned int first, unsigned int step,
		unsigned int tries, uint32_t *bits)
{
	for (unsigned int t = 0; t < tries; t++) {
		/* Lengths from symbol -base on, around the circle. */
		const uint8_t *turned = length + (-(first + t * step) & 255);

		bits[t] = 0;
		for (unsigned int k = 0; k < 256; k++)
			bits[t] += (uint32_t)count[k] * turned[k];
	}
}

const struct lp_sample_kernel lp_sample_portable = { exponents, mean, savings, neighbours, bits };
