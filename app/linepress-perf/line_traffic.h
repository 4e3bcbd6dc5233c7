/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_TRAFFIC_H
#define LINEPRESS_PERF_LINE_TRAFFIC_H

/**
 * @file
 * The frames to forward: originals and what travels between the boxes for them, and the captures
 * that devices read, one for each queue. All functions that can fail say why.
 */

#include <signal.h>

#include "capture.h"
#include "flows.h"
#include "line_options.h"
#include "workdir.h"

/** Where frames come from. */
enum line_side {
	SIDE_HOST, /**< originals */
	SIDE_LINE, /**< coded by a box */
	SIDES,
};

/** The frames. Zero it, but for stop, before it is loaded. */
struct line_traffic {
	char name[PATH_MAX + 64];      /**< what they are, for reports */
	char dir[WORKDIR_MAX];	       /**< directory of our own; empty: none */
	char path[PATH_MAX];	       /**< capture with the originals in it */
	struct capture *frames[SIDES]; /**< NULL: not needed */
	struct flows flows;	       /**< of the originals; those of the others are the same */
	volatile sig_atomic_t *stop;   /**< set by a signal */
};

/** Load or make the originals, and code them if a mode needs it. 0 or -1. */
int line_traffic_load(struct line_traffic *traffic, const struct line_options *opt);

/** Spread the frames over captures of queues, in place of those there are. 0 or -1. */
int line_traffic_spread(const struct line_traffic *traffic, unsigned int nb_queues);

/** Path of the capture of a queue. */
void line_traffic_path(const struct line_traffic *traffic, enum line_side side, unsigned int queue,
		char path[PATH_MAX]);

/** Release all, files included. */
void line_traffic_free(struct line_traffic *traffic);

#endif /* LINEPRESS_PERF_LINE_TRAFFIC_H */
