/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Inner loops of sampling, portable. */

#include <string.h>

#include "planes.h"
#include "sample.h"

static inline __attribute__((always_inline)) void
take(enum lp_type type, size_t bytes, const uint8_t *elements, size_t count, unsigned int first,
		unsigned int end, uint8_t *symbol)
{
	for (unsigned int run = first; run < end; run++) {
		const uint8_t *p = elements + lp_sample_run(count, run) * bytes;

		for (unsigned int k = 0; k < LP_SAMPLE_RUN; k++)
			symbol[run * LP_SAMPLE_RUN + k] = lp_exponent_at(type, p + k * bytes);
	}
}

static void
exponents(enum lp_type type, const uint8_t *elements, size_t count, unsigned int first,
		unsigned int end, uint8_t *symbol)
{
	switch (type) {
	case LP_TYPE_BF16:
		take(LP_TYPE_BF16, 2, elements, count, first, end, symbol);
		break;
	case LP_TYPE_FP16:
		take(LP_TYPE_FP16, 2, elements, count, first, end, symbol);
		break;
	case LP_TYPE_FP32:
		take(LP_TYPE_FP32, 4, elements, count, first, end, symbol);
		break;
	case LP_TYPE_E4M3:
		take(LP_TYPE_E4M3, 1, elements, count, first, end, symbol);
		break;
	default:
		take(LP_TYPE_E5M2, 1, elements, count, first, end, symbol);
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

const struct lp_sample_kernel lp_sample_portable = { exponents, mean, savings, bits };
