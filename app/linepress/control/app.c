/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <rte_mbuf.h>

#include "app.h"
#include "app_books.h"
#include "app_policy.h"
#include "devices.h"
#include "forward.h"
#include "json_file.h"
#include "links.h"
#include "log.h"
#include "report.h"
#include "report_port.h"
#include "stats_json.h"
#include "verbose.h"

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

static void
plan_free(struct stream_map *map, struct peers *peers)
{
	forward_release(map);
	streams_free(map);
	peers_free(peers);
}

/* ---- begin and end ---- */

int
app_open(struct app *app)
{
	struct stream_map plan;
	int ret;

	if ((ret = devices_check()) < 0)
		return ret;
	if ((ret = policy_slot_open(&app->slot)) < 0)
		return ret;
	if (json_file_check(app->opts.stats_json) < 0)
		return -EINVAL;
	if ((ret = ports_discover(&app->opts, &app->ports)) < 0)
		return ret;
	ret = app_plan(app, &plan);
	streams_free(&plan);
	if (ret < 0)
		return ret;
	if (app->opts.mode != FWD_IO && (ret = app_books_load(app)) < 0)
		return ret;
	if ((ret = pools_create(&app->opts, &app->ports, &app->pools)) < 0)
		return ret;
	app->opts.mbuf_size = pools_data_room(&app->opts) + RTE_PKTMBUF_HEADROOM;
	if ((ret = ports_start(&app->opts, &app->pools, &app->ports)) < 0)
		return ret;
	if ((ret = report_xstats_choose(app->opts.display_xstats, &app->ports)) < 0)
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
	profiling_end(app);
	ports_close(&app->ports);
	plan_free(&app->map, app->peers);

	const int ret = pools_check_leaks(&app->ports, &app->pools);

	pools_free(&app->pools);
	app_policy_free(app);
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
check_ports_started(const struct port_table *ports, const struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		const uint16_t id = map->stream[i]->rx_port; /* each one sends, too */

		if (ports->port[ports_position(ports, id)].is_started)
			continue;
		app_error("port %u is stopped: `port start %u` first", id, id);
		return -ENETDOWN;
	}
	return 0;
}

/* Put a plan in the place of the last one and count from now on. */
static int
adopt_plan(struct app *app, const struct stream_map *map, struct peers *peers)
{
	pthread_mutex_lock(&app->lock);
	const int ret = stats_renew(app, map);

	if (ret == 0) {
		plan_free(&app->map, app->peers);
		app->map = *map;
		app->peers = peers;
		stats_begin(&app->ports, &app->base);
		links_begin(app);
		app->started_s = app_now_s();
		app->is_forwarding = true;
	}
	pthread_mutex_unlock(&app->lock);
	return ret;
}

/* Prepare lcores, and what they need to know of far boxes. */
static int
prepare(struct app *app, struct stream_map *map, struct peers **peers)
{
	int ret = 0;

	if (app->opts.mode != FWD_IO) {
		ret = app_books_load(app);
		if (ret < 0)
			return ret;
		*peers = peers_create(
				&app->opts, &app->ports, &app->pools, app_books_named(app), map);
		if (*peers == NULL)
			return -ENOMEM;
	}
	ret = forward_prepare(&app->opts, &app->slot, &app->pools, map);
	return ret < 0 ? ret : verbose_begin(map, app->opts.verbose);
}

int
app_forward_start(struct app *app)
{
	struct stream_map map;
	struct peers *peers = NULL;
	int ret;

	if (app->is_forwarding) {
		app_error("packet forwarding already started");
		return -EALREADY;
	}
	ret = app_plan(app, &map);
	if (ret == 0)
		ret = check_ports_started(&app->ports, &map);
	if (ret == 0)
		ret = prepare(app, &map, &peers);
	if (ret == 0)
		ret = adopt_plan(app, &map, peers);
	if (ret < 0) {
		verbose_end();
		plan_free(&map, peers);
		return ret;
	}
	report_streams(&app->ports, &app->map);
	report_rxtx(&app->opts, &app->ports, &app->map);
	fflush(stdout);
	ret = forward_launch(&app->map);
	if (ret == 0 && peers != NULL)
		ret = peers_begin(peers, &app->map);
	if (ret < 0)
		app_forward_stop(app);
	return ret;
}

