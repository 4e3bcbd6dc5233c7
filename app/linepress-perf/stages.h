/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_STAGES_H
#define LINEPRESS_PERF_STAGES_H

/**
 * @file
 * The packet path taken apart: what lp_press_compress() and lp_press_restore() do with a frame,
 * stage by stage over a burst.
 */

#include <rte_mbuf.h>

#include "linepress/bookset.h"

#include "datapath_options.h"
#include "measure.h"
#include "press.h"

/** What is timed of a burst. */
enum stage {
	STAGE_IO, /**< the loop that touches no frame */

	STAGE_COMPRESS, /**< the loop */
	STAGE_PARSE,
	STAGE_CHOOSE,
	STAGE_ENCODE,
	STAGE_SEAL,

	STAGE_RESTORE, /**< the loop */
	STAGE_OPEN,
	STAGE_DECODE,
	STAGE_VERIFY,

	STAGE_COUNT,
};

/** A frame between stages. */
struct stage_frame {
	struct rte_mbuf *host; /**< original */
	struct rte_mbuf *line; /**< coded */
	struct rte_mbuf *back; /**< restored */
	bool eligible;	       /**< worth choosing a book for */
	bool coded;	       /**< shorter than the original */
	struct lp_work work;   /**< of the original, later of the coded frame */
	struct lp_params params;
	struct lp_shim shim;
	uint32_t off;	   /**< of the body */
	uint32_t limit;	   /**< longest body that is worth it */
	uint32_t body_len; /**< bytes */
};

/** A burst between stages. */
struct stages {
	const struct lp_bookset *books;
	struct lp_key key;
	struct stage_frame frame[DATAPATH_BURST_MAX];
	uint16_t count;
};

/**
 * Run and time all stages on a burst.
 *
 * @param stages
 *   With books and key set, and for each of `count` frames the three mbufs: the original, and two
 *   empty ones with room for a frame.
 * @param timing
 *   STAGE_COUNT entries; those of stages are added to. Loops are left alone.
 * @return
 *   0, or the number of the first frame, from 1, that could not be restored.
 */
unsigned int stages_run(struct stages *stages, struct timing *timing);

#endif /* LINEPRESS_PERF_STAGES_H */
