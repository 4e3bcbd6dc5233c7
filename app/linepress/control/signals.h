/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_SIGNALS_H
#define LINEPRESS_APP_SIGNALS_H

/**
 * @file
 * The stop flag and the signals that set it. SIGINT and SIGTERM set the flag; another one, 2
 * seconds later or more, has its default action, so that a hanging program can still be killed from
 * the keyboard.
 */

#include <stdatomic.h>
#include <stdbool.h>

/** Internal to the two functions below. */
extern atomic_bool lp_app_stop;

/** Has the program been asked to stop? Cheap enough for each iteration of a polling loop. */
static inline bool
stop_requested(void)
{
	return atomic_load_explicit(&lp_app_stop, memory_order_relaxed);
}

/** Ask the program to stop. Safe from any thread. */
static inline void
stop_request(void)
{
	atomic_store_explicit(&lp_app_stop, true, memory_order_relaxed);
}

/** Install the handlers. Returns 0 or a negative errno. */
int signals_install(void);

#endif /* LINEPRESS_APP_SIGNALS_H */
