/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_UNPACK_H
#define LP_GROUPED_UNPACK_H

/**
 * @file
 * The sparse bits of grouped codes, unpacked with pdep.
 *
 * Level j has as many bits as level j-1 has ones, so that counting the ones of the packed bits
 * tells where each run starts before anything is unpacked: all runs can then be unpacked in one
 * pass, word by word.
 */

#include <immintrin.h>
#include <string.h>

#include "grouped_shape.h"

#define LP_RUNS_MAX LP_GROUPED_SPARSE_MAX(LP_GROUPED_CHUNK) /**< bytes */
#define LP_RUNS_STEP 64					    /**< bytes counted at once */

/** Where runs start, or where the next bits of each are; in bits. */
struct lp_runs_at {
	size_t level[LP_GROUPS_MAX]; /**< from 1 on */
	size_t suffix[LP_GROUP_SUFFIX_MAX];
	size_t end;
};

/** The sparse bits of a chunk. */
struct lp_runs {
	size_t bits; /**< as many as there can be */
	/** Ones before each word of 64 bits. */
	uint32_t ones[LP_RUNS_MAX / 8 + LP_RUNS_STEP / 8];
	/** The bits, then zeros: loads run over the end. */
	uint8_t copy[LP_RUNS_MAX + 2 * LP_RUNS_STEP];
};

/* Copy what may be sparse bits; what precedes them in the body is readable too. */
static LP_ALWAYS_INLINE void
lp_runs_copy(struct lp_runs *r, const uint8_t *src, size_t len)
{
	const __m256i zero = _mm256_setzero_si256();

	r->bits = 8 * len;
	if (len < 32) {
		memset(r->copy, 0, 32);
		memcpy(r->copy, src, len);
	} else {
		for (size_t i = 0; i < len - 31; i += 32)
			_mm256_storeu_si256((void *)(r->copy + i),
					_mm256_loadu_si256((const void *)(src + i)));
		_mm256_storeu_si256((void *)(r->copy + len - 32),
				_mm256_loadu_si256((const void *)(src + len - 32)));
	}
	for (size_t i = 0; i < 3; i++)
		_mm256_storeu_si256((void *)(r->copy + len + 32 * i), zero);
}

static LP_ALWAYS_INLINE void
lp_runs_count(struct lp_runs *r)
{
	uint32_t ones = 0;

	for (size_t word = 0; 64 * word <= r->bits; word += LP_RUNS_STEP / 8) {
#pragma GCC unroll 8
		for (size_t k = 0; k < LP_RUNS_STEP / 8; k++) {
			r->ones[word + k] = ones;
			ones += lp_popcount64(lp_load64(r->copy + 8 * (word + k)));
		}
	}
}

static LP_ALWAYS_INLINE size_t
lp_runs_ones_before(const struct lp_runs *r, size_t pos)
{
	if (pos > r->bits)
		pos = r->bits;
	return r->ones[pos / 64] +
			lp_popcount64(_bzhi_u64(lp_load64(r->copy + pos / 64 * 8), pos % 64));
}

/** Lay out the runs of n elements, `beyond` of them beyond group 0; they may end after the body. */
static LP_ALWAYS_INLINE struct lp_runs_at
lp_runs_lay_out(const struct lp_runs *r, const struct lp_shape *s, size_t n, size_t beyond)
{
	size_t total[LP_GROUPS_MAX] = { beyond };
	size_t pos = 0, before = 0;
	struct lp_runs_at at = { .end = 0 };

#pragma GCC unroll 8
	for (unsigned int j = 1; j < LP_GROUPS_MAX - 1; j++) {
		if (j + 1u >= s->groups)
			break;
		at.level[j] = pos;
		pos += total[j - 1];

		const size_t ones = lp_runs_ones_before(r, pos);

		total[j] = ones - before;
		before = ones;
	}
	at.end = lp_shape_lay_out_suffixes(s, n, total, pos, at.suffix);
	return at;
}

/** Do the runs end in the body, with zero bits up to a full byte? */
static LP_ALWAYS_INLINE bool
lp_runs_are_whole(const struct lp_runs *r, size_t end)
{
	return end <= r->bits && (end % 8 == 0 || r->copy[end / 8] >> end % 8 == 0);
}

/** Unpack the next bits of a run; if `few`, the mask has at most 57 bits. */
static LP_ALWAYS_INLINE uint64_t
lp_runs_unpack(const struct lp_runs *r, size_t *pos, uint64_t mask, bool few)
{
	const uint8_t *const p = r->copy + *pos / 8;
	uint64_t bits = lp_load64(p) >> *pos % 8;

	if (!few)
		bits |= (uint64_t)p[8] << 1 << (63 - *pos % 8);
	*pos += lp_popcount64(mask);
	return _pdep_u64(bits, mask);
}

#endif /* LP_GROUPED_UNPACK_H */
