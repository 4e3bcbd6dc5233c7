/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "log.h"
#include "signals.h"

static const int stop_signals[] = { SIGINT, SIGTERM };

atomic_bool lp_app_stop;

static void
signal_handle(int signum __rte_unused)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	const int saved_errno = errno;

	stop_request();
	for (size_t i = 0; i < RTE_DIM(stop_signals); i++)
		sigaction(stop_signals[i], &by_default, NULL);
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
