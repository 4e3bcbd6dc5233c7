/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CODEC_OPTIONS_H
#define LINEPRESS_PERF_CODEC_OPTIONS_H

/** @file Options of `linepress-perf codec`. */

#include <stdbool.h>
#include <stddef.h>

#include "linepress/codec.h"

#include "args.h"
#include "outcome.h"

/** Options; strings belong to argv. */
struct codec_options {
	const char *codebooks; /**< directory */
	const char *corpus;    /**< directory or NULL */
	const char *json;      /**< file or NULL */
	const char *kernel;    /**< name or NULL */
	const char **inputs;   /**< tensor files; to be freed */
	int nb_inputs;
	int type;	/**< enum lp_type of the inputs, or -1 */
	bool all_types; /**< all that there is data of */
	bool streamed;	/**< a working set that no cache holds */
	bool types[LP_TYPE_COUNT];
	size_t packet_bytes[ARGS_LIST_MAX];
	int nb_packet_bytes;
	long seconds;
};

/** Parse the arguments, argv[0] being the command's name. */
enum options_outcome codec_options_parse(struct codec_options *opt, int argc, char **argv);

#endif /* LINEPRESS_PERF_CODEC_OPTIONS_H */
