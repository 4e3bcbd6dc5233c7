/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>

#include "measure.h"

#define MULTIPLICATIONS 2000
#define CYCLES_PER_MULTIPLICATION 3
#define NOPS 36000
#define QUIET_NOPS_PER_CYCLE 5.2
#define QUIET_SHARE 10 /* one sample of so many, or the core was busy */

#define TSC_SECONDS 0.05
#define OVERHEAD_ROUNDS 1000

/*
 * Cycles of the core, not of the TSC: dependent multiplications take three each on any x86 of
 * today. (Additions of a constant may take none: Golden Cove does several when it renames.)
 * The nops are such that every op cache holds them, which takes no more than 8 of 32 bytes on some,
 * and their loop is long and aligned, as Zen 5 loses a cycle each time around.
 */
bool
measure_is_quiet(void)
{
#ifdef __x86_64__
	const uint64_t start = rte_rdtsc();
	uint64_t x = 1;

	for (int i = 0; i < MULTIPLICATIONS; i++)
		__asm__ volatile("imul %0, %0" : "+r"(x));
	const uint64_t middle = rte_rdtsc();

	for (int i = 0; i < NOPS / 120; i++)
		__asm__ volatile(".p2align 6\n .rept 120\n nopl 0x40(%rax)\n .endr");
	const uint64_t end = rte_rdtsc();

	const double cycles = CYCLES_PER_MULTIPLICATION * MULTIPLICATIONS * (double)(end - middle) /
			(double)(middle - start);

	return NOPS / cycles > QUIET_NOPS_PER_CYCLE;
#else
	return false;
#endif
}

bool
measure_was_busy(uint64_t samples, uint64_t quiet)
{
#ifdef __x86_64__
	return quiet * QUIET_SHARE < samples;
#else
	(void)samples;
	(void)quiet;
	return false;
#endif
}

void
measure_print_quiet(FILE *out, uint64_t samples, uint64_t quiet)
{
	fprintf(out, "%" PRIu64 " of %" PRIu64 " samples were quiet\n", quiet, samples);
	if (measure_was_busy(samples, quiet))
		fprintf(out,
				"warning: fewer than %d %% of the samples were quiet: figures are those of a "
				"busy core, or of one that retires few nops a cycle at any time\n",
				100 / QUIET_SHARE);
}

void
timing_add(struct timing *timing, uint64_t cycles, bool quiet)
{
	if (timing->samples++ == 0 || cycles < timing->best)
		timing->best = cycles;
	timing->quiet += quiet;
}

void
stopwatch_start(struct stopwatch *watch)
{
	watch->quiet = measure_is_quiet();
	watch->start = rte_rdtsc_precise();
}

uint64_t
stopwatch_stop(const struct stopwatch *watch, struct timing *timing)
{
	const uint64_t cycles = rte_rdtsc_precise() - watch->start;

	timing_add(timing, cycles, watch->quiet && measure_is_quiet());
	return cycles;
}

double
measure_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
measure_tsc_hz(void)
{
	static double hz;

	if (hz > 0)
		return hz;
	const double start = measure_now();
	const uint64_t cycles = rte_rdtsc_precise();
	double now;

	do
		now = measure_now();
	while (now - start < TSC_SECONDS);
	hz = (double)(rte_rdtsc_precise() - cycles) / (now - start);
	return hz;
}

uint64_t
measure_overhead(void)
{
	static uint64_t least;

	for (int k = 0; least == 0 && k < OVERHEAD_ROUNDS; k++) {
		const uint64_t start = rte_rdtsc_precise();
		const uint64_t cycles = rte_rdtsc_precise() - start;

		least = k == 0 || cycles < least ? cycles : least;
	}
	return least;
}

const char *
measure_cpu(void)
{
	static char line[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "model name", strlen("model name")) != 0)
			continue;
		char *name = strchr(line, ':');

		fclose(f);
		line[strcspn(line, "\n")] = '\0';
		return name == NULL ? "unknown" : name + strspn(name, ": ");
	}
	if (f != NULL)
		fclose(f);
	return "unknown";
}
