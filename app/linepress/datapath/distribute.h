/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_DISTRIBUTE_H
#define LINEPRESS_APP_DISTRIBUTE_H

/**
 * @file
 * Distribution by flow: one lcore polls all queues, and others press what it received, each its
 * share of the flows. Frames of a flow keep their order, since they all take the same way.
 *
 * A lane that is full is given some time, then its frames are dropped and counted. Only the lcore
 * that polls does so: a worker takes no more frames than it can give back, so that a full transmit
 * queue in the end means a full lane.
 */

#include "streams.h"

/**
 * Prepare for distribution; may be repeated.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int distribute_init(void);

/**
 * One round of the lcore that polls: receive and spread a burst of each stream, transmit what the
 * workers have given back.
 *
 * @param tsc
 *   When the round before ended; updated.
 * @return
 *   Frames received and taken back.
 */
uint32_t distribute_poll_round(struct fwd_lcore *lcore, uint64_t *tsc);

/** Transmit all that workers still have; returns when they have ended. */
void distribute_poll_finish(struct fwd_lcore *lcore);

/** One round of a worker; returns the frames it took. As distribute_poll_round(). */
uint32_t distribute_work_round(struct fwd_lcore *lcore, uint64_t *tsc);

/** Press all that was given; the lcore that polls gives nothing more. */
void distribute_work_finish(struct fwd_lcore *lcore);

#endif /* LINEPRESS_APP_DISTRIBUTE_H */
