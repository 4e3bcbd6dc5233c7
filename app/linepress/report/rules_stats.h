/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_RULES_STATS_H
#define LINEPRESS_APP_RULES_STATS_H

#include "linepress/press.h"
#include "streams.h"

/** What stands for the frames that no rule matches. */
#define RULES_NO_MATCH "no rule matches -> books all"

/**
 * Sum up what rules have matched since they were loaded and forwarding began. Presses that have not
 * yet taken up the rules have counted nothing of them.
 *
 * @param rules
 *   The rules.
 * @param map
 *   Where they are applied.
 * @param sum
 *   Receives the counters by number of the rule.
 */
void rules_stats_collect(const struct lp_rules *rules, const struct stream_map *map,
		struct lp_rules_stats *sum);

#endif /* LINEPRESS_APP_RULES_STATS_H */
