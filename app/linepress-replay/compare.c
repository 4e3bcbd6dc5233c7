/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "compare.h"

/* What has become of a frame that was sent. */
enum fate {
	FATE_AWAITED,	/* nothing seen of it or of a later one */
	FATE_PASSED_BY, /* a later one came back: lost, or reordered if it still comes */
	FATE_BACK,	/* something came back in its place */
};

struct matching {
	const struct compare_frame *sent;
	uint16_t nb_sent;
	uint16_t next; /* first frame that is still awaited */
	enum fate fate[COMPARE_BURST_MAX];
};

static bool
equal(const struct compare_frame *a, const struct compare_frame *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* First frame with this fate that equals `frame` (any, if that is NULL), or -1. */
static int
find(const struct matching *m, enum fate fate, const struct compare_frame *frame)
{
	uint16_t i;

	for (i = 0; i < m->nb_sent; i++)
		if (m->fate[i] == fate && (frame == NULL || equal(&m->sent[i], frame)))
			return i;
	return -1;
}

static void
pass_by_until(struct matching *m, uint16_t index)
{
	while (m->next < index)
		m->fate[m->next++] = FATE_PASSED_BY;
	m->fate[m->next++] = FATE_BACK;
}

static void
describe(const struct compare_frame *sent, const struct compare_frame *back,
		struct compare_difference *difference)
{
	const uint32_t common = sent->len < back->len ? sent->len : back->len;
	uint32_t i = 0;

	while (i < common && sent->data[i] == back->data[i])
		i++;
	*difference = (struct compare_difference){
		.number = sent->number,
		.offset = i,
		.sent_len = sent->len,
		.back_len = back->len,
		.sent_byte = i < sent->len ? sent->data[i] : COMPARE_NO_BYTE,
		.back_byte = i < back->len ? back->data[i] : COMPARE_NO_BYTE,
	};
}

/*
 * A frame that equals none that is outstanding stands for the one awaited next, or else for
 * one that was passed by.
 */
static void
match_unequal(struct matching *m, const struct compare_frame *back, struct compare_result *result)
{
	const uint64_t described = result->differing - result->extra;
	int index = m->next < m->nb_sent ? m->next : find(m, FATE_PASSED_BY, NULL);

	result->differing++;
	if (index < 0) {
		result->extra++;
		return;
	}
	if (index == m->next)
		m->next++;
	m->fate[index] = FATE_BACK;
	if (described < COMPARE_DETAILS)
		describe(&m->sent[index], back, &result->difference[described]);
}

static void
match(struct matching *m, const struct compare_frame *back, struct compare_result *result)
{
	int index;

	if (m->next < m->nb_sent && equal(&m->sent[m->next], back)) {
		m->fate[m->next++] = FATE_BACK;
		return;
	}
	index = find(m, FATE_AWAITED, back);
	if (index >= 0) {
		pass_by_until(m, index);
		return;
	}
	index = find(m, FATE_PASSED_BY, back);
	if (index >= 0) {
		m->fate[index] = FATE_BACK;
		result->reordered++;
		return;
	}
	match_unequal(m, back, result);
}

void
compare_burst(const struct compare_frame *sent, uint16_t nb_sent, const struct compare_frame *back,
		uint16_t nb_back, struct compare_result *result)
{
	struct matching m = { .sent = sent, .nb_sent = nb_sent };
	uint16_t i;

	assert(nb_sent <= COMPARE_BURST_MAX);
	result->sent += nb_sent;
	result->returned += nb_back;
	for (i = 0; i < nb_back; i++)
		match(&m, &back[i], result);
	for (i = 0; i < nb_sent; i++) {
		if (m.fate[i] == FATE_BACK)
			continue;
		if (result->lost < COMPARE_DETAILS)
			result->lost_number[result->lost] = sent[i].number;
		result->lost++;
	}
}
