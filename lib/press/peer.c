/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_ether.h>
#include <rte_malloc.h>

#include "peer.h"

#define MS_PER_S 1000

struct lp_peer *
lp_peer_create(const struct lp_peer_conf *conf, uint64_t now_ms)
{
	const uint16_t interval_ms = conf->interval_ms != 0 ? conf->interval_ms
							    : LP_PEER_INTERVAL_MS;
	struct lp_peer *peer;

	if (conf->box_id == 0 || conf->nonce == 0 || interval_ms < LP_HELLO_INTERVAL_MIN ||
			interval_ms > LP_HELLO_INTERVAL_MAX || conf->host_mtu < LP_HELLO_MTU_MIN ||
			conf->mode > LP_PEER_STATIC) {
		rte_errno = EINVAL;
		return NULL;
	}
	peer = rte_zmalloc("lp_peer", sizeof(*peer), RTE_CACHE_LINE_SIZE);
	if (peer == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	peer->conf = *conf;
	peer->conf.interval_ms = interval_ms;
	peer->own_books_digest = lp_hello_books_digest(&conf->key, peer->own_digest);
	peer->send_soon = true;
	peer->state = LP_PEER_NOT_READY;
	peer->state_ms = now_ms;
	peer->entered[peer->state]++;
	return peer;
}

void
lp_peer_free(struct lp_peer *peer)
{
	rte_free(peer);
}

const struct lp_gate *
lp_peer_gate(const struct lp_peer *peer)
{
	return &peer->gate;
}

const struct lp_book_mask *
lp_peer_usable_books(const struct lp_peer *peer)
{
	return &peer->usable;
}

void
lp_peer_count(struct lp_peer *peer, const struct lp_peer_counts *counts)
{
	peer->counts = *counts;
}

/* State */

/* How old a hello may be that is echoed, for its sender; the echo comes once an interval. */
static uint64_t
echo_limit_ms(uint16_t interval_ms, uint16_t echo_interval_ms)
{
	return lp_peer_dead_after_ms(interval_ms) + echo_interval_ms;
}

static bool
is_dead(const struct lp_peer *peer, uint64_t now_ms)
{
	return lp_peer_elapsed(now_ms, peer->last_ms) >
			lp_peer_dead_after_ms(peer->last.interval_ms);
}

/* What the last hello forbids by itself. */
static enum lp_peer_state
judge_hello(const struct lp_hello *hello)
{
	if (hello->shim_version != LP_SHIM_VERSION)
		return LP_PEER_SHIM_VERSION;
	if (hello->parser_version != LP_PARSER_VERSION)
		return LP_PEER_PARSER_VERSION;
	switch (hello->state) {
	case LP_HELLO_INIT:
		return LP_PEER_INIT;
	case LP_HELLO_DRAIN:
		return LP_PEER_DRAIN;
	case LP_HELLO_BYPASS:
		return LP_PEER_BYPASS;
	default:
		return LP_PEER_CODING;
	}
}

static enum lp_peer_state
judge(const struct lp_peer *peer, uint64_t now_ms)
{
	enum lp_peer_state state;

	if (peer->own_state != LP_HELLO_READY)
		return LP_PEER_NOT_READY;
	if (peer->conf.mode == LP_PEER_STATIC)
		return LP_PEER_ALWAYS;
	if (!peer->heard)
		return peer->refused ? LP_PEER_REFUSED : LP_PEER_SILENT;
	if (is_dead(peer, now_ms))
		return LP_PEER_DEAD;
	if (peer->refused)
		return LP_PEER_REFUSED;
	if (peer->second_box)
		return LP_PEER_SECOND_BOX;
	state = judge_hello(&peer->last);
	if (state != LP_PEER_CODING)
		return state;
	if (!peer->two_way)
		return peer->restarted ? LP_PEER_RESTARTED : LP_PEER_ONE_WAY;
	return LP_PEER_CODING;
}

static bool
is_coding(const struct lp_peer *peer)
{
	return peer->state == LP_PEER_CODING || peer->state == LP_PEER_BLACK_HOLE;
}

/* Find out what may be coded, and publish it. */
static void
update(struct lp_peer *peer, uint64_t now_ms)
{
	enum lp_peer_state state;
	struct lp_book_mask usable = { 0 };

	if (peer->second_box && now_ms >= peer->second_box_end_ms)
		peer->second_box = false;
	const uint32_t raw_groups = lp_guard_holds(peer, now_ms);

	state = judge(peer, now_ms);
	if (state == LP_PEER_ALWAYS)
		usable = peer->own_books;
	if (state == LP_PEER_CODING)
		usable = lp_peer_common_books(peer);
	if (state == LP_PEER_CODING && lp_book_mask_is_empty(&usable))
		state = LP_PEER_NO_BOOK;

	if (state == LP_PEER_CODING && !is_coding(peer))
		lp_guard_start(peer);
	if (state == LP_PEER_CODING && raw_groups != 0)
		state = LP_PEER_BLACK_HOLE;
	lp_gate_set_groups(&peer->gate, raw_groups);
	lp_gate_set_max_frame(&peer->gate,
			peer->heard ? peer->last.host_mtu + (uint32_t)RTE_ETHER_HDR_LEN : 0);
	if (lp_book_mask_is_empty(&usable) != lp_book_mask_is_empty(&peer->usable))
		peer->send_soon = true;
	peer->usable = usable;
	lp_gate_set_books(&peer->gate, &usable);
	if (state == peer->state)
		return;
	peer->state = state;
	peer->state_ms = now_ms;
	peer->entered[state]++;
}

void
lp_peer_set_books(struct lp_peer *peer, const uint64_t *digest, uint64_t now_ms)
{
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		if (digest[id] != peer->own_digest[id])
			lp_failures_forget_book(peer, id);
		peer->own_digest[id] = digest[id];
		if (digest[id] != 0)
			lp_book_mask_add(&peer->own_books, id);
		else
			lp_book_mask_remove(&peer->own_books, id);
	}
	peer->own_books_digest = lp_hello_books_digest(&peer->conf.key, peer->own_digest);
	peer->send_soon = true;
	update(peer, now_ms);
}

