/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_malloc.h>
#include <rte_mbuf_ptype.h>
#include <rte_net.h>

#include "log.h"
#include "verbose.h"

#define FLAGS_TEXT_MAX 256

/** A queue whose frames are printed; used by one lcore. */
struct tap {
	struct tap *next;
	uint16_t port;
	uint16_t queue;
	bool is_tx;
	const struct rte_eth_rxtx_callback *callback;
	uint64_t second_ends;  /**< TSC */
	uint32_t printed_pkts; /**< in this second */
	uint64_t hidden_pkts;  /**< since some were printed */
};

static struct tap *taps;

/* Layout of testpmd 22.11, dump_pkt_burst(). */
static void
print_frame(const struct tap *tap, const struct rte_mbuf *pkt)
{
	struct rte_ether_hdr copy;
	struct rte_net_hdr_lens lens = { 0 };
	char flags[FLAGS_TEXT_MAX], type[FLAGS_TEXT_MAX];
	const struct rte_ether_hdr *eth = rte_pktmbuf_read(pkt, 0, sizeof(copy), &copy);

	if (eth == NULL) {
		printf("  length=%u - shorter than an Ethernet header\n", pkt->pkt_len);
		return;
	}
	rte_get_ptype_name(rte_net_get_ptype(pkt, &lens, RTE_PTYPE_ALL_MASK), type, sizeof(type));
	if (tap->is_tx)
		rte_get_tx_ol_flag_list(pkt->ol_flags, flags, sizeof(flags));
	else
		rte_get_rx_ol_flag_list(pkt->ol_flags, flags, sizeof(flags));
	printf("  src=" RTE_ETHER_ADDR_PRT_FMT " - dst=" RTE_ETHER_ADDR_PRT_FMT
	       " - pool=%s - type=0x%04x - length=%u - nb_segs=%u - sw ptype: %s - l2_len=%u - "
	       "l3_len=%u - l4_len=%u - %s queue=0x%x\n  ol_flags: %s\n",
			RTE_ETHER_ADDR_BYTES(&eth->src_addr), RTE_ETHER_ADDR_BYTES(&eth->dst_addr),
			pkt->pool->name, rte_be_to_cpu_16(eth->ether_type), pkt->pkt_len,
			pkt->nb_segs, type, lens.l2_len, lens.l3_len, lens.l4_len,
			tap->is_tx ? "Send" : "Receive", tap->queue, flags);
}

static void
print_burst(struct tap *tap, struct rte_mbuf *const *pkts, uint16_t nb_pkts)
{
	const uint64_t now = rte_rdtsc();
	uint16_t shown;

	if (nb_pkts == 0)
		return;
	if (now >= tap->second_ends) {
		tap->second_ends = now + rte_get_tsc_hz();
		tap->printed_pkts = 0;
	}
	shown = (uint16_t)RTE_MIN((uint32_t)nb_pkts, VERBOSE_PKTS_PER_S - tap->printed_pkts);
	if (shown > 0) {
		if (tap->hidden_pkts > 0)
			printf("port %u/queue %u: %" PRIu64 " packets not shown\n", tap->port,
					tap->queue, tap->hidden_pkts);
		tap->hidden_pkts = 0;
		printf("port %u/queue %u: %s %u packets\n", tap->port, tap->queue,
				tap->is_tx ? "sent" : "received", nb_pkts);
	}
	for (uint16_t i = 0; i < shown; i++)
		print_frame(tap, pkts[i]);
	tap->printed_pkts += shown;
	tap->hidden_pkts += nb_pkts - shown;
}

static uint16_t
on_receive(uint16_t port __rte_unused, uint16_t queue __rte_unused, struct rte_mbuf **pkts,
		uint16_t nb_pkts, uint16_t max_pkts __rte_unused, void *tap)
{
	print_burst(tap, pkts, nb_pkts);
	return nb_pkts;
}

static uint16_t
on_send(uint16_t port __rte_unused, uint16_t queue __rte_unused, struct rte_mbuf **pkts,
		uint16_t nb_pkts, void *tap)
{
	print_burst(tap, pkts, nb_pkts);
	return nb_pkts;
}

static bool
has_tap(uint16_t port, uint16_t queue, bool is_tx)
{
	for (const struct tap *tap = taps; tap != NULL; tap = tap->next)
		if (tap->port == port && tap->queue == queue && tap->is_tx == is_tx)
			return true;
	return false;
}

static int
add_tap(uint16_t port, uint16_t queue, bool is_tx)
{
	struct tap *tap;

	if (has_tap(port, queue, is_tx)) /* streams may share a transmit queue */
		return 0;
	tap = calloc(1, sizeof(*tap));
	if (tap == NULL) {
		app_error("out of memory for the output of `set verbose`");
		return -ENOMEM;
	}
	tap->port = port;
	tap->queue = queue;
	tap->is_tx = is_tx;
	tap->callback = is_tx ? rte_eth_add_tx_callback(port, queue, on_send, tap)
			      : rte_eth_add_rx_callback(port, queue, on_receive, tap);
	if (tap->callback == NULL) {
		app_error("port %u: cannot watch queue %u: %s", port, queue,
				rte_strerror(rte_errno));
		free(tap);
		return -ENOTSUP;
	}
	tap->next = taps;
	taps = tap;
	return 0;
}

int
verbose_begin(const struct stream_map *map, uint32_t level)
{
	int ret = 0;

	for (uint32_t i = 0; i < map->nb_streams && ret == 0; i++) {
		const struct stream *stream = map->stream[i];

		if ((level & VERBOSE_RECEIVED) != 0)
			ret = add_tap(stream->rx_port, stream->rx_queue, false);
		if (ret == 0 && (level & VERBOSE_SENT) != 0)
			ret = add_tap(stream->tx_port, stream->tx_queue, true);
	}
	return ret;
}

void
verbose_end(void)
{
	while (taps != NULL) {
		struct tap *tap = taps;

		taps = tap->next;
		if (tap->is_tx)
			rte_eth_remove_tx_callback(tap->port, tap->queue, tap->callback);
		else
			rte_eth_remove_rx_callback(tap->port, tap->queue, tap->callback);
		/* no lcore forwards, so that nobody uses it; ethdev never frees it */
		rte_free((void *)(uintptr_t)tap->callback);
		if (tap->hidden_pkts > 0)
			printf("port %u/queue %u: %" PRIu64 " packets not shown\n", tap->port,
					tap->queue, tap->hidden_pkts);
		free(tap);
	}
}
