/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "app.h"
#include "books.h"
#include "devices.h"
#include "forward.h"
#include "log.h"
#include "report.h"

double
app_now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double
app_forwarded_s(const struct app *app)
{
	return app->is_forwarding ? app_now_s() - app->started_s : app->ran_s;
}

/* ---- codebooks ---- */

static void
warn_of_kernel(const char *kernel, const char *book, const char *used)
{
	LOG(WARNING, "kernel %s fails its self-test with codebook %s, which uses %s instead",
			kernel, book, used);
}

static int
load_books(struct app *app)
{
	const struct options *opts = &app->opts;
	struct lp_error error = { 0 };

	if (opts->mode == FWD_IO || app->books != NULL)
		return 0;
	app->books = books_load(opts->codebook_dir, opts->kernel, &error);
	if (app->books == NULL) {
		app_error("%s", error.text);
		return -EINVAL;
	}
	if (opts->kernel == NULL)
		books_failures(app->books, warn_of_kernel);
	report_books(app->books);
	if (!opts->has_key)
		LOG(NOTICE, "no --key-file: frames are tagged with a key that is known to everyone");
	return 0;
}

/* ---- begin and end ---- */

int
app_open(struct app *app)
{
	struct stream_map plan;
	int ret;

	if ((ret = devices_check()) < 0)
		return ret;
	if ((ret = ports_discover(&app->opts, &app->ports)) < 0)
		return ret;
	ret = app_plan(app, &plan);
	streams_free(&plan);
	if (ret < 0)
		return ret;
	if ((ret = load_books(app)) < 0)
		return ret;
	if ((ret = pools_create(&app->opts, &app->ports, &app->pools)) < 0)
		return ret;
	if ((ret = ports_start(&app->opts, &app->pools, &app->ports)) < 0)
		return ret;
	if (!app->opts.disable_link_check)
		ports_link_wait(&app->ports);
	return 0;
}

int
app_close(struct app *app)
{
	ports_close(&app->ports);
	forward_release(&app->map);
	streams_free(&app->map);

	const int ret = pools_check_leaks(&app->ports, &app->pools);

	pools_free(&app->pools);
	lp_bookset_free(app->books);
	return ret;
}

/* ---- forwarding ---- */

static int
check_ports_started(const struct port_table *ports)
{
	for (uint16_t i = 0; i < ports->count; i++) {
		if (ports->port[i].is_started || ports->port[i].is_closed)
			continue;
		app_error("port %u is stopped: `port start all` first", ports->port[i].id);
		return -ENETDOWN;
	}
	return 0;
}

int
app_forward_start(struct app *app)
{
	struct stream_map map;
	int ret;

	if (app->is_forwarding) {
		app_error("packet forwarding already started");
		return -EALREADY;
	}
	if ((ret = check_ports_started(&app->ports)) < 0)
		return ret;
	ret = app_plan(app, &map);
	if (ret == 0)
		ret = load_books(app);
	if (ret == 0)
		ret = forward_prepare(&app->opts, app->books, &app->pools, &map);
	if (ret < 0) {
		forward_release(&map);
		streams_free(&map);
		return ret;
	}
	forward_release(&app->map);
	streams_free(&app->map);
	app->map = map;
	report_config(&app->opts, &app->ports, &app->map);
	stats_begin(&app->ports, &app->base);
	app->started_s = app_now_s();
	app->is_forwarding = true;
	ret = forward_launch(&app->map);
	if (ret < 0)
		app_forward_stop(app);
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
	return report_balance(&app->ports, &stats) ? 0 : -EIO;
}

int
app_forward_stop(struct app *app)
{
	if (!app->is_forwarding)
		return -EALREADY;
	printf("Telling cores to stop...\nWaiting for lcores to finish...\n");
	fflush(stdout);
	forward_stop(&app->map);
	app->ran_s = app_now_s() - app->started_s;
	app->is_forwarding = false;

	const int ret = final_report(app);

	if (ret < 0)
		app->has_failed = true;
	printf("\nDone.\n");
	fflush(stdout);
	return ret;
}

/* ---- configuration ---- */

int
app_plan(struct app *app, struct stream_map *map)
{
	return streams_plan(&app->opts, &app->ports, map);
}

int
app_change(struct app *app, const struct options *opts)
{
	const struct options before = app->opts;
	struct stream_map plan;

	app->opts = *opts;
	const int ret = app_plan(app, &plan);

	streams_free(&plan);
	if (ret < 0)
		app->opts = before;
	return ret;
}

int
app_change_ports(struct app *app, const struct options *opts)
{
	int ret;

	for (uint16_t i = 0; i < app->ports.count; i++) {
		if (app->ports.port[i].is_started) {
			app_error("please stop all ports first");
			return -EBUSY;
		}
	}
	ret = ports_check(opts, &app->ports);
	if (ret == 0)
		ret = app_change(app, opts);
	if (ret < 0) {
		ports_check(&app->opts, &app->ports);
		return ret;
	}
	for (uint16_t i = 0; i < app->ports.count; i++)
		app->ports.port[i].needs_setup = true;
	return 0;
}
