/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_SAMPLE_H
#define LP_SAMPLE_H

/**
 * @file
 * Sampling of regions, and its inner loops as kernels have them.
 */

#include "book.h"
#include "linepress/codec.h"

/** Neighbours in memory: one load of 16 bytes, or one cache line. */
#define LP_SAMPLE_RUN 8

/** Bases priced in one go. */
#define LP_SAMPLE_TRIES 8

/** Symbols for a quick look at a grouped book, of which there are many. */
#define LP_SAMPLE_QUICK 64

/**
 * For a look at a base that was right for the region before, and at its neighbours: runs of symbols
 * that are neighbours in memory.
 */
#define LP_ADJUST_RUN 16
#define LP_ADJUST_RUNS 8
#define LP_ADJUST_SYMBOLS (LP_ADJUST_RUN * LP_ADJUST_RUNS)
#define LP_ADJUST_BASES 3

/** Inner loops of sampling; all kernels give the same numbers. */
struct lp_sample_kernel {
	/**
	 * Take the exponents of some runs, all of full length, of a sample of `count` elements.
	 *
	 * @param first, end
	 *   The runs, a multiple of 4.
	 * @param symbol
	 *   Receives them, those of run k from 8 k on.
	 */
	void (*exponents)(enum lp_type type, const uint8_t *elements, size_t count,
			unsigned int first, unsigned int end, uint8_t *symbol);
	/** Mean of n symbols, a multiple of 32 up to LP_SAMPLE_QUICK, without those that are 0. */
	unsigned int (*mean)(const uint8_t *symbol, unsigned int n);
	/**
	 * Bits that n symbols, a multiple of 32, are shorter than if all were escaped, for up to
	 * LP_SAMPLE_TRIES bases from `first` on, `step` apart, modulo range + 1.
	 */
	void (*savings)(const struct lp_grouped *g, unsigned int range, const uint8_t *symbol,
			unsigned int n, unsigned int first, unsigned int step, unsigned int tries,
			uint32_t *saved);
	/**
	 * The same for LP_ADJUST_SYMBOLS of `count` elements, no fewer than LP_SAMPLE_SYMBOLS, and
	 * for LP_ADJUST_BASES bases from `first` on.
	 */
	void (*neighbours)(const struct lp_grouped *g, enum lp_type type, const uint8_t *elements,
			size_t count, unsigned int first, uint32_t *saved);
	/**
	 * Sums of 256 counts, together at most 255, times lengths, for `tries` bases from `first`
	 * on, `step` apart; lengths are there twice in a row.
	 */
	void (*bits)(const uint8_t *count, const uint8_t *length, unsigned int first,
			unsigned int step, unsigned int tries, uint32_t *bits);
};

extern const struct lp_sample_kernel lp_sample_portable;
extern const struct lp_sample_kernel lp_sample_avx2;

#define LP_SAMPLE_RUNS (LP_SAMPLE_SYMBOLS / LP_SAMPLE_RUN)

/**
 * Where in one of the equal parts of a region a run starts, in 65536ths: varying, so that a period
 * in the tensor does not meet that of the sample.
 */
static inline uint32_t
lp_run_spread(unsigned int part)
{
	return (part * UINT32_C(0x9e3779b1)) >> 16;
}

/**
 * Index of the first element of a run of a sample. Of fewer than LP_SAMPLE_SYMBOLS elements all are
 * looked at, in order; of others one run in each equal part, in an order in which the first few are
 * spread, too.
 */
static inline size_t
lp_sample_run(size_t count, unsigned int run)
{
	const unsigned int place = run * 11 % LP_SAMPLE_RUNS;
	const size_t part = count / LP_SAMPLE_RUNS;

	if (count < LP_SAMPLE_SYMBOLS)
		return run * LP_SAMPLE_RUN;
	return place * part + (lp_run_spread(place) * (part - LP_SAMPLE_RUN + 1) >> 16);
}

/** Index of the first element of a run for a look at neighbours of a base. */
static inline size_t
lp_adjust_run(size_t count, unsigned int run)
{
	const size_t part = count / LP_ADJUST_RUNS;

	return run * part + (lp_run_spread(run) * (part - LP_ADJUST_RUN + 1) >> 16);
}

/** Bytes below which no book over bytes, rotated or not, can code the sampled region. */
size_t lp_sample_byte_floor(struct lp_sample *sample);

/**
 * Do the lowest bytes of neighbouring elements, of two bytes or more, repeat so often that books
 * over bytes may beat those over exponents? In tensors they are as good as random.
 */
bool lp_sample_repeats(
		const struct lp_codebook *cb, const struct lp_sample *sample, unsigned int phase);

/**
 * Estimated bytes of the body of a region at one phase, and the base that gives them. If not below
 * `limit`, merely some number that is not.
 *
 * @param symbols
 *   How many symbols of the sample to look at, for grouped books: LP_SAMPLE_QUICK or
 *   LP_SAMPLE_SYMBOLS.
 */
size_t lp_sample_estimate(const struct lp_codebook *cb, struct lp_sample *sample,
		unsigned int phase, unsigned int symbols, size_t limit, uint8_t *base);

#endif /* LP_SAMPLE_H */
