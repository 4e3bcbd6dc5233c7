/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_LOG_H
#define LINEPRESS_APP_LOG_H

/**
 * @file
 * Messages of the appliance. What stops the program or a command goes to stderr whatever the log
 * level; the rest goes through the EAL log under the type "lp.app".
 */

#include <rte_common.h>
#include <rte_log.h>

extern int lp_app_log;

/** Log a condition the program lives with; `fmt` has no prefix and no newline. */
#define LOG(level, fmt, ...) \
	rte_log(RTE_LOG_##level, lp_app_log, "linepress: " fmt "\n", ##__VA_ARGS__)

/**
 * Say on stderr, in one line, why what was asked for is not done. At start the program then stops;
 * a command counts as failed.
 */
void app_error(const char *fmt, ...) __rte_format_printf(1, 2);

/** How often app_error() was called. */
unsigned int app_error_count(void);

/** Where in a file of the user the program is. */
struct app_error_place {
	const char *path;
	unsigned int line;
};

/** Let app_error() begin with a place, or with none if NULL. Returns the place before. */
const struct app_error_place *app_error_set_place(const struct app_error_place *place);

#endif /* LINEPRESS_APP_LOG_H */
