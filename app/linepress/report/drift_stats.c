/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include "drift_stats.h"

#define MILLI 1000
#define PERCENT_TO_PPM 10000

/* Rounding may make it a bit less than nothing. */
static uint64_t
scaled(double value, double factor)
{
	return value > 0 ? (uint64_t)(value * factor + 0.5) : 0;
}

void
stats_profile(const struct profiling *profiling, struct profile_stats *stats)
{
	*stats = (struct profile_stats){
		.every = profiling->every,
		.sampled = profiling->sampled,
		.missed = profiling->missed,
		.stale = profiling->stale,
	};
	if (profiling->watch == NULL)
		return;
	stats->threshold_percent = (uint64_t)lp_watch_threshold(profiling->watch);
	stats->noise = lp_watch_noise(profiling->watch);
	stats->alarms_on = lp_watch_alarms(profiling->watch);
}

bool
stats_drift(const struct profiling *profiling, unsigned int index, struct drift_stats *stats)
{
	struct lp_watch_report r;

	if (profiling->watch == NULL || !lp_watch_report(profiling->watch, index, &r))
		return false;
	*stats = (struct drift_stats){
		.number = r.id == 0 ? LP_BOOK_IDS + (uint64_t)r.type : r.id,
		.regions = r.all.regions,
		.region_bytes = r.all.bytes,
		.body_bytes = r.all.body_bytes,
		.windows = r.windows,
		.code_millibits = scaled(r.code_bits, MILLI),
		.entropy_millibits = scaled(r.entropy, MILLI),
		.divergence_millibits = scaled(r.divergence, MILLI),
		.loss_ppm = scaled(r.loss_percent, PERCENT_TO_PPM),
		.alarm = r.is_alarm,
		.alarms = r.alarms,
		.type = lp_type_name(r.type),
	};
	snprintf(stats->name, sizeof(stats->name), "%s", r.name);
	return true;
}

const struct stats_field stats_profile_fields[] = {
	STATS_FIELD(profile_stats, "every", every),
	STATS_FIELD(profile_stats, "sampled", sampled),
	STATS_FIELD(profile_stats, "missed", missed),
	STATS_FIELD(profile_stats, "stale", stale),
	STATS_FIELD(profile_stats, "noise", noise),
	STATS_FIELD(profile_stats, "threshold_percent", threshold_percent),
	STATS_FIELD(profile_stats, "alarms_on", alarms_on),
	STATS_FIELDS_END,
};

const struct stats_field stats_drift_fields[] = {
	STATS_FIELD(drift_stats, "number", number),
	STATS_FIELD(drift_stats, "regions", regions),
	STATS_FIELD(drift_stats, "region_bytes", region_bytes),
	STATS_FIELD(drift_stats, "body_bytes", body_bytes),
	STATS_FIELD(drift_stats, "windows", windows),
	STATS_FIELD(drift_stats, "code_millibits", code_millibits),
	STATS_FIELD(drift_stats, "entropy_millibits", entropy_millibits),
	STATS_FIELD(drift_stats, "divergence_millibits", divergence_millibits),
	STATS_FIELD(drift_stats, "loss_ppm", loss_ppm),
	STATS_FIELD(drift_stats, "alarm", alarm),
	STATS_FIELD(drift_stats, "alarms", alarms),
	STATS_FIELDS_END,
};
