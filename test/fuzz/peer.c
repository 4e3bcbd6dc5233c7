/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * A box and whatever its line says: the input is a list of steps, each a byte and what it needs.
 * Whatever happens, no book may be used for coding unless both sides hold it.
 */

#include <string.h>

#include "fuzz.h"
#include "linepress/peer.h"

#define BOX_ID 0x1111
#define NONCE 0x2222

static struct lp_bookset *books;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_eal_start();
	books = fuzz_books();
	return 0;
}

/* A hello that lp_hello_read() could have let through. */
static bool
make_hello(struct fuzz_input *in, const struct lp_hello *ours, struct lp_hello *hello)
{
	const uint8_t bits = fuzz_byte(in);

	/* One by one: members of an initialiser are read in any order. */
	*hello = (struct lp_hello){ 0 };
	hello->shim_version = LP_SHIM_VERSION + (bits & 1);
	hello->parser_version = LP_PARSER_VERSION + (bits >> 1 & 1);
	hello->coding = bits & 4;
	hello->host_mtu = 1500;
	hello->box_id = 0x3333 + (bits >> 3 & 1);
	hello->nonce = bits & 16 ? 0x4444 : NONCE;
	hello->state = fuzz_byte(in) & 3;
	hello->interval_ms = (uint16_t)(10 + fuzz_byte(in));
	hello->seq = fuzz_half(in);
	hello->coded = fuzz_half(in);
	hello->decoded = fuzz_half(in);
	hello->failed = fuzz_byte(in);
	hello->nb_failures = fuzz_byte(in) & 3;
	if (bits & 32) {
		hello->echo_nonce = NONCE;
		hello->echo_seq = bits & 64 ? ours->seq : fuzz_half(in);
	}
	hello->failure_total = hello->nb_failures + fuzz_byte(in);
	for (unsigned int k = 0; k < hello->nb_failures; k++) {
		hello->failure[k].flow = fuzz_byte(in);
		hello->failure[k].book = (uint8_t)(1 + (fuzz_byte(in) & 127));
	}
	for (unsigned int k = 0; k < books->count; k++) {
		const uint8_t id = books->id[k];

		if (k % 4 == (bits & 3u))
			continue;
		lp_book_mask_add(&hello->installed, id);
		hello->book_digest[id] = lp_hello_book_digest(books->digest[id]) ^
				(bits >> 7 & k & 1);
	}
	hello->books_digest = lp_hello_books_digest(&fuzz_key, books->digest);
	return lp_hello_check(hello) == LP_HELLO_OK;
}

static void
check(const struct lp_peer *peer, uint64_t now_ms)
{
	const struct lp_book_mask *usable = lp_peer_usable_books(peer);
	const struct lp_book_mask gate = lp_gate_books(lp_peer_gate(peer));
	struct lp_peer_report report;

	lp_peer_describe(peer, now_ms, &report);
	FUZZ_CHECK(report.state < LP_PEER_STATE_COUNT);
	FUZZ_CHECK(memcmp(usable, &gate, sizeof(gate)) == 0);
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		if (!lp_book_mask_has(usable, id))
			continue;
		FUZZ_CHECK(report.state == LP_PEER_CODING);
		FUZZ_CHECK(report.own_state == LP_HELLO_READY);
		FUZZ_CHECK(report.hello.state == LP_HELLO_READY);
		FUZZ_CHECK(lp_book_mask_has(&report.own_books, id));
		FUZZ_CHECK(lp_book_mask_has(&report.hello.installed, id));
		FUZZ_CHECK(!lp_book_mask_has(&report.stopped, id));
		FUZZ_CHECK(report.hello.book_digest[id] == lp_hello_book_digest(books->digest[id]));
	}
}

static void
step(struct lp_peer *peer, struct fuzz_input *in, uint64_t now, struct lp_peer_counts *counts)
{
	static struct lp_hello ours;
	struct lp_hello hello;

	switch (fuzz_byte(in) & 7) {
	case 0:
	case 1:
	case 2:
		if (make_hello(in, &ours, &hello))
			lp_peer_receive(peer, &hello, now);
		break;
	case 3:
		lp_peer_set_state(peer, fuzz_byte(in) & 3, now);
		break;
	case 4:
		lp_peer_refuse(peer, fuzz_byte(in) % LP_HELLO_VERDICT_COUNT, now);
		break;
	case 5:
		lp_peer_fail(peer, fuzz_byte(in), (uint8_t)(1 + (fuzz_byte(in) & 127)), now);
		break;
	case 6:
		counts->coded += fuzz_byte(in);
		counts->decoded += fuzz_byte(in);
		counts->failed += fuzz_byte(in) & 1;
		lp_peer_count(peer, counts);
		break;
	default:
		lp_peer_drain(peer, now);
		lp_peer_drained(peer, now);
	}
	if (lp_peer_tick(peer, now, &hello)) {
		FUZZ_CHECK(lp_hello_check(&hello) == LP_HELLO_OK);
		ours = hello;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct lp_peer_conf conf = {
		.key = fuzz_key, .box_id = BOX_ID, .nonce = NONCE, .host_mtu = 1500
	};
	struct fuzz_input in = { data, size };
	struct lp_peer_counts counts = { 0 };
	uint64_t now = 1000;
	struct lp_peer *peer = lp_peer_create(&conf, now);

	FUZZ_CHECK(peer != NULL);
	lp_peer_set_books(peer, books->digest, now);
	lp_peer_set_state(peer, LP_HELLO_READY, now);
	while (in.left > 0) {
		/* Mostly some ms, now and then minutes. */
		const uint8_t passed = fuzz_byte(&in);

		now += passed < 250 ? passed : passed * 400u;
		step(peer, &in, now, &counts);
		check(peer, now);
	}
	lp_peer_free(peer);
	return 0;
}
