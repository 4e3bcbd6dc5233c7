/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_LATENCY_SUMMARY_H
#define LINEPRESS_APP_LATENCY_SUMMARY_H

/**
 * @file
 * What a histogram of latencies says.
 */

#include <stdint.h>

#include "latency.h"

/** Times in nanoseconds, each within 3.2 %; 0 without samples. */
struct latency_summary {
	uint64_t samples; /**< frames */
	uint64_t p50_ns;
	uint64_t p90_ns;
	uint64_t p99_ns;
	uint64_t p999_ns;
	uint64_t max_ns;
};

/**
 * Sum up histograms.
 *
 * @param latency
 *   The histograms.
 * @param count
 *   Their number.
 * @param tsc_hz
 *   TSC cycles in a second.
 * @param summary
 *   Filled.
 */
void latency_summarize(const struct latency *latency, uint32_t count, uint64_t tsc_hz,
		struct latency_summary *summary);

#endif /* LINEPRESS_APP_LATENCY_SUMMARY_H */
