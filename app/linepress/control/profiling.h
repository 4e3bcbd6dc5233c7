/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_PROFILING_H
#define LINEPRESS_APP_PROFILING_H

/**
 * @file
 * Profiles of what is forwarded, and alarms when codebooks no longer fit it. Lcores copy one region
 * in so many; a thread of its own looks at up to PROFILING_REGIONS_S of them a second and leaves
 * out the rest. No codebook is ever installed because of it.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PROFILING_TICK_MS 50
#define PROFILING_TICK_REGIONS 64
#define PROFILING_REGIONS_S (1000 / PROFILING_TICK_MS * PROFILING_TICK_REGIONS)

struct app;
struct lp_watch;

/** What is known from sampled regions. Changed under the lock of the program. */
struct profiling {
	struct lp_watch *watch; /**< NULL before profiling was first on */
	uint32_t every;		/**< one region in so many is sampled; 0: none */
	uint64_t sampled;	/**< regions looked at */
	uint64_t missed;	/**< regions that would have been, but nobody had time */
	uint64_t stale;		/**< regions coded with a book that is gone */
	bool is_running;	/**< the thread is */
	atomic_bool should_run;
	pthread_t thread;
};

/*
 * For the controlling thread. What fails has said why in one line on stderr.
 */

/**
 * Sample one region in so many from now on; 0: none, what is known stays. When sampling begins, all
 * that is known from before is forgotten.
 */
int profiling_set(struct app *app, uint32_t every);

/** Set the loss that raises an alarm, in percent. */
void profiling_set_threshold(struct app *app, uint32_t percent);

/** Look at all that lcores have sampled, before statistics of the end are told. */
void profiling_finish(struct app *app);

/** End the thread and forget everything. */
void profiling_end(struct app *app);

/** Write what was counted as a file that linepress-codebook reads. */
int profiling_save(struct app *app, const char *path);

/**
 * Write a codebook fitted to what does not fit those in use or, without alarm, to all of a type,
 * and say what it would save.
 *
 * @param app
 *   The program.
 * @param path
 *   File to write; the name of the book is that of the file.
 * @param type
 *   Element type, or -1: that of the alarm with the greatest loss.
 * @return
 *   0 or a negative errno.
 */
int profiling_suggest(struct app *app, const char *path, int type);

#endif /* LINEPRESS_APP_PROFILING_H */
