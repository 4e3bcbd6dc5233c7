/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <string.h>

#include "book.h"
#include "type.h"

const struct lp_type_traits lp_type_traits[LP_TYPE_COUNT] = {
	[LP_TYPE_BF16] = { "bf16", 2, 8, 8 },
	[LP_TYPE_FP16] = { "fp16", 2, 5, 11 },
	[LP_TYPE_FP32] = { "fp32", 4, 8, 24 },
	[LP_TYPE_E4M3] = { "e4m3", 1, 4, 4 },
	[LP_TYPE_E5M2] = { "e5m2", 1, 5, 3 },
	[LP_TYPE_INT8] = { "int8", 1, 0, 8 },
	[LP_TYPE_BYTES] = { "bytes", 1, 0, 8 },
};

static const char *const kind_names[LP_KIND_COUNT] = {
	[LP_KIND_GROUPED] = "grouped",
	[LP_KIND_HUFFMAN] = "huffman",
	[LP_KIND_AREA] = "area",
};

static const char *const symbol_names[LP_SYMBOL_COUNT] = {
	[LP_SYMBOL_EXPONENT] = "exponent",
	[LP_SYMBOL_BYTE] = "byte",
	[LP_SYMBOL_ROTATED] = "rotated",
};

const char *
lp_type_name(enum lp_type type)
{
	return (unsigned int)type < LP_TYPE_COUNT ? lp_type_traits[type].name : NULL;
}

const char *
lp_kind_name(enum lp_kind kind)
{
	return (unsigned int)kind < LP_KIND_COUNT ? kind_names[kind] : NULL;
}

const char *
lp_symbol_name(enum lp_symbol symbol)
{
	return (unsigned int)symbol < LP_SYMBOL_COUNT ? symbol_names[symbol] : NULL;
}

int
lp_type_from_name(const char *name)
{
	for (int type = 0; type < LP_TYPE_COUNT; type++)
		if (strcmp(name, lp_type_traits[type].name) == 0)
			return type;
	return -EINVAL;
}

int
lp_kind_from_name(const char *name)
{
	for (int kind = 0; kind < LP_KIND_COUNT; kind++)
		if (strcmp(name, kind_names[kind]) == 0)
			return kind;
	return -EINVAL;
}

int
lp_symbol_from_name(const char *name)
{
	for (int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++)
		if (strcmp(name, symbol_names[symbol]) == 0)
			return symbol;
	return -EINVAL;
}

size_t
lp_type_bytes(enum lp_type type)
{
	return lp_type_traits[type].bytes;
}
