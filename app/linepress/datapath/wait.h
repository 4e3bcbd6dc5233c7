/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_WAIT_H
#define LINEPRESS_APP_WAIT_H

#include <sched.h>

#include <rte_pause.h>

#include "streams.h"

/**
 * Pass a moment while there is nothing to do. An lcore that shares its processor with another one
 * lets that run, which it may be waiting for.
 */
static inline void
wait_briefly(const struct fwd_lcore *lcore)
{
	if (lcore->shares_cpu)
		sched_yield();
	else
		rte_pause();
}

#endif /* LINEPRESS_APP_WAIT_H */
