/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include "line_peer.h"
#include "log.h"
#include "peers.h"
#include "signals.h"

#define TICK_MS (LP_PEER_TICK_MS / 2)
#define MS_PER_S 1000
#define NS_PER_MS 1000000

struct peers {
	pthread_mutex_t lock; /* of all peers */
	pthread_t thread;
	bool is_running;
	atomic_bool should_run;
	enum lp_peer_mode mode;
	struct rte_mempool *pool;
	const struct stream_map *map;
	uint16_t count;
	struct line_peer *of_line[RTE_MAX_ETHPORTS];
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * MS_PER_S + (uint64_t)ts.tv_nsec / NS_PER_MS;
}

static void
pass_tick(void)
{
	const struct timespec tick = { .tv_nsec = TICK_MS * NS_PER_MS };

	nanosleep(&tick, NULL);
}

/* ---- create ---- */

static struct line_peer *
find(const struct peers *peers, uint16_t port_id)
{
	for (uint16_t i = 0; i < peers->count; i++)
		if (peers->of_line[i]->port_id == port_id)
			return peers->of_line[i];
	return NULL;
}

/* No hello reaches a host, whether it counts or not, and none of a host reaches the far box. */
static void
take_hellos(const struct peers *peers, const struct stream_map *map)
{
	for (uint32_t i = 0; map->mode == FWD_PRESS && i < map->nb_streams; i++) {
		struct stream *stream = map->stream[i];
		const bool is_from_line = stream->action == STREAM_RESTORE;
		struct line_peer *of = find(
				peers, is_from_line ? stream->rx_port : stream->tx_port);

		if (of != NULL)
			stream->hellos_in = &of->line;
	}
}

/*
 * A peer for each port that streams compress to. The first of those streams sends its hellos, and
 * those that share its transmit queue, so that none fills it before a hello that waits.
 */
static int
create_all(struct peers *peers, const struct options *opts, const struct port_table *ports,
		const struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		struct stream *stream = map->stream[i];
		struct line_peer *of = find(peers, stream->tx_port);

		if (stream->action != STREAM_COMPRESS)
			continue;
		if (of == NULL) {
			const int at = ports_position(ports, stream->tx_port);

			of = line_peer_create(opts, peers->mode, stream, ports->port[at].socket,
					now_ms());
			if (of == NULL)
				return -ENOMEM;
			peers->of_line[peers->count++] = of;
			of->tx_queue = stream->tx_queue;
		}
		if (peers->mode == LP_PEER_HELLO && stream->tx_queue == of->tx_queue)
			stream->hellos_out = &of->line;
		stream->gate = lp_peer_gate(of->peer);
	}
	take_hellos(peers, map);
	return 0;
}

struct peers *
peers_create(const struct options *opts, const struct port_table *ports,
		const struct mbuf_pools *pools, const uint64_t *digest, struct stream_map *map)
{
	struct peers *peers = calloc(1, sizeof(*peers));

	if (peers == NULL) {
		app_error("out of memory for what is known of far boxes");
		return NULL;
	}
	pthread_mutex_init(&peers->lock, NULL);
	peers->mode = opts->mode == FWD_PRESS ? opts->peer : LP_PEER_STATIC;
	peers->pool = pools->of_socket[map->lcore[0]->socket];
	if (create_all(peers, opts, ports, map) < 0) {
		peers_free(peers);
		return NULL;
	}
	for (uint16_t i = 0; i < peers->count; i++) {
		lp_peer_set_books(peers->of_line[i]->peer, digest, now_ms());
		lp_peer_set_state(peers->of_line[i]->peer, LP_HELLO_READY, now_ms());
	}
	return peers;
}

void
peers_free(struct peers *peers)
{
	if (peers == NULL)
		return;
	for (uint16_t i = 0; i < peers->count; i++)
		line_peer_free(peers->of_line[i]);
	pthread_mutex_destroy(&peers->lock);
	free(peers);
}

/* ---- the thread ---- */

