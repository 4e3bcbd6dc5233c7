/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_MEASURE_H
#define LINEPRESS_PERF_MEASURE_H

/**
 * @file
 * Timing on a processor that is shared with others.
 *
 * While the sibling of a hardware thread is busy, the same code takes up to twice as long. Each
 * sample is therefore bracketed by a short run of nops: a core that has its whole width for us
 * retires some 6 of them a cycle (AMD from Zen 3, Intel from Golden Cove on), half of it about
 * 3. Whatever disturbs a sample makes it slower, also between two quiet brackets: hence the
 * fastest counts, quiet or not, and how many were quiet tells how far to trust it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Best of the samples of one thing, in cycles of the TSC. */
struct timing {
	uint64_t best; /**< of all samples; 0 if there is none */
	uint32_t samples;
	uint32_t quiet; /**< of them */
};

/** A sample under way. */
struct stopwatch {
	uint64_t start;
	bool quiet; /**< so far */
};

/** Start a sample. */
void stopwatch_start(struct stopwatch *watch);

/** End a sample and keep it; returns its cycles. */
uint64_t stopwatch_stop(const struct stopwatch *watch, struct timing *timing);

/** Is the core quiet now? */
bool measure_is_quiet(void);

/** Keep a sample that was taken otherwise. */
void timing_add(struct timing *timing, uint64_t cycles, bool quiet);

/** Were so few samples quiet that they all may have been disturbed? */
bool measure_was_busy(uint64_t samples, uint64_t quiet);

/** Tell how many samples were quiet, and warn if they were few. */
void measure_print_quiet(FILE *out, uint64_t samples, uint64_t quiet);

/** Cycles of the TSC a second, measured at the first call. */
double measure_tsc_hz(void);

/** Cycles that reading the TSC twice takes itself, measured at the first call. */
uint64_t measure_overhead(void);

/** Seconds since some fixed moment. */
double measure_now(void);

/** Name of the processor. */
const char *measure_cpu(void);

#endif /* LINEPRESS_PERF_MEASURE_H */
