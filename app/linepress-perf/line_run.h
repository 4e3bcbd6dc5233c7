/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_RUN_H
#define LINEPRESS_PERF_LINE_RUN_H

/** @file All measurements of `linepress-perf line`. */

#include <jansson.h>

#include "line_counts.h"
#include "line_options.h"
#include "line_traffic.h"

/** What is measured of a program in a mode. */
struct line_row {
	bool is_testpmd;
	enum line_mode mode;
	unsigned int nb_lcores;
	struct line_counts best; /**< the fastest round */
	double *mpps;		 /**< of each round */
	double *cycles;		 /**< of an lcore for a frame, in each round */
	double least_cycles;	 /**< of them */
};

/** Everything. */
struct line_result {
	const struct line_options *opt;
	const struct line_traffic *traffic;
	const char *kernel;	  /**< of the codec */
	char linepress[PATH_MAX]; /**< program */
	char testpmd[PATH_MAX];	  /**< program; empty: not there */
	struct line_row *row;	  /**< in the order of the report */
	int nb_rows;
	json_t *datapath; /**< report of `linepress-perf datapath`, or NULL */
};

/**
 * Measure.
 *
 * @param res
 *   With options, traffic and kernel; the rest is filled.
 * @return
 *   0, or -1 having said why; line_result_free() is due in either case.
 */
int line_run(struct line_result *res);

/** The row of a mode, or NULL. */
const struct line_row *line_row_find(const struct line_result *res, bool is_testpmd,
		enum line_mode mode, unsigned int nb_lcores);

/** Release what line_run() filled. */
void line_result_free(struct line_result *res);

#endif /* LINEPRESS_PERF_LINE_RUN_H */
