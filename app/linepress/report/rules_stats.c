/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "rules_stats.h"

void
rules_stats_collect(const struct lp_rules *rules, const struct stream_map *map,
		struct lp_rules_stats *sum)
{
	struct lp_rules_stats counted;
	const struct lp_press *press;

	*sum = (struct lp_rules_stats){ .generation = lp_rules_generation(rules) };
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		for (uint32_t k = 0; (press = stream_press(map->stream[i], k)) != NULL; k++) {
			lp_press_rules_stats(press, &counted);
			lp_rules_stats_add(sum, &counted);
		}
	}
}