static void *
run(void *arg)
{
	struct peers *peers = arg;

	while (atomic_load(&peers->should_run)) {
		pthread_mutex_lock(&peers->lock);
		for (uint16_t i = 0; i < peers->count; i++) {
			const uint64_t now_tsc = rte_rdtsc();

			line_peer_tick(peers->of_line[i], peers->map, peers->pool, now_ms(),
					now_tsc);
		}
		pthread_mutex_unlock(&peers->lock);
		pass_tick();
	}
	return NULL;
}

int
peers_begin(struct peers *peers, const struct stream_map *map)
{
	int ret;

	if (peers->count == 0)
		return 0;
	peers->map = map;
	atomic_store(&peers->should_run, true);
	ret = rte_ctrl_thread_create(&peers->thread, "lp-peers", NULL, run, peers);
	if (ret != 0)
		app_error("cannot create the thread for far boxes: %s", rte_strerror(-ret));
	peers->is_running = ret == 0;
	return ret;
}

void
peers_end(struct peers *peers)
{
	if (peers == NULL || !peers->is_running)
		return;
	atomic_store(&peers->should_run, false);
	pthread_join(peers->thread, NULL);
	peers->is_running = false;
	peers_tell(peers);
}

/* ---- drain ---- */

static void
announce_drain(struct peers *peers)
{
	pthread_mutex_lock(&peers->lock);
	for (uint16_t i = 0; i < peers->count; i++)
		lp_peer_drain(peers->of_line[i]->peer, now_ms());
	pthread_mutex_unlock(&peers->lock);
}

/* Has the peer of a line stopped? Once it has not in time, nobody waits for it any more. */
static bool
is_drained(struct peers *peers, const struct line_peer *of)
{
	pthread_mutex_lock(&peers->lock);
	const enum lp_drain drained = lp_peer_drained(of->peer, now_ms());
	pthread_mutex_unlock(&peers->lock);

	if (drained == LP_DRAIN_TIMEOUT)
		LOG(WARNING, "port %u: its far box does not stop coding; what it codes will be lost",
				of->port_id);
	return drained != LP_DRAIN_WAITING;
}

void
peers_drain(struct peers *peers)
{
	const bool was_requested = stop_requested();

	/* a static box has nobody to tell that it stops: what it left uncoded would gain nothing */
	if (peers == NULL || !peers->is_running || peers->mode == LP_PEER_STATIC)
		return;
	announce_drain(peers);
	for (uint16_t i = 0; i < peers->count; i++)
		while (!is_drained(peers, peers->of_line[i]) &&
				(was_requested || !stop_requested()))
			pass_tick();
}

/* ---- for others ---- */

bool
peers_are_asked(const struct peers *peers)
{
	return peers != NULL && peers->mode == LP_PEER_HELLO;
}

void
peers_tell(struct peers *peers)
{
	for (uint16_t i = 0; peers != NULL && i < peers->count; i++) {
		struct line_peer *of = peers->of_line[i];

		pthread_mutex_lock(&peers->lock);
		const struct line_peer_news news = line_peer_take_news(of);
		pthread_mutex_unlock(&peers->lock);

		line_peer_tell(of->port_id, &news);
	}
}

void
peers_set_books(struct peers *peers, const uint64_t *digest)
{
	if (peers == NULL)
		return;
	pthread_mutex_lock(&peers->lock);
	for (uint16_t i = 0; i < peers->count; i++)
		lp_peer_set_books(peers->of_line[i]->peer, digest, now_ms());
	pthread_mutex_unlock(&peers->lock);
}

bool
peers_describe(struct peers *peers, uint16_t i, uint16_t *port_id, struct lp_peer_report *report)
{
	if (peers == NULL || i >= peers->count)
		return false;
	*port_id = peers->of_line[i]->port_id;
	pthread_mutex_lock(&peers->lock);
	lp_peer_describe(peers->of_line[i]->peer, now_ms(), report);
	pthread_mutex_unlock(&peers->lock);
	return true;
}
