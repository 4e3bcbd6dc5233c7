/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * The choice among the books of a set.
 *
 * Of the many ways to code a region, most get no more than a quick look at a part of the sample;
 * those that may be the best are judged by all of it.
 */

#include <string.h>

#include "book.h"
#include "linepress/bookset.h"
#include "sample.h"

#define BODY_HOPELESS (SIZE_MAX / 2)

/*
 * On tensors, the books over bytes of a type gain at most this part of the region over its grouped
 * book. Where the grouped book is further behind, the region is of another type, and they are
 * tried only if its bytes are so unlike a tensor's that still more could be gained.
 */
#define TYPE_GAIN_PART 8

/* A quick look is seldom off by more than this part of the region. */
#define QUICK_ERROR_PART 12

/* Quick looks at phases of grouped books that are kept; of further ones no look is quick. */
#define LOOKS_MAX 32

struct look {
	uint8_t id;
	uint8_t phase;
	size_t bytes;
};

/* What is known of a region while books are tried. */
struct trial {
	const struct lp_bookset *set;
	const struct lp_book_mask *usable;
	bool all; /* are all books usable? */
	size_t len;
	uint8_t book; /* the best so far, or 0 */
	struct lp_params params;
	size_t best;		       /* its body bytes, or the limit */
	size_t quick;		       /* fewest body bytes of all quick looks */
	bool sure;		       /* nothing but books of its type can be better */
	size_t byte_floor;	       /* of books over bytes; 0: not yet known */
	size_t grouped[LP_TYPE_COUNT]; /* a quick look at a type's grouped book; 0: it has none */
	unsigned int looks;
	struct look look[LOOKS_MAX];
	struct lp_sample sample;
};

static void
trial_init(struct trial *t, const struct lp_bookset *set, const struct lp_book_mask *usable,
		const uint8_t *src, size_t len, size_t limit)
{
	t->set = set;
	t->usable = usable;
	t->all = lp_book_mask_covers(usable, &set->numbers);
	t->len = len;
	t->book = 0;
	t->best = limit < BODY_HOPELESS ? limit : BODY_HOPELESS;
	t->quick = BODY_HOPELESS;
	t->sure = false;
	t->byte_floor = 0;
	memset(t->grouped, 0, sizeof(t->grouped));
	t->looks = 0;
	lp_sample_init(&t->sample, src, len);
}

static bool
is_usable(const struct trial *t, unsigned int id)
{
	return t->all || lp_book_mask_has(t->usable, id);
}

/*
 * Whichever book comes next, the body cannot be shorter than this: books that cannot win are not
 * tried, so that most regions are looked at in few of the many ways.
 */
static size_t
body_floor(const struct lp_codebook *cb, size_t len)
{
	return len * cb->floor_bits / 32;
}

static void
try_phase(struct trial *t, unsigned int id, unsigned int phase)
{
	const struct lp_codebook *cb = t->set->book[id];
	uint8_t base;
	const size_t bytes = lp_sample_estimate(
			cb, &t->sample, phase, LP_SAMPLE_SYMBOLS, t->best, &base);

	if (bytes < t->best) {
		t->best = bytes;
		t->book = (uint8_t)id;
		t->params = (struct lp_params){ (uint8_t)phase, base };
	}
}

/* Are the elements those of a tensor that has a grouped book, and of more bytes than one? */
static bool
is_plain_tensor(const struct trial *t)
{
	const struct lp_codebook *cb = t->set->book[t->book];

	return t->book != 0 && cb->info.element_bytes > 1 &&
			!lp_sample_repeats(cb, &t->sample, t->params.phase);
}

/*
 * Does the book fit as well as it did its profile? Elements of another type or phase would have
 * their exponents all over the place.
 */
static bool
fits_profile(const struct trial *t, const struct lp_codebook *cb, size_t bytes)
{
	return bytes * 8 * 32 <= t->len * cb->typical_bits;
}

/* ---- grouped books ---- */

static bool
is_ruled_out(const struct trial *t, const struct lp_codebook *cb, unsigned int phase)
{
	return t->sure &&
			(cb->info.type != t->set->book[t->book]->info.type ||
					phase != t->params.phase);
}

static void
try_grouped_phase(struct trial *t, unsigned int id, unsigned int phase)
{
	try_phase(t, id, phase);
	t->sure = t->sure ||
			(t->book != 0 && fits_profile(t, t->set->book[t->book], t->best) &&
					is_plain_tensor(t));
}

/*
 * A quick look at each phase. The first that fits is tried at once, as it may rule out the rest; by
 * chance several types may fit.
 */
static void
look_at_grouped(struct trial *t, unsigned int id)
{
	const struct lp_codebook *cb = t->set->book[id];
	/* A grouped book that does not win still tells how well its type fits. */
	const size_t margin = t->set->byte_types >> cb->info.type & 1 ? t->len / TYPE_GAIN_PART : 0;
	size_t *const by_type = &t->grouped[cb->info.type];

	if (*by_type == 0)
		*by_type = BODY_HOPELESS;
	for (unsigned int phase = 0; phase < cb->info.element_bytes; phase++) {
		uint8_t base;

		if (body_floor(cb, t->len) >= t->best + margin)
			return;
		if (is_ruled_out(t, cb, phase))
			continue;
		const size_t bytes = lp_sample_estimate(
				cb, &t->sample, phase, LP_SAMPLE_QUICK, BODY_HOPELESS, &base);
		const bool is_first = bytes + t->len / QUICK_ERROR_PART < t->quick;

		t->quick = bytes < t->quick ? bytes : t->quick;
		*by_type = bytes < *by_type ? bytes : *by_type;
		if ((is_first && fits_profile(t, cb, bytes)) || t->looks == LOOKS_MAX)
			try_grouped_phase(t, id, phase);
		else
			t->look[t->looks++] = (struct look){ (uint8_t)id, (uint8_t)phase, bytes };
	}
}

