/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Windows of sampled regions, and alarms. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linepress/book_mask.h"
#include "type.h"
#include "watch.h"

#define STREAK 2	  /* windows in a row that decide */
#define CALM_PART 0.5	  /* of the threshold: alarms end below */
#define RARE_REGIONS 8192 /* of all books, after which a window may be too empty to wait for */
#define RARE_PART 64	  /* of them: fewer are too few */
#define UNCODED(type) (LP_BOOK_IDS + (type))

struct lp_watch *
lp_watch_create(void)
{
	struct lp_watch *watch = calloc(1, sizeof(*watch));

	if (watch == NULL)
		return NULL;
	watch->threshold = LP_WATCH_THRESHOLD;
	watch->profiles = lp_profiles_create();
	if (watch->profiles == NULL) {
		free(watch);
		return NULL;
	}
	return watch;
}

static void
series_free(struct series *s)
{
	if (s == NULL)
		return;
	lp_profiles_free(s->window);
	lp_profiles_free(s->odd);
	free(s);
}

void
lp_watch_free(struct lp_watch *watch)
{
	if (watch == NULL)
		return;
	for (unsigned int k = 0; k < LP_WATCH_SERIES; k++)
		series_free(watch->series[k]);
	lp_profiles_free(watch->profiles);
	free(watch);
}

void
lp_watch_set_threshold(struct lp_watch *watch, double percent)
{
	watch->threshold = percent;
}

double
lp_watch_threshold(const struct lp_watch *watch)
{
	return watch->threshold;
}

/* ---- series ---- */

static enum lp_symbol
symbol_of(enum lp_type type)
{
	return lp_type_bytes(type) > 1 ? LP_SYMBOL_EXPONENT : LP_SYMBOL_BYTE;
}

static struct series *
series_create(const struct lp_watch *watch, const struct lp_watch_region *region, enum lp_type type)
{
	struct series *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->report = (struct lp_watch_report){ .id = region->id, .name = "none", .type = type };
	s->symbol = symbol_of(type);
	s->began = watch->regions;
	if (region->cb != NULL) {
		struct lp_codebook_info info;

		lp_codebook_describe(region->cb, &info);
		memcpy(s->report.name, info.name, sizeof(info.name));
		s->symbol = info.symbol;
		s->digest = lp_codebook_digest64(region->cb);
	}
	return s;
}

/* A number may come to name another book. */
static struct series *
series_of(struct lp_watch *watch, const struct lp_watch_region *region, enum lp_type type)
{
	struct series **s = &watch->series[region->cb != NULL ? region->id : UNCODED(type)];

	if (*s != NULL && region->cb != NULL && (*s)->digest != lp_codebook_digest64(region->cb)) {
		series_free(*s);
		*s = NULL;
	}
	if (*s == NULL)
		*s = series_create(watch, region, type);
	return *s;
}

static void
add_sum(struct lp_watch_sum *sum, const struct lp_watch_sum *more)
{
	sum->regions += more->regions;
	sum->bytes += more->bytes;
	sum->body_bytes += more->body_bytes;
}

static void
begin_window(const struct lp_watch *watch, struct series *s)
{
	lp_profiles_free(s->window);
	s->window = NULL;
	s->of_window = (struct lp_watch_sum){ 0 };
	s->symbols = 0;
	s->began = watch->regions;
}

static void
set_alarm(struct series *s, bool is_alarm)
{
	s->streak = 0;
	s->report.is_alarm = is_alarm;
	s->report.alarms += is_alarm;
}

/* ---- judgement ---- */

/* Let what does not fit be the basis of another book. */
static int
keep_odd(struct series *s)
{
	const enum lp_type type = s->report.type;

	if (s->odd == NULL && (s->odd = lp_profiles_create()) == NULL)
		return -ENOMEM;
	if (lp_profiles_merge(s->odd, s->window, 1) < 0)
		return -ENOMEM;
	if (lp_profile_shards(lp_profiles_stored(s->odd, type, LP_SYMBOL_BYTE)) > LP_WATCH_KEPT)
		lp_profiles_thin(s->odd, type);
	add_sum(&s->of_odd, &s->of_window);
	return 0;
}

static void
forget_odd(struct series *s)
{
	lp_profiles_free(s->odd);
	s->odd = NULL;
	s->of_odd = (struct lp_watch_sum){ 0 };
}

