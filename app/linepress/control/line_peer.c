/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "counter.h"
#include "line_peer.h"
#include "log.h"

#define US_PER_MS 1000

/* Naps of an lcore that fit in an interval, so that a sleepy box is not taken for a dead one. */
#define NAPS_PER_INTERVAL 5

/* Nothing is heard for so long: it may be that nobody will ever answer as things are. */
#define SILENCE_MS 3000

/* Failures taken at a time. */
#define FAILURES_MAX 16

/* ---- create ---- */

static uint64_t
random_number(void)
{
	uint64_t number = 0;

	while (number == 0)
		if (getentropy(&number, sizeof(number)) < 0)
			return 0;
	return number;
}

/*
 * The address, and a number of this process: virtual devices of two boxes may have one address.
 * Not 0. After a restart it is another box, which is accepted when the old one counts as dead.
 */
static uint64_t
choose_box_id(const struct rte_ether_addr *source)
{
	static uint16_t of_process;
	uint64_t id = 0;

	if (of_process == 0)
		of_process = (uint16_t)(random_number() | 1);
	for (unsigned int k = 0; k < RTE_ETHER_ADDR_LEN; k++)
		id = id << 8 | source->addr_bytes[k];
	return id << 16 | of_process;
}

static uint16_t
choose_interval_ms(const struct options *opts)
{
	const uint32_t least = opts->idle_sleep_us * NAPS_PER_INTERVAL / US_PER_MS;

	return (uint16_t)RTE_MIN(
			RTE_MAX(opts->hello_interval_ms, least), (uint32_t)LP_HELLO_INTERVAL_MAX);
}

static int
prepare(struct line_peer *of, const struct options *opts, enum lp_peer_mode mode,
		const struct stream *stream, int socket, uint64_t now_ms)
{
	struct lp_peer_conf conf = {
		.key = opts->key,
		.nonce = random_number(),
		.interval_ms = choose_interval_ms(opts),
		.mode = mode,
	};
	int ret;

	of->port_id = stream->tx_port;
	if ((ret = hello_line_open(&of->line, &opts->key, socket)) < 0)
		return ret;
	if ((ret = rte_eth_macaddr_get(stream->tx_port, &of->source)) < 0)
		return ret;
	conf.host_mtu = (uint16_t)(opts->max_pkt_len - RTE_ETHER_CRC_LEN - RTE_ETHER_HDR_LEN);
	conf.box_id = choose_box_id(&of->source);
	of->peer = lp_peer_create(&conf, now_ms);
	if (of->peer == NULL)
		return -rte_errno;
	lp_peer_limit_gate(of->peer, now_ms, rte_rdtsc(), rte_get_tsc_hz());
	return 0;
}

struct line_peer *
line_peer_create(const struct options *opts, enum lp_peer_mode mode, const struct stream *stream,
		int socket, uint64_t now_ms)
{
	struct line_peer *of = calloc(1, sizeof(*of));
	const int ret = of == NULL ? -ENOMEM : prepare(of, opts, mode, stream, socket, now_ms);

	if (ret == 0)
		return of;
	app_error("port %u: cannot prepare for its far box: %s", stream->tx_port,
			rte_strerror(-ret));
	line_peer_free(of);
	return NULL;
}

void
line_peer_free(struct line_peer *of)
{
	if (of == NULL)
		return;
	lp_peer_free(of->peer);
	hello_line_close(&of->line);
	free(of);
}

/* ---- counters ---- */

static uint64_t
sum_failed(const struct lp_press_stats *stats)
{
	return counter_read(&stats->dropped[LP_DROP_DECODE]) +
			counter_read(&stats->dropped[LP_DROP_CHECK]) +
			counter_read(&stats->dropped[LP_DROP_LENGTH]) +
			counter_read(&stats->dropped[LP_DROP_NO_MBUF]);
}

static void
count_groups(const struct lp_press_stats *stats, uint32_t *groups)
{
	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++)
		groups[g] += (uint32_t)counter_read(&stats->group_pkts[g]);
}

