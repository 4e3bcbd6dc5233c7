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
	app->is_open = true;
	return 0;
}

int
app_close(struct app *app)
{
	pthread_mutex_lock(&app->lock);
	app->is_open = false;
	pthread_mutex_unlock(&app->lock);
	ports_close(&app->ports);
	forward_release(&app->map);
	streams_free(&app->map);

	const int ret = pools_check_leaks(&app->ports, &app->pools);

	pools_free(&app->pools);
	lp_bookset_free(app->books);
	stats_free(app->stats);
	stats_free(app->cleared);
	stats_free(app->shown);
	return ret;
}

/* ---- statistics ---- */

const struct fwd_stats *
app_stats(struct app *app)
{
	if (app->is_forwarding)
		stats_collect(&app->ports, &app->map, &app->base, app->stats);
	return app->stats;
}

const struct fwd_stats *
app_stats_since_clear(struct app *app)
{
	const struct fwd_stats *stats = app_stats(app);

	if (stats == NULL)
		return NULL;
	stats_copy(app->shown, stats);
	stats_subtract(app->shown, app->cleared);
	return app->shown;
}

void
app_stats_clear(struct app *app, enum stats_part part)
{
	const struct fwd_stats *stats = app_stats(app);

	if (stats != NULL)
		stats_copy_part(app->cleared, stats, part);
}

struct fwd_stats *
app_stats_read(const struct app *app)
{
	struct fwd_stats *stats = app->stats == NULL ? NULL : stats_create(&app->ports, &app->map);

	if (stats == NULL)
		return NULL;
	if (app->is_forwarding)
		stats_collect(&app->ports, &app->map, &app->base, stats);
	else
		stats_copy(stats, app->stats);
	return stats;
}

/* Room for the statistics of a plan. */
static int
stats_renew(struct app *app, const struct stream_map *map)
{
	struct fwd_stats *fresh[] = {
		stats_create(&app->ports, map),
		stats_create(&app->ports, map),
		stats_create(&app->ports, map),
	};
	struct fwd_stats **held[] = { &app->stats, &app->cleared, &app->shown };
	const bool is_complete = fresh[0] != NULL && fresh[1] != NULL && fresh[2] != NULL;

	for (size_t i = 0; i < RTE_DIM(held); i++) {
		stats_free(is_complete ? *held[i] : fresh[i]);
		if (is_complete)
			*held[i] = fresh[i];
	}
	if (is_complete)
		return 0;
	app_error("out of memory for statistics");
	return -ENOMEM;
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

/* Put a plan in the place of the last one and count from now on. */
static int
adopt(struct app *app, const struct stream_map *map)
{
	pthread_mutex_lock(&app->lock);
	const int ret = stats_renew(app, map);

	if (ret == 0) {
		forward_release(&app->map);
		streams_free(&app->map);
		app->map = *map;
		stats_begin(&app->ports, &app->base);
		app->started_s = app_now_s();
		app->is_forwarding = true;
	}
	pthread_mutex_unlock(&app->lock);
	return ret;
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
	if (ret == 0)
		ret = adopt(app, &map);
	if (ret < 0) {
		forward_release(&map);
		streams_free(&map);
		return ret;
	}
	report_config(&app->opts, &app->ports, &app->map);
	ret = forward_launch(&app->map);
	if (ret < 0)
		app_forward_stop(app);
	return ret;
}

/* The last statistics. Returns 0 if they add up. */
static int
final_report(struct app *app)
{
	const struct fwd_stats *since_clear = app_stats_since_clear(app);

	report_forward(&app->ports, &app->map, since_clear);
	if (app->opts.record_core_cycles)
		report_cycles(app->map.mode, since_clear);
	if (app->books != NULL)
		report_press(app->books, since_clear);
	report_lcores(&app->map, since_clear);
	report_latency(since_clear);
	report_balance(&app->ports, &app->map, app->stats);
	return stats_is_good(app->stats) ? 0 : -EIO;
}

int
app_forward_stop(struct app *app)
{
	if (!app->is_forwarding)
		return -EALREADY;
	printf("Telling cores to stop...\nWaiting for lcores to finish...\n");
	fflush(stdout);
	forward_stop(&app->map);
	pthread_mutex_lock(&app->lock);
	app_stats(app);
	app->ran_s = app_now_s() - app->started_s;
	app->is_forwarding = false;
	pthread_mutex_unlock(&app->lock);

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