/* What a full window tells; percents and bits are of its whole elements. */
static void
measure(struct series *s, const struct lp_profile *profile, const struct lp_codebook *cb)
{
	const double raw_bits = lp_profile_raw_bits(profile);
	const double bits = lp_profile_symbol_bits(profile) + raw_bits;
	struct lp_watch_report *r = &s->report;
	struct lp_profile_summary summary;

	lp_profile_summarize(profile, &summary);
	r->entropy = summary.aligned;
	r->divergence = cb == NULL ? 0 : lp_profile_book_divergence(profile, cb);

	const double odd_bytes = (double)s->of_window.bytes - (double)summary.symbols * bits / 8;

	r->code_bits = ((double)s->of_window.body_bytes - odd_bytes) * 8 / (double)summary.symbols -
			raw_bits;
	r->loss_percent = 100 * (r->code_bits - r->entropy) / bits;
	/* Coded, regions would have to carry a shim, and be shorter by as much as is worth it. */
	if (cb == NULL)
		r->loss_percent -= 100.0 * LP_WATCH_UNCODED_BYTES * (double)s->of_window.regions /
				(double)s->of_window.bytes;
	r->windows++;
}

static int
judge(struct lp_watch *watch, struct series *s, const struct lp_codebook *cb)
{
	struct lp_profile *profile = lp_profiles_copy(s->window, s->report.type, s->symbol);
	int ret = profile == NULL ? -ENOMEM : 0;
	bool against;

	if (ret == 0) {
		measure(s, profile, cb);
		lp_profile_free(profile);
		if (s->report.is_alarm)
			against = s->report.loss_percent < watch->threshold * CALM_PART;
		else
			against = s->report.loss_percent > watch->threshold;
		s->streak = against ? s->streak + 1 : 0;
		if (s->report.is_alarm != against)
			ret = keep_odd(s);
		else if (!s->report.is_alarm)
			forget_odd(s);
		if (s->streak == STREAK)
			set_alarm(s, !s->report.is_alarm);
	}
	begin_window(watch, s);
	return ret;
}

/* Windows that would take too long to fill are of no use, nor are their alarms. */
static void
give_up_rare(struct lp_watch *watch)
{
	for (unsigned int k = 0; k < LP_WATCH_SERIES; k++) {
		struct series *s = watch->series[k];

		if (s == NULL || watch->regions - s->began < RARE_REGIONS ||
				s->of_window.regions * RARE_PART >= watch->regions - s->began)
			continue;
		begin_window(watch, s);
		if (s->report.is_alarm)
			set_alarm(s, false);
		forget_odd(s);
	}
}

/* ---- regions ---- */

/* Keep a fair choice: one in so many, fewer and fewer. */
static int
keep_region(struct lp_watch *watch, enum lp_type type, const uint8_t *src, size_t len)
{
	const struct lp_profile *bytes;
	struct kept *kept = &watch->kept[type];
	int ret;

	if (kept->every == 0)
		kept->every = 1;
	if (kept->seen++ % kept->every != 0)
		return 0;
	ret = lp_profiles_add(watch->profiles, type, src, len);
	bytes = lp_profiles_stored(watch->profiles, type, LP_SYMBOL_BYTE);
	if (ret == 0 && lp_profile_shards(bytes) >= LP_WATCH_KEPT) {
		lp_profiles_thin(watch->profiles, type);
		kept->every *= 2;
	}
	return ret;
}

static int
add_to_window(struct lp_watch *watch, struct series *s, const struct lp_watch_region *region,
		const uint8_t *elements, size_t len)
{
	const size_t bytes = s->symbol == LP_SYMBOL_EXPONENT ? lp_type_bytes(s->report.type) : 1;
	const struct lp_watch_sum sum = { 1, region->len,
		region->cb != NULL ? region->body_len : region->len };

	if (s->window == NULL && (s->window = lp_profiles_create()) == NULL)
		return -ENOMEM;
	if (lp_profiles_add(s->window, s->report.type, elements, len) < 0)
		return -ENOMEM;
	add_sum(&s->report.all, &sum);
	add_sum(&watch->of_type[s->report.type], &sum);
	add_sum(&s->of_window, &sum);
	s->symbols += len / bytes;
	if (s->of_window.regions < LP_WATCH_REGIONS || s->symbols < LP_WATCH_SYMBOLS)
		return 0;
	return judge(watch, s, region->cb);
}

/* Of a book over exponents the phase is known; others do not care where elements begin. */
static size_t
start_of(const struct lp_watch_region *region, enum lp_type type, enum lp_symbol symbol)
{
	const size_t bytes = lp_type_bytes(type);

	return symbol == LP_SYMBOL_EXPONENT ? (bytes - region->phase) % bytes
					    : lp_profile_start(region->src, region->len, type);
}

