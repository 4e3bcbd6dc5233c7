/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "peer_sim.h"
#include "suite.h"

#define LINE_FRAMES 4096

/* A frame on the line: a hello, or a coded one. */
struct line_frame {
	uint64_t due_ms;
	unsigned int to;
	int hello_len; /* 0: coded */
	unsigned int id, version;
	uint32_t flow;
	uint8_t bytes[LP_HELLO_MAX];
};

struct sim sim;

static struct line_frame line[LINE_FRAMES];
static unsigned int on_line;
static struct lp_hello last_hello[2];

static const struct lp_key key = { { 11, 22 } };

uint64_t
sim_digest(unsigned int id, unsigned int version)
{
	return (uint64_t)(version + 1) << 40 | (uint64_t)id << 32 | 1;
}

static unsigned int
version_of(uint64_t digest)
{
	return (unsigned int)(digest >> 40) - 1;
}

/* Boxes */

void
sim_reset(void)
{
	memset(&sim, 0, sizeof(sim));
	sim.now_ms = 1000000;
	for (unsigned int k = 0; k < 2; k++)
		sim.box[k].interval_ms = LP_PEER_INTERVAL_MS;
	sim.delay_ms = 1;
	on_line = 0;
}

void
sim_end(void)
{
	for (unsigned int k = 0; k < 2; k++) {
		lp_peer_free(sim.box[k].peer);
		sim.box[k].peer = NULL;
	}
	CU_ASSERT(sim.unsafe == 0);
}

void
sim_start(unsigned int box, const int *versions)
{
	struct sim_box *b = &sim.box[box];
	const struct lp_peer_conf conf = {
		.key = key,
		.box_id = box + 1,
		.nonce = test_random() | 1,
		.interval_ms = b->interval_ms,
		.host_mtu = 1500,
	};

	CU_ASSERT_FATAL(b->peer == NULL);
	b->nonce = conf.nonce;
	b->left = false;
	memset(&b->counts, 0, sizeof(b->counts));
	memset(&b->rotation, 0, sizeof(b->rotation));
	memset(b->digest, 0, sizeof(b->digest));
	b->peer = lp_peer_create(&conf, sim.now_ms);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b->peer);
	sim.box[1 - box].knew_ms = 0;
	for (unsigned int id = 1; id <= SIM_BOOKS; id++)
		if (versions[id - 1] >= 0)
			sim_set_book(box, id, versions[id - 1]);
}

void
sim_start_ready(unsigned int box)
{
	static const int versions[SIM_BOOKS] = { 0 };

	sim_start(box, versions);
	lp_peer_set_state(sim.box[box].peer, LP_HELLO_READY, sim.now_ms);
}

void
sim_start_coding(uint8_t rate_0, uint8_t rate_1)
{
	sim_reset();
	sim_start_ready(0);
	sim_start_ready(1);
	sim.box[0].rate = rate_0;
	sim.box[1].rate = rate_1;
	sim_run(SIM_AGREE_MS);
	CU_ASSERT_FATAL(sim_codes(0) && sim_codes(1));
}

void
sim_kill(unsigned int box)
{
	struct sim_box *b = &sim.box[box];

	lp_peer_free(b->peer);
	b->peer = NULL;
	b->stopped_ms = sim.now_ms;
}

bool
sim_set_book(unsigned int box, unsigned int id, int version)
{
	struct sim_box *b = &sim.box[box];
	const uint64_t digest = version < 0 ? 0 : sim_digest(id, (unsigned int)version);

	if (version >= 0 && lp_rotation_install(&b->rotation, id, digest, sim.now_ms) != 0)
		return false;
	if (version < 0 && lp_rotation_retire(&b->rotation, id, sim.now_ms) != 0)
		return false;
	b->digest[id] = digest;
	lp_peer_set_books(b->peer, b->digest, sim.now_ms);
	return true;
}

