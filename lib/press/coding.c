/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Choosing how to code one region, and doing it. */

#include <rte_ether.h>

#include "coding.h"

/* A gain below this part of the region is not worth encoding it a second time. */
#define PROMISE_PART 256

/* Would the far box take a frame that is coded up to `end` for one that was padded? */
static bool
is_padded(const struct lp_work *work, uint32_t end)
{
	return RTE_ETHER_HDR_LEN + end - work->frame.l3_off + work->frame.icrc_len <=
			LP_FRAME_PADDED;
}

/* Longest body that saves enough, in bytes; 0 if none can. */
static uint32_t
body_limit(const struct lp_press *press, const struct lp_work *work, uint8_t flags)
{
	const uint32_t overhead = (uint32_t)lp_shim_len(flags) + press->conf.min_saving;

	return work->frame.region_len > overhead ? work->frame.region_len - overhead : 0;
}

/* Bytes that the body is expected to have; the limit if no book is expected to save enough. */
static size_t
choose_in_full(const struct lp_work *work, struct lp_coding *c)
{
	size_t estimate;

	c->known = LP_CHOICE_OPEN;
	c->choice.book = lp_bookset_choose_usable(c->books, c->usable, c->region,
			work->frame.region_len, c->limit, &c->choice.params, &estimate);
	return estimate;
}

/*
 * The same, if the tensor of the frames before goes on. `body_len` is that of a body coded with the
 * choice before, 0 if there is none.
 */
static size_t
choose_like_before(const struct lp_work *work, struct lp_coding *c, uint32_t body_len)
{
	const struct lp_choice before = c->choice;
	size_t estimate;

	if (before.book == 0)
		return choose_in_full(work, c);
	c->known = LP_CHOICE_TYPE;
	c->choice.book = lp_bookset_choose_like(c->books, c->usable, before.book,
			before.params.phase, c->region, work->frame.region_len, c->limit,
			&c->choice.params, &estimate);

	const size_t least = body_len > 0 && body_len < estimate ? body_len : estimate;

	if (c->choice.book != 0 && lp_choice_goes_on(c->place, least, work->frame.region_len))
		return estimate;
	return choose_in_full(work, c);
}

/* Could elements of another type have such a body, and a shorter one with their own book? */
static bool
has_rival(const struct lp_work *work, const struct lp_coding *c, size_t body_len)
{
	return lp_bookset_has_rival(
			c->books, c->usable, c->choice.book, work->frame.region_len, body_len);
}

/*
 * The tensor is expected to go on, maybe at a scale that differs a little. That of another type may
 * be coded as well as this one by another base.
 */
static void
adjust(const struct lp_work *work, struct lp_coding *c)
{
	const uint8_t base = c->choice.params.base;
	const size_t estimate = lp_codebook_adjust(c->books->book[c->choice.book], c->region,
			work->frame.region_len, &c->choice.params);

	c->is_adjusted = estimate != 0;
	if (!c->is_adjusted)
		return;
	if (!lp_choice_goes_on(c->place, estimate, work->frame.region_len) ||
			(c->choice.params.base != base && has_rival(work, c, estimate)))
		choose_like_before(work, c, 0);
}

static void
learn(const struct lp_work *work, const struct lp_coding *c, uint32_t body_len)
{
	lp_choice_learn(c->place, c->books, &c->key, c->known, &c->choice, body_len,
			work->frame.region_len);
}

bool
lp_coding_choose(struct lp_press *press, const struct lp_work *work, const struct lp_bookset *books,
		const struct lp_book_mask *usable, struct lp_coding *c)
{
	const struct lp_frame *frame = &work->frame;
	const ptrdiff_t rule = work->rule - press->rules_stats.rule;

	c->books = books;
	c->is_adjusted = false;
	c->usable = usable;
	c->shim = (struct lp_shim){
		.type = LP_SHIM_CODED,
		.flags = lp_shim_flags(work->head, frame),
	};
	c->region = lp_work_bytes(work, frame->region_off, frame->region_len, press->region);
	c->limit = body_limit(press, work, c->shim.flags);
	c->off = lp_coding_offset(work, c->shim.flags);
	c->key = lp_choice_key(work->head, frame, (uint32_t)rule);
	c->place = lp_choice_find(press->choices, &c->key);
	c->known = lp_choice_recall(
			c->place, books, &c->key, c->region, frame->region_len, &c->choice);
	if (c->known == LP_CHOICE_OPEN)
		choose_in_full(work, c);
	else if (c->known == LP_CHOICE_TYPE)
		choose_like_before(work, c, 0);
	else if (c->choice.book != 0)
		adjust(work, c);
	if (c->known != LP_CHOICE_ALL && c->choice.book == 0)
		learn(work, c, 0);
	return c->choice.book != 0;
}

/* Bytes of the body, 0 if of no use. */
static uint32_t
encode_as_chosen(const struct lp_work *work, const struct lp_coding *c, uint8_t *frame_bytes)
{
	const int body_len = lp_encode(c->books->book[c->choice.book], &c->choice.params, c->region,
			work->frame.region_len, frame_bytes + c->off, c->limit);

	return body_len <= 0 || is_padded(work, c->off + (uint32_t)body_len) ? 0
									     : (uint32_t)body_len;
}

/* If the base was adjusted and the type is beyond doubt, only the length of rows varies. */
static bool
is_as_expected(const struct lp_work *work, const struct lp_coding *c, uint32_t body_len)
{
	const uint16_t len = work->frame.region_len;

	return lp_choice_fits(c->place, body_len, len) ||
			(c->is_adjusted && lp_choice_goes_on(c->place, body_len, len) &&
					!has_rival(work, c, body_len));
}

/*
 * A choice taken for granted turns out to be doubtful: make it again, and encode again if that
 * promises more than the error of an estimate.
 */
static uint32_t
encode_again(const struct lp_work *work, struct lp_coding *c, uint8_t *frame_bytes,
		uint32_t body_len)
{
	const struct lp_choice granted = c->choice;
	const size_t promised = choose_like_before(work, c, body_len) +
			work->frame.region_len / PROMISE_PART;

	if (c->choice.book != 0 && (body_len == 0 || promised < body_len))
		return encode_as_chosen(work, c, frame_bytes);
	if (body_len > 0)
		c->choice = granted;
	return body_len;
}

uint32_t
lp_coding_encode(const struct lp_work *work, struct lp_coding *c, uint8_t *frame_bytes)
{
	uint32_t body_len = encode_as_chosen(work, c, frame_bytes);

	if (c->known == LP_CHOICE_ALL && !is_as_expected(work, c, body_len))
		body_len = encode_again(work, c, frame_bytes, body_len);
	if (c->known != LP_CHOICE_ALL)
		learn(work, c, body_len);
	else if (c->is_adjusted)
		c->place->choice.params.base = c->choice.params.base;
	return body_len;
}
