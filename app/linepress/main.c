/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_pdump.h>

#include "app.h"
#include "control.h"
#include "log.h"
#include "options.h"
#include "signals.h"
#include "telemetry.h"
#include "usage.h"

static int
eal_start(int argc, char **argv)
{
	if (options_misplaced(argc, argv))
		return -EINVAL;
	rte_set_application_usage_hook(usage_print);
	rte_errno = 0;
	const int consumed = rte_eal_init(argc, argv);

	if (consumed < 0)
		app_error("EAL does not start%s%s: see its messages above. Without hugepages it needs "
			  "--no-huge -m 512; a second instance needs its own --file-prefix",
				rte_errno != 0 ? ": " : "",
				rte_errno != 0 ? rte_strerror(rte_errno) : "");
	return consumed;
}

static void
memory_lock(const struct options *opts)
{
	if (opts->no_mlockall)
		return;
	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		LOG(WARNING, "mlockall: %s; latency may suffer, --no-mlockall avoids the attempt",
				strerror(errno));
}

/* Let dpdk-dumpcap and dpdk-pdump attach, which can be done without. */
static bool
offer_capture(const struct options *opts)
{
	if (!opts->dumpcap)
		return false;
	if (rte_pdump_init() == 0)
		return true;
	LOG(WARNING, "rte_pdump_init: %s; dpdk-dumpcap cannot capture frames here",
			rte_strerror(rte_errno));
	return false;
}

static int
run(struct app *app)
{
	const bool offers_capture = offer_capture(&app->opts);
	int ret = app_open(app);

	if (ret == 0)
		ret = telemetry_open(app);
	if (ret == 0)
		ret = control_run(app);

	if (offers_capture)
		rte_pdump_uninit();
	const int closed = app_close(app);

	return ret < 0 ? ret : closed;
}

int
main(int argc, char **argv)
{
	static struct app app = { .lock = PTHREAD_MUTEX_INITIALIZER };
	int status = EXIT_FAILURE;

	/* what is written here and by the console's library comes in order, also into a pipe */
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (options_answer_early(argc, argv))
		return EXIT_SUCCESS;
	const int consumed = eal_start(argc, argv);

	if (consumed < 0)
		return EXIT_FAILURE;
	if (options_parse(argc - consumed, argv + consumed, &app.opts) == 0 &&
			signals_install() == 0) {
		memory_lock(&app.opts);
		if (run(&app) == 0)
			status = EXIT_SUCCESS;
	}
	rte_eal_cleanup();
	if (status == EXIT_SUCCESS)
		printf("Bye...\n");
	return status;
}
