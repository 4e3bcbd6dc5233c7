/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PROFILES_H
#define LINEPRESS_PROFILES_H

/**
 * @file
 * Profiles of several element types as a file: what was counted, to be merged, compared and made
 * into codebooks later, elsewhere, and as often as needed.
 *
 * Text, a key and its values a line, `#` starts a comment:
 *
 * ```
 * linepress-profile 1                             must come first; the version of the format
 * source TEXT                                     where it comes from; any number of lines
 * tensors TYPE SYMBOL shards N symbols N          a profile, and what the lines below must add up
 * to shard WEIGHT XX:COUNT ...                       symbols (hexadecimal) of a shard, from the
 * lowest up
 * ```
 *
 * Symbols are `exponent` or `byte`, as in codebooks; of types of one byte only `byte`, since the
 * others follow from it. Shards of a greater weight count as often as that in a fit; `symbols` are
 * those counted, whatever the weights.
 */

#include <stdio.h>

#include "linepress/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Greatest weight of a shard. */
#define LP_PROFILE_WEIGHT_MAX 1000000

/** Longest file, in bytes. */
#define LP_PROFILE_FILE_MAX (256u << 20)

/** Profiles by type and symbol, and where they come from. */
struct lp_profiles;

/** None yet; NULL if memory ran out. */
struct lp_profiles *lp_profiles_create(void);

/** Release profiles; NULL is allowed. */
void lp_profiles_free(struct lp_profiles *profiles);

/**
 * Count a region in all profiles of its type.
 *
 * @param src
 *   First byte of an element.
 * @param len
 *   Bytes, at most LP_REGION_MAX; at least one element.
 * @return
 *   0, -EINVAL or -ENOMEM.
 */
int lp_profiles_add(
		struct lp_profiles *profiles, enum lp_type type, const uint8_t *src, size_t len);

/** Add a line of source; characters that are not printable ASCII become `?`. 0 or -ENOMEM. */
int lp_profiles_add_source(struct lp_profiles *profiles, const char *text);

/** A profile as stored, or NULL; owned by the set. */
const struct lp_profile *lp_profiles_stored(
		const struct lp_profiles *profiles, enum lp_type type, enum lp_symbol symbol);

/**
 * A copy of a profile, by whatever symbol is wanted.
 *
 * @return
 *   The profile, to be released with lp_profile_free(), or NULL with errno: ENOENT if there is
 *   none that tells it, ENOMEM.
 */
struct lp_profile *lp_profiles_copy(
		const struct lp_profiles *profiles, enum lp_type type, enum lp_symbol symbol);

/** All symbols counted in stored profiles, times their weights if `weighted`. */
uint64_t lp_profiles_symbols(const struct lp_profiles *profiles, bool weighted);

/** Divide the weights of all shards by their greatest common divisor. */
void lp_profiles_reduce(struct lp_profiles *profiles);

/**
 * Add all of other profiles, sources too.
 *
 * @param weight
 *   By which the weights of the shards are multiplied, at least 1.
 * @return
 *   0; -ERANGE if a weight would exceed LP_PROFILE_WEIGHT_MAX; -ENOMEM. After an error a part may
 *   have been added.
 */
int lp_profiles_merge(struct lp_profiles *into, const struct lp_profiles *from, uint32_t weight);

/** Forget every other shard. */
void lp_profile_thin(struct lp_profile *profile);

/** lp_profile_thin() for all profiles of a type. */
void lp_profiles_thin(struct lp_profiles *profiles, enum lp_type type);

/** Load from memory; refused whole if anything is off. The text need not be terminated. */
struct lp_profiles *lp_profiles_parse(const char *text, size_t len, struct lp_error *error);

/** Load from a file. As lp_profiles_parse(), also refusing files that cannot be read. */
struct lp_profiles *lp_profiles_load(const char *path, struct lp_error *error);

/** Write as a file; errors are those of the stream. */
void lp_profiles_print(const struct lp_profiles *profiles, FILE *out);

/** Add all shards of one profile to another of the same type and symbol. 0, -EINVAL or -ENOMEM. */
int lp_profile_append(struct lp_profile *into, const struct lp_profile *from);

/** What a profile tells of itself, in bits a symbol; shards count by their weight. */
struct lp_profile_summary {
	size_t shards;
	uint64_t symbols;  /**< counted, without weights */
	double entropy;	   /**< of all symbols as they are: the limit of one code without bases */
	double aligned;	   /**< of all symbols, each shard with its best base */
	double shards_own; /**< mean of the shards' own: the limit of a code for each */
};

/** Sum up a profile that is not empty. */
void lp_profile_summarize(const struct lp_profile *profile, struct lp_profile_summary *summary);

/**
 * Kullback-Leibler divergence D(p || q): bits a symbol that a code for `q` spends more on `p` than
 * one for `p`. Symbols that `q` lacks are taken for half a symbol there.
 *
 * @param aligned
 *   Each shard with its best base, and `q` shifted to where it fits best.
 * @return
 *   Bits a symbol; less than 0 if the profiles are not of the same type and symbol, or empty.
 */
double lp_profile_divergence(const struct lp_profile *p, const struct lp_profile *q, bool aligned);

/**
 * Bits a symbol that books spend on a profile, each shard coded with the book and base that are
 * best for it. Headers are not counted.
 *
 * @return
 *   Bits a symbol; less than 0 if the type or symbol of a book is another, or without books.
 */
double lp_profile_code_bits(const struct lp_profile *profile,
		const struct lp_codebook *const *books, unsigned int nb_books);

/**
 * Kullback-Leibler divergence of a profile from what a book is made for, as its code lengths tell:
 * bits a symbol that the book spends more than a code for the profile, when each shard has the base
 * that the book codes best. Of a code that leaves no bit pattern unused, that is all its excess.
 *
 * @return
 *   Bits a symbol; less than 0 if the type or symbol of the book is another, or without shards.
 */
double lp_profile_book_divergence(const struct lp_profile *profile, const struct lp_codebook *cb);

/** Percent of the bytes saved if a symbol of the profile takes so many bits. */
double lp_profile_saved_percent(const struct lp_profile *profile, double bits_per_symbol);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_PROFILES_H */
