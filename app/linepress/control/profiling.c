/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_errno.h>
#include <rte_lcore.h>

#include "app.h"
#include "app_policy.h"
#include "linepress/watch.h"
#include "log.h"
#include "outfile.h"
#include "profiling.h"

/* ---- regions ---- */

/* A book may have gone since it coded a region. */
static bool
is_stale(const struct app *app, const struct lp_press_sample *sample)
{
	return sample->book != 0 && app->books->digest[sample->book] != sample->digest;
}

static void
look_at(struct app *app, const struct lp_press_sample *sample)
{
	struct profiling *profiling = &app->profiling;
	const struct lp_watch_region region = {
		.id = sample->book,
		.cb = app->books->book[sample->book],
		.phase = sample->params.phase,
		.src = sample->region,
		.len = sample->len,
		.body_len = sample->body_len,
	};

	profiling->sampled++;
	profiling->missed += sample->missed;
	if (is_stale(app, sample))
		profiling->stale++;
	else if (lp_watch_add(profiling->watch, &region) < 0)
		LOG(WARNING, "out of memory for a profile: a sampled region is left out");
}

/* One region of each press in turn, as long as there are any; returns how many. */
static unsigned int
look_at_some(struct app *app, unsigned int most)
{
	const struct lp_press_sample *sample;
	unsigned int before, n = 0;
	struct lp_press *press;

	do {
		before = n;
		for (uint32_t i = 0; i < app->map.nb_streams; i++) {
			const struct stream *stream = app->map.stream[i];

			for (uint32_t k = 0; n < most && (press = stream_press(stream, k)) != NULL;
					k++) {
				sample = lp_press_sample_next(press);
				if (sample == NULL)
					continue;
				look_at(app, sample);
				lp_press_sample_done(press, sample);
				n++;
			}
		}
	} while (n > before && n < most);
	return n;
}

/* ---- alarms ---- */

static void
tell_of_alarms(struct lp_watch *watch)
{
	struct lp_watch_report r;

	while (lp_watch_news(watch, &r)) {
		const char *type = lp_type_name(r.type);

		if (r.id == 0 && r.is_alarm)
			LOG(WARNING, "drift: what looks like %s is sent uncoded, a codebook for it would save %.1f %%: see `show drift` and `suggest codebook`",
					type, r.loss_percent);
		else if (r.id == 0)
			LOG(NOTICE, "drift: hardly anything of %s is sent uncoded any more", type);
		else if (r.is_alarm)
			LOG(WARNING, "drift: codebook %u %s does not fit, another would save %.1f %% more: see `show drift` and `suggest codebook`",
					r.id, r.name, r.loss_percent);
		else
			LOG(NOTICE, "drift: codebook %u %s fits again, or is hardly used", r.id,
					r.name);
	}
}

static void
tick(struct app *app)
{
	pthread_mutex_lock(&app->lock);
	if (look_at_some(app, PROFILING_TICK_REGIONS) > 0)
		tell_of_alarms(app->profiling.watch);
	pthread_mutex_unlock(&app->lock);
}

/* ---- thread ---- */

