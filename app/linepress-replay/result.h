/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_REPLAY_RESULT_H
#define LINEPRESS_REPLAY_RESULT_H

/** @file What the replay of one capture gave; collected once, printed as text and as JSON. */

#include <stdbool.h>
#include <stdint.h>

#include "linepress/press.h"

#include "compare.h"
#include "options.h"

/** Bytes of preamble, FCS and gap that accompany each frame on Ethernet. */
#define ETHERNET_OVERHEAD_BYTES 24

/** Outcome of one capture. */
struct replay_result {
	const char *capture; /**< path as given */
	enum replay_mode mode;
	uint64_t packets;	       /**< frames of the capture */
	uint64_t skipped;	       /**< truncated frames left out */
	uint64_t original_bytes;       /**< bytes of the original frames, without FCS */
	unsigned int loops;	       /**< passes made */
	struct compare_result compare; /**< pair: of the first pass, or of the one that failed */
	struct lp_press_stats stats[LP_DIR_COUNT]; /**< of the same pass */
	uint64_t cycles[LP_DIR_COUNT];		   /**< in the box, fastest pass */
};

/** Does this box take part in the mode? */
static inline bool
result_has_box(const struct replay_result *res, enum lp_dir dir)
{
	return res->mode == REPLAY_PAIR ||
			(res->mode == REPLAY_COMPRESS) == (dir == LP_DIR_COMPRESS);
}

/** Sums of one capture in the form in which they are reported. */
struct replay_summary {
	uint64_t frame_bytes;		  /**< original frames */
	uint64_t line_bytes;		  /**< what travels for them */
	uint64_t region_bytes;		  /**< original regions */
	uint64_t region_line_bytes;	  /**< what travels for them */
	uint64_t lost;			  /**< frames that did not come back */
	uint64_t dropped[LP_DROP_COUNT];  /**< in both boxes */
	const struct lp_press_stats *box; /**< the box that tells what was coded and why not */
};

void result_summarise(const struct replay_result *res, struct replay_summary *sum);

/** Percent saved; 0 of nothing. */
double result_saved_percent(uint64_t bytes, uint64_t line_bytes);

/** Gb/s of original frames in one box, with `extra` bytes added to each frame. */
double result_gbps(const struct replay_result *res, enum lp_dir dir, unsigned int extra);

/** Cycles per frame in one box. */
double result_cycles_per_packet(const struct replay_result *res, enum lp_dir dir);

/** Frames that look coded but were not accepted by the restoring box. */
uint64_t result_refused(const struct replay_result *res);

/** Did all go well? */
bool result_is_good(const struct replay_result *res);

#endif /* LINEPRESS_REPLAY_RESULT_H */
