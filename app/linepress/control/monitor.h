/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_MONITOR_H
#define LINEPRESS_APP_MONITOR_H

/**
 * @file
 * What happens beside forwarding: periodic statistics, warnings and the end of the duration.
 */

#include "app.h"

/** Longest time between two ticks, so that a request to stop is noticed soon. */
#define MONITOR_TICK_MS 20

/** Look after the program; called often by the thread that controls it. */
void monitor_tick(struct app *app);

#endif /* LINEPRESS_APP_MONITOR_H */
