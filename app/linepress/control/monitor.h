/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_MONITOR_H
#define LINEPRESS_APP_MONITOR_H

/**
 * @file
 * What happens beside forwarding: periodic statistics and the end of the duration.
 */

#include "options.h"
#include "ports.h"
#include "stats.h"
#include "streams.h"

/** What is watched. */
struct monitor {
	const struct options *opts;
	const struct port_table *ports;
	const struct stream_map *map;
	const struct stats_base *base;
};

/** Watch, a `struct monitor`, until the program is asked to stop. Returns NULL. */
void *monitor_run(void *monitor);

#endif /* LINEPRESS_APP_MONITOR_H */
