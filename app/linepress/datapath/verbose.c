/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
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
#define LINE_TEXT_MAX 768
#define LINES 1024u /* power of two, at least VERBOSE_PKTS_PER_S */

/** What is to be printed. */
struct line {
	uint64_t tsc; /**< when */
	char text[LINE_TEXT_MAX];
};

/**
 * A queue whose frames are printed. Its lcore writes lines, the controlling thread prints them: a
 * terminal that stands still must not hold up the link.
 */
struct tap {
	struct tap *next;
	uint16_t port;
	uint16_t queue;
	bool is_tx;
	const struct rte_eth_rxtx_callback *callback;
	uint64_t second_ends; /**< TSC */
	uint32_t taken_pkts;  /**< in this second */
	uint64_t hidden_pkts; /**< in all */
	atomic_uint written;  /**< lines, by the lcore */
	atomic_uint printed;  /**< lines, by the controlling thread */
	struct line line[LINES];
};

static struct tap *taps;

/* ---- on lcores ---- */

/* Layout of testpmd 22.11, dump_pkt_burst(). */
static void
describe_frame(const struct tap *tap, const struct rte_mbuf *pkt, char *text, size_t size)
{
	struct rte_ether_hdr copy;
	struct rte_net_hdr_lens lens = { 0 };
	char flags[FLAGS_TEXT_MAX], type[FLAGS_TEXT_MAX];
	const struct rte_ether_hdr *eth = rte_pktmbuf_read(pkt, 0, sizeof(copy), &copy);

	if (eth == NULL) {
		snprintf(text, size, "  length=%u - shorter than an Ethernet header", pkt->pkt_len);
		return;
	}
	rte_get_ptype_name(rte_net_get_ptype(pkt, &lens, RTE_PTYPE_ALL_MASK), type, sizeof(type));
	if (tap->is_tx)
		rte_get_tx_ol_flag_list(pkt->ol_flags, flags, sizeof(flags));
	else
		rte_get_rx_ol_flag_list(pkt->ol_flags, flags, sizeof(flags));
	snprintf(text, size,
			"  src=" RTE_ETHER_ADDR_PRT_FMT " - dst=" RTE_ETHER_ADDR_PRT_FMT
			" - pool=%s - type=0x%04x - length=%u - nb_segs=%u - sw ptype: %s - l2_len=%u - l3_len=%u - l4_len=%u - %s queue=0x%x\n"
			"  ol_flags: %s",
			RTE_ETHER_ADDR_BYTES(&eth->src_addr), RTE_ETHER_ADDR_BYTES(&eth->dst_addr),
			pkt->pool->name, rte_be_to_cpu_16(eth->ether_type), pkt->pkt_len,
			pkt->nb_segs, type, lens.l2_len, lens.l3_len, lens.l4_len,
			tap->is_tx ? "Send" : "Receive", tap->queue, flags);
}

/* The line to write next, or NULL if all wait to be printed. */
static struct line *
line_begin(struct tap *tap)
{
	const unsigned int written = atomic_load_explicit(&tap->written, memory_order_relaxed);

	if (written - atomic_load_explicit(&tap->printed, memory_order_acquire) == LINES)
		return NULL;
	return &tap->line[written % LINES];
}

static void
line_end(struct tap *tap)
{
	atomic_fetch_add_explicit(&tap->written, 1, memory_order_release);
}

/* Takes part in the allowance of this second. */
static bool
may_print(struct tap *tap, uint64_t now)
{
	if (now >= tap->second_ends) {
		tap->second_ends = now + rte_get_tsc_hz();
		tap->taken_pkts = 0;
	}
	return tap->taken_pkts < VERBOSE_PKTS_PER_S;
}

static void
take_burst(struct tap *tap, struct rte_mbuf *const *pkts, uint16_t nb_pkts)
{
	const uint64_t now = rte_rdtsc();

	for (uint16_t i = 0; i < nb_pkts; i++) {
		struct line *line = may_print(tap, now) ? line_begin(tap) : NULL;
		int used = 0;

		if (line == NULL) {
			tap->hidden_pkts++;
			continue;
		}
		if (i == 0)
			used = snprintf(line->text, sizeof(line->text),
					"port %u/queue %u: %s %u packets\n", tap->port, tap->queue,
					tap->is_tx ? "sent" : "received", nb_pkts);
		describe_frame(tap, pkts[i], line->text + used, sizeof(line->text) - (size_t)used);
		line->tsc = now;
		tap->taken_pkts++;
		line_end(tap);
	}
}

static uint16_t
on_receive(uint16_t port __rte_unused, uint16_t queue __rte_unused, struct rte_mbuf **pkts,
		uint16_t nb_pkts, uint16_t max_pkts __rte_unused, void *tap)
{
	take_burst(tap, pkts, nb_pkts);
	return nb_pkts;
}

static uint16_t
on_send(uint16_t port __rte_unused, uint16_t queue __rte_unused, struct rte_mbuf **pkts,
		uint16_t nb_pkts, void *tap)
{
	take_burst(tap, pkts, nb_pkts);
	return nb_pkts;
}

/* ---- on the controlling thread ---- */

/* The tap with the oldest line, or NULL. */
static struct tap *
oldest(void)
{
	struct tap *found = NULL;
	uint64_t tsc = UINT64_MAX;

	for (struct tap *tap = taps; tap != NULL; tap = tap->next) {
		const unsigned int printed = atomic_load(&tap->printed);

		if (printed == atomic_load_explicit(&tap->written, memory_order_acquire) ||
				tap->line[printed % LINES].tsc > tsc)
			continue;
		tsc = tap->line[printed % LINES].tsc;
		found = tap;
	}
	return found;
}

void
verbose_print(void)
{
	struct tap *tap;

	/* bounded, since lcores go on writing */
	for (unsigned int i = 0; i < LINES && (tap = oldest()) != NULL; i++) {
		puts(tap->line[atomic_load(&tap->printed) % LINES].text);
		atomic_fetch_add_explicit(&tap->printed, 1, memory_order_release);
	}
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
	while (oldest() != NULL)
		verbose_print();
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
