/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PROFILE_INTERNAL_H
#define LP_PROFILE_INTERNAL_H

#include "linepress/profile.h"

/** Counts of one shard: only the symbols that occur, since a shard has few. */
struct lp_shard {
	uint16_t distinct;
	uint16_t mode;	/**< most frequent symbol besides 0 */
	uint16_t base;	/**< that of the last fit */
	uint16_t book;	/**< that of the last fit */
	uint32_t first; /**< index into the profile's pairs */
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

#endif /* LP_PROFILE_INTERNAL_H */
