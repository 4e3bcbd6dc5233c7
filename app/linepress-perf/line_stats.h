/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_STATS_H
#define LINEPRESS_PERF_LINE_STATS_H

#include "line_counts.h"

/**
 * Read what linepress writes with --stats-json.
 *
 * @return
 *   0, or -1 having said why.
 */
int line_stats_read(const char *path, struct line_counts *counts);

#endif /* LINEPRESS_PERF_LINE_STATS_H */