static void *
run(void *arg)
{
	const struct timespec pause = { .tv_nsec = PROFILING_TICK_MS * 1000000L };
	struct app *app = arg;

	while (atomic_load(&app->profiling.should_run)) {
		tick(app);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void
stop_thread(struct profiling *profiling)
{
	if (!profiling->is_running)
		return;
	atomic_store(&profiling->should_run, false);
	pthread_join(profiling->thread, NULL);
	profiling->is_running = false;
}

static int
start_thread(struct app *app)
{
	struct profiling *profiling = &app->profiling;
	int ret;

	atomic_store(&profiling->should_run, true);
	ret = rte_ctrl_thread_create(&profiling->thread, "lp-profile", NULL, run, app);
	profiling->is_running = ret == 0;
	if (ret != 0)
		app_error("cannot create the thread that profiles: %s", rte_strerror(-ret));
	return ret;
}

/* ---- on and off ---- */

static int
begin_watch(struct app *app)
{
	struct lp_watch *watch = lp_watch_create();

	if (watch == NULL) {
		app_error("out of memory for a profile");
		return -ENOMEM;
	}
	if (app->opts.drift_percent != 0)
		lp_watch_set_threshold(watch, app->opts.drift_percent);
	pthread_mutex_lock(&app->lock);
	lp_watch_free(app->profiling.watch);
	app->profiling.watch = watch;
	app->profiling.sampled = app->profiling.missed = app->profiling.stale = 0;
	pthread_mutex_unlock(&app->lock);
	return 0;
}

int
profiling_set(struct app *app, uint32_t every)
{
	const uint32_t before = app->opts.sample_every;
	int ret = 0;

	if (every != 0 && before == 0)
		ret = begin_watch(app);
	if (ret == 0)
		ret = app_set_sampling(app, every);
	if (ret < 0)
		return ret;
	pthread_mutex_lock(&app->lock);
	app->profiling.every = every;
	pthread_mutex_unlock(&app->lock);
	if (every == 0) {
		stop_thread(&app->profiling);
		profiling_finish(app);
	} else if (before == 0 && (ret = start_thread(app)) < 0) {
		profiling_set(app, 0);
	}
	return ret;
}

void
profiling_set_threshold(struct app *app, uint32_t percent)
{
	pthread_mutex_lock(&app->lock);
	app->opts.drift_percent = percent;
	if (app->profiling.watch != NULL)
		lp_watch_set_threshold(app->profiling.watch, percent);
	pthread_mutex_unlock(&app->lock);
}

void
profiling_finish(struct app *app)
{
	if (app->profiling.watch == NULL)
		return;
	pthread_mutex_lock(&app->lock);
	look_at_some(app, UINT_MAX);
	tell_of_alarms(app->profiling.watch);
	pthread_mutex_unlock(&app->lock);
}

void
profiling_end(struct app *app)
{
	stop_thread(&app->profiling);
	lp_watch_free(app->profiling.watch);
	app->profiling.watch = NULL;
}

/* ---- files ---- */

static int
add_source(struct lp_profiles *profiles, const struct app *app)
{
	const time_t now = time(NULL);
	char text[128], date[16];

	strftime(date, sizeof(date), "%F", gmtime(&now));
	snprintf(text, sizeof(text), "sampled %s from %llu regions of traffic", date,
			(unsigned long long)app->profiling.sampled);
	return lp_profiles_add_source(profiles, text);
}

/* A copy, so that nobody waits for the disk; NULL if memory ran out. */
static struct lp_profiles *
copy_profiles(struct app *app)
{
	struct lp_profiles *copy = lp_profiles_create();
	int ret = copy == NULL ? -ENOMEM : 0;

	pthread_mutex_lock(&app->lock);
	if (ret == 0)
		ret = add_source(copy, app);
	if (ret == 0)
		ret = lp_profiles_merge(copy, lp_watch_profiles(app->profiling.watch), 1);
	pthread_mutex_unlock(&app->lock);
	if (ret == 0)
		return copy;
	lp_profiles_free(copy);
	app_error("out of memory for a copy of the profile");
	return NULL;
}

int
profiling_save(struct app *app, const char *path)
{
	struct lp_profiles *profiles;
	struct outfile *out;
	int ret = -EIO;

	if (app->profiling.watch == NULL) {
		app_error("save profile %s: there is none, `set profile on rate 1/N` first", path);
		return -ENOENT;
	}
	profiles = copy_profiles(app);
	if (profiles == NULL)
		return -ENOMEM;
	if (lp_profiles_symbols(profiles, false) == 0) {
		app_error("save profile %s: no region of a known type was sampled yet", path);
		lp_profiles_free(profiles);
		return -ENODATA;
	}
	out = outfile_open(path);
	if (out != NULL) {
		lp_profiles_print(profiles, outfile_stream(out));
		ret = outfile_commit(out) < 0 ? -EIO : 0;
	}
	lp_profiles_free(profiles);
	if (ret < 0)
		app_error("save profile %s: not written, see above", path);
	return ret;
}
