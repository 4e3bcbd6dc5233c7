/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#define ALLOW_EXPERIMENTAL_API /* rte_seqcount */

#include <errno.h>
#include <string.h>

#include "press.h"

const struct lp_press_stats *
lp_press_stats(const struct lp_press *press, enum lp_dir dir)
{
	return &press->stats[dir];
}

/* The structs of counters have nothing else in them. */
static void
add_counters(void *sum, const void *counters, size_t bytes)
{
	const uint64_t *from = counters;
	uint64_t *to = sum;

	for (size_t k = 0; k < bytes / sizeof(uint64_t); k++)
		to[k] += __atomic_load_n(&from[k], __ATOMIC_RELAXED);
}

void
lp_press_stats_add(struct lp_press_stats *sum, const struct lp_press_stats *stats)
{
	RTE_BUILD_BUG_ON(sizeof(*sum) % sizeof(uint64_t) != 0);
	add_counters(sum, stats, sizeof(*sum));
}

void
lp_press_rules_stats(const struct lp_press *press, struct lp_rules_stats *stats)
{
	uint32_t begin;

	do {
		begin = rte_seqcount_read_begin(&press->rules_change);
		memset(stats, 0, sizeof(*stats));
		add_counters(stats, &press->rules_stats, sizeof(*stats));
	} while (rte_seqcount_read_retry(&press->rules_change, begin));
}

int
lp_rules_stats_add(struct lp_rules_stats *sum, const struct lp_rules_stats *stats)
{
	if (sum->generation != stats->generation)
		return -ESTALE;
	add_counters(sum->rule, stats->rule, sizeof(sum->rule));
	return 0;
}

void
lp_press_stats_by_type(const struct lp_press_stats *stats, const struct lp_bookset *books,
		struct lp_book_stats *type)
{
	memset(type, 0, LP_TYPE_COUNT * sizeof(*type));
	for (unsigned int k = 0; k < books->count; k++) {
		const struct lp_book_stats *book = &stats->book[books->id[k]];
		struct lp_codebook_info info;

		lp_codebook_describe(books->book[books->id[k]], &info);
		type[info.type].pkts += book->pkts;
		type[info.type].region_bytes += book->region_bytes;
		type[info.type].line_bytes += book->line_bytes;
	}
}
