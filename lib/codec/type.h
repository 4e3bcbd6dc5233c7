/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_TYPE_H
#define LP_TYPE_H

/**
 * @file
 * Element types: sizes, and the exponent field that is the symbol of grouped codes.
 */

#include "linepress/codec.h"

/** Properties of an element type. */
struct lp_type_traits {
	const char *name;
	uint8_t bytes;	       /**< of an element */
	uint8_t exponent_bits; /**< 0: the type has no exponent */
	uint8_t raw_bits;      /**< of an element besides the exponent */
};

extern const struct lp_type_traits lp_type_traits[LP_TYPE_COUNT];

/** Base-2 logarithm of the bytes of an element, which are a power of 2. */
static inline unsigned int
lp_type_log2(enum lp_type type)
{
	return lp_type_traits[type].bytes >> 1;
}

/** Values an exponent field can have. */
static inline unsigned int
lp_type_exponents(enum lp_type type)
{
	return 1u << lp_type_traits[type].exponent_bits;
}

#endif /* LP_TYPE_H */