/* What the lcores have counted. */
static void
count(const struct line_peer *of, const struct stream_map *map)
{
	struct lp_peer_counts sum = { 0 };
	const struct lp_press *press;

	for (uint32_t i = 0; i < map->nb_streams; i++) {
		const struct stream *stream = map->stream[i];
		const bool sends = stream->action == STREAM_COMPRESS &&
				stream->tx_port == of->port_id;
		const bool receives = stream->action == STREAM_RESTORE &&
				stream->rx_port == of->port_id;

		if (receives)
			sum.foreign += counter_read(&stream->counters.hello_other_pkts);
		for (uint32_t k = 0; (press = stream_press(stream, k)) != NULL; k++) {
			const struct lp_press_stats *in = lp_press_stats(press, LP_DIR_RESTORE);

			const struct lp_press_stats *out = lp_press_stats(press, LP_DIR_COMPRESS);

			if (sends) {
				sum.coded += counter_read(&out->coded_pkts);
				count_groups(out, sum.coded_of);
			}
			if (!receives)
				continue;
			count_groups(in, sum.arrived_of);
			sum.decoded += counter_read(&in->coded_pkts);
			sum.failed += sum_failed(in);
		}
	}
	lp_peer_count(of->peer, &sum);
}

static void
report_failures(const struct line_peer *of, const struct stream_map *map, uint64_t now_ms)
{
	struct lp_hello_failure failure[FAILURES_MAX];
	struct lp_press *press;

	for (uint32_t i = 0; i < map->nb_streams; i++) {
		const struct stream *stream = map->stream[i];

		if (stream->action != STREAM_RESTORE || stream->rx_port != of->port_id)
			continue;
		for (uint32_t k = 0; (press = stream_press(stream, k)) != NULL; k++) {
			const unsigned int n = lp_press_failures(press, failure, FAILURES_MAX);

			for (unsigned int f = 0; f < n; f++)
				lp_peer_fail(of->peer, failure[f].flow, failure[f].book, now_ms);
		}
	}
}

/* ---- hellos ---- */

static void
receive(struct line_peer *of, const struct rte_mbuf *pkt, uint64_t now_ms)
{
	uint8_t scratch[HELLO_LINE_READ_MAX];
	struct lp_hello hello;
	const enum lp_hello_verdict verdict = hello_line_read(&of->line, pkt, scratch, &hello);

	if (verdict == LP_HELLO_OK)
		lp_peer_receive(of->peer, &hello, now_ms);
	else
		lp_peer_refuse(of->peer, verdict, now_ms);
}

static void
receive_all(struct line_peer *of, uint64_t now_ms)
{
	void *pkt;

	while (rte_ring_sc_dequeue(of->line.in, &pkt) == 0) {
		receive(of, pkt, now_ms);
		rte_pktmbuf_free(pkt);
	}
}

/* Append bytes, in as many mbufs as they take; false if there are not enough. */
static bool
append(struct rte_mbuf *head, struct rte_mempool *pool, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *pkt = head;

	while (true) {
		const uint16_t part = (uint16_t)RTE_MIN(len, (uint32_t)rte_pktmbuf_tailroom(pkt));

		rte_memcpy(rte_pktmbuf_append(pkt, part), bytes, part);
		if (pkt != head && rte_pktmbuf_chain(head, pkt) != 0) {
			rte_pktmbuf_free(pkt);
			return false;
		}
		if (len == part)
			return true;
		bytes += part;
		len -= part;
		pkt = rte_pktmbuf_alloc(pool);
		if (pkt == NULL)
			return false;
	}
}

/* Give the lcores a hello. One that there is no mbuf for is as good as lost on the line. */
static void
send_hello(const struct line_peer *of, const struct lp_hello *hello, struct rte_mempool *pool)
{
	uint8_t frame[LP_HELLO_MAX];
	const int len = lp_hello_write(
			hello, &of->line.key, of->source.addr_bytes, frame, sizeof(frame));
	struct rte_mbuf *pkt = len < 0 ? NULL : rte_pktmbuf_alloc(pool);

	if (pkt == NULL)
		return;
	if (!append(pkt, pool, frame, (uint32_t)len) || rte_ring_sp_enqueue(of->line.out, pkt) != 0)
		rte_pktmbuf_free(pkt);
}

/* ---- news ---- */

/* Hellos that arrived and do not count, by what they are a sign of. */
static void
count_refused(const struct lp_peer_report *report, uint64_t *refused)
{
	memset(refused, 0, LINE_PEER_CAUSE_COUNT * sizeof(*refused));
	refused[LINE_PEER_LOOPED] = report->received[LP_PEER_LOOPED];
	refused[LINE_PEER_OTHER_KEY] = report->refused[LP_HELLO_MAC];
	for (int verdict = LP_HELLO_OK + 1; verdict < LP_HELLO_VERDICT_COUNT; verdict++)
		if (lp_hello_is_ours((enum lp_hello_verdict)verdict))
			refused[LINE_PEER_NOT_UNDERSTOOD] += report->refused[verdict];
}

/*
 * Whoever waits for compression to begin, or to begin again, may not know what it takes: the far
 * box may have come back with another key or version.
 */
