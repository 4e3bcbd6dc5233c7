/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef FLOWS_H
#define FLOWS_H

/**
 * @file
 * Payloads of captures, picked by rules, and the types of their elements.
 */

#include <stdbool.h>

#include "linepress/bookset.h"
#include "linepress/profiles.h"
#include "linepress/rules.h"

/** What to take from captures. */
struct flows {
	int type; /**< of all, or less than 0: find out, by rule or by the books */
	unsigned long min_region;
	const struct lp_bookset *books; /**< to find out types */
	const struct lp_rules *rules;	/**< NULL: take all */

	/* Payloads: */
	size_t taken[LP_TYPE_COUNT]; /**< by type */
	size_t passed;		     /**< left out by a rule */
	size_t unknown;		     /**< no book would code them */
};

/**
 * Count the payloads of a capture.
 *
 * @return
 *   0, or -1 having said why.
 */
int flows_profile(struct flows *flows, const char *path, struct lp_profiles *profiles);

#endif /* FLOWS_H */
