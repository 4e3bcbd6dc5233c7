/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include "outfile.h"
#include "profile_file.h"

int
write_profiles(const struct lp_profiles *profiles, const char *path)
{
	struct outfile *out = outfile_open(path);

	if (out == NULL)
		return -1;
	lp_profiles_print(profiles, outfile_stream(out));
	if (outfile_commit(out) < 0)
		return -1;
	for (unsigned int k = 0; k < LP_TYPE_COUNT * LP_SYMBOL_COUNT; k++) {
		const enum lp_type type = (enum lp_type)(k / LP_SYMBOL_COUNT);
		const enum lp_symbol symbol = (enum lp_symbol)(k % LP_SYMBOL_COUNT);
		const struct lp_profile *p = lp_profiles_stored(profiles, type, symbol);
		struct lp_profile_summary s;

		if (p == NULL)
			continue;
		lp_profile_summarize(p, &s);
		printf("%s: %s %s: %zu shards, %llu symbols, entropy %.3f, aligned %.3f, of each shard "
		       "%.3f\n",
				path, lp_type_name(type), lp_symbol_name(symbol), s.shards,
				(unsigned long long)s.symbols, s.entropy, s.aligned, s.shards_own);
	}
	return 0;
}