static void
note_cause(struct line_peer *of, const struct lp_peer_report *report)
{
	enum line_peer_cause cause = LINE_PEER_HEARD;
	uint64_t refused[LINE_PEER_CAUSE_COUNT];

	count_refused(report, refused);
	if (report->state != LP_PEER_SILENT && report->state != LP_PEER_DEAD &&
			report->state != LP_PEER_REFUSED) {
		memcpy(of->refused_before, refused, sizeof(refused));
		of->noted_cause = LINE_PEER_HEARD;
		return;
	}
	if (report->state_ms <= SILENCE_MS)
		return;
	if (report->state == LP_PEER_SILENT)
		cause = LINE_PEER_NO_ANSWER;
	for (int c = LINE_PEER_OTHER_KEY; c < LINE_PEER_CAUSE_COUNT; c++)
		if (refused[c] > of->refused_before[c])
			cause = (enum line_peer_cause)c;
	if (cause > of->noted_cause)
		of->news.cause = of->noted_cause = cause;
}

static void
note_news(struct line_peer *of, uint64_t now_ms)
{
	struct line_peer_news *news = &of->news;
	struct lp_peer_report report;

	lp_peer_describe(of->peer, now_ms, &report);
	note_cause(of, &report);
	if (report.state == of->noted)
		return;
	of->noted = report.state;
	if (news->count == LINE_PEER_NEWS)
		memmove(news->state, news->state + 1, --news->count * sizeof(news->state[0]));
	news->state[news->count++] = report.state;
}

struct line_peer_news
line_peer_take_news(struct line_peer *of)
{
	const struct line_peer_news news = of->news;

	of->news = (struct line_peer_news){ 0 };
	return news;
}

/* Does someone have to do something about it? */
static bool
is_trouble(enum lp_peer_state state)
{
	switch (state) {
	case LP_PEER_DEAD:
	case LP_PEER_REFUSED:
	case LP_PEER_SECOND_BOX:
	case LP_PEER_SHIM_VERSION:
	case LP_PEER_PARSER_VERSION:
	case LP_PEER_NO_BOOK:
		return true;
	default:
		return false;
	}
}

static void
tell_state(uint16_t port_id, enum lp_peer_state state)
{
	const char *name = lp_peer_state_name(state);

	if (state == LP_PEER_BLACK_HOLE)
		LOG(WARNING, "port %u: peer %s: coded frames of some flows do not arrive at the far box; they are sent as they are",
				port_id, name);
	else if (state == LP_PEER_CODING)
		LOG(NOTICE, "port %u: peer %s: frames are coded", port_id, name);
	else if (is_trouble(state))
		LOG(WARNING, "port %u: peer %s: nothing is coded", port_id, name);
	else if (state != LP_PEER_ALWAYS && state != LP_PEER_NOT_READY)
		LOG(NOTICE, "port %u: peer %s: nothing is coded", port_id, name);
}

static void
tell_cause(uint16_t port_id, enum line_peer_cause cause)
{
	switch (cause) {
	case LINE_PEER_NO_ANSWER:
		LOG(WARNING, "port %u: no far box answers, so nothing is coded: see `show peer`; --peer=static is for replay and taps only, no host can read what no far box restores",
				port_id);
		break;
	case LINE_PEER_OTHER_KEY:
		LOG(WARNING, "port %u: the far box has another key, so nothing is coded: give both boxes the same --key-file",
				port_id);
		break;
	case LINE_PEER_NOT_UNDERSTOOD:
		LOG(WARNING, "port %u: the far box says what this version does not understand, so nothing is coded: run the same version on both boxes",
				port_id);
		break;
	case LINE_PEER_LOOPED:
		LOG(WARNING, "port %u: the line leads back to this box, so nothing is coded",
				port_id);
		break;
	default:
		break;
	}
}

void
line_peer_tell(uint16_t port_id, const struct line_peer_news *news)
{
	for (unsigned int k = 0; k < news->count; k++)
		tell_state(port_id, news->state[k]);
	tell_cause(port_id, news->cause);
}

void
line_peer_tick(struct line_peer *of, const struct stream_map *map, struct rte_mempool *pool,
		uint64_t now_ms, uint64_t now_tsc)
{
	struct lp_hello hello;

	count(of, map);
	receive_all(of, now_ms);
	report_failures(of, map, now_ms);
	if (lp_peer_tick(of->peer, now_ms, &hello))
		send_hello(of, &hello, pool);
	lp_peer_limit_gate(of->peer, now_ms, now_tsc, rte_get_tsc_hz());
	note_news(of, now_ms);
}
