/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_RULES_H
#define LINEPRESS_APP_REPORT_RULES_H

#include "linepress/rules.h"
#include "streams.h"

/**
 * Print the rules in normal form, each with what it has matched since it was loaded and
 * forwarding began.
 *
 * @param rules
 *   The rules, NULL if there are none.
 * @param map
 *   Where they are applied.
 */
void report_rules(const struct lp_rules *rules, const struct stream_map *map);

#endif /* LINEPRESS_APP_REPORT_RULES_H */
