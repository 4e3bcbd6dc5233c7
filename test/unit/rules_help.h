/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_RULES_HELP_H
#define TEST_RULES_HELP_H

/**
 * @file
 * What the tests of the rules share.
 */

#include "press_help.h"

/** Rules that must be right. */
struct lp_rules *rules_for(const char *text, const struct lp_bookset *books);

/** A press of the usual configuration with these rules, on this port. */
struct lp_press *press_with(const struct lp_rules *rules, uint16_t port);

/** Counters of a rule. */
struct lp_rule_stats rule_stats(const struct lp_press *press, unsigned int number);

/** Do the counters by rule add up to those of the press? Only if its rules were always the same. */
bool rules_add_up(const struct lp_press *press);

#endif /* TEST_RULES_HELP_H */