int
lp_watch_add(struct lp_watch *watch, const struct lp_watch_region *region)
{
	struct lp_codebook_info info;
	struct series *s;
	size_t start = 0;
	int type, ret;

	if (region->len < sizeof(uint64_t) || region->len > LP_REGION_MAX)
		return -EINVAL;
	if (region->cb != NULL) {
		lp_codebook_describe(region->cb, &info);
		type = (int)info.type;
		start = start_of(region, info.type, info.symbol);
	} else {
		type = lp_watch_guess(region->src, region->len, &start);
	}
	watch->regions++;
	if (type < 0) {
		watch->noise++;
		return 0;
	}
	s = series_of(watch, region, (enum lp_type)type);
	ret = s == NULL ? -ENOMEM
			: keep_region(watch, (enum lp_type)type, region->src + start,
					  region->len - start);
	if (ret == 0)
		ret = add_to_window(watch, s, region, region->src + start, region->len - start);
	if (watch->regions % LP_WATCH_REGIONS == 0)
		give_up_rare(watch);
	return ret;
}

/* ---- what is told ---- */

bool
lp_watch_news(struct lp_watch *watch, struct lp_watch_report *report)
{
	for (unsigned int k = 0; k < LP_WATCH_SERIES; k++) {
		struct series *s = watch->series[k];

		if (s == NULL || s->told_alarm == s->report.is_alarm)
			continue;
		s->told_alarm = s->report.is_alarm;
		*report = s->report;
		return true;
	}
	return false;
}

bool
lp_watch_report(const struct lp_watch *watch, unsigned int index, struct lp_watch_report *report)
{
	for (unsigned int k = 0; k < LP_WATCH_SERIES; k++) {
		if (watch->series[k] == NULL || index-- > 0)
			continue;
		*report = watch->series[k]->report;
		return true;
	}
	return false;
}

unsigned int
lp_watch_alarms(const struct lp_watch *watch)
{
	unsigned int alarms = 0;

	for (unsigned int k = 0; k < LP_WATCH_SERIES; k++)
		alarms += watch->series[k] != NULL && watch->series[k]->report.is_alarm;
	return alarms;
}

const struct lp_profiles *
lp_watch_profiles(const struct lp_watch *watch)
{
	return watch->profiles;
}

struct lp_watch_sum
lp_watch_type(const struct lp_watch *watch, enum lp_type type)
{
	return watch->of_type[type];
}

uint64_t
lp_watch_noise(const struct lp_watch *watch)
{
	return watch->noise;
}

/* ---- another book ---- */

static int
worst_type(const struct lp_watch *watch)
{
	const struct series *worst = NULL;

	for (unsigned int k = 0; k < LP_WATCH_SERIES; k++) {
		const struct series *s = watch->series[k];

		if (s != NULL && s->report.is_alarm &&
				(worst == NULL ||
						s->report.loss_percent >
								worst->report.loss_percent))
			worst = s;
	}
	return worst == NULL ? -1 : (int)worst->report.type;
}

/* The symbol that fits make books of a type from. */
static enum lp_symbol
symbol_to_fit(enum lp_type type)
{
	return type == LP_TYPE_E4M3 || type == LP_TYPE_E5M2 ? LP_SYMBOL_ROTATED : symbol_of(type);
}

static int
append(struct lp_watch_basis *basis, const struct lp_profiles *profiles)
{
	struct lp_profile *part = lp_profiles_copy(
			profiles, basis->type, symbol_to_fit(basis->type));
	const int ret = part == NULL ? -ENOMEM : lp_profile_append(basis->profile, part);

	lp_profile_free(part);
	return ret;
}

int
lp_watch_basis(const struct lp_watch *watch, int type, struct lp_watch_basis *basis)
{
	struct lp_watch_sum sum = { 0 };
	int ret = 0;

	if (type < 0)
		type = worst_type(watch);
	if (type < 0 || watch->of_type[type].regions == 0)
		return -ENOENT;
	*basis = (struct lp_watch_basis){ .type = (enum lp_type)type };
	basis->profile = lp_profile_create(basis->type, symbol_to_fit(basis->type));
	if (basis->profile == NULL)
		return -ENOMEM;
	for (unsigned int k = 0; k < LP_WATCH_SERIES && ret == 0; k++) {
		const struct series *s = watch->series[k];

		if (s == NULL || s->report.type != basis->type || !s->report.is_alarm ||
				s->odd == NULL)
			continue;
		basis->is_alarm = true;
		add_sum(&sum, &s->of_odd);
		ret = append(basis, s->odd);
	}
	if (!basis->is_alarm) {
		sum = watch->of_type[type];
		ret = append(basis, watch->profiles);
	}
	if (ret < 0)
		lp_profile_free(basis->profile);
	while (ret == 0 && lp_profile_shards(basis->profile) > LP_WATCH_FITTED)
		lp_profile_thin(basis->profile);
	basis->regions = ret < 0 ? 0 : lp_profile_shards(basis->profile);
	basis->saved_percent = 100 * ((double)sum.bytes - (double)sum.body_bytes) /
			(double)sum.bytes;
	return ret;
}
