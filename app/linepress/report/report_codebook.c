/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "report_codebook.h"

static void
report_profile(const struct lp_codebook_info *info)
{
	if (info->profile_symbols == 0)
		return;
	printf("  profile: %" PRIu64 " symbols, entropy %.3f bits, coded in %.3f bits: "
	       "expected to save %.2f %% of a tensor\n",
			info->profile_symbols, info->profile_entropy, info->profile_code_bits,
			info->profile_saved_percent);
}

void
report_coded(const char *title, const struct lp_book_stats *stats)
{
	printf("  %s: packets: %" PRIu64 "  region-bytes: %" PRIu64 "  line-bytes: %" PRIu64
	       "  saved: %.2f %%\n",
			title, stats->pkts, stats->region_bytes, stats->line_bytes,
			stats_saved_percent(stats->region_bytes, stats->line_bytes));
}

void
report_codebook(const struct lp_bookset *books, uint8_t id, const struct fwd_stats *stats)
{
	struct lp_codebook_info info;

	lp_codebook_describe(books->book[id], &info);
	printf("codebook %u: %s\n", id, info.name);
	printf("  type: %s  kind: %s  symbol: %s  kernel: %s\n", lp_type_name(info.type),
			lp_kind_name(info.kind), lp_symbol_name(info.symbol),
			lp_codebook_kernel(books->book[id]));
	printf("  codes: %u, the longest of %u bits\n", info.codes, info.longest_code_bits);
	report_profile(&info);
	printf("  digest: ");
	for (unsigned int i = 0; i < LP_DIGEST_LEN; i++)
		printf("%02x", info.digest[i]);
	printf("\n");
	for (int dir = 0; stats != NULL && dir < LP_DIR_COUNT; dir++)
		report_coded(stats_dir_name((enum lp_dir)dir), &stats->press[dir].book[id]);
}

/* Share of region bytes that a book has saved in both directions. */
static double
saved_percent(const struct fwd_stats *stats, uint8_t id, uint64_t *pkts)
{
	struct lp_book_stats sum = { 0 };

	for (int dir = 0; stats != NULL && dir < LP_DIR_COUNT; dir++) {
		sum.pkts += stats->press[dir].book[id].pkts;
		sum.region_bytes += stats->press[dir].book[id].region_bytes;
		sum.line_bytes += stats->press[dir].book[id].line_bytes;
	}
	*pkts = sum.pkts;
	return stats_saved_percent(sum.region_bytes, sum.line_bytes);
}

void
report_codebooks(const struct lp_bookset *books, const struct lp_book_mask *named,
		const struct fwd_stats *stats)
{
	printf("  id  %-24s %-5s %-8s %-8s %-8s expected    packets      saved\n", "name", "type",
			"kind", "digest", "kernel");
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info;
		uint64_t pkts;

		if (books->book[id] == NULL)
			continue;
		const double saved = saved_percent(stats, (uint8_t)id, &pkts);

		lp_codebook_describe(books->book[id], &info);
		printf("  %3u %-24s %-5s %-8s %08" PRIx32 " %-8s %6.2f %% %10" PRIu64
		       "   %6.2f %%%s\n",
				id, info.name, lp_type_name(info.type), lp_kind_name(info.kind),
				(uint32_t)(books->digest[id] >> 32),
				lp_codebook_kernel(books->book[id]), info.profile_saved_percent,
				pkts, saved, lp_book_mask_has(named, id) ? "" : "  retired");
	}
}
