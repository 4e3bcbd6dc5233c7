/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_PRESSES_H
#define LINEPRESS_APP_PRESSES_H

#include "options.h"
#include "policy.h"
#include "pools.h"
#include "streams.h"

/**
 * Give each stream that compresses, restores or verifies its press, or one to each of its lanes.
 *
 * @return
 *   0, or a negative errno after one line on stderr; presses_free() is then still due.
 */
int presses_create(const struct options *opts, const struct policy *policy,
		const struct mbuf_pools *pools, struct stream_map *map);

/** Release all presses of the plan. No lcore may be using them. */
void presses_free(struct stream_map *map);

#endif /* LINEPRESS_APP_PRESSES_H */
