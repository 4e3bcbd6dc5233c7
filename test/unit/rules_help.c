/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules_help.h"

struct lp_rules *
rules_for(const char *text, const struct lp_bookset *books)
{
	struct lp_rules_error error = { 0 };
	struct lp_rules *rules = lp_rules_parse(text, strlen(text), books, &error);

	if (rules == NULL)
		printf("\n  %u:%u: %s", error.line, error.column, error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(rules);
	return rules;
}

struct lp_press *
press_with(const struct lp_rules *rules, uint16_t port)
{
	struct lp_press_conf conf = press_conf();

	conf.rules = rules;
	conf.port = port;
	return press_make(conf);
}

struct lp_rule_stats
rule_stats(const struct lp_press *press, unsigned int number)
{
	struct lp_rules_stats stats;

	lp_press_rules_stats(press, &stats);
	return stats.rule[number];
}

bool
rules_add_up(const struct lp_press *press)
{
	const struct lp_press_stats *s = lp_press_stats(press, LP_DIR_COMPRESS);
	struct lp_rule_stats sum = { 0 };
	struct lp_rules_stats stats;

	lp_press_rules_stats(press, &stats);
	for (unsigned int k = 0; k <= LP_RULES_MAX; k++) {
		sum.pkts += stats.rule[k].pkts;
		sum.region_bytes += stats.rule[k].region_bytes;
		sum.line_bytes += stats.rule[k].line_bytes;
		sum.coded_pkts += stats.rule[k].coded_pkts;
	}
	if (sum.pkts == s->eligible_pkts && sum.region_bytes == s->region_bytes &&
			sum.line_bytes == s->region_line_bytes && sum.coded_pkts == s->coded_pkts)
		return true;
	printf("\n  rules: pkts %" PRIu64 " region %" PRIu64 " line %" PRIu64 " coded %" PRIu64,
			sum.pkts, sum.region_bytes, sum.line_bytes, sum.coded_pkts);
	return false;
}
