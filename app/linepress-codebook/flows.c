/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "capture.h"
#include "collect.h"
#include "flows.h"
#include "linepress/wire.h"
#include "message.h"

#define PORT 0 /* what rules take frames of captures to come from */

/* The type of all books of a set, or -1 if they are of several. */
static int
common_type(const struct lp_bookset *books)
{
	int type = -1;

	for (unsigned int k = 0; k < books->count; k++) {
		struct lp_codebook_info info;

		lp_codebook_describe(books->book[books->id[k]], &info);
		if (type >= 0 && type != (int)info.type)
			return -1;
		type = (int)info.type;
	}
	return type;
}

/* The type of the book that codes a region best, or -1 if none does. */
static int
best_type(const struct lp_bookset *books, const uint8_t *region, size_t len)
{
	struct lp_codebook_info info;
	struct lp_params params;
	size_t estimate;

	if (len <= LP_SHIM_MIN)
		return -1;
	const uint8_t id = lp_bookset_choose(
			books, region, len, len - LP_SHIM_MIN, &params, &estimate);

	if (id == 0)
		return -1;
	lp_codebook_describe(books->book[id], &info);
	return (int)info.type;
}

static int
take_region(struct flows *f, const struct lp_bookset *books, const uint8_t *region, size_t len,
		struct lp_profiles *profiles)
{
	int type = f->type;

	if (type < 0)
		type = common_type(books);
	if (type < 0)
		type = best_type(books, region, len);
	if (type < 0) {
		f->unknown++;
		return 0;
	}
	f->taken[type]++;
	const size_t start = lp_profile_start(region, len, (enum lp_type)type);

	return lp_profiles_add(profiles, (enum lp_type)type, region + start, len - start) == 0
			? 0
			: complain("out of memory");
}

static int
take_frame(struct flows *f, const uint8_t *data, size_t len, struct lp_profiles *profiles)
{
	const struct lp_bookset *books = f->books;
	struct lp_frame frame;

	if (lp_frame_parse(data, len, &frame) != LP_ELIGIBLE || frame.region_len < f->min_region)
		return 0;
	if (f->rules != NULL) {
		const struct lp_rules_answer answer = lp_rules_ask(f->rules, PORT, data, &frame);

		if (answer.passes) {
			f->passed++;
			return 0;
		}
		books = answer.books;
	}
	return take_region(f, books, data + frame.region_off, frame.region_len, profiles);
}

int
flows_profile(struct flows *flows, const char *path, struct lp_profiles *profiles)
{
	struct capture_error error;
	struct capture *cap = capture_load(path, false, &error);
	int ret = 0;

	if (cap == NULL)
		return complain("%s: %s", path, error.text);
	for (size_t k = 0; k < cap->count && ret == 0; k++)
		ret = take_frame(flows, capture_data(cap, &cap->frames[k]), cap->frames[k].len,
				profiles);
	capture_free(cap);
	return ret;
}
