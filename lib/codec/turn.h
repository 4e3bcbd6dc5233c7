/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_TURN_H
#define LP_TURN_H

/**
 * @file
 * Symbols that are whole bytes: as they are, or rotated and aligned by a base.
 */

#include "bits.h"
#include "book.h"

/** How bytes become symbols. */
struct lp_turn {
	bool rotated;
	uint8_t base; /**< 0 if not rotated */
};

static inline struct lp_turn
lp_turn_of(const struct lp_codebook *cb, uint8_t base)
{
	const bool rotated = cb->info.symbol == LP_SYMBOL_ROTATED;

	return (struct lp_turn){ rotated, rotated ? base : 0 };
}

static inline uint8_t
lp_turn_symbol(struct lp_turn turn, uint8_t byte)
{
	return turn.rotated ? (uint8_t)(lp_rotl8(byte) - turn.base) : byte;
}

static inline uint8_t
lp_turn_byte(struct lp_turn turn, uint8_t symbol)
{
	return turn.rotated ? lp_rotr8((uint8_t)(symbol + turn.base)) : symbol;
}

#endif /* LP_TURN_H */
