/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_BURST_H
#define LINEPRESS_APP_BURST_H

/**
 * @file
 * What is done with a burst of frames, on whichever lcore.
 */

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_pause.h>

#include "counter.h"
#include "streams.h"

/** Attempts to transmit, with a pause between, before frames are dropped. */
#define BURST_TX_TRIES 64

/**
 * Receive a burst, and exchange hellos with the peer.
 *
 * @param left
 *   Receives the frames to forward, the first ones of `pkts`.
 * @return
 *   Frames received, hellos among them.
 */
static inline uint16_t
burst_receive(struct stream *stream, struct rte_mbuf **pkts, uint16_t burst_pkts, uint16_t *left)
{
	if (stream->hellos_out != NULL && unlikely(hello_line_has_news(stream->hellos_out)))
		hello_line_transmit(stream);

	const uint16_t received = rte_eth_rx_burst(
			stream->rx_port, stream->rx_queue, pkts, burst_pkts);

	*left = received;
	if (stream->rx_bursts != NULL)
		counter_add(&stream->rx_bursts[received], 1);
	if (received == 0)
		return 0;
	counter_add(&stream->counters.rx_pkts, received);
	if (stream->hellos_in != NULL)
		*left = hello_line_take(stream, pkts, received);
	return received;
}

/**
 * Compress, restore or verify a burst, or do nothing.
 *
 * @param differing_pkts
 *   Counter of the calling lcore for frames that a verification finds changed.
 * @return
 *   Frames to send, the first ones of `pkts`.
 */
static inline uint16_t
burst_process(enum stream_action action, struct lp_press *press, uint64_t *differing_pkts,
		struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	switch (action) {
	case STREAM_COMPRESS:
		return lp_press_compress(press, pkts, nb_pkts);
	case STREAM_RESTORE:
		return lp_press_restore(press, pkts, nb_pkts);
	case STREAM_VERIFY:
		counter_add(differing_pkts, lp_press_verify(press, pkts, nb_pkts));
		return nb_pkts;
	default:
		return nb_pkts;
	}
}

/*
 * Some drivers leave transmit flags on received frames; the next one would act on them and
 * write a checksum into the middle of a frame. Most do not: then no mbuf is written to. Returns the
 * bytes of the frames.
 */
static inline uint64_t
burst_clear_tx_flags(struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint64_t bytes = 0, flags = 0;

	for (uint16_t i = 0; i < nb_pkts; i++) {
		flags |= pkts[i]->ol_flags;
		bytes += pkts[i]->pkt_len;
	}
	if (unlikely((flags & RTE_MBUF_F_TX_OFFLOAD_MASK) != 0))
		for (uint16_t i = 0; i < nb_pkts; i++)
			pkts[i]->ol_flags &= ~RTE_MBUF_F_TX_OFFLOAD_MASK;
	return bytes;
}

/** Release frames; returns their bytes. */
static inline uint64_t
burst_free(struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint64_t bytes = 0;

	for (uint16_t i = 0; i < nb_pkts; i++)
		bytes += pkts[i]->pkt_len;
	rte_pktmbuf_free_bulk(pkts, nb_pkts);
	return bytes;
}

/** Is the queue so full that not even a hello has found room? Then it goes first. */
static inline bool
burst_must_wait(struct stream *stream)
{
	if (likely(stream->hellos_out == NULL || stream->hellos_out->next == NULL))
		return false;
	hello_line_transmit(stream);
	return stream->hellos_out->next != NULL;
}

/**
 * Transmit a burst; what the queue does not take in time is dropped and counted. At last frames are
 * tried even if a hello waits: where there is room for them, it is not for want of room that the
 * device does not take the hello, and the hello is given up.
 */
static inline void
burst_transmit(struct stream *stream, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint64_t bytes = burst_clear_tx_flags(pkts, nb_pkts);
	uint16_t sent = 0;
	unsigned int tries = 0;

	while (true) {
		if (!burst_must_wait(stream) || tries == BURST_TX_TRIES - 1)
			sent += rte_eth_tx_burst(stream->tx_port, stream->tx_queue, pkts + sent,
					nb_pkts - sent);
		if (sent == nb_pkts || ++tries == BURST_TX_TRIES)
			break;
		rte_pause();
	}
	if (unlikely(sent > 0 && burst_must_wait(stream)))
		hello_line_give_up(stream->hellos_out);
	if (tries > 0)
		counter_add(&stream->counters.tx_retries, RTE_MIN(tries, BURST_TX_TRIES - 1u));
	if (sent < nb_pkts) {
		const uint64_t dropped = burst_free(pkts + sent, nb_pkts - sent);

		counter_add(&stream->counters.tx_full_pkts, nb_pkts - sent);
		counter_add(&stream->counters.tx_full_bytes, dropped);
		bytes -= dropped;
	}
	counter_add(&stream->counters.tx_pkts, sent);
	counter_add(&stream->counters.tx_bytes, bytes);
}

#endif /* LINEPRESS_APP_BURST_H */