void
lp_peer_set_state(struct lp_peer *peer, enum lp_hello_state state, uint64_t now_ms)
{
	if (state == LP_HELLO_DRAIN && peer->own_state != LP_HELLO_DRAIN) {
		peer->drain_seq = peer->seq + 1;
		peer->drain_ms = now_ms;
		peer->peer_stopped = false;
	}
	peer->own_state = state;
	peer->send_soon = true;
	update(peer, now_ms);
}

void
lp_peer_drain(struct lp_peer *peer, uint64_t now_ms)
{
	lp_peer_set_state(peer, LP_HELLO_DRAIN, now_ms);
}

/*
 * Even if it lives, it has stopped coding: it must have heard of us a while ago, but what we echo
 * has become too old for it. One that we have never heard of has not begun.
 */
static bool
is_gone(const struct lp_peer *peer, uint64_t now_ms)
{
	const uint64_t limit_ms = echo_limit_ms(peer->last.interval_ms, peer->conf.interval_ms) +
			lp_peer_dead_after_ms(peer->conf.interval_ms);

	return !peer->heard ||
			lp_peer_elapsed(now_ms, peer->last_ms) > limit_ms + LP_PEER_SETTLE_MS;
}

enum lp_drain
lp_peer_drained(const struct lp_peer *peer, uint64_t now_ms)
{
	if (peer->own_state != LP_HELLO_DRAIN)
		return LP_DRAIN_WAITING;
	if (peer->conf.mode == LP_PEER_STATIC || is_gone(peer, now_ms))
		return LP_DRAIN_NO_PEER;
	if (peer->peer_stopped &&
			lp_peer_elapsed(now_ms, peer->peer_stopped_ms) >= LP_PEER_SETTLE_MS)
		return LP_DRAIN_STOPPED;
	if (lp_peer_elapsed(now_ms, peer->drain_ms) >= LP_PEER_DRAIN_MS)
		return LP_DRAIN_TIMEOUT;
	return LP_DRAIN_WAITING;
}

/* Hellos of the peer */

/*
 * Does a hello prove that its sender was alive a moment ago, and hears us? What it echoes it can
 * only have got after we sent it.
 */
static bool
echoes_us(struct lp_peer *peer, const struct lp_hello *hello, uint64_t now_ms)
{
	const uint64_t limit_ms = echo_limit_ms(peer->conf.interval_ms, hello->interval_ms);

	return hello->echo_nonce == peer->conf.nonce &&
			peer->seq - hello->echo_seq < LP_PEER_SENT &&
			lp_peer_elapsed(now_ms, lp_peer_sent(peer, hello->echo_seq)->ms) <=
			limit_ms;
}

static struct lp_past *
find_past(struct lp_peer *peer, uint64_t nonce)
{
	for (unsigned int k = 0; k < RTE_MIN(peer->nb_past, (unsigned int)LP_PEER_PAST); k++)
		if (peer->past[k].nonce == nonce)
			return &peer->past[k];
	return NULL;
}

