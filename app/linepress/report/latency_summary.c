/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include "latency_summary.h"

#define NS_PER_S 1e9

static uint64_t
class_ns(unsigned int class, uint64_t tsc_hz)
{
	return (uint64_t)((double)latency_cycles(class) * NS_PER_S / (double)tsc_hz + 0.5);
}

/* The time within which so many of 1000 frames stayed; there is at least one. */
static uint64_t
quantile_ns(const struct latency *latency, uint64_t samples, uint64_t permille, uint64_t tsc_hz)
{
	const uint64_t rank = samples / 1000 * permille + (samples % 1000 * permille + 999) / 1000;
	unsigned int class = 0;
	uint64_t seen = latency->frames[0];

	while (seen < rank)
		seen += latency->frames[++class];
	return class_ns(class, tsc_hz);
}

void
latency_summarize(const struct latency *latency, uint32_t count, uint64_t tsc_hz,
		struct latency_summary *summary)
{
	struct latency sum = { 0 };

	memset(summary, 0, sizeof(*summary));
	for (uint32_t i = 0; i < count; i++)
		for (unsigned int class = 0; class < LATENCY_CLASSES; class ++)
			sum.frames[class] += latency[i].frames[class];
	for (unsigned int class = 0; class < LATENCY_CLASSES; class ++)
		summary->samples += sum.frames[class];
	if (summary->samples == 0)
		return;
	summary->p50_ns = quantile_ns(&sum, summary->samples, 500, tsc_hz);
	summary->p90_ns = quantile_ns(&sum, summary->samples, 900, tsc_hz);
	summary->p99_ns = quantile_ns(&sum, summary->samples, 990, tsc_hz);
	summary->p999_ns = quantile_ns(&sum, summary->samples, 999, tsc_hz);
	summary->max_ns = quantile_ns(&sum, summary->samples, 1000, tsc_hz);
}
