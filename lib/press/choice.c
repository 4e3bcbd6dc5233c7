/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "fields.h"
#include "linepress/glance.h"

/* Bodies may be longer than expected by one of so many parts of the region. */
#define LONGER_PART 128

/* Shorter ones do no harm, but another choice may be better still. */
#define SHORTER_PART 64

/* With the tensor's next part, the best book of its type may be worse or better by such a part. */
#define GOES_ON_LONGER_PART 32
#define GOES_ON_SHORTER_PART 16

/* Choices whose bases differ by no more are the same, made on other samples. */
#define BASE_NEAR 2

static uint32_t
class_of(uint32_t len)
{
	return 32 - (uint32_t)__builtin_clz(len | 1);
}

/* Phases go on with the byte stream; datagrams have none. */
static uint8_t
stream_offset(const uint8_t *l4, const struct lp_frame *frame)
{
	return frame->l4 == LP_L4_TCP ? l4[offsetof(struct rte_tcp_hdr, sent_seq) + 3] & 3 : 0;
}

struct lp_choice_key
lp_choice_key(const uint8_t *head, const struct lp_frame *frame, uint32_t rule)
{
	return (struct lp_choice_key){
		.flow = lp_frame_flow(head, frame),
		.rule = (uint16_t)rule,
		.length = (uint8_t)class_of(frame->region_len),
		.offset = stream_offset(head + frame->l4_off, frame),
	};
}

struct lp_choice_place *
lp_choice_find(struct lp_choice_place *places, const struct lp_choice_key *key)
{
	const uint32_t hash = key->flow + key->length * UINT32_C(0x9e3779b1);
	struct lp_choice_place *place = &places[hash % LP_CHOICE_PLACES];

	if (place->flow != key->flow || place->rule != key->rule || place->length != key->length)
		*place = (struct lp_choice_place){
			.flow = key->flow,
			.rule = key->rule,
			.length = key->length,
		};
	return place;
}

enum lp_choice_known
lp_choice_recall(struct lp_choice_place *place, const struct lp_bookset *books,
		const struct lp_choice_key *key, const uint8_t *region, uint16_t len,
		struct lp_choice *choice)
{
	if (place->left == 0)
		return LP_CHOICE_OPEN;
	place->left--;
	*choice = place->choice;
	if (choice->book == 0)
		return lp_glance_is_random(region, len) ? LP_CHOICE_ALL : LP_CHOICE_OPEN;
	/* other books may have come to lie where those of the choice were, even under its number */
	if (books->digest[choice->book] != place->digest)
		return LP_CHOICE_OPEN;
	choice->params.phase = (uint8_t)((choice->params.phase + key->offset) & place->phase_mask);
	if (lp_glance_finds_pairs(books->book[choice->book], choice->params.phase, region, len))
		return LP_CHOICE_OPEN;
	return place->is_settled ? LP_CHOICE_ALL : LP_CHOICE_TYPE;
}

static bool
is_within(const struct lp_choice_place *place, size_t body_len, uint16_t len,
		unsigned int longer_part, unsigned int shorter_part)
{
	const uint32_t expected = (uint32_t)place->ratio * len >> 16;

	return body_len > 0 && body_len <= expected + len / longer_part &&
			body_len + len / shorter_part >= expected;
}

bool
lp_choice_fits(const struct lp_choice_place *place, uint32_t body_len, uint16_t len)
{
	return is_within(place, body_len, len, LONGER_PART, SHORTER_PART);
}

bool
lp_choice_goes_on(const struct lp_choice_place *place, size_t body_len, uint16_t len)
{
	return is_within(place, body_len, len, GOES_ON_LONGER_PART, GOES_ON_SHORTER_PART);
}

static bool
is_same_type(const struct lp_choice_place *a, const struct lp_choice_place *b)
{
	return a->is_known && (a->choice.book == 0) == (b->choice.book == 0) &&
			a->type == b->type && a->choice.params.phase == b->choice.params.phase;
}

static bool
is_near(const struct lp_choice *a, const struct lp_choice *b)
{
	return a->book == b->book && abs((int8_t)(a->params.base - b->params.base)) <= BASE_NEAR;
}

void
lp_choice_learn(struct lp_choice_place *place, const struct lp_bookset *books,
		const struct lp_choice_key *key, enum lp_choice_known known,
		const struct lp_choice *choice, uint32_t body_len, uint16_t len)
{
	const struct lp_choice_place before = *place;

	place->is_known = true;
	place->type = 0;
	place->phase_mask = 0;
	place->choice = (struct lp_choice){ 0 };
	place->digest = 0;
	place->ratio = (uint16_t)((body_len << 16) / len);
	if (body_len > 0) {
		const struct lp_codebook *cb = books->book[choice->book];

		place->type = (uint8_t)lp_codebook_type(cb);
		place->phase_mask = (uint8_t)((1u << lp_codebook_element_log2(cb)) - 1);
		place->choice = *choice;
		place->digest = books->digest[choice->book];
		place->choice.params.phase = (uint8_t)((choice->params.phase - key->offset) &
				place->phase_mask);
	}
	place->is_settled = is_same_type(&before, place) && is_near(&before.choice, &place->choice);
	if (known == LP_CHOICE_OPEN)
		place->left = is_same_type(&before, place) ? LP_CHOICE_FRAMES : 0;
	else if (body_len == 0)
		place->left = 0;
}
