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

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "grouped_shape.h"

#define LP_RUNS_MAX LP_GROUPED_SPARSE_MAX(LP_GROUPED_CHUNK) /**< bytes */
/** Bytes copied and counted at once: so many before the sparse bits are read, too. */
#define LP_RUNS_STEP 64

/** Where runs start, or where the next bits of each are; in bits. */
struct lp_runs_at {
	size_t level[LP_GROUPS_MAX]; /**< from 1 on */
	size_t suffix[LP_GROUP_SUFFIX_MAX];
};

/** The sparse bits of a chunk. */
struct lp_runs {
	const uint8_t *end;
	size_t bits; /**< as many as there can be */
	/** Ones after each word of 64 bits, the last word first. */
	uint32_t ones[(LP_RUNS_MAX + LP_RUNS_STEP) / 8];
	uint8_t margin[LP_RUNS_STEP]; /**< receives what precedes the bits */
	/** The bits, then zeros: loads run over the end. */
	uint8_t copy[LP_RUNS_MAX + 32];
};

/**
 * Take what may be sparse bits; LP_RUNS_STEP bytes before them are readable. From the end on, as
 * nothing after it is; counted where they are, as the copy is too young to be loaded.
 */
static LP_ALWAYS_INLINE void
lp_runs_take(struct lp_runs *r, const uint8_t *src, size_t len)
{
	uint32_t ones = 0;

	r->end = src + len;
	r->bits = 8 * len;
	_mm256_storeu_si256((void *)(r->copy + len), _mm256_setzero_si256());
	for (size_t word = 0; 8 * word <= len; word += LP_RUNS_STEP / 8) {
		const uint8_t *const from = src + len - LP_RUNS_STEP - 8 * word;
		uint8_t *const to = r->margin + len - 8 * word;

#pragma GCC unroll 2
		for (size_t k = 0; k < LP_RUNS_STEP; k += 32)
			_mm256_storeu_si256((void *)(to + k),
					_mm256_loadu_si256((const void *)(from + k)));
#pragma GCC unroll 8
		for (size_t k = 0; k < LP_RUNS_STEP / 8; k++) {
			r->ones[word + k] = ones;
			ones += lp_popcount64(lp_load64(from + LP_RUNS_STEP - 8 - 8 * k));
		}
	}
}

/* Ones from a position on. */
static LP_ALWAYS_INLINE size_t
lp_runs_ones_after(const struct lp_runs *r, size_t pos)
{
	const size_t left = pos < r->bits ? r->bits - pos : 0;
	const uint64_t word = lp_load64(r->end - 8 - left / 64 * 8);

	return r->ones[left / 64] + lp_popcount64(word >> 1 >> (~left & 63));
}

/**
 * Lay out the runs of n elements, `beyond` of them beyond group 0; returns where they end, maybe
 * after the body.
 */
static LP_ALWAYS_INLINE size_t
lp_runs_lay_out(const struct lp_runs *r, const struct lp_shape *s, size_t n, size_t beyond,
		struct lp_runs_at *at)
{
	size_t total[LP_GROUPS_MAX] = { beyond };
	size_t pos = 0, after = lp_runs_ones_after(r, 0);

#pragma GCC unroll 8
	for (unsigned int j = 1; j < LP_GROUPS_MAX - 1; j++) {
		if (j + 1u >= s->groups)
			break;
		at->level[j] = pos;
		pos += total[j - 1];

		const size_t ones = lp_runs_ones_after(r, pos);

		total[j] = after - ones;
		after = ones;
	}
	return lp_shape_lay_out_suffixes(s, n, total, pos, at->suffix);
}

