/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PROFILE_INTERNAL_H
#define LP_PROFILE_INTERNAL_H

#include "linepress/profile.h"

/** Counts of one shard: only the symbols that occur, since a shard has few. */
struct lp_shard {
	uint16_t distinct;
	uint16_t mode;	 /**< most frequent symbol besides 0 */
	uint16_t base;	 /**< that of the last fit */
	uint16_t book;	 /**< that of the last fit */
	uint32_t weight; /**< how often the shard counts */
	size_t first;	 /**< index into the profile's pairs */
};

struct lp_symbol_count {
	uint8_t symbol;
	uint16_t count;
};

struct lp_profile {
	enum lp_type type;
	enum lp_symbol symbol;
	struct lp_shard *shard;
	size_t shards, shards_room;
	struct lp_symbol_count *pair;
	size_t pairs, pairs_room;
};

/** Values a symbol of a profile can have. */
unsigned int lp_profile_symbols(const struct lp_profile *profile);

/** Number of bits of a symbol, and of what travels raw beside each. */
unsigned int lp_profile_symbol_bits(const struct lp_profile *profile);
unsigned int lp_profile_raw_bits(const struct lp_profile *profile);

/**
 * Add a shard.
 *
 * @param count
 *   Of each symbol, 256 of them; at least one is not 0.
 * @return
 *   0 or -ENOMEM.
 */
int lp_profile_add_shard(struct lp_profile *profile, const uint16_t *count, uint32_t weight);

/** Counts of one shard by symbol, 256 of them. */
void lp_profile_shard_counts(
		const struct lp_profile *profile, const struct lp_shard *shard, uint16_t *count);

#endif /* LP_PROFILE_INTERNAL_H */
