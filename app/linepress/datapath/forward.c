/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "burst.h"
#include "counter.h"
#include "distribute.h"
#include "forward.h"
#include "lanes.h"
#include "log.h"
#include "policy.h"
#include "presses.h"
#include "wait.h"

#define IDLE_ROUNDS_BEFORE 64 /* empty rounds before an lcore sleeps */

/* ---- data path ---- */

static inline uint16_t
forward_burst(const struct fwd_lcore *lcore, struct stream *stream, struct rte_mbuf **pkts)
{
	uint16_t left;
	const uint16_t received = burst_receive(stream, pkts, lcore->burst_pkts, &left);

	if (left == 0)
		return received;
	const uint16_t to_send = burst_process(stream->action, stream->press,
			&stream->counters.differing_pkts, pkts, left);

	if (to_send > 0)
		burst_transmit(stream, pkts, to_send);
	return received;
}

/* `tsc` is when the last poll ended; the time of a sleep must not count for the next one. */
static void
idle(struct fwd_lcore *lcore, unsigned int empty_rounds, uint64_t *tsc)
{
	const struct timespec pause = { .tv_nsec = (long)lcore->idle_sleep_us * 1000 };

	wait_briefly(lcore);
	if (lcore->idle_sleep_us == 0 || empty_rounds < IDLE_ROUNDS_BEFORE)
		return;
	policy_asleep(lcore);
	nanosleep(&pause, NULL);
	policy_awake(lcore);
	counter_add(&lcore->counters.sleeps, 1);
	const uint64_t now = rte_rdtsc();

	counter_add(&lcore->counters.idle_cycles, now - *tsc);
	*tsc = now;
}

/* One visit to all streams; returns the frames received. */
static inline uint32_t
forward_round(struct fwd_lcore *lcore, uint64_t *tsc)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint32_t received = 0;

	for (uint32_t i = 0; i < lcore->nb_streams; i++) {
		struct stream *stream = lcore->stream[i];
		const uint16_t n = forward_burst(lcore, stream, pkts);
		const uint64_t now = rte_rdtsc();
		const uint64_t cycles = now - *tsc;

		*tsc = now;
		if (n == 0) {
			counter_add(&lcore->counters.idle_cycles, cycles);
			continue;
		}
		counter_add(&stream->counters.busy_cycles, cycles);
		latency_record(&lcore->latency, cycles, n);
		received += n;
	}
	return received;
}

/* Rounds that return the frames seen, until asked to stop. */
static __rte_always_inline void
run_rounds(struct fwd_lcore *lcore, uint32_t (*round)(struct fwd_lcore *lcore, uint64_t *tsc))
{
	unsigned int empty_rounds = 0;
	uint64_t tsc = rte_rdtsc();

	while (atomic_load_explicit(lcore->should_run, memory_order_relaxed)) {
		policy_pass(lcore);
		const uint32_t seen = round(lcore, &tsc);

		counter_add(&lcore->counters.rounds, 1);
		if (seen > 0) {
			empty_rounds = 0;
			continue;
		}
		counter_add(&lcore->counters.empty_rounds, 1);
		if (empty_rounds < IDLE_ROUNDS_BEFORE)
			empty_rounds++;
		idle(lcore, empty_rounds, &tsc);
	}
}

static int
forward_run(void *arg)
{
	struct fwd_lcore *lcore = arg;

	policy_enter(lcore);
	switch (lcore->role) {
	case LCORE_POLLS:
		run_rounds(lcore, distribute_poll_round);
		distribute_poll_finish(lcore);
		break;
	case LCORE_WORKS:
		run_rounds(lcore, distribute_work_round);
		distribute_work_finish(lcore);
		break;
	default:
		run_rounds(lcore, forward_round);
		break;
	}
	policy_leave(lcore);
	return 0;
}

/* ---- the main lcore, if it is the only one ---- */

static struct {
	sem_t asked;
	sem_t returned;
	struct fwd_lcore *lcore; /* NULL: end */
} main_lcore;

bool
forward_is_on_main(void)
{
	return rte_lcore_count() == 1;
}

static void
wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

static void
main_lcore_ask(struct fwd_lcore *lcore)
{
	main_lcore.lcore = lcore;
	sem_post(&main_lcore.asked);
}

void
forward_serve(void)
{
	while (true) {
		wait_for(&main_lcore.asked);
		if (main_lcore.lcore == NULL)
			return;
		forward_run(main_lcore.lcore);
		sem_post(&main_lcore.returned);
	}
}

void
forward_serve_end(void)
{
	main_lcore_ask(NULL);
}

/* ---- control ---- */

/* Let the stream count its bursts by size. */
static int
bursts_create(struct stream *stream, const struct fwd_lcore *lcore)
{
	stream->rx_bursts = rte_zmalloc_socket("rx_bursts",
			(BURST_MAX + 1) * sizeof(*stream->rx_bursts), RTE_CACHE_LINE_SIZE,
			lcore->socket);
	if (stream->rx_bursts != NULL)
		return 0;
	app_error("lcore %u: out of memory for its statistics of bursts", lcore->lcore_id);
	return -ENOMEM;
}

int
forward_prepare(const struct options *opts, struct policy_slot *slot,
		const struct mbuf_pools *pools, struct stream_map *map)
{
	int ret = map->distribution == DISTRIBUTION_FLOW ? distribute_init() : 0;

	if (ret == 0)
		ret = lanes_open(map);
	for (uint32_t i = 0; i < map->nb_lcores && ret == 0; i++) {
		struct fwd_lcore *lcore = map->lcore[i];

		lcore->policy_slot = slot;
		for (uint32_t k = 0; k < lcore->nb_streams && ret == 0; k++)
			if (opts->record_burst_stats)
				ret = bursts_create(lcore->stream[k], lcore);
	}
	return ret < 0 ? ret : presses_create(opts, atomic_load(&slot->current), pools, map);
}

void
forward_release(struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		rte_free(map->stream[i]->rx_bursts);
		map->stream[i]->rx_bursts = NULL;
	}
	presses_free(map);
}

/* Workers begin before the one that feeds them, so that it may wait for their end. */
static int
launch(struct fwd_lcore *lcore)
{
	if (forward_is_on_main()) {
		main_lcore_ask(lcore);
		return 0;
	}
	const int ret = rte_eal_remote_launch(forward_run, lcore, lcore->lcore_id);

	if (ret < 0)
		app_error("lcore %u: rte_eal_remote_launch: %s", lcore->lcore_id,
				rte_strerror(-ret));
	return ret;
}

int
forward_launch(struct stream_map *map)
{
	struct fwd_team *team = &map->team;
	int ret = 0;

	atomic_store(&map->should_run, true);
	atomic_store(&team->is_fed, true);
	atomic_store(&team->working, 0);
	for (uint32_t i = map->nb_lcores; i-- > 0 && ret == 0;) {
		struct fwd_lcore *lcore = map->lcore[i];
		const bool works = lcore->role == LCORE_WORKS;

		lcore->team = team;
		lcore->should_run = works ? &team->is_fed : &map->should_run;
		ret = launch(lcore);
		if (ret == 0 && works)
			atomic_fetch_add(&team->working, 1);
	}
	if (ret < 0)
		atomic_store(&team->is_fed, false);
	return ret;
}

void
forward_stop(struct stream_map *map)
{
	atomic_store(&map->should_run, false);
	if (forward_is_on_main())
		wait_for(&main_lcore.returned);
	else
		rte_eal_mp_wait_lcore();
}
