/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_LATENCY_H
#define LINEPRESS_APP_LATENCY_H

/**
 * @file
 * How long frames stay: a histogram whose classes grow with the time, 16 to each doubling, so
 * that a class tells a time within 3.2 %. Made of counters as in counter.h.
 */

#include <rte_common.h>

#include "counter.h"

/** Base-2 logarithm of the classes to each doubling. */
#define LATENCY_SUB_LOG2 4

/** Longer times, some minutes, count as this: base-2 logarithm of TSC cycles. */
#define LATENCY_MAX_LOG2 40

/** Classes of a histogram. */
#define LATENCY_CLASSES ((LATENCY_MAX_LOG2 - LATENCY_SUB_LOG2 + 1) << LATENCY_SUB_LOG2)

/** Frames by time. */
struct latency {
	uint64_t frames[LATENCY_CLASSES];
};

/** Class of a time in TSC cycles. */
static inline unsigned int
latency_class(uint64_t cycles)
{
	const uint64_t bounded = RTE_MIN(cycles, (UINT64_C(1) << LATENCY_MAX_LOG2) - 1);
	const unsigned int shift = 63 - LATENCY_SUB_LOG2 -
			(unsigned int)__builtin_clzll(bounded | 1u << LATENCY_SUB_LOG2);

	return (shift << LATENCY_SUB_LOG2) + (unsigned int)(bounded >> shift);
}

/** Middle of a class in TSC cycles. */
static inline uint64_t
latency_cycles(unsigned int class)
{
	const unsigned int subs = 1u << LATENCY_SUB_LOG2;
	const unsigned int shift = class < 2 * subs ? 0 : class / subs - 1;

	return ((uint64_t)(class - shift * subs) << shift) + (UINT64_C(1) << shift) / 2;
}

/** Count frames that stayed some TSC cycles; only the lcore that owns the histogram may. */
static inline void
latency_record(struct latency *latency, uint64_t cycles, uint32_t frames)
{
	counter_add(&latency->frames[latency_class(cycles)], frames);
}

#endif /* LINEPRESS_APP_LATENCY_H */
