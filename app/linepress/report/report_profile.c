/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "drift_stats.h"
#include "linepress/watch.h"
#include "report_profile.h"
#include "stats.h"

/* ---- profile ---- */

static void
report_symbols(const struct lp_profiles *profiles, enum lp_type type)
{
	for (int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++) {
		const struct lp_profile *profile = lp_profiles_stored(
				profiles, type, (enum lp_symbol)symbol);
		struct lp_profile_summary s;

		if (profile == NULL)
			continue;
		lp_profile_summarize(profile, &s);
		printf("    %s of %zu regions: entropy %.3f bits, aligned %.3f, of each region %.3f\n",
				lp_symbol_name((enum lp_symbol)symbol), s.shards, s.entropy,
				s.aligned, s.shards_own);
	}
}

static void
report_types(const struct lp_watch *watch)
{
	for (int t = 0; t < LP_TYPE_COUNT; t++) {
		const enum lp_type type = (enum lp_type)t;
		const struct lp_watch_sum sum = lp_watch_type(watch, type);

		if (sum.regions == 0)
			continue;
		printf("  %s: regions: %" PRIu64 "  bytes: %" PRIu64
		       "  coded, without headers: %" PRIu64 "  saved: %.2f %%\n",
				lp_type_name(type), sum.regions, sum.bytes, sum.body_bytes,
				stats_saved_percent(sum.bytes, sum.body_bytes));
		report_symbols(lp_watch_profiles(watch), type);
	}
}

/* False, after a word, if nothing was ever profiled. */
static bool
report_rate(const struct app *app, const char *what)
{
	const struct profiling *profiling = &app->profiling;

	if (profiling->watch == NULL) {
		printf("%s: nothing was sampled, `set profile on rate 1/N` begins\n", what);
		return false;
	}
	printf("%s: ", what);
	if (profiling->every == 0)
		printf("off");
	else
		printf("one in %u regions", profiling->every);
	printf("  sampled: %" PRIu64 "  missed: %" PRIu64 "  stale: %" PRIu64 "  noise: %" PRIu64
	       "\n",
			profiling->sampled, profiling->missed, profiling->stale,
			lp_watch_noise(profiling->watch));
	return true;
}

void
report_profile(struct app *app)
{
	pthread_mutex_lock(&app->lock);
	if (report_rate(app, "Profile"))
		report_types(app->profiling.watch);
	pthread_mutex_unlock(&app->lock);
}

/* ---- drift ---- */

static void
report_series(const struct lp_watch_report *r)
{
	char id[8];

	snprintf(id, sizeof(id), "%u", r->id);
	printf("  %3s %-24s %-5s %10" PRIu64 " %8" PRIu64, r->id == 0 ? "-" : id, r->name,
			lp_type_name(r->type), r->all.regions, r->windows);
	if (r->windows > 0)
		printf(" %7.3f %8.3f %11.3f %6.2f %%  %s", r->code_bits, r->entropy, r->divergence,
				r->loss_percent, r->is_alarm ? "alarm" : "");
	printf("\n");
}

void
report_drift(struct app *app)
{
	struct lp_watch_report r;

	pthread_mutex_lock(&app->lock);
	if (report_rate(app, "Drift")) {
		printf("  alarm above %u %% of loss, until it is below half of that\n"
		       "  %3s %-24s %-5s %10s %8s %7s %8s %11s %8s\n",
				(unsigned int)lp_watch_threshold(app->profiling.watch), "id",
				"name", "type", "regions", "windows", "bits", "entropy",
				"divergence", "loss");
		for (unsigned int i = 0; lp_watch_report(app->profiling.watch, i, &r); i++)
			report_series(&r);
	}
	pthread_mutex_unlock(&app->lock);
}

/* ---- JSON ---- */

json_t *
profile_json(const struct profiling *profiling)
{
	json_t *profile = json_object();
	struct profile_stats stats;

	if (profiling->watch == NULL)
		return profile;
	stats_profile(profiling, &stats);
	for (const struct stats_field *f = stats_profile_fields; f->name != NULL; f++)
		json_object_set_new(profile, f->name,
				json_integer((json_int_t)stats_field_value(&stats, f)));
	return profile;
}

json_t *
drift_json(const struct profiling *profiling)
{
	json_t *drift = json_array();
	struct drift_stats stats;

	for (unsigned int i = 0; stats_drift(profiling, i, &stats); i++) {
		json_t *object = json_pack("{ss ss}", "name", stats.name, "type", stats.type);

		for (const struct stats_field *f = stats_drift_fields; f->name != NULL; f++)
			json_object_set_new(object, f->name,
					json_integer((json_int_t)stats_field_value(&stats, f)));
		json_array_append_new(drift, object);
	}
	return drift;
}
