/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "log.h"
#include "signals.h"

static const int stop_signals[] = { SIGINT, SIGTERM };

/* Whoever ends a group of processes often signals each of them, too: that is one request. */
#define SAME_REQUEST_S 1

atomic_bool lp_app_stop;

static time_t asked_s; /* 0: not yet */

static time_t
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* The second request ends the program at once. Signals wait for each other, see the mask. */
static void
signal_handle(int signum)
{
	const int saved_errno = errno;

	stop_request();
	if (asked_s == 0) {
		asked_s = now_s();
	} else if (now_s() - asked_s > SAME_REQUEST_S) {
		signal(signum, SIG_DFL);
		raise(signum);
	}
	errno = saved_errno;
}

int
signals_install(void)
{
	/* who reads our output may go away: no reason to cut the line */
	signal(SIGPIPE, SIG_IGN);
	/* no SA_RESTART: a blocking call must return for the flag to be seen */
	struct sigaction action = { .sa_handler = signal_handle };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < RTE_DIM(stop_signals); i++)
		sigaddset(&action.sa_mask, stop_signals[i]);
	for (size_t i = 0; i < RTE_DIM(stop_signals); i++) {
		if (sigaction(stop_signals[i], &action, NULL) < 0) {
			const int ret = -errno;

			app_error("cannot handle signal %d: %s", stop_signals[i], strerror(-ret));
			return ret;
		}
	}
	return 0;
}
