/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Rules asked about frames outside of a press. */

#include "press.h"
#include "rules.h"

struct lp_rules_answer
lp_rules_ask(const struct lp_rules *rules, uint16_t port, const uint8_t *head,
		const struct lp_frame *frame)
{
	static const struct rte_mbuf no_tags;
	/* Of an mbuf, rules look at nothing but tags that a port took off. */
	const struct lp_work work = {
		.mbuf = (struct rte_mbuf *)(uintptr_t)&no_tags,
		.head = head,
		.frame = *frame,
	};
	const struct lp_work *one = &work;
	uint32_t number;

	rules_match(rules, port, &one, 1, &number);
	const struct rule_action *action = &rules->rule[number].action;

	return (struct lp_rules_answer){
		.number = number,
		.passes = action->type == RULE_PASS,
		.books = action->books != NULL ? action->books : rules->books,
	};
}
