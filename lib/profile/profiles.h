/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PROFILES_INTERNAL_H
#define LP_PROFILES_INTERNAL_H

#include "linepress/profiles.h"
#include "profile.h"

struct lp_profiles {
	struct lp_profile *profile[LP_TYPE_COUNT][LP_SYMBOL_COUNT]; /**< or NULL */
	char *sources; /**< lines, each with its end; NULL if there are none */
};

/** Is this what is stored of a type? */
bool lp_profiles_stores(enum lp_type type, enum lp_symbol symbol);

/** A profile, made if there is none; NULL if memory ran out. */
struct lp_profile *lp_profiles_make(
		struct lp_profiles *profiles, enum lp_type type, enum lp_symbol symbol);

#endif /* LP_PROFILES_INTERNAL_H */
