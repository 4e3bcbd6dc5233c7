/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "books.h"
#include "devices.h"
#include "forward.h"
#include "log.h"
#include "monitor.h"
#include "options.h"
#include "pools.h"
#include "ports.h"
#include "report.h"
#include "signals.h"
#include "stats.h"
#include "streams.h"
#include "usage.h"

/** All that the program holds. */
struct app {
	struct options opts;
	struct port_table ports;
	struct stream_map map;
	struct lp_bookset *books; /* NULL in mode io */
	struct mbuf_pools pools;
	struct stats_base base;
};

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

static void
warn_of_kernel(const char *kernel, const char *book, const char *used)
{
	LOG(WARNING, "kernel %s fails its self-test with codebook %s, which uses %s instead",
			kernel, book, used);
}

static int
load_books(const struct options *opts, struct lp_bookset **books)
{
	struct lp_error error = { 0 };

	if (opts->mode == FWD_IO)
		return 0;
	*books = books_load(opts->codebook_dir, opts->kernel, &error);
	if (*books == NULL) {
		app_error("%s", error.text);
		return -EINVAL;
	}
	if (opts->kernel == NULL)
		books_failures(*books, warn_of_kernel);
	report_books(*books);
	if (!opts->has_key)
		LOG(NOTICE, "no --key-file: frames are tagged with a key that is known to everyone");
	return 0;
}

/* Forwards until asked to stop; all lcores have returned afterwards. */
static int
forward_until_stop(struct app *app)
{
	struct monitor monitor = { &app->opts, &app->ports, &app->map, &app->base };
	pthread_t thread;
	int ret;

	stats_begin(&app->ports, &app->base);
	ret = forward_launch(&app->map);
	if (ret < 0) {
		stop_request();
	} else if (!forward_is_on_main(&app->map)) {
		monitor_run(&monitor);
	} else {
		ret = rte_ctrl_thread_create(&thread, "lp-monitor", NULL, monitor_run, &monitor);
		if (ret < 0) {
			app_error("cannot create the monitor thread: %s", rte_strerror(-ret));
		} else {
			forward_run(app->map.lcore[0]);
			pthread_join(thread, NULL);
		}
	}
	printf("Telling cores to stop...\nWaiting for lcores to finish...\n");
	rte_eal_mp_wait_lcore();
	return ret;
}

/* The last statistics. Returns 0 if they add up. */
static int
final_report(const struct app *app)
{
	static struct fwd_stats stats;

	stats_collect(&app->ports, &app->map, &app->base, &stats);
	report_forward(&app->ports, &app->map, &stats);
	if (app->books != NULL)
		report_press(app->books, &stats);
	report_lcores(&app->map);
	const bool is_good = report_balance(&app->ports, &stats);

	printf("\nDone.\n");
	return is_good ? 0 : -EIO;
}

static int
run(struct app *app)
{
	int ret;

	if ((ret = devices_check()) < 0)
		return ret;
	if ((ret = ports_discover(&app->opts, &app->ports)) < 0)
		return ret;
	if ((ret = streams_plan(&app->opts, &app->ports, &app->map)) < 0)
		goto free_streams;
	if ((ret = load_books(&app->opts, &app->books)) < 0)
		goto free_streams;
	if ((ret = pools_create(&app->opts, &app->ports, &app->map, &app->pools)) < 0)
		goto free_pools;
	if ((ret = forward_prepare(&app->opts, app->books, &app->pools, &app->map)) < 0)
		goto release_presses;
	if ((ret = ports_start(&app->opts, &app->pools, &app->ports)) < 0)
		goto stop_ports;
	ports_link_wait(&app->ports);
	report_config(&app->opts, &app->ports, &app->map);
	ret = forward_until_stop(app);
	if (ret == 0)
		ret = final_report(app);

stop_ports:
	ports_stop(&app->opts, &app->ports);
	ports_close(&app->ports);
release_presses:
	forward_release(&app->map);
	if (ret == 0)
		ret = pools_check_leaks(&app->ports, &app->pools);
free_pools:
	pools_free(&app->pools);
	lp_bookset_free(app->books);
free_streams:
	streams_free(&app->map);
	return ret;
}

int
main(int argc, char **argv)
{
	static struct app app;
	int status = EXIT_FAILURE;

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
