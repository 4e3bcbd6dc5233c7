/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "linepress/book_mask.h"
#include "report_peer.h"

/* ---- for people ---- */

/* Numbers of books, such as "1-18,20". */
static void
print_books(const char *title, const struct lp_book_mask *books)
{
	const char *separator = "";

	printf("%s", title);
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		unsigned int last = id;

		if (!lp_book_mask_has(books, id))
			continue;
		while (last + 1 < LP_BOOK_IDS && lp_book_mask_has(books, last + 1))
			last++;
		printf(last > id ? "%s%u-%u" : "%s%u", separator, id, last);
		separator = ",";
		id = last;
	}
	printf("%s", *separator == '\0' ? "none" : "");
}

/* Those of a table of counters that are not 0. */
static void
print_counts(const char *title, const char *(*name)(unsigned int), const uint64_t *counts,
		unsigned int nb_counts)
{
	printf("  %s:", title);
	for (unsigned int i = 0; i < nb_counts; i++)
		if (counts[i] > 0)
			printf(" %s %" PRIu64, name(i), counts[i]);
	printf("\n");
}

static void
print_own(const struct lp_peer_report *report)
{
	printf("  own: box %016" PRIx64 ", start %016" PRIx64 ", %s\n", report->box_id,
			report->nonce, lp_hello_state_name(report->own_state));
	printf("  own hellos: sent %" PRIu64, report->sent);
	print_books(", books: ", &report->own_books);
	printf("\n  own coded: %" PRIu64 "  restored: %" PRIu64 "  failed: %" PRIu64 "\n",
			report->counts.coded, report->counts.decoded, report->counts.failed);
}

/* What the peer has said, marked if that may not be so any more. */
static void
print_heard(const struct lp_peer_report *report)
{
	const struct lp_hello *hello = &report->hello;
	const bool is_old = report->heard_ms >
			LP_PEER_DEAD_INTERVALS * (uint64_t)hello->interval_ms;
	const char *when = is_old ? ", as said last" : "";

	printf("  peer%s: box %016" PRIx64 ", start %016" PRIx64 ", %s, %s, %s us: %s\n", when,
			hello->box_id, hello->nonce, lp_hello_state_name(hello->state),
			hello->coding ? "coding" : "not coding", is_old ? "heard" : "hears",
			report->two_way ? "yes" : "no");
	printf("  peer hellos: last %" PRIu64 " ms ago, interval: %u ms, host MTU: %u",
			report->heard_ms, hello->interval_ms, hello->host_mtu);
	print_books(", books: ", &hello->installed);
	printf(" (%s)\n", report->same_books ? "the same" : "not the same");
	printf("  peer coded%s: %" PRIu64 "  restored: %" PRIu64 "  failed: %" PRIu64 "\n", when,
			hello->coded, hello->decoded, hello->failed);
}

static void
report_peer(uint16_t port_id, const struct lp_peer_report *report)
{
	printf("\n  ---------------------- Peer of port %-3u --------------------------------------\n",
			port_id);
	printf("  state: %s for %" PRIu64 ".%03" PRIu64 " s", lp_peer_state_name(report->state),
			report->state_ms / 1000, report->state_ms % 1000);
	if (report->hold_ms > 0)
		printf(", tried again in %" PRIu64 " ms", report->hold_ms);
	print_books("\n  usable books: ", &report->usable);
	print_books(", stopped because they failed: ", &report->stopped);
	printf(", flows sent raw: %u, groups of flows: %u of %u\n", report->raw_flows,
			(unsigned int)__builtin_popcount(report->raw_groups), LP_FLOW_GROUPS);
	print_own(report);
	if (report->heard)
		print_heard(report);
	print_counts("hellos", lp_peer_receipt_name, report->received, LP_PEER_RECEIPT_COUNT);
	print_counts("hellos refused", lp_hello_verdict_name, report->refused,
			LP_HELLO_VERDICT_COUNT);
	print_counts("states entered", lp_peer_state_name, report->entered, LP_PEER_STATE_COUNT);
	printf("  ----------------------------------------------------------------------------\n");
}

void
report_peers(struct peers *peers, bool is_forwarding)
{
	struct lp_peer_report report;
	uint16_t port_id;

	if (!peers_describe(peers, 0, &port_id, &report))
		printf(is_forwarding ? "No frames are coded in this mode\n"
				     : "Packet forwarding not started\n");
	for (uint16_t i = 0; peers_describe(peers, i, &port_id, &report); i++)
		report_peer(port_id, &report);
}

/* ---- for programs ---- */

static json_t *
counts_json(const char *(*name)(unsigned int), const uint64_t *counts, unsigned int nb_counts)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < nb_counts; i++)
		json_object_set_new(object, name(i), json_integer((json_int_t)counts[i]));
	return object;
}

static json_t *
books_json(const struct lp_book_mask *books)
{
	json_t *array = json_array();

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		if (lp_book_mask_has(books, id))
			json_array_append_new(array, json_integer((json_int_t)id));
	return array;
}

static json_t *
peer_json(uint16_t port_id, const struct lp_peer_report *report)
{
	json_t *object = json_object();

	json_object_set_new(object, "port", json_integer(port_id));
	json_object_set_new(object, "state", json_string(lp_peer_state_name(report->state)));
	json_object_set_new(object, "usable_books", books_json(&report->usable));
	json_object_set_new(object, "stopped_books", books_json(&report->stopped));
	json_object_set_new(object, "raw_flows", json_integer(report->raw_flows));
	json_object_set_new(
			object, "raw_groups", json_integer(__builtin_popcount(report->raw_groups)));
	json_object_set_new(object, "sent", json_integer((json_int_t)report->sent));
	json_object_set_new(object, "received",
			counts_json(lp_peer_receipt_name, report->received, LP_PEER_RECEIPT_COUNT));
	json_object_set_new(object, "refused",
			counts_json(lp_hello_verdict_name, report->refused,
					LP_HELLO_VERDICT_COUNT));
	json_object_set_new(object, "entered",
			counts_json(lp_peer_state_name, report->entered, LP_PEER_STATE_COUNT));
	return object;
}

json_t *
peers_json(struct peers *peers)
{
	json_t *array = json_array();
	struct lp_peer_report report;
	uint16_t port_id;

	for (uint16_t i = 0; peers_describe(peers, i, &port_id, &report); i++)
		json_array_append_new(array, peer_json(port_id, &report));
	return array;
}
