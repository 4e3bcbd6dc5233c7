/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_DRIFT_STATS_H
#define LINEPRESS_APP_DRIFT_STATS_H

/**
 * @file
 * What is known from sampled regions, as whole numbers with names; for callers that hold the lock
 * of the program.
 */

#include "linepress/watch.h"
#include "profiling.h"
#include "stats_fields.h"

/** What was sampled. */
struct profile_stats {
	uint64_t every; /**< one region in so many is sampled; 0: none */
	uint64_t sampled;
	uint64_t missed;
	uint64_t stale;
	uint64_t noise;
	uint64_t threshold_percent;
	uint64_t alarms_on;
};

/** How well a codebook fits; what would be less than 0 is 0. */
struct drift_stats {
	uint64_t number; /**< of the codebook, or LP_BOOK_IDS and the type of what none codes */
	uint64_t regions;
	uint64_t region_bytes;
	uint64_t body_bytes;
	uint64_t windows;
	uint64_t code_millibits;
	uint64_t entropy_millibits;
	uint64_t divergence_millibits;
	uint64_t loss_ppm; /**< millionths of the bytes */
	uint64_t alarm;	   /**< 1: it is on */
	uint64_t alarms;
	const char *type;
	char name[LP_NAME_MAX + 1];
};

extern const struct stats_field stats_profile_fields[];
extern const struct stats_field stats_drift_fields[];

/** Collect what was sampled. */
void stats_profile(const struct profiling *profiling, struct profile_stats *stats);

/** Collect how well codebook number `index` from 0 fits; false past the last. */
bool stats_drift(const struct profiling *profiling, unsigned int index, struct drift_stats *stats);

#endif /* LINEPRESS_APP_DRIFT_STATS_H */