static void
try_grouped(struct trial *t)
{
	for (unsigned int k = 0; k < t->set->grouped; k++)
		if (is_usable(t, t->set->id[k]))
			look_at_grouped(t, t->set->id[k]);
	for (const struct look *look = t->look; look < t->look + t->looks; look++)
		if (look->bytes < t->quick + t->len / QUICK_ERROR_PART &&
				!is_ruled_out(t, t->set->book[look->id], look->phase))
			try_grouped_phase(t, look->id, look->phase);
}

/* ---- books over bytes ---- */

static bool
is_worth_trying(struct trial *t, const struct lp_codebook *cb)
{
	const size_t margin = t->len / TYPE_GAIN_PART;

	if (body_floor(cb, t->len) >= t->best)
		return false;
	if (t->byte_floor == 0)
		t->byte_floor = lp_sample_byte_floor(&t->sample) + 1;
	return t->byte_floor < t->best &&
			(t->grouped[cb->info.type] < t->best + margin ||
					t->byte_floor + margin < t->best);
}

/* A grouped book that fits rules out books over bytes only if none was left out. */
static bool
lacks_grouped(const struct trial *t)
{
	return t->set->lost_types != 0 ||
			(!t->all &&
					lp_bookset_grouped_types(t->set, t->usable) !=
							lp_bookset_grouped_types(
									t->set, &t->set->numbers));
}

static uint8_t
result_of(const struct trial *t, struct lp_params *params, size_t *body_bytes)
{
	if (t->book != 0)
		*params = t->params;
	*body_bytes = t->best;
	return t->book;
}

uint8_t
lp_bookset_choose(const struct lp_bookset *set, const uint8_t *src, size_t len, size_t limit,
		struct lp_params *params, size_t *body_bytes)
{
	return lp_bookset_choose_usable(set, &set->numbers, src, len, limit, params, body_bytes);
}

uint8_t
lp_bookset_choose_usable(const struct lp_bookset *set, const struct lp_book_mask *usable,
		const uint8_t *src, size_t len, size_t limit, struct lp_params *params,
		size_t *body_bytes)
{
	struct trial t;

	trial_init(&t, set, usable, src, len, limit);
	try_grouped(&t);
	if (lacks_grouped(&t) || (!t.sure && !is_plain_tensor(&t)))
		for (unsigned int k = set->grouped; k < set->count; k++)
			if (is_usable(&t, set->id[k]) && is_worth_trying(&t, set->book[set->id[k]]))
				try_phase(&t, set->id[k], 0);
	return result_of(&t, params, body_bytes);
}

/*
 * Elements of another type may come to the same length by chance: bf16 coded as if it were fp16. Is
 * a grouped book of another type of that size better?
 */
static bool
looks_like_another(struct trial *t, enum lp_type type, unsigned int phase)
{
	for (unsigned int k = 0; k < t->set->grouped; k++) {
		const struct lp_codebook *cb = t->set->book[t->set->id[k]];
		uint8_t base;

		if (t->set->type[k] == type || !is_usable(t, t->set->id[k]) ||
				lp_type_bytes(t->set->type[k]) != lp_type_bytes(type))
			continue;
		if (lp_sample_estimate(cb, &t->sample, phase, LP_SAMPLE_QUICK, t->best, &base) <
						t->best &&
				lp_sample_estimate(cb, &t->sample, phase, LP_SAMPLE_SYMBOLS,
						t->best, &base) < t->best)
			return true;
	}
	return false;
}

bool
lp_bookset_has_rival(const struct lp_bookset *set, const struct lp_book_mask *usable, uint8_t book,
		size_t len, size_t body_len)
{
	const enum lp_type type = set->book[book]->info.type;

	for (unsigned int k = 0; k < set->grouped; k++)
		if (set->type[k] != type && lp_type_bytes(set->type[k]) == lp_type_bytes(type) &&
				lp_book_mask_has(usable, set->id[k]) &&
				body_floor(set->book[set->id[k]], len) < body_len)
			return true;
	return false;
}

/* Of the books from number `first` to `end` of the order, those of a type. */
static void
try_type(struct trial *t, enum lp_type type, unsigned int phase, unsigned int first,
		unsigned int end)
{
	for (unsigned int k = first; k < end; k++) {
		const unsigned int id = t->set->id[k];

		if (t->set->type[k] == type && is_usable(t, id) &&
				body_floor(t->set->book[id], t->len) < t->best)
			try_phase(t, id, phase);
	}
}

uint8_t
lp_bookset_choose_like(const struct lp_bookset *set, const struct lp_book_mask *usable,
		uint8_t like, uint8_t phase, const uint8_t *src, size_t len, size_t limit,
		struct lp_params *params, size_t *body_bytes)
{
	struct trial t;
	const enum lp_type type = set->book[like]->info.type;

	trial_init(&t, set, usable, src, len, limit);
	try_type(&t, type, phase, 0, set->grouped);
	if (!is_plain_tensor(&t))
		try_type(&t, type, 0, set->grouped, set->count);
	if (looks_like_another(&t, type, phase))
		t.book = 0;
	return result_of(&t, params, body_bytes);
}
