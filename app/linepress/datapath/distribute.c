/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include "burst.h"
#include "counter.h"
#include "distribute.h"
#include "lanes.h"
#include "linepress/flow.h"
#include "log.h"
#include "wait.h"

/* Tries to give frames, with a pause between, or with a turn for others on a shared processor. */
#define GIVE_TRIES 64
#define GIVE_TURNS 4

/* ---- when a frame was received, for its latency ---- */

static int received_off;

int
distribute_init(void)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "linepress_dynfield_received",
		.size = sizeof(uint64_t),
		.align = __alignof__(uint64_t),
	};

	received_off = rte_mbuf_dynfield_register(&field);
	if (received_off >= 0)
		return 0;
	app_error("rte_mbuf_dynfield_register: %s", rte_strerror(rte_errno));
	return -rte_errno;
}

/* A press hands it on to the frame that it makes of this one. */
static inline uint64_t *
received_tsc(struct rte_mbuf *pkt)
{
	return RTE_MBUF_DYNFIELD(pkt, received_off, uint64_t *);
}

/* ---- the lcore that polls ---- */

/* Transmit a burst of what a worker has given back. */
static uint16_t
take_back(struct fwd_lcore *lcore, struct stream *stream, struct lane *lane)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t received[BURST_MAX];
	const uint16_t n = (uint16_t)rte_ring_sc_dequeue_burst(
			lane->out, (void **)pkts, lcore->burst_pkts, NULL);

	if (n == 0)
		return 0;
	for (uint16_t i = 0; i < n; i++)
		received[i] = *received_tsc(pkts[i]);
	burst_transmit(stream, pkts, n);
	const uint64_t now = rte_rdtsc();

	for (uint16_t i = 0; i < n; i++)
		latency_record(&lcore->latency, now - received[i], 1);
	return n;
}

static void
give(struct fwd_lcore *lcore, struct stream *stream, struct lane *lane, struct rte_mbuf **pkts,
		uint16_t nb_pkts)
{
	const unsigned int tries_max = lcore->shares_cpu ? GIVE_TURNS : GIVE_TRIES;
	uint16_t given = 0;
	unsigned int tries = 0;

	while (true) {
		given += (uint16_t)rte_ring_sp_enqueue_burst(
				lane->in, (void **)(pkts + given), nb_pkts - given, NULL);
		if (given == nb_pkts)
			return;
		if (++tries == tries_max)
			break;
		/* the worker waits for us if its way back is full */
		if (take_back(lcore, stream, lane) == 0)
			wait_briefly(lcore);
	}
	counter_add(&stream->counters.dist_full_pkts, nb_pkts - given);
	counter_add(&stream->counters.dist_full_bytes, burst_free(pkts + given, nb_pkts - given));
}

/* Give each lane its frames, in the order in which they came. */
static void
spread(struct fwd_lcore *lcore, struct stream *stream, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	const uint64_t now = rte_rdtsc();
	uint16_t lane_of[BURST_MAX];
	uint16_t end[RTE_MAX_LCORE] = { 0 };
	struct rte_mbuf *sorted[BURST_MAX];
	uint16_t at = 0;

	for (uint16_t i = 0; i < nb_pkts; i++) {
		*received_tsc(pkts[i]) = now;
		lane_of[i] = (uint16_t)(((uint64_t)lp_flow_hash(pkts[i]) * stream->nb_lanes) >> 32);
		end[lane_of[i]]++;
	}
	for (uint32_t l = 0; l < stream->nb_lanes; l++) {
		const uint16_t count = end[l];

		end[l] = at;
		at += count;
	}
	for (uint16_t i = 0; i < nb_pkts; i++)
		sorted[end[lane_of[i]]++] = pkts[i];
	at = 0;
	for (uint32_t l = 0; l < stream->nb_lanes; at = end[l++])
		if (end[l] > at)
			give(lcore, stream, stream->lane[l], sorted + at, end[l] - at);
}

/* Returns the frames received and taken back. */
static uint32_t
poll_stream(struct fwd_lcore *lcore, struct stream *stream)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t left;
	uint32_t sum = burst_receive(stream, pkts, lcore->burst_pkts, &left);

	if (left > 0)
		spread(lcore, stream, pkts, left);
	for (uint32_t l = 0; l < stream->nb_lanes; l++)
		sum += take_back(lcore, stream, stream->lane[l]);
	return sum;
}

uint32_t
distribute_poll_round(struct fwd_lcore *lcore, uint64_t *tsc)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < lcore->nb_streams; i++) {
		struct stream *stream = lcore->stream[i];
		const uint32_t n = poll_stream(lcore, stream);
		const uint64_t now = rte_rdtsc();

		counter_add(n > 0 ? &stream->counters.busy_cycles : &lcore->counters.idle_cycles,
				now - *tsc);
		*tsc = now;
		sum += n;
	}
	return sum;
}

static uint32_t
take_back_all(struct fwd_lcore *lcore)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < lcore->nb_streams; i++) {
		struct stream *stream = lcore->stream[i];

		for (uint32_t l = 0; l < stream->nb_lanes; l++)
			sum += take_back(lcore, stream, stream->lane[l]);
	}
	return sum;
}

void
distribute_poll_finish(struct fwd_lcore *lcore)
{
	struct fwd_team *team = lcore->team;

	atomic_store_explicit(&team->is_fed, false, memory_order_release);
	while (atomic_load_explicit(&team->working, memory_order_acquire) > 0)
		if (take_back_all(lcore) == 0)
			wait_briefly(lcore);
	while (take_back_all(lcore) > 0)
		;
}

/* ---- workers ---- */

static uint16_t
work_lane(const struct fwd_lcore *lcore, struct lane *lane)
{
	struct rte_mbuf *pkts[BURST_MAX];
	const unsigned int room = rte_ring_free_count(lane->out);
	const uint16_t n = (uint16_t)rte_ring_sc_dequeue_burst(lane->in, (void **)pkts,
			RTE_MIN(room, (unsigned int)lcore->burst_pkts), NULL);

	if (n == 0)
		return 0;
	const uint16_t kept = burst_process(
			lane->action, lane->press, &lane->counters.differing_pkts, pkts, n);

	counter_add(&lane->counters.pkts, n);
	rte_ring_sp_enqueue_bulk(lane->out, (void **)pkts, kept, NULL);
	return n;
}

uint32_t
distribute_work_round(struct fwd_lcore *lcore, uint64_t *tsc)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < lcore->nb_lanes; i++) {
		struct lane *lane = lcore->lane[i];
		const uint16_t n = work_lane(lcore, lane);
		const uint64_t now = rte_rdtsc();

		counter_add(n > 0 ? &lane->counters.busy_cycles : &lcore->counters.idle_cycles,
				now - *tsc);
		*tsc = now;
		sum += n;
	}
	return sum;
}

static bool
has_work(const struct fwd_lcore *lcore)
{
	for (uint32_t i = 0; i < lcore->nb_lanes; i++)
		if (!rte_ring_empty(lcore->lane[i]->in))
			return true;
	return false;
}

void
distribute_work_finish(struct fwd_lcore *lcore)
{
	uint64_t tsc = rte_rdtsc();

	atomic_thread_fence(memory_order_acquire); /* after the flag that says there is no more */
	while (has_work(lcore))
		if (distribute_work_round(lcore, &tsc) == 0)
			wait_briefly(lcore);
	atomic_fetch_sub_explicit(&lcore->team->working, 1, memory_order_release);
}