/*
 * Is it of a start that another has followed, and recorded? A box that has started anew has done
 * with the start before, unless that one echoes us after all. Another box may live on, and be a
 * second one on the line whether it hears us or not: then its numbers rise.
 */
static bool
is_of_the_past(struct lp_peer *peer, const struct lp_hello *hello, uint64_t now_ms)
{
	struct lp_past *past = find_past(peer, hello->nonce);

	if (past == NULL || hello->nonce == peer->last.nonce)
		return false;
	if (lp_peer_seq_reached(past->seq, hello->seq))
		return true;
	if (hello->box_id == peer->last.box_id && !echoes_us(peer, hello, now_ms))
		return true;
	past->seq = hello->seq;
	return false;
}

static void
remember(struct lp_peer *peer)
{
	struct lp_past *past = find_past(peer, peer->last.nonce);

	if (past == NULL)
		past = &peer->past[peer->nb_past++ % LP_PEER_PAST];
	*past = (struct lp_past){ .nonce = peer->last.nonce, .seq = peer->last.seq };
}

/* Another start of the peer, or another peer; nothing that we know of it counts any more. */
static void
begin(struct lp_peer *peer)
{
	if (peer->heard)
		remember(peer);
	peer->challenge_seq = peer->seq + 1;
	peer->restarted = peer->heard;
	memset(peer->guard, 0, sizeof(peer->guard));
	lp_failures_reset(peer);
	peer->send_soon = true;
}

/* Is what the peer echoes so old that hellos of ours must have been lost? */
static void
look_for_losses(struct lp_peer *peer, uint64_t now_ms)
{
	const uint32_t echo_seq = peer->last.echo_seq;

	if (peer->last.echo_nonce != peer->conf.nonce)
		return; /* it has not heard us yet */
	if (peer->seq - echo_seq >= LP_PEER_SENT ||
			lp_peer_elapsed(now_ms, lp_peer_sent(peer, echo_seq)->ms) >
					2 * (uint64_t)peer->conf.interval_ms)
		peer->lossy_end_ms = now_ms + LP_PEER_LOSSY_MS;
}

static bool
has_book(const struct lp_hello *hello, unsigned int id, uint32_t digest)
{
	return lp_book_mask_has(&hello->installed, id) && hello->book_digest[id] == digest;
}

static void
accept(struct lp_peer *peer, const struct lp_hello *hello, uint64_t now_ms)
{
	for (unsigned int id = 1; id < LP_BOOK_IDS && peer->heard; id++)
		if (lp_book_mask_has(&peer->last.installed, id) &&
				!has_book(hello, id, peer->last.book_digest[id]))
			lp_failures_forget_book(peer, id);
	peer->last = *hello;
	peer->last_ms = now_ms;
	peer->heard = true;
	if (now_ms >= peer->refused_end_ms)
		peer->refused = false;
	look_for_losses(peer, now_ms);
	/* it must have heard us since we heard of this start */
	peer->two_way = echoes_us(peer, hello, now_ms) &&
			lp_peer_seq_reached(hello->echo_seq, peer->challenge_seq);
	if (!peer->two_way)
		return;
	peer->restarted = false;
	lp_failures_take(peer, now_ms);
	if (is_coding(peer))
		lp_guard_hello(peer, now_ms);
	if (peer->own_state != LP_HELLO_DRAIN || peer->peer_stopped || hello->coding ||
			!lp_peer_seq_reached(hello->echo_seq, peer->drain_seq))
		return;
	peer->peer_stopped = true;
	peer->peer_stopped_ms = now_ms;
}

static enum lp_peer_receipt
receive(struct lp_peer *peer, const struct lp_hello *hello, uint64_t now_ms)
{
	if (peer->conf.mode == LP_PEER_STATIC)
		return LP_PEER_IGNORED;
	if (hello->box_id == peer->conf.box_id)
		return hello->nonce == peer->conf.nonce ? LP_PEER_LOOPED : LP_PEER_SAME_ID;
	if (is_of_the_past(peer, hello, now_ms))
		return LP_PEER_REPLAYED;
	if (peer->heard && hello->box_id != peer->last.box_id && !is_dead(peer, now_ms)) {
		peer->second_box = true;
		peer->second_box_end_ms = now_ms +
				LP_PEER_DEAD_INTERVALS * (uint64_t)hello->interval_ms;
		return LP_PEER_OTHER_BOX;
	}
	if (!peer->heard || hello->box_id != peer->last.box_id || hello->nonce != peer->last.nonce)
		begin(peer);
	else if (lp_peer_seq_reached(peer->last.seq, hello->seq))
		return LP_PEER_REPLAYED;
	accept(peer, hello, now_ms);
	return LP_PEER_ACCEPTED;
}

