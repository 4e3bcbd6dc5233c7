/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "report.h"
#include "report_codebook.h"

#define TITLE_MAX (LP_NAME_MAX + sizeof("codebook 255 "))

static void
report_reasons(const char *title, const char *(*name)(unsigned int), const uint64_t *counts,
		unsigned int nb_counts, uint64_t sum)
{
	printf("  %s: %" PRIu64 "\n", title, sum);
	for (unsigned int i = 0; i < nb_counts; i++)
		if (counts[i] > 0)
			printf("    %s: %" PRIu64 "\n", name(i), counts[i]);
}

static void
report_types(const struct lp_bookset *books, const struct lp_press_stats *stats)
{
	struct lp_book_stats type[LP_TYPE_COUNT];
	char title[TITLE_MAX];

	lp_press_stats_by_type(stats, books, type);
	for (unsigned int i = 0; i < LP_TYPE_COUNT; i++) {
		snprintf(title, sizeof(title), "type %s", lp_type_name((enum lp_type)i));
		if (type[i].pkts > 0)
			report_coded(title, &type[i]);
	}
}

static void
report_used_books(const struct lp_bookset *books, const struct lp_press_stats *stats)
{
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info = { .name = "(gone)" };
		char title[TITLE_MAX];

		if (stats->book[id].pkts == 0)
			continue;
		if (books->book[id] != NULL)
			lp_codebook_describe(books->book[id], &info);
		snprintf(title, sizeof(title), "codebook %u %s", id, info.name);
		report_coded(title, &stats->book[id]);
	}
}

static void
report_ratios(const struct lp_press_stats *stats)
{
	const unsigned int step = 100 / LP_RATIO_CLASSES;

	if (stats->coded_pkts == 0)
		return;
	printf("  line-bytes of coded regions:");
	for (unsigned int i = 0; i < LP_RATIO_CLASSES; i++)
		if (stats->ratio_pkts[i] > 0)
			printf("  %u-%u %%: %" PRIu64, step * i, step * (i + 1),
					stats->ratio_pkts[i]);
	printf("\n");
}

static void
report_direction(
		const struct lp_bookset *books, enum lp_dir dir, const struct lp_press_stats *stats)
{
	printf("\n  ---------------------- Press statistics: %-8s ----------------------\n",
			stats_dir_name(dir));
	printf("  RX-packets: %-14" PRIu64 " RX-bytes: %" PRIu64 "\n", stats->rx_pkts,
			stats->rx_bytes);
	printf("  TX-packets: %-14" PRIu64 " TX-bytes: %" PRIu64 "\n", stats->tx_pkts,
			stats->tx_bytes);
	if (dir == LP_DIR_COMPRESS) {
		printf("  frame bytes saved: %.2f %%\n",
				stats_saved_percent(stats->rx_bytes, stats->tx_bytes));
		printf("  eligible: %-16" PRIu64 " region-bytes: %" PRIu64 "  line-bytes: %" PRIu64
		       "  saved: %.2f %%\n",
				stats->eligible_pkts, stats->region_bytes, stats->region_line_bytes,
				stats_saved_percent(stats->region_bytes, stats->region_line_bytes));
	} else {
		printf("  frame bytes saved on the line: %.2f %%\n",
				stats_saved_percent(stats->tx_bytes, stats->rx_bytes));
	}
	printf("  coded: %-19" PRIu64 " stored: %" PRIu64, stats->coded_pkts, stats->stored_pkts);
	if (dir == LP_DIR_COMPRESS)
		printf("  verified: %" PRIu64, stats->verified_pkts);
	printf("\n");
	if (dir == LP_DIR_COMPRESS)
		report_ratios(stats);
	report_reasons("passed", lp_pass_name, stats->passed, LP_PASS_COUNT,
			stats_press_passed(stats));
	report_reasons("dropped", lp_drop_name, stats->dropped, LP_DROP_COUNT,
			stats_press_dropped(stats));
	report_types(books, stats);
	report_used_books(books, stats);
	printf("  ----------------------------------------------------------------------------\n");
}

void
report_press(const struct lp_bookset *books, const struct fwd_stats *stats)
{
	for (int dir = 0; dir < LP_DIR_COUNT; dir++)
		if (stats->press[dir].rx_pkts > 0)
			report_direction(books, (enum lp_dir)dir, &stats->press[dir]);
}
