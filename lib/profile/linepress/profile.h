/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PROFILE_H
#define LINEPRESS_PROFILE_H

/**
 * @file
 * Profiles of tensors, and codebooks fitted to them.
 *
 * A profile counts symbols shard by shard: a shard is what will later be coded alone, a packet's
 * region. Fitting aligns each shard by a base of its own, as the encoder will do. Nothing here is
 * for the hot path; functions allocate. One thread at a time may use a profile.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Symbol counts of many shards. */
struct lp_profile;

/**
 * Create an empty profile.
 *
 * @param type
 *   Element type; with LP_SYMBOL_EXPONENT one that has an exponent.
 * @param symbol
 *   What to count.
 * @return
 *   The profile, or NULL with errno EINVAL or ENOMEM.
 */
struct lp_profile *lp_profile_create(enum lp_type type, enum lp_symbol symbol);

/** Release a profile; NULL is allowed. */
void lp_profile_free(struct lp_profile *profile);

/**
 * Count one shard.
 *
 * @param src
 *   First byte of an element.
 * @param len
 *   Bytes, at most LP_REGION_MAX; bytes that fill no element are ignored.
 * @return
 *   0, -EINVAL or -ENOMEM.
 */
int lp_profile_add(struct lp_profile *profile, const uint8_t *src, size_t len);

/**
 * Where the elements of a region start, which is unknown: where their exponents are most alike.
 *
 * @return
 *   Bytes before the first whole element.
 */
size_t lp_profile_start(const uint8_t *region, size_t len, enum lp_type type);

/** Shards counted. */
size_t lp_profile_shards(const struct lp_profile *profile);

/** What a fit may choose from. */
struct lp_fit_limits {
	unsigned int levels; /**< grouped: unary levels, 0 to 7; fewer are faster */
	unsigned int codes;  /**< grouped: places in all groups, 2 to 16 */
	/** grouped: suffix bits of each group, 0 to 4, within these limits; none: the best */
	const uint8_t *suffix_bits;
	unsigned int groups; /**< grouped: how many are given, 0 to 8 */
};

/** Longest text of a fitted book, without its sources. */
#define LP_FIT_TEXT_MAX 4096

/**
 * Fit a grouped code: ranks, and the group sizes with the fewest bits within the limits.
 *
 * @param profile
 *   Profile of exponents.
 * @param limits
 *   Limits of the search.
 * @param text
 *   Receives the lines `symbol`, `groups`, `ranks` and `profile-*` of a codebook file,
 *   terminated; LP_FIT_TEXT_MAX bytes.
 * @return
 *   0; -EINVAL on a bad limit or an empty profile; -ENOMEM.
 */
int lp_fit_grouped(struct lp_profile *profile, const struct lp_fit_limits *limits, char *text);

/**
 * Fit a set of Huffman codes: shards are divided among the books so that each goes to the one
 * that codes it best.
 *
 * @param profile
 *   Profile of bytes or rotated bytes.
 * @param books
 *   Books in the set, 1 to 16.
 * @param text
 *   Receives the lines `symbol`, `codes` and `profile-*` of each book; LP_FIT_TEXT_MAX bytes
 *   for each.
 * @return
 *   0; -EINVAL if the profile is empty or has fewer shards than books; -ENOMEM.
 */
int lp_fit_huffman(struct lp_profile *profile, unsigned int books, char (*text)[LP_FIT_TEXT_MAX]);

/** Schemes of area codes. */
enum lp_area_scheme {
	/** Area sizes that code the profile in the fewest bits. */
	LP_AREA_ANY,
	/**
	 * Dual Length Codes, arXiv 2602.17849v1: the 8 most frequent symbols in 4 bits, the others,
	 * in the order of their numbers, in 9.
	 */
	LP_AREA_DUAL,
	/**
	 * Quad Length Codes, arXiv 2602.17849v2: 3 prefix bits, thus 8 areas, over the symbols from
	 * the most frequent down. Codes have at most four lengths, as the name says; the areas'
	 * sizes are those that code the profile in the fewest bits.
	 */
	LP_AREA_QUAD,
};

/** What a fit of area codes may choose from. */
struct lp_area_limits {
	enum lp_area_scheme scheme;
	unsigned int prefix_bits; /**< LP_AREA_ANY: 1 to 4, or 0 for the best */
	/**
	 * LP_AREA_ANY: order symbols by frequency. It saves bits where frequencies have several
	 * peaks, as those of the bytes of wide elements, but not all kernels have fast look-ups in
	 * the table that it takes.
	 */
	bool by_count;
};

/**
 * Fit a set of area codes, divided among shards as those of lp_fit_huffman().
 *
 * @param profile
 *   Profile of bytes or rotated bytes.
 * @param limits
 *   Limits of the search.
 * @param books
 *   Books in the set, 1 to 16.
 * @param text
 *   Receives the lines `symbol`, `areas`, `ranks` and `profile-*` of each book;
 *   LP_FIT_TEXT_MAX bytes for each.
 * @return
 *   0; -EINVAL on a bad limit or if the profile has fewer shards than books; -ENOMEM.
 */
int lp_fit_area(struct lp_profile *profile, const struct lp_area_limits *limits, unsigned int books,
		char (*text)[LP_FIT_TEXT_MAX]);

/**
 * Lengths of an optimal prefix code no longer than a limit: package-merge, Larmore and
 * Hirschberg, "A fast algorithm for optimal length-limited Huffman codes", JACM 37(3), 1990.
 *
 * @param count
 *   Times each symbol occurs; those of 0 get no code.
 * @param symbols
 *   Number of symbols, at most 512; at least one and at most 2^limit of them occur.
 * @param limit
 *   Longest code, 1 to 15 bits.
 * @param length
 *   Receives the lengths; a single symbol gets length 1.
 * @return
 *   0, -EINVAL or -ENOMEM.
 */
int lp_huffman_lengths(
		const uint64_t *count, unsigned int symbols, unsigned int limit, uint8_t *length);

/** Entropy of counts, in bits a symbol; 0 if there are none. */
double lp_entropy(const uint64_t *count, unsigned int symbols);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_PROFILE_H */
