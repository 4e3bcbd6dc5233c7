/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What a region seems to be that no book codes. */

#include <math.h>

#include "planes.h"
#include "type.h"
#include "watch.h"

#define WORTH_PART 32 /* of a region: to save less is no gain */

/* Bits of all of it with a code for its symbols, which cost something, too. */
static double
coded_bits(const uint8_t *src, size_t len, enum lp_type type)
{
	const bool wide = lp_type_bytes(type) > 1;
	const size_t bytes = lp_type_bytes(type), symbols = len / bytes;
	uint64_t count[256] = { 0 };
	unsigned int distinct = 0;

	for (size_t i = 0; i < symbols; i++)
		count[wide ? lp_exponent_at(type, src + i * bytes) : src[i]]++;
	for (unsigned int s = 0; s < 256; s++)
		distinct += count[s] > 0;
	/* So much less than that of their source is the entropy of a sample: Miller, 1955. */
	return (double)symbols *
			(lp_entropy(count, 256) + (wide ? lp_type_traits[type].raw_bits : 0)) +
			(distinct - 1) / (2 * M_LN2);
}

int
lp_watch_guess(const uint8_t *src, size_t len, size_t *start)
{
	static const enum lp_type types[] = { LP_TYPE_BYTES, LP_TYPE_BF16, LP_TYPE_FP16,
		LP_TYPE_FP32 };
	double least = 8 * ((double)len - LP_WATCH_UNCODED_BYTES - (double)len / WORTH_PART);
	int best = -1;

	for (unsigned int k = 0; k < sizeof(types) / sizeof(*types); k++) {
		const size_t at = lp_profile_start(src, len, types[k]);
		const double bits = coded_bits(src + at, len - at, types[k]) + 8 * (double)at;

		if (bits >= least)
			continue;
		least = bits;
		best = (int)types[k];
		*start = at;
	}
	return best;
}
