/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Identity of a codebook: SHA-256 of a canonical serialisation of what decoding depends on. */

#include <stdio.h>

#include <openssl/evp.h>

#include "book.h"
#include "type.h"

/* 257 lengths of up to 3 characters, or 256 ranks of up to 4, after the fixed lines. */
#define SERIAL_MAX 2048

static size_t
serialise(const struct lp_codebook *cb, char *text)
{
	const struct lp_grouped *g = &cb->grouped;
	int n = snprintf(text, SERIAL_MAX, "linepress-codebook 1\ntype %s\nkind %s\nsymbol %s\n",
			lp_type_name(cb->info.type), lp_kind_name(cb->info.kind),
			lp_symbol_name(cb->info.symbol));

	if (cb->info.kind == LP_KIND_GROUPED) {
		for (unsigned int k = 0; k < g->shape.groups; k++)
			n += snprintf(text + n, SERIAL_MAX - (size_t)n, "%s%u",
					k == 0 ? "groups " : " ", g->shape.suffix_bits[k]);
		for (unsigned int k = 0; k < g->ranks; k++)
			if (k == g->zero_rank)
				n += snprintf(text + n, SERIAL_MAX - (size_t)n, "%szero",
						k == 0 ? "\nranks " : " ");
			else
				n += snprintf(text + n, SERIAL_MAX - (size_t)n, "%s%u",
						k == 0 ? "\nranks " : " ", g->rank_delta[k]);
	} else if (cb->info.kind == LP_KIND_AREA) {
		for (unsigned int k = 0; k < cb->area.areas; k++)
			n += snprintf(text + n, SERIAL_MAX - (size_t)n, "%s%u",
					k == 0 ? "areas " : " ", cb->area.suffix_bits[k]);
		for (unsigned int k = 0; k < 256; k++)
			n += snprintf(text + n, SERIAL_MAX - (size_t)n, "%s%u",
					k == 0 ? "\nranks " : " ", cb->area.symbol[k]);
	} else {
		for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++)
			n += snprintf(text + n, SERIAL_MAX - (size_t)n, "%s%u",
					s == 0 ? "lengths " : " ", cb->huffman.length[s]);
	}
	return (size_t)n;
}

bool
lp_book_digest(struct lp_codebook *cb)
{
	char text[SERIAL_MAX];
	const size_t len = serialise(cb, text);

	return EVP_Digest(text, len, cb->info.digest, NULL, EVP_sha256(), NULL) == 1;
}
