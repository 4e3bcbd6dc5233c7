/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_OPTIONS_H
#define LINEPRESS_PERF_LINE_OPTIONS_H

/** @file Options of `linepress-perf line`. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"
#include "outcome.h"

/** Most forwarding lcores: net_pcap has no more queues. */
#define LINE_LCORES_MAX 16

/** Forward modes of the appliance, in the order of the report. */
enum line_mode {
	LINE_IO,
	LINE_COMPRESS,
	LINE_RESTORE,
	LINE_PRESS,
	LINE_VERIFY,
	LINE_MODES,
};

/** Options; strings belong to argv. */
struct line_options {
	const char *input;     /**< capture, or tensors if there is a type; NULL: those shipped */
	const char *codebooks; /**< directory */
	const char *json;      /**< file or NULL */
	const char *kernel;    /**< name or NULL */
	int type;	       /**< enum lp_type of tensors to make frames of, or -1 */
	size_t packet_bytes;   /**< of tensors in a frame */
	long seconds;	       /**< of a measurement */
	long rounds;
	long burst;		    /**< frames */
	long lcores[ARGS_LIST_MAX]; /**< numbers of forwarding lcores */
	int nb_lcores;		    /**< how many numbers */
	bool mode[LINE_MODES];	    /**< which to measure */
};

/** Parse the arguments, argv[0] being the command's name. */
enum options_outcome line_options_parse(struct line_options *opt, int argc, char **argv);

/** Name of a mode as for the appliance. */
const char *line_mode_name(enum line_mode mode);

#endif /* LINEPRESS_PERF_LINE_OPTIONS_H */
