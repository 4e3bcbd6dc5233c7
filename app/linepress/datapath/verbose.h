/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_VERBOSE_H
#define LINEPRESS_APP_VERBOSE_H

/**
 * @file
 * Print frames as testpmd does at `set verbose`, by callbacks of the queues: the data path knows
 * nothing of it. Lcores only note what is to be printed, at most VERBOSE_PKTS_PER_S frames of each
 * queue in a second, and never wait for a terminal. How many are left out is printed at the end.
 */

#include "streams.h"

/** Printed at most, of each queue and direction. */
#define VERBOSE_PKTS_PER_S 1000

/** What is printed. Bits, as in testpmd. */
enum verbose_level {
	VERBOSE_NOTHING,
	VERBOSE_RECEIVED,
	VERBOSE_SENT,
	VERBOSE_BOTH,
};

/**
 * Print what the queues of all streams receive or send. No lcore may forward.
 *
 * @return
 *   0, or a negative errno after one line on stderr; verbose_end() is then still due.
 */
int verbose_begin(const struct stream_map *map, uint32_t level);

/** Print what lcores have noted; called often by the thread that controls them. */
void verbose_print(void);

/** Print the rest, and no longer. All lcores must have returned. */
void verbose_end(void);

#endif /* LINEPRESS_APP_VERBOSE_H */
