/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_DATAPATH_OPTIONS_H
#define LINEPRESS_PERF_DATAPATH_OPTIONS_H

/** @file Options of `linepress-perf datapath`, without the EAL's part. */

#include <stdint.h>

#include "outcome.h"

/** Most frames handled at once. */
#define DATAPATH_BURST_MAX 512

/** Options; strings belong to argv. */
struct datapath_options {
	const char *capture;   /**< file, or NULL for the shipped one */
	const char *codebooks; /**< directory */
	const char *json;      /**< file or NULL */
	const char *kernel;    /**< name or NULL */
	long seconds;
	uint16_t burst; /**< frames */
};

/** Parse the arguments, argv[0] being the command's name or "--". */
enum options_outcome datapath_options_parse(struct datapath_options *opt, int argc, char **argv);

#endif /* LINEPRESS_PERF_DATAPATH_OPTIONS_H */
