/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Which books both boxes hold, and what there is to tell of a peer. */

#include <string.h>

#include "peer.h"

static const char *const state_names[LP_PEER_STATE_COUNT] = {
	[LP_PEER_NOT_READY] = "not_ready",
	[LP_PEER_ALWAYS] = "always",
	[LP_PEER_SILENT] = "silent",
	[LP_PEER_DEAD] = "dead",
	[LP_PEER_REFUSED] = "refused",
	[LP_PEER_SECOND_BOX] = "second_box",
	[LP_PEER_SHIM_VERSION] = "shim_version",
	[LP_PEER_PARSER_VERSION] = "parser_version",
	[LP_PEER_INIT] = "init",
	[LP_PEER_DRAIN] = "drain",
	[LP_PEER_BYPASS] = "bypass",
	[LP_PEER_RESTARTED] = "restarted",
	[LP_PEER_ONE_WAY] = "one_way",
	[LP_PEER_BLACK_HOLE] = "black_hole",
	[LP_PEER_NO_BOOK] = "no_book",
	[LP_PEER_CODING] = "coding",
};

static const char *const receipt_names[LP_PEER_RECEIPT_COUNT] = {
	[LP_PEER_ACCEPTED] = "accepted",
	[LP_PEER_REPLAYED] = "replayed",
	[LP_PEER_LOOPED] = "looped",
	[LP_PEER_SAME_ID] = "same_id",
	[LP_PEER_OTHER_BOX] = "other_box",
	[LP_PEER_IGNORED] = "ignored",
};

const char *
lp_peer_state_name(unsigned int state)
{
	return state < LP_PEER_STATE_COUNT ? state_names[state] : NULL;
}

const char *
lp_peer_receipt_name(unsigned int receipt)
{
	return receipt < LP_PEER_RECEIPT_COUNT ? receipt_names[receipt] : NULL;
}

static bool
is_common(const struct lp_peer *peer, unsigned int id)
{
	return lp_book_mask_has(&peer->own_books, id) &&
			lp_book_mask_has(&peer->last.installed, id) &&
			lp_hello_book_digest(peer->own_digest[id]) == peer->last.book_digest[id];
}

bool
lp_peer_has_same_books(const struct lp_peer *peer)
{
	return peer->heard && lp_book_mask_equal(&peer->own_books, &peer->last.installed) &&
			peer->own_books_digest == peer->last.books_digest;
}

/*
 * A hello has half of each digest. If they all agree but the digest of the whole does not, some
 * book differs in its other half.
 */
struct lp_book_mask
lp_peer_common_books(const struct lp_peer *peer)
{
	static const struct lp_book_mask none;
	struct lp_book_mask common = { 0 };

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		if (is_common(peer, id))
			lp_book_mask_add(&common, id);
	if (lp_book_mask_equal(&common, &peer->own_books) &&
			lp_book_mask_equal(&common, &peer->last.installed) &&
			!lp_peer_has_same_books(peer))
		return none;
	for (unsigned int k = 0; k < LP_BOOK_MASK_WORDS; k++)
		common.word[k] &= ~peer->failures.stopped.word[k];
	return common;
}

static void
describe_peer(const struct lp_peer *peer, uint64_t now_ms, struct lp_peer_report *report)
{
	report->heard = true;
	report->two_way = peer->two_way;
	report->same_books = lp_peer_has_same_books(peer);
	report->heard_ms = lp_peer_elapsed(now_ms, peer->last_ms);
	report->hello = peer->last;
	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++) {
		const uint64_t left_ms = lp_peer_elapsed(peer->guard[g].hold_end_ms, now_ms);

		if (left_ms == 0)
			continue;
		report->raw_groups |= UINT32_C(1) << g;
		if (report->hold_ms == 0 || left_ms < report->hold_ms)
			report->hold_ms = left_ms;
	}
}

void
lp_peer_describe(const struct lp_peer *peer, uint64_t now_ms, struct lp_peer_report *report)
{
	*report = (struct lp_peer_report){
		.mode = peer->conf.mode,
		.box_id = peer->conf.box_id,
		.nonce = peer->conf.nonce,
		.state = peer->state,
		.state_ms = lp_peer_elapsed(now_ms, peer->state_ms),
		.own_state = peer->own_state,
		.own_books = peer->own_books,
		.usable = peer->usable,
		.stopped = peer->failures.stopped,
		.raw_flows = peer->gate.nb_flows,
		.counts = peer->counts,
		.own_failures = peer->own_failures.total,
		.sent = peer->nb_sent,
	};
	if (peer->heard)
		describe_peer(peer, now_ms, report);
	memcpy(report->received, peer->received, sizeof(report->received));
	memcpy(report->refused, peer->refusals, sizeof(report->refused));
	report->refused[LP_HELLO_MAC] += peer->counts.foreign;
	memcpy(report->entered, peer->entered, sizeof(report->entered));
}
