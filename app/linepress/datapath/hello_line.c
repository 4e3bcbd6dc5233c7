/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "counter.h"
#include "hello_line.h"
#include "streams.h"

/* More hellos than a peer sends while the thread that reads them does not run. */
#define HELLO_SLOTS 64

static struct rte_ring *
ring_create(int socket, unsigned int flags)
{
	const ssize_t bytes = rte_ring_get_memsize(HELLO_SLOTS);
	struct rte_ring *ring = bytes < 0
			? NULL
			: rte_zmalloc_socket("hellos", (size_t)bytes, RTE_CACHE_LINE_SIZE, socket);

	if (ring != NULL)
		rte_ring_init(ring, "hellos", HELLO_SLOTS, flags);
	return ring;
}

int
hello_line_open(struct hello_line *line, const struct lp_key *key, int socket)
{
	line->key = *key;
	line->in = ring_create(socket, RING_F_SC_DEQ);
	line->out = ring_create(socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
	return line->in != NULL && line->out != NULL ? 0 : -ENOMEM;
}

static void
ring_free(struct rte_ring *ring)
{
	void *pkt;

	while (ring != NULL && rte_ring_dequeue(ring, &pkt) == 0)
		rte_pktmbuf_free(pkt);
	rte_free(ring);
}

void
hello_line_close(struct hello_line *line)
{
	ring_free(line->in);
	ring_free(line->out);
	rte_pktmbuf_free(line->next);
	*line = (struct hello_line){ 0 };
}

enum lp_hello_verdict
hello_line_read(const struct hello_line *line, const struct rte_mbuf *pkt, uint8_t *scratch,
		struct lp_hello *hello)
{
	const uint32_t len = RTE_MIN(pkt->pkt_len, (uint32_t)HELLO_LINE_READ_MAX);

	return lp_hello_read(rte_pktmbuf_read(pkt, 0, len, scratch), len, &line->key, hello);
}

/* ---- lcores ---- */

static inline bool
is_likely(const struct rte_mbuf *pkt)
{
	return pkt->data_len >= RTE_ETHER_ADDR_LEN &&
			lp_hello_is_likely(rte_pktmbuf_mtod(pkt, const uint8_t *));
}

static bool
is_ours(struct stream *stream, const struct rte_mbuf *pkt)
{
	uint8_t scratch[HELLO_LINE_READ_MAX];
	struct lp_hello hello;
	const enum lp_hello_verdict verdict = hello_line_read(
			stream->hellos_in, pkt, scratch, &hello);

	if (verdict == LP_HELLO_MAC)
		counter_add(&stream->counters.hello_other_pkts, 1);
	return lp_hello_is_ours(verdict);
}

uint16_t
hello_line_take(struct stream *stream, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	const struct hello_line *line = stream->hellos_in;
	uint16_t kept = 0;

	for (uint16_t i = 0; i < nb_pkts; i++)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[i], const void *));
	for (uint16_t i = 0; i < nb_pkts; i++) {
		struct rte_mbuf *pkt = pkts[i];

		if (likely(!is_likely(pkt)) || !is_ours(stream, pkt)) {
			pkts[kept++] = pkt;
			continue;
		}
		counter_add(&stream->counters.hello_rx_pkts, 1);
		if (stream->action != STREAM_RESTORE || rte_ring_mp_enqueue(line->in, pkt) != 0)
			rte_pktmbuf_free(pkt); /* as if the line had lost it */
	}
	return kept;
}

void
hello_line_transmit(struct stream *stream)
{
	struct hello_line *line = stream->hellos_out;
	void *pkt;

	while (rte_ring_sc_dequeue(line->out, &pkt) == 0) {
		rte_pktmbuf_free(line->next);
		line->next = pkt;
	}
	if (line->next == NULL ||
			rte_eth_tx_burst(stream->tx_port, stream->tx_queue, &line->next, 1) == 0)
		return;
	counter_add(&stream->counters.hello_tx_pkts, 1);
	line->next = NULL;
}

void
hello_line_give_up(struct hello_line *line)
{
	rte_pktmbuf_free(line->next);
	line->next = NULL;
}
