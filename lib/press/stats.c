/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include "press.h"

const struct lp_press_stats *
lp_press_stats(const struct lp_press *press, enum lp_dir dir)
{
	return &press->stats[dir];
}

void
lp_press_stats_add(struct lp_press_stats *sum, const struct lp_press_stats *stats)
{
	const uint64_t *from = (const uint64_t *)stats;
	uint64_t *to = (uint64_t *)sum;

	RTE_BUILD_BUG_ON(sizeof(*sum) % sizeof(uint64_t) != 0);
	for (size_t k = 0; k < sizeof(*sum) / sizeof(uint64_t); k++)
		to[k] += __atomic_load_n(&from[k], __ATOMIC_RELAXED);
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