void
sim_remove_books(unsigned int box)
{
	for (unsigned int id = 1; id <= SIM_BOOKS; id++)
		lp_rotation_remove(&sim.box[box].rotation, id, sim.now_ms);
}

static bool
can_decode(const struct sim_box *b, unsigned int id, unsigned int version)
{
	return b->peer != NULL && lp_book_mask_has(&b->rotation.decodable, id) &&
			b->rotation.digest[id] == sim_digest(id, version);
}

/* The line */

static struct line_frame *
line_put(unsigned int from, unsigned int delay_ms)
{
	if (sim.cut[from])
		return NULL;
	CU_ASSERT_FATAL(on_line < LINE_FRAMES);
	line[on_line].due_ms = sim.now_ms + delay_ms;
	line[on_line].to = 1 - from;
	line[on_line].hello_len = 0;
	return &line[on_line++];
}

static bool
chance(unsigned int percent)
{
	return test_random_in(1, 100) <= percent;
}

static void
put_hello(unsigned int from, const struct lp_hello *hello)
{
	static const uint8_t source[6] = { 2, 0, 0, 0, 0, 1 };
	const unsigned int copies = chance(sim.lost_pct) || chance(sim.box[from].hellos_lost_pct)
			? 0
			: chance(sim.twice_pct) ? 2
						: 1;

	for (unsigned int k = 0; k < copies; k++) {
		struct line_frame *frame = line_put(
				from, sim.delay_ms + test_random_in(0, sim.late_ms));

		if (frame == NULL)
			return;
		frame->hello_len = lp_hello_write(
				hello, &key, source, frame->bytes, sizeof(frame->bytes));
		CU_ASSERT_FATAL(frame->hello_len > 0);
	}
}

static void
arrive(const struct line_frame *frame)
{
	struct sim_box *b = &sim.box[frame->to];
	struct lp_hello hello;

	if (b->peer == NULL)
		return;
	if (frame->hello_len > 0) {
		CU_ASSERT_FATAL(lp_hello_read(frame->bytes, (size_t)frame->hello_len, &key,
						&hello) == LP_HELLO_OK);
		lp_peer_count(b->peer, &b->counts);
		lp_peer_receive(b->peer, &hello, sim.now_ms);
		return;
	}
	const unsigned int group = lp_flow_group(frame->flow);

	if (b->blind || (b->blind_groups >> group & 1) != 0 || test_random_in(0, 99) < b->lost_pct)
		return;
	b->counts.arrived_of[group]++;
	if (!can_decode(b, frame->id, frame->version)) {
		b->undecodable++;
	} else if (b->bad_flow != 0 && frame->flow == b->bad_flow) {
		b->counts.failed++;
		lp_peer_fail(b->peer, frame->flow, (uint8_t)frame->id, sim.now_ms);
	} else {
		b->counts.decoded++;
	}
}

static void
deliver(void)
{
	unsigned int kept = 0;

	for (unsigned int k = 0; k < on_line; k++) {
		if (line[k].due_ms <= sim.now_ms)
			arrive(&line[k]);
		else if (kept++ != k)
			line[kept - 1] = line[k];
	}
	on_line = kept;
}

/* What must hold */

static void
note_what_is(unsigned int box)
{
	struct sim_box *b = &sim.box[box];

	if (b->peer == NULL)
		return;
	for (unsigned int id = 1; id <= SIM_BOOKS; id++)
		for (unsigned int version = 0; version < SIM_VERSIONS; version++)
			if (can_decode(b, id, version))
				b->decodable_ms[id][version] = sim.now_ms;
	if (sim_report(box)->hello.nonce == sim.box[1 - box].nonce)
		b->knew_ms = sim.now_ms;
}

uint64_t
sim_horizon_ms(unsigned int from)
{
	return 3 * sim.box[from].interval_ms + 4 * sim.box[1 - from].interval_ms + 1;
}

