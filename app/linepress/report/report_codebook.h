/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_CODEBOOK_H
#define LINEPRESS_APP_REPORT_CODEBOOK_H

#include "linepress/bookset.h"
#include "stats.h"

/** What was coded, in a line that begins with a title. */
void report_coded(const char *title, const struct lp_book_stats *stats);

/**
 * A codebook: what it is, what it is expected to save, and what it has coded and restored.
 *
 * @param books
 *   The books.
 * @param id
 *   Number of one of them.
 * @param stats
 *   NULL before the first start.
 */
void report_codebook(const struct lp_bookset *books, uint8_t id, const struct fwd_stats *stats);

/**
 * All codebooks, a line each. As report_codebook().
 *
 * @param named
 *   Those that are not retired.
 */
void report_codebooks(const struct lp_bookset *books, const struct lp_book_mask *named,
		const struct fwd_stats *stats);

#endif /* LINEPRESS_APP_REPORT_CODEBOOK_H */
