/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "report_rules.h"
#include "rules_stats.h"
#include "stats.h"

static void
report_rule(const char *text, const struct lp_rule_stats *stats)
{
	printf("  %s\n    packets: %" PRIu64 "  coded: %" PRIu64 "  region-bytes: %" PRIu64
	       "  line-bytes: %" PRIu64 "  saved: %.2f %%\n",
			text, stats->pkts, stats->coded_pkts, stats->region_bytes,
			stats->line_bytes,
			stats_saved_percent(stats->region_bytes, stats->line_bytes));
	if (stats->would_line_bytes > 0)
		printf("    would be coded: %" PRIu64 "  line-bytes: %" PRIu64 "  saved: %.2f %%\n",
				stats->would_coded_pkts, stats->would_line_bytes,
				stats_saved_percent(stats->region_bytes, stats->would_line_bytes));
}

void
report_rules(const struct lp_rules *rules, const struct stream_map *map)
{
	struct lp_rules_stats stats;

	if (rules == NULL) {
		printf("No rules: all eligible frames are coded\n");
		return;
	}
	rules_stats_collect(rules, map, &stats);
	printf("Rules: %u, the first that matches decides\n", lp_rules_count(rules));
	for (unsigned int i = 1; i <= lp_rules_count(rules); i++) {
		printf("%u:", i);
		report_rule(lp_rules_text(rules, i), &stats.rule[i]);
	}
	printf("-:");
	report_rule(RULES_NO_MATCH, &stats.rule[0]);
}
