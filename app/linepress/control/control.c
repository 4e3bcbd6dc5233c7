/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <rte_errno.h>
#include <rte_lcore.h>

#include "command_file.h"
#include "console.h"
#include "control.h"
#include "forward.h"
#include "log.h"
#include "monitor.h"
#include "signals.h"

static int
run_command_files(const struct app *app)
{
	int ret = 0;

	for (uint32_t i = 0; i < app->opts.nb_cmdline_files && ret == 0 && !stop_requested(); i++)
		ret = command_file_run(app->opts.cmdline_file[i]);
	return ret;
}

static void
wait_for_stop(struct app *app)
{
	const struct timespec tick = { .tv_nsec = MONITOR_TICK_MS * 1000000L };

	while (!stop_requested()) {
		nanosleep(&tick, NULL); /* cut short by a signal */
		monitor_tick(app);
	}
}

static int
serve(struct app *app)
{
	const bool starts = !app->opts.is_interactive || app->opts.auto_start;
	int ret;

	console_init(app);
	ret = run_command_files(app);
	if (ret < 0 || stop_requested())
		return ret;
	if (starts && !app->is_forwarding) {
		ret = app_forward_start(app);
		if (ret < 0)
			return ret;
	}
	if (app->opts.is_interactive)
		return console_interact();
	wait_for_stop(app);
	return 0;
}

static int
serve_and_stop(struct app *app)
{
	const int ret = serve(app);

	app_forward_stop(app);
	return app->has_failed ? -EIO : ret;
}

/** A thread that controls the program while the main lcore forwards. */
struct controller {
	struct app *app;
	int ret;
};

static void *
controller_run(void *arg)
{
	struct controller *controller = arg;

	controller->ret = serve_and_stop(controller->app);
	forward_serve_end();
	return NULL;
}

int
control_run(struct app *app)
{
	struct controller controller = { .app = app };
	pthread_t thread;

	if (!forward_is_on_main())
		return serve_and_stop(app);

	const int ret = rte_ctrl_thread_create(
			&thread, "lp-control", NULL, controller_run, &controller);
	if (ret != 0) {
		app_error("cannot create the control thread: %s", rte_strerror(-ret));
		return ret;
	}
	forward_serve();
	pthread_join(thread, NULL);
	return controller.ret;
}
