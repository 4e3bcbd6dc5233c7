/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <time.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_pause.h>

#include "counter.h"
#include "forward.h"
#include "log.h"
#include "signals.h"

#define TX_TRIES 64	      /* with a pause between, then frames are dropped */
#define IDLE_ROUNDS_BEFORE 64 /* empty rounds before an lcore sleeps */

/* ---- data path ---- */

/* Frames to send, after what the stream does with them. */
static inline uint16_t
process_burst(struct lp_press *press, struct stream *stream, struct rte_mbuf **pkts,
		uint16_t nb_pkts)
{
	switch (stream->action) {
	case STREAM_COMPRESS:
		return lp_press_compress(press, pkts, nb_pkts);
	case STREAM_RESTORE:
		return lp_press_restore(press, pkts, nb_pkts);
	case STREAM_VERIFY:
		counter_add(&stream->counters.differing_pkts,
				lp_press_verify(press, pkts, nb_pkts));
		return nb_pkts;
	default:
		return nb_pkts;
	}
}

/*
 * Some drivers leave transmit flags on received frames; the next one would act on them and
 * write a checksum into the middle of a frame.
 */
static inline void
clear_tx_flags(struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	for (uint16_t i = 0; i < nb_pkts; i++)
		pkts[i]->ol_flags &= ~RTE_MBUF_F_TX_OFFLOAD_MASK;
}

static inline void
transmit_burst(struct stream *stream, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint16_t sent = 0;
	unsigned int tries = 0;

	while (true) {
		sent += rte_eth_tx_burst(
				stream->tx_port, stream->tx_queue, pkts + sent, nb_pkts - sent);
		if (sent == nb_pkts || ++tries == TX_TRIES)
			break;
		rte_pause();
	}
	counter_add(&stream->counters.tx_pkts, sent);
	if (tries > 0)
		counter_add(&stream->counters.tx_retries, RTE_MIN(tries, TX_TRIES - 1u));
	if (sent < nb_pkts) {
		rte_pktmbuf_free_bulk(pkts + sent, nb_pkts - sent);
		counter_add(&stream->counters.tx_full_pkts, nb_pkts - sent);
	}
}

static inline uint16_t
forward_burst(const struct fwd_lcore *lcore, struct stream *stream, struct rte_mbuf **pkts)
{
	const uint16_t received = rte_eth_rx_burst(
			stream->rx_port, stream->rx_queue, pkts, lcore->burst_pkts);

	if (received == 0)
		return 0;
	counter_add(&stream->counters.rx_pkts, received);
	const uint16_t to_send = process_burst(lcore->press, stream, pkts, received);

	if (to_send > 0) {
		clear_tx_flags(pkts, to_send);
		transmit_burst(stream, pkts, to_send);
	}
	return received;
}

static void
idle(struct fwd_lcore *lcore, unsigned int empty_rounds)
{
	const struct timespec pause = { .tv_nsec = (long)lcore->idle_sleep_us * 1000 };

	rte_pause();
	if (lcore->idle_sleep_us == 0 || empty_rounds < IDLE_ROUNDS_BEFORE)
		return;
	nanosleep(&pause, NULL);
	counter_add(&lcore->counters.sleeps, 1);
}

int
forward_run(void *arg)
{
	struct fwd_lcore *lcore = arg;
	struct rte_mbuf *pkts[BURST_MAX];
	unsigned int empty_rounds = 0;

	while (!stop_requested()) {
		uint32_t received = 0;

		for (uint32_t i = 0; i < lcore->nb_streams; i++)
			received += forward_burst(lcore, lcore->stream[i], pkts);
		counter_add(&lcore->counters.rounds, 1);
		if (received > 0) {
			empty_rounds = 0;
			continue;
		}
		counter_add(&lcore->counters.empty_rounds, 1);
		if (empty_rounds < IDLE_ROUNDS_BEFORE)
			empty_rounds++;
		idle(lcore, empty_rounds);
	}
	return 0;
}

/* ---- control ---- */

int
forward_prepare(const struct options *opts, const struct lp_bookset *books,
		const struct mbuf_pools *pools, struct stream_map *map)
{
	for (uint32_t i = 0; books != NULL && i < map->nb_lcores; i++) {
		struct fwd_lcore *lcore = map->lcore[i];
		const struct lp_press_conf conf = {
			.books = books,
			.pool = pools->of_socket[lcore->socket],
			.key = opts->key,
			.min_region = (uint16_t)opts->min_region,
			.max_frame = opts->max_pkt_len - RTE_ETHER_CRC_LEN,
			.socket = lcore->socket,
		};

		lcore->press = lp_press_create(&conf);
		if (lcore->press == NULL) {
			const int err = rte_errno;

			app_error("lcore %u: lp_press_create: %s", lcore->lcore_id,
					rte_strerror(err));
			return err > 0 ? -err : -EINVAL;
		}
	}
	return 0;
}

void
forward_release(struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		lp_press_free(map->lcore[i]->press);
		map->lcore[i]->press = NULL;
	}
}

bool
forward_is_on_main(const struct stream_map *map)
{
	return map->lcore[0]->lcore_id == rte_get_main_lcore();
}

int
forward_launch(const struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		struct fwd_lcore *lcore = map->lcore[i];

		if (lcore->lcore_id == rte_get_main_lcore())
			continue;
		const int ret = rte_eal_remote_launch(forward_run, lcore, lcore->lcore_id);
		if (ret < 0) {
			app_error("lcore %u: rte_eal_remote_launch: %s", lcore->lcore_id,
					rte_strerror(-ret));
			return ret;
		}
	}
	return 0;
}
