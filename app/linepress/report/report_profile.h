/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_PROFILE_H
#define LINEPRESS_APP_REPORT_PROFILE_H

#include <jansson.h>

#include "app.h"

/** Print what was profiled, by type. Takes the lock of the program, as report_drift(). */
void report_profile(struct app *app);

/** Print how well codebooks fit, a line each. */
void report_drift(struct app *app);

/** What was sampled, see stats_json.h. */
json_t *profile_json(const struct profiling *profiling);

/** How well codebooks fit. */
json_t *drift_json(const struct profiling *profiling);

#endif /* LINEPRESS_APP_REPORT_PROFILE_H */