/** Do the runs end in the body, with zero bits up to a full byte? */
static LP_ALWAYS_INLINE bool
lp_runs_are_whole(const struct lp_runs *r, size_t end)
{
	/* The last byte used, so that nothing depends on whether it is full. */
	return end <= r->bits && *(r->end - (r->bits - end) / 8 - 1) >> ((end + 7) % 8 + 1) == 0;
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

/* ---- a chunk ---- */

#define LP_BLOCK 256 /**< elements that go through the vector units together */
#define LP_BLOCK_WORDS (LP_BLOCK / 64)

typedef uint64_t lp_plane[LP_PLANE_WORDS];

/** Bit planes of a block that every element has, in the body or in a copy. */
struct lp_dense {
	const uint8_t *level0;
	const uint8_t *suffix[LP_GROUP_SUFFIX_MAX];
};

/** A word for 64 elements. */
struct lp_chunk_planes {
	lp_plane level[LP_GROUPS_MAX - 1];    /**< from 1 on */
	lp_plane suffix[LP_GROUP_SUFFIX_MAX]; /**< sparse ones */
	lp_plane escape;		      /**< who has the last slot */
};

/** A chunk under way. */
struct lp_chunk {
	size_t n; /**< elements */
	struct lp_dense dense;
	struct lp_chunk_planes planes;
	struct lp_runs runs;
	bool few; /**< words have at most 57 elements beyond group 0 */
};

/** Elements of a word, of those `valid`, that have suffix bit b. */
static LP_ALWAYS_INLINE uint64_t
lp_suffixed(const struct lp_shape *s, unsigned int b, const uint64_t *beyond, uint64_t valid)
{
	const unsigned int has = lp_shape_with_suffix(s, b);
	uint64_t mask = has & 1 ? valid : 0;

#pragma GCC unroll 8
	for (unsigned int j = 0; j < LP_GROUPS_MAX - 1; j++)
		if (j + 1u < s->groups && lp_groups_change(has, j))
			mask ^= beyond[j];
	return mask;
}

/** Sparse bits of a word; words come in order. */
static LP_ALWAYS_INLINE void
lp_unpack_word(const struct lp_shape *s, struct lp_chunk *c, size_t word, uint64_t level0,
		uint64_t valid, bool few, struct lp_runs_at *at)
{
	uint64_t beyond[LP_GROUPS_MAX - 1] = { level0 };

#pragma GCC unroll 8
	for (unsigned int j = 1; j < LP_GROUPS_MAX - 1; j++) {
		if (j + 1u >= s->groups)
			break;
		beyond[j] = lp_runs_unpack(&c->runs, &at->level[j], beyond[j - 1], few);
		c->planes.level[j][word] = beyond[j];
	}
#pragma GCC unroll 4
	for (unsigned int b = lp_shape_suffix_min(s); b < lp_shape_suffix_max(s); b++)
		c->planes.suffix[b][word] = lp_runs_unpack(&c->runs, &at->suffix[b],
				lp_suffixed(s, b, beyond, valid), few && s->suffix_bits[0] <= b);
}

/* ---- where everything is ---- */

/** Elements beyond group 0; notes whether there are few in each word. */
static LP_ALWAYS_INLINE size_t
lp_count_level0(const uint8_t *src, struct lp_chunk *c)
{
	const size_t words = c->n / 64;
	size_t total = 0, most = 0;

#pragma GCC unroll 4
	for (size_t word = 0; word < words; word++) {
		const size_t count = lp_popcount64(lp_load64(src + 8 * word));

		total += count;
		most |= count + 6;
	}
	if (c->n % 64 != 0) {
		const size_t count = lp_popcount64(
				lp_load_part(src + 8 * words, (c->n % 64 + 7) / 8));

		total += count;
		most |= count + 6;
	}
	c->few = most < 64;
	return total;
}

/** Find what follows the raw planes; returns its bytes but for escapes, or -EBADMSG. */
static LP_ALWAYS_INLINE int
lp_lay_out(const struct lp_shape *s, const uint8_t *src, size_t len, struct lp_chunk *c,
		struct lp_runs_at *at)
{
	const size_t n = c->n, bytes = (n + 7) / 8, most = LP_GROUPED_SPARSE_MAX(n);
	const unsigned int min = lp_shape_suffix_min(s);
	const size_t dense = bytes * (1 + min), left = len - dense;

	if (len < dense)
		return -EBADMSG;
	for (unsigned int b = 0; n % 8 != 0 && b < 1 + min; b++)
		if (src[bytes * (1 + b) - 1] >> n % 8 != 0)
			return -EBADMSG;
	c->dense.level0 = src;
#pragma GCC unroll 4
	for (unsigned int b = 0; b < min; b++)
		c->dense.suffix[b] = src + bytes * (1 + b);

	lp_runs_take(&c->runs, src + dense, left < most ? left : most);

	const size_t end = lp_runs_lay_out(&c->runs, s, n, lp_count_level0(src, c), at);

	if (!lp_runs_are_whole(&c->runs, end))
		return -EBADMSG;
	return (int)(dense + (end + 7) / 8);
}

/** All sparse bits, whatever the shape and however many. */
static LP_ALWAYS_INLINE void
lp_unpack_any(const struct lp_shape *s, struct lp_chunk *c, struct lp_runs_at at)
{
	for (size_t word = 0; 64 * word < c->n; word++) {
		const uint8_t *const level0 = c->dense.level0 + 8 * word;
		const size_t left = c->n - 64 * word;

		lp_unpack_word(s, c, word,
				left >= 64 ? lp_load64(level0)
					   : lp_load_part(level0, (left + 7) / 8),
				lp_grouped_valid(c->n, word), false, &at);
	}
}

/** Sparse bits of a full block, few in each word. */
static LP_ALWAYS_INLINE void
lp_unpack_block(const struct lp_shape *s, struct lp_chunk *c, size_t block, struct lp_runs_at *at)
{
	for (size_t word = LP_BLOCK_WORDS * block; word < LP_BLOCK_WORDS * (block + 1); word++)
		lp_unpack_word(s, c, word, lp_load64(c->dense.level0 + 8 * word), ~UINT64_C(0),
				true, at);
}

/** Sparse bits of the words that are no full block. */
static LP_ALWAYS_INLINE void
lp_unpack_last_block(const struct lp_shape *s, struct lp_chunk *c, struct lp_runs_at *at)
{
	size_t word = c->n / LP_BLOCK * LP_BLOCK_WORDS;

	for (; word < c->n / 64; word++)
		lp_unpack_word(s, c, word, lp_load64(c->dense.level0 + 8 * word), ~UINT64_C(0),
				true, at);
	if (c->n % 64 != 0)
		lp_unpack_word(s, c, word,
				lp_load_part(c->dense.level0 + 8 * word, (c->n % 64 + 7) / 8),
				lp_low_mask(c->n % 64), true, at);
}

#endif /* LP_GROUPED_UNPACK_H */