/* A box that was not switched off lately still holds it. */
static bool
is_safe(unsigned int from, unsigned int id, unsigned int version)
{
	const struct sim_box *other = &sim.box[1 - from];
	const uint64_t horizon_ms = sim_horizon_ms(from);

	if (other->left || sim.now_ms - other->decodable_ms[id][version] > horizon_ms ||
			sim.now_ms - other->knew_ms > horizon_ms)
		return false;
	return sim.now_ms - other->stopped_ms <= horizon_ms || can_decode(other, id, version);
}

static unsigned int
choose_book(const struct lp_book_mask *usable)
{
	unsigned int id;

	do
		id = test_random_in(1, SIM_BOOKS);
	while (!lp_book_mask_has(usable, id));
	return id;
}

static void
send_coded(unsigned int from, uint32_t flow)
{
	struct sim_box *b = &sim.box[from];
	const unsigned int id = choose_book(lp_peer_usable_books(b->peer));
	const unsigned int version = version_of(b->digest[id]);
	struct line_frame *frame;

	if (!is_safe(from, id, version) && sim.unsafe++ == 0)
		printf("\n  at %" PRIu64 " box %u codes with book %u.%u, which is not safe",
				sim.now_ms, from, id, version);
	b->counts.coded++;
	b->counts.coded_of[lp_flow_group(flow)]++;
	frame = line_put(from, sim.delay_ms);
	if (frame == NULL)
		return;
	frame->id = id;
	frame->version = version;
	frame->flow = flow;
}

static void
host_sends(unsigned int from)
{
	struct sim_box *b = &sim.box[from];
	const struct lp_gate *gate;

	for (unsigned int k = 0; b->peer != NULL && k < b->rate; k++) {
		const uint32_t flow = b->flow != 0 ? b->flow
						   : test_random_in(1, 1000) * UINT32_C(0x9e3779b1);

		gate = lp_peer_gate(b->peer);
		if (!sim_codes(from))
			continue;
		if ((lp_gate_groups(gate) >> lp_flow_group(flow) & 1) != 0 ||
				(lp_gate_has_flows(gate) && lp_gate_keeps_raw(gate, flow)))
			b->raw_flow_pkts++;
		else
			send_coded(from, flow);
	}
}

static void
tick(unsigned int box)
{
	struct sim_box *b = &sim.box[box];
	struct lp_hello hello;

	if (b->peer == NULL)
		return;
	lp_peer_count(b->peer, &b->counts);
	if (!lp_peer_tick(b->peer, sim.now_ms, &hello))
		return;
	if (b->parser_version != 0)
		hello.parser_version = b->parser_version;
	if (b->shim_version != 0)
		hello.shim_version = b->shim_version;
	last_hello[box] = hello;
	if (!b->mute)
		put_hello(box, &hello);
}

void
sim_run(uint64_t ms)
{
	for (; ms > 0; ms--) {
		sim.now_ms++;
		deliver();
		for (unsigned int box = 0; box < 2; box++)
			tick(box);
		for (unsigned int box = 0; box < 2; box++)
			note_what_is(box);
		for (unsigned int box = 0; box < 2; box++)
			host_sends(box);
	}
}

/* Questions */

const struct lp_peer_report *
sim_report(unsigned int box)
{
	static struct lp_peer_report report;

	lp_peer_describe(sim.box[box].peer, sim.now_ms, &report);
	return &report;
}

enum lp_peer_state
sim_state(unsigned int box)
{
	return sim_report(box)->state;
}

struct lp_hello
sim_last_hello(unsigned int box)
{
	return last_hello[box];
}

enum lp_peer_receipt
sim_receive(unsigned int box, const struct lp_hello *hello)
{
	return lp_peer_receive(sim.box[box].peer, hello, sim.now_ms);
}

bool
sim_codes(unsigned int box)
{
	const struct lp_book_mask usable = lp_gate_books(lp_peer_gate(sim.box[box].peer));

	CU_ASSERT(lp_book_mask_equal(&usable, lp_peer_usable_books(sim.box[box].peer)));
	return !lp_book_mask_is_empty(&usable);
}