enum lp_peer_receipt
lp_peer_receive(struct lp_peer *peer, const struct lp_hello *hello, uint64_t now_ms)
{
	const enum lp_peer_receipt receipt = receive(peer, hello, now_ms);

	peer->received[receipt]++;
	update(peer, now_ms);
	return receipt;
}

void
lp_peer_refuse(struct lp_peer *peer, enum lp_hello_verdict verdict, uint64_t now_ms)
{
	peer->refusals[verdict]++;
	if (verdict != LP_HELLO_OK && lp_hello_is_ours(verdict))
		lp_refused_take(peer, now_ms);
	update(peer, now_ms);
}

void
lp_peer_limit_gate(struct lp_peer *peer, uint64_t now_ms, uint64_t now_tsc, uint64_t tsc_hz)
{
	uint64_t left_ms = 0;

	if (peer->conf.mode == LP_PEER_STATIC)
		return;
	if (peer->heard && !is_dead(peer, now_ms))
		left_ms = lp_peer_dead_after_ms(peer->last.interval_ms) + 1 -
				lp_peer_elapsed(now_ms, peer->last_ms);
	lp_gate_set_end(&peer->gate, now_tsc + left_ms * tsc_hz / MS_PER_S);
}

/* Our own hellos */

static void
write_books(const struct lp_peer *peer, struct lp_hello *hello)
{
	hello->books_digest = peer->own_books_digest;
	hello->installed = peer->own_books;
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		hello->book_digest[id] = lp_hello_book_digest(peer->own_digest[id]);
}

static void
write_hello(struct lp_peer *peer, uint64_t now_ms, struct lp_hello *hello)
{
	*hello = (struct lp_hello){
		.shim_version = LP_SHIM_VERSION,
		.state = (uint8_t)peer->own_state,
		.coding = !lp_book_mask_is_empty(&peer->usable),
		.nb_failures = peer->own_failures.count,
		.parser_version = LP_PARSER_VERSION,
		.interval_ms = peer->conf.interval_ms,
		.host_mtu = peer->conf.host_mtu,
		.seq = ++peer->seq,
		.failure_total = peer->own_failures.total,
		.box_id = peer->conf.box_id,
		.nonce = peer->conf.nonce,
		.coded = peer->counts.coded,
		.decoded = peer->counts.decoded,
		.failed = peer->counts.failed,
	};
	if (peer->heard) {
		hello->echo_nonce = peer->last.nonce;
		hello->echo_seq = peer->last.seq;
	}
	memcpy(hello->arrived, peer->counts.arrived_of, sizeof(hello->arrived));
	memcpy(hello->failure, peer->own_failures.entry, sizeof(hello->failure));
	write_books(peer, hello);
	struct lp_sent *sent = lp_peer_sent(peer, peer->seq);

	sent->ms = now_ms;
	memcpy(sent->coded_of, peer->counts.coded_of, sizeof(sent->coded_of));
}

/* How long after the last hello the next one is due. */
static uint64_t
wait_ms(const struct lp_peer *peer, uint64_t now_ms)
{
	const bool waits_for_peer = peer->own_state == LP_HELLO_DRAIN && !peer->peer_stopped;

	if (peer->send_soon || (waits_for_peer && !is_gone(peer, now_ms)))
		return LP_HELLO_INTERVAL_MIN;
	if (lp_peer_is_lossy(peer, now_ms))
		return RTE_MAX(peer->conf.interval_ms / LP_PEER_LOSSY_PARTS, LP_HELLO_INTERVAL_MIN);
	return peer->conf.interval_ms;
}

bool
lp_peer_tick(struct lp_peer *peer, uint64_t now_ms, struct lp_hello *hello)
{
	lp_failures_expire(peer, now_ms);
	update(peer, now_ms);
	if (peer->conf.mode == LP_PEER_STATIC)
		return false;
	if (peer->nb_sent > 0 &&
			lp_peer_elapsed(now_ms, lp_peer_sent(peer, peer->seq)->ms) <
					wait_ms(peer, now_ms))
		return false;
	peer->send_soon = false;
	peer->nb_sent++;
	write_hello(peer, now_ms, hello);
	return true;
}
