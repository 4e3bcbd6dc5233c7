/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include <CUnit/Basic.h>

#include "profile_help.h"

static uint8_t src[SHARD_BYTES];

struct lp_codebook *
book_of(enum lp_type type, enum lp_kind kind, const char *fitted)
{
	char whole[LP_FIT_TEXT_MAX + 200];
	struct lp_error error;
	const int n = snprintf(whole, sizeof(whole),
			"linepress-codebook 1\nname fitted\ntype %s\nkind %s\n%s",
			lp_type_name(type), lp_kind_name(kind), fitted);
	struct lp_codebook *cb = lp_codebook_parse(whole, (size_t)n, &error);

	if (cb == NULL)
		printf("\n  line %u: %s in:\n%s", error.line, error.text, whole);
	return cb;
}

struct lp_profile *
profile_of(enum lp_type type, enum lp_symbol symbol, enum data_class data, unsigned int shards)
{
	struct lp_profile *p = lp_profile_create(type, symbol);

	for (unsigned int k = 0; p != NULL && k < shards; k++) {
		data_region(type, data, 0, src, SHARD_BYTES);
		CU_ASSERT(lp_profile_add(p, src, SHARD_BYTES) == 0);
	}
	return p;
}

double
set_bits(enum lp_type type, enum lp_kind kind, char (*text)[LP_FIT_TEXT_MAX], unsigned int books,
		uint64_t *symbols)
{
	double bits = 0;

	*symbols = 0;
	for (unsigned int k = 0; k < books; k++) {
		struct lp_codebook *cb = book_of(type, kind, text[k]);
		struct lp_codebook_info info;

		CU_ASSERT_FATAL(cb != NULL);
		lp_codebook_describe(cb, &info);
		bits += info.profile_code_bits * (double)info.profile_symbols;
		*symbols += info.profile_symbols;
		lp_codebook_free(cb);
	}
	return bits;
}

struct lp_profile *
mixed_profile(enum lp_type type, enum lp_symbol symbol)
{
	static const enum data_class mix[] = { DATA_GAUSS, DATA_ZEROS_90, DATA_NOISE, DATA_RAMP };
	struct lp_profile *p = lp_profile_create(type, symbol);

	for (unsigned int k = 0; k < 24; k++) {
		data_region(type, mix[k % 4], 0, src, 2048);
		CU_ASSERT(lp_profile_add(p, src, 2048) == 0);
	}
	return p;
}
