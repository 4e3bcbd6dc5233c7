/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_CHOICE_H
#define LP_CHOICE_H

/**
 * @file
 * Choices of book, phase and base, remembered by flow.
 *
 * The next frame of a flow nearly always goes on with the tensor of the last one. So once a flow
 * has carried the same type twice in a row, at the same phase, these are taken for granted for some
 * frames; and so are the book among those of the type, and the base, once they, too, came out the
 * same twice. As scales vary from row to row, the base of a grouped book is compared with its
 * neighbours first. All this is checked by its result: if the body is longer or much shorter than
 * that of the last choice, the choice is made again, among the books of the type. If none of them
 * codes the frame about as well as those before, or a glance at the region raises doubts, the
 * choice is made in full after all.
 *
 * All of it follows from the frames and their order alone: no clock, no kernel, no burst.
 */

#include <stdbool.h>
#include <stdint.h>

#include "linepress/bookset.h"
#include "linepress/wire.h"

/** Flows that are remembered, a power of two. Two that meet in one place forget each other. */
#define LP_CHOICE_PLACES 1024

/**
 * Frames of a flow whose type is taken for granted, before a choice is made in full again. With
 * that one they are a prime number, so that rows which repeat with some period are not always
 * judged by the same row.
 */
#define LP_CHOICE_FRAMES 36

/** What to code a region with. */
struct lp_choice {
	uint8_t book; /**< 0: nothing, it is not worth coding */
	struct lp_params params;
};

/** How much of a choice is taken for granted. */
enum lp_choice_known {
	LP_CHOICE_OPEN, /**< nothing: it is made in full */
	LP_CHOICE_TYPE, /**< element type and phase */
	LP_CHOICE_ALL,
};

/** A frame, as far as choices are concerned. */
struct lp_choice_key {
	uint32_t flow;	/**< lp_frame_flow() */
	uint16_t rule;	/**< which allows the books */
	uint8_t length; /**< of the region: class, at least 1 */
	uint8_t offset; /**< of the region in the flow's byte stream, if it has one; modulo 4 */
};

/** What is known of a flow. */
struct lp_choice_place {
	uint32_t flow;
	uint16_t rule;
	uint8_t length;
	bool is_known;
	bool is_settled;	 /**< book and base, too, are taken for granted */
	uint8_t left;		 /**< frames for which the type is still taken for granted */
	uint8_t type;		 /**< of elements, if there is a book */
	uint8_t phase_mask;	 /**< bytes of an element less 1 */
	struct lp_choice choice; /**< for a region at offset 0 */
	uint16_t ratio;		 /**< of body to region, in 65536ths */
	uint64_t digest;	 /**< of the book; 0 if there is none */
};

/** Key of an eligible frame. */
struct lp_choice_key lp_choice_key(
		const uint8_t *head, const struct lp_frame *frame, uint32_t rule);

/** Where a flow belongs, of LP_CHOICE_PLACES; what was there of others is forgotten. */
struct lp_choice_place *lp_choice_find(
		struct lp_choice_place *places, const struct lp_choice_key *key);

/** What may be taken for granted for one frame; `choice` receives what was chosen last. */
enum lp_choice_known lp_choice_recall(struct lp_choice_place *place, const struct lp_bookset *books,
		const struct lp_choice_key *key, const uint8_t *region, uint16_t len,
		struct lp_choice *choice);

/** Is a body as long as is expected with a choice taken for granted? 0: it is of no use. */
bool lp_choice_fits(const struct lp_choice_place *place, uint32_t body_len, uint16_t len);

/**
 * Is a body what is to be expected of a tensor that goes on, by its length, or an estimate of it,
 * with the best book of the type or the best base?
 */
bool lp_choice_goes_on(const struct lp_choice_place *place, size_t body_len, uint16_t len);

/**
 * Remember a choice and what became of it.
 *
 * @param known
 *   What was taken for granted: LP_CHOICE_OPEN or LP_CHOICE_TYPE.
 * @param body_len
 *   Of the coded frame; 0: it was of no use.
 */
void lp_choice_learn(struct lp_choice_place *place, const struct lp_bookset *books,
		const struct lp_choice_key *key, enum lp_choice_known known,
		const struct lp_choice *choice, uint32_t body_len, uint16_t len);

#endif /* LP_CHOICE_H */