static int
write_json(const struct app *app)
{
	const struct stats_run run = {
		.ports = &app->ports,
		.map = &app->map,
		.books = app->books,
		.rules = app->rules,
		.stats = app->stats,
		.peers = app->peers,
		.profiling = &app->profiling,
		.seconds = app->ran_s,
	};

	if (app->opts.stats_json == NULL)
		return 0;
	return json_file_write(app->opts.stats_json, stats_json(&run)) < 0 ? -EIO : 0;
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
	report_xstats_final(&app->ports);
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
	peers_drain(app->peers);
	forward_stop(&app->map);
	peers_end(app->peers);
	links_release(app);
	verbose_end();
	pthread_mutex_lock(&app->lock);
	app_stats(app);
	app->ran_s = app_now_s() - app->started_s;
	app->is_forwarding = false;
	pthread_mutex_unlock(&app->lock);

	profiling_finish(app);

	int ret = final_report(app);

	if (write_json(app) < 0)
		ret = -EIO;
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

/*
 * Queues that cannot be filled do not start, while larger bursts, or lanes between lcores, lose
 * frames only under a load that nobody may ever see: `is_fatal` tells which it is.
 */
static int
check_pools(const struct app *app, const struct options *opts, bool is_fatal)
{
	const uint64_t needed = pools_needed(opts, &app->ports);

	if (needed <= app->pools.mbufs)
		return 0;
	if (!is_fatal) {
		LOG(WARNING,
				"queues, lanes, caches and bursts can hold %" PRIu64
				" mbufs at one time, frames may be lost: there are %u, --total-num-mbufs=%" PRIu64
				" at start makes more",
				needed, app->pools.mbufs, needed);
		return 0;
	}
	app_error("queues, caches and bursts would need %" PRIu64
		  " mbufs, and there are %u: start linepress with --total-num-mbufs=%" PRIu64,
			needed, app->pools.mbufs, needed);
	return -ENOMEM;
}

/* Adopt options if there is a plan for them. */
static int
adopt_options(struct app *app, const struct options *opts)
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
app_change(struct app *app, const struct options *opts)
{
	const uint64_t needed = pools_needed(&app->opts, &app->ports);
	const int ret = adopt_options(app, opts);

	if (ret == 0 && pools_needed(opts, &app->ports) > needed)
		check_pools(app, opts, false);
	return ret;
}

static int
check_stopped(const struct port_table *ports)
{
	for (uint16_t i = 0; i < ports->count; i++) {
		if (ports->port[i].is_started) {
			app_error("please stop all ports first");
			return -EBUSY;
		}
	}
	return 0;
}

int
app_change_ports(struct app *app, const struct options *opts)
{
	const uint64_t needed = pools_needed(&app->opts, &app->ports);
	const bool is_length_new = opts->max_pkt_len != app->opts.max_pkt_len;
	int ret;

	if ((ret = check_stopped(&app->ports)) < 0)
		return ret;
	if ((ret = ports_check(opts, &app->ports)) < 0)
		return ret;
	if (pools_needed(opts, &app->ports) > needed)
		ret = check_pools(app, opts, true);
	if (ret == 0)
		ret = adopt_options(app, opts);
	if (ret < 0) {
		ports_check(&app->opts, &app->ports);
		return ret;
	}
	for (uint16_t i = 0; i < app->ports.count; i++) {
		app->ports.port[i].needs_setup = true;
		if (is_length_new)
			app->ports.port[i].mtu = 0;
	}
	return 0;
}
