/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_DATAPATH_RUN_H
#define LINEPRESS_PERF_DATAPATH_RUN_H

/** @file A capture through the packet path, again and again. */

#include <signal.h>
#include <stdint.h>

#include "linepress/bookset.h"

#include "capture.h"
#include "datapath_options.h"
#include "stages.h"

/** What was measured. */
struct datapath_result {
	const char *capture; /**< path */
	const char *kernel;
	uint64_t packets;	      /**< frames of the capture */
	uint64_t bytes;		      /**< of these frames, without FCS */
	uint64_t coded_packets;	      /**< of these frames */
	uint64_t region_bytes;	      /**< original regions of the coded frames */
	uint64_t cycles[STAGE_COUNT]; /**< of the whole capture */
	uint64_t passes;
	uint64_t samples; /**< one is a burst in a stage */
	uint64_t quiet;	  /**< of them */
};

/**
 * Measure.
 *
 * @param stop
 *   Set by a signal.
 * @param res
 *   Filled, but for capture and kernel.
 * @return
 *   0, or -1 having said why; a frame that does not come back is a reason.
 */
int datapath_run(const struct datapath_options *opt, const struct capture *cap,
		const struct lp_bookset *books, volatile sig_atomic_t *stop,
		struct datapath_result *res);

#endif /* LINEPRESS_PERF_DATAPATH_RUN_H */
