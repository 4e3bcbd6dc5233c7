/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_REPLAY_COMPARE_H
#define LINEPRESS_REPLAY_COMPARE_H

/**
 * @file
 * Did a burst come back bit for bit and in order?
 *
 * Boxes return new mbufs and report drops by counters only, so what came back is matched to
 * what was sent by content.
 */

#include <stdint.h>

/** Most frames in a burst. */
#define COMPARE_BURST_MAX 512

/** Frames described one by one; more are only counted. */
#define COMPARE_DETAILS 10

/** One frame, in one piece. */
struct compare_frame {
	const uint8_t *data;
	uint64_t number; /**< place in the capture, from 1; unused for returned frames */
	uint32_t len;	 /**< bytes */
};

/** Byte of a difference that lies behind the end of the shorter frame. */
#define COMPARE_NO_BYTE (-1)

/** The first difference in a frame that came back unequal. */
struct compare_difference {
	uint64_t number;   /**< frame, from 1 */
	uint32_t offset;   /**< first differing byte, from 0 */
	uint32_t sent_len; /**< bytes of the original */
	uint32_t back_len; /**< bytes of what came back */
	int16_t sent_byte; /**< value in the original or COMPARE_NO_BYTE */
	int16_t back_byte; /**< value in what came back or COMPARE_NO_BYTE */
};

/** Outcome of many bursts. Clear with zeroes. */
struct compare_result {
	uint64_t sent;	    /**< frames given to the boxes */
	uint64_t returned;  /**< frames that came back, whatever they look like */
	uint64_t lost;	    /**< sent, but nothing came back in their place */
	uint64_t differing; /**< came back, but not equal */
	uint64_t reordered; /**< came back equal, but behind a later frame */
	uint64_t extra;	    /**< returned frames that nobody sent; counted in differing too */
	struct compare_difference difference[COMPARE_DETAILS]; /**< the first ones */
	uint64_t lost_number[COMPARE_DETAILS];		       /**< the first ones, from 1 */
};

/**
 * Compare a burst.
 *
 * @param sent
 *   The originals, at most COMPARE_BURST_MAX.
 * @param nb_sent
 *   How many.
 * @param back
 *   What came back, in the order in which it did.
 * @param nb_back
 *   How many.
 * @param result
 *   What is found is added here.
 */
void compare_burst(const struct compare_frame *sent, uint16_t nb_sent,
		const struct compare_frame *back, uint16_t nb_back, struct compare_result *result);

/** Nothing lost, differing or reordered? */
static inline int
compare_is_clean(const struct compare_result *result)
{
	return result->lost == 0 && result->differing == 0 && result->reordered == 0;
}

#endif /* LINEPRESS_REPLAY_COMPARE_H */
