/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_APP_H
#define LINEPRESS_APP_APP_H

/**
 * @file
 * The state of the program, and its changes: ports up, forwarding, stopped, reconfigured.
 *
 * All functions but app_stats_read() are called by the one thread that controls the program. Each
 * that fails has said why in one line on stderr and has left everything as it was.
 */

#include <pthread.h>
#include <stdbool.h>

#include "linepress/bookset.h"
#include "linepress/rotation.h"
#include "linepress/rules.h"
#include "options.h"
#include "peers.h"
#include "policy.h"
#include "pools.h"
#include "ports.h"
#include "profiling.h"
#include "stats.h"
#include "streams.h"

/** All that the program holds. */
struct app {
	/**
	 * Held by the controlling thread while it changes what is below, and by other threads while
	 * they read it; never by lcores that forward.
	 */
	pthread_mutex_t lock;
	struct options opts; /**< as wished; the plan tells what is */
	struct port_table ports;
	struct stream_map map;	     /**< of the last start; no streams before the first */
	struct peers *peers;	     /**< of the same start; NULL before, and in mode io */
	struct lp_bookset *books;    /**< NULL until a mode needs them */
	struct lp_rotation rotation; /**< of the books: which are named to far boxes */
	struct lp_rules *rules;	     /**< loaded for the books; NULL: code everything */
	struct policy_slot slot; /**< what lcores press by: the books, and what app_policy.h sets */
	struct policy *policy;	 /**< in the slot, made of both; NULL as long as the books */
	struct profiling profiling;
	struct mbuf_pools pools;
	struct stats_base base;	   /**< device counters when forwarding began */
	struct fwd_stats *stats;   /**< see app_stats(); NULL before the first start */
	struct fwd_stats *cleared; /**< what was counted when it was cleared */
	struct fwd_stats *shown;   /**< see app_stats_since_clear() */
	bool is_open;		   /**< app_open() has succeeded, app_close() has not begun */
	bool is_forwarding;
	double started_s; /**< CLOCK_MONOTONIC, when forwarding began */
	double ran_s;	  /**< of the last run that has ended */
	bool has_failed;  /**< a run has ended with frames unaccounted for, lost or changed */
};

/** Seconds of CLOCK_MONOTONIC. */
double app_now_s(void);

/** Seconds of forwarding, of this run or, when stopped, of the last. */
double app_forwarded_s(const struct app *app);

/**
 * Find the devices, check the options against them, load what they name, start all ports.
 *
 * @return
 *   0 or a negative errno; app_close() is due in any case.
 */
int app_open(struct app *app);

/**
 * Stop all, release all.
 *
 * @return
 *   0, or a negative errno if mbufs have leaked.
 */
int app_close(struct app *app);

/**
 * Statistics since forwarding began: of now or, when stopped, of the end.
 *
 * @return
 *   Valid until the next start; NULL before the first.
 */
const struct fwd_stats *app_stats(struct app *app);

/** As app_stats(), without what app_stats_clear() has cleared. */
const struct fwd_stats *app_stats_since_clear(struct app *app);

/** Let app_stats_since_clear() count a part of the statistics from zero. */
void app_stats_clear(struct app *app, enum stats_part part);

/**
 * Statistics since forwarding began, for a thread that does not control the program but holds the
 * lock.
 *
 * @return
 *   To be released with stats_free(); NULL before the first start or if out of memory.
 */
struct fwd_stats *app_stats_read(const struct app *app);

/** Begin to forward. Returns 0 or a negative errno. */
int app_forward_start(struct app *app);

/**
 * End forwarding, print the totals and write them to the file of --stats-json.
 *
 * @return
 *   0; -EALREADY, without a word, if nothing was forwarding; -EIO if the totals do not add up or
 *   cannot be written.
 */
int app_forward_stop(struct app *app);

/**
 * Change options that the next start of forwarding reads.
 *
 * @param app
 *   The program.
 * @param opts
 *   The options changed; adopted if ports and lcores allow them.
 * @return
 *   0 or a negative errno.
 */
int app_change(struct app *app, const struct options *opts);

/**
 * As app_change(), of options that ports are set up with; they are when they start again. A new
 * max_pkt_len decides on the MTUs again. Refused unless all ports are stopped, and if the mbufs do
 * not suffice.
 */
int app_change_ports(struct app *app, const struct options *opts);

/**
 * The plan of the next start of forwarding.
 *
 * @param map
 *   Receives the plan, to be released with streams_free(), also on failure.
 * @return
 *   0 or a negative errno.
 */
int app_plan(struct app *app, struct stream_map *map);

#endif /* LINEPRESS_APP_APP_H */
