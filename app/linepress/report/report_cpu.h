/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_CPU_H
#define LINEPRESS_APP_REPORT_CPU_H

#include "stats.h"
#include "streams.h"

/**
 * How busy each lcore was since this function was last called and since forwarding began, and
 * cycles a frame. Called by one thread.
 *
 * @param map
 *   The lcores.
 * @param stats
 *   Statistics since forwarding began.
 * @param started_s
 *   When it did, which tells one run from another.
 */
void report_cpu(const struct stream_map *map, const struct fwd_stats *stats, double started_s);

#endif /* LINEPRESS_APP_REPORT_CPU_H */
