/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "frame.h"

static uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] * 256 + p[1]);
}

static void
put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value / 256);
	p[1] = (uint8_t)(value % 256);
}

/* RFC 1071 as it is written: 16-bit words, a last odd byte padded with zero. */
static uint64_t
sum16(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i + 1 < len; i += 2)
		sum += get16(p + i);
	if (len % 2 != 0)
		sum += p[len - 1] * 256u;
	return sum;
}

static uint16_t
fold(uint64_t sum)
{
	while (sum > 0xffff)
		sum = sum / 65536 + sum % 65536;
	return (uint16_t)sum;
}

static uint16_t
l4_sum(const struct test_frame *frame)
{
	const uint8_t *const ip = frame->data + frame->at.l3_off;
	const bool v4 = ip[0] / 16 == 4;
	const size_t len = v4 ? get16(ip + 2) - 20u : get16(ip + 4);
	const uint64_t addresses = v4 ? sum16(ip + 12, 8) : sum16(ip + 8, 32);

	return fold(addresses + (v4 ? ip[9] : ip[6]) + len + sum16(ip + (v4 ? 20 : 40), len));
}

size_t
frame_l4_cksum_off(const struct test_frame *frame)
{
	return frame->at.l4_off + (frame->at.l4 == LP_L4_TCP ? 16u : 6u);
}

uint16_t
frame_get16(const struct test_frame *frame, size_t off)
{
	return get16(frame->data + off);
}

void
frame_put16(struct test_frame *frame, size_t off, uint16_t value)
{
	put16(frame->data + off, value);
}

void
frame_fix_ip_cksum(struct test_frame *frame)
{
	uint8_t *const ip = frame->data + frame->at.l3_off;

	if (frame->at.ip_version != 4)
		return;
	put16(ip + 10, 0);
	put16(ip + 10, 0xffffu - fold(sum16(ip, 20)));
}

void
frame_fix_l4_cksum(struct test_frame *frame)
{
	const size_t off = frame_l4_cksum_off(frame);
	uint16_t cksum;

	frame_put16(frame, off, 0);
	cksum = 0xffff - l4_sum(frame);
	frame_put16(frame, off, cksum == 0 && frame->at.l4 != LP_L4_TCP ? 0xffff : cksum);
}

bool
frame_host_accepts(const struct test_frame *frame)
{
	const uint8_t *const ip = frame->data + frame->at.l3_off;

	if (frame->at.ip_version == 4 && fold(sum16(ip, 20)) != 0xffff)
		return false;
	if (frame->at.l4 != LP_L4_TCP && frame_get16(frame, frame_l4_cksum_off(frame)) == 0)
		return true;
	return l4_sum(frame) == 0xffff;
}

void
frame_copy(struct test_frame *to, const struct test_frame *from)
{
	to->len = from->len;
	to->at = from->at;
	memcpy(to->data, from->data, from->len);
}

bool
frame_equal(const struct test_frame *a, const struct test_frame *b)
{
	if (a->len != b->len) {
		printf("\n  lengths differ: %zu, %zu", a->len, b->len);
		return false;
	}
	for (size_t i = 0; i < a->len; i++) {
		if (a->data[i] == b->data[i])
			continue;
		printf("\n  byte %zu of %zu: %02x, %02x", i, a->len, a->data[i], b->data[i]);
		return false;
	}
	return true;
}

static uint8_t *
build_ether(uint8_t *p, const struct frame_spec *spec)
{
	p += 12;
	for (unsigned int i = 0; i < 4 && spec->tpid[i] != 0; i++, p += 4)
		put16(p, spec->tpid[i]);
	put16(p, spec->ip_version == 4 ? 0x0800 : 0x86dd);
	return p + 2;
}

static uint8_t *
build_ip(uint8_t *p, const struct frame_spec *spec, size_t payload_len)
{
	const uint8_t protocol = spec->l4 == LP_L4_TCP ? 6 : 17;

	if (spec->ip_version == 6) {
		p[0] = 0x60 | (p[0] & 0x0f);
		put16(p + 4, payload_len);
		p[6] = protocol;
		p[7] |= 2;
		return p + 40;
	}
	p[0] = 0x45;
	put16(p + 2, 20 + payload_len);
	p[6] &= 0x40;
	p[7] = 0;
	p[8] |= 2;
	p[9] = protocol;
	return p + 20;
}

static uint8_t *
build_l4(uint8_t *p, const struct frame_spec *spec, size_t payload_len)
{
	const size_t roce_headers = spec->roce_headers != 0 ? spec->roce_headers : 12;

	if (spec->l4 == LP_L4_TCP) {
		p[12] = (uint8_t)((20 + spec->tcp_options) / 4 * 16);
		p[13] = 0x18;
		return p + 20 + spec->tcp_options;
	}
	put16(p + 2, spec->dst_port != 0 ? spec->dst_port : test_random_in(5000, 65535));
	put16(p + 4, payload_len);
	if (spec->l4 == LP_L4_UDP)
		return p + 8;
	put16(p + 2, 4791);
	p[8] = spec->opcode;
	p[9] = (uint8_t)((p[9] & 0xc0) | spec->pad << 4);
	return p + 8 + roce_headers;
}

static size_t
l4_headers(const struct frame_spec *spec)
{
	switch (spec->l4) {
	case LP_L4_TCP:
		return 20u + spec->tcp_options;
	case LP_L4_UDP:
		return 8;
	default:
		return 8u + (spec->roce_headers != 0 ? spec->roce_headers : 12);
	}
}

void
frame_build(struct test_frame *frame, const struct frame_spec *spec)
{
	const uint8_t icrc_len = spec->l4 == LP_L4_ROCE ? 4 : 0;
	const size_t payload_len = l4_headers(spec) + spec->region_len + icrc_len;
	uint8_t *p = frame->data;

	test_random_bytes(p, 150 + spec->region_len + spec->trailer_len);
	frame->at = (struct lp_frame){
		.ip_version = spec->ip_version,
		.l4 = spec->l4,
		.icrc_len = icrc_len,
		.region_len = spec->region_len,
	};
	p = build_ether(p, spec);
	frame->at.l3_off = (uint16_t)(p - frame->data);
	p = build_ip(p, spec, payload_len);
	frame->at.l4_off = (uint16_t)(p - frame->data);
	p = build_l4(p, spec, payload_len);
	frame->at.region_off = (uint16_t)(p - frame->data);
	frame->len = frame->at.l4_off + payload_len + spec->trailer_len;
	assert(frame->len <= TEST_FRAME_MAX);

	frame_fix_ip_cksum(frame);
	if (spec->no_cksum)
		frame_put16(frame, frame_l4_cksum_off(frame), 0);
	else
		frame_fix_l4_cksum(frame);
}

void
frame_build_random(struct test_frame *frame, uint8_t ip_version, uint16_t region_len)
{
	static const uint16_t tpid[] = { 0x8100, 0x88a8, 0x9100 };
	struct frame_spec spec = {
		.ip_version = ip_version != 0	    ? ip_version
				: test_random() % 2 ? 4
						    : 6,
		.l4 = (uint8_t)test_random_in(LP_L4_TCP, LP_L4_ROCE),
		.tcp_options = (uint8_t)(4 * test_random_in(0, 10)),
		.pad = region_len > 3 ? (uint8_t)test_random_in(0, 3) : 0,
		.region_len = region_len,
		.trailer_len = test_random() % 4 ? 0 : (uint16_t)test_random_in(1, 20),
	};

	for (unsigned int i = 0, n = test_random_in(0, 2); i < n; i++)
		spec.tpid[i] = tpid[test_random_in(0, 2)];
	spec.no_cksum = spec.l4 != LP_L4_TCP && test_random() % 2;
	frame_build(frame, &spec);
}

static uint8_t *
exact_copy(const uint8_t *p, size_t len)
{
	uint8_t *const copy = malloc(len);

	assert(copy != NULL || len == 0);
	if (len != 0)
		memcpy(copy, p, len);
	return copy;
}

static size_t
head_len(const struct test_frame *frame)
{
	return frame->len < LP_HEAD_MAX ? frame->len : LP_HEAD_MAX;
}

enum lp_ineligible
frame_parse(const struct test_frame *frame, struct lp_frame *parsed)
{
	uint8_t *const head = exact_copy(frame->data, head_len(frame));
	const enum lp_ineligible reason = lp_frame_parse(head, frame->len, parsed);

	free(head);
	return reason;
}

enum lp_open
frame_open(const struct test_frame *frame, const struct lp_key *key, const uint64_t *digest,
		struct lp_shim *shim)
{
	uint8_t *const head = exact_copy(frame->data, head_len(frame));
	enum lp_open outcome = LP_OPEN_RAW;
	struct lp_frame parsed;

	if (lp_frame_parse(head, frame->len, &parsed) == LP_ELIGIBLE)
		outcome = lp_frame_open(head, &parsed, key, digest, shim);
	free(head);
	return outcome;
}

/* A frame with `from`'s bytes after its region behind a new head and region. */
static void
assemble(struct test_frame *to, const struct test_frame *from, const uint8_t *head,
		size_t head_bytes, const uint8_t *region, size_t region_bytes)
{
	const size_t tail = (size_t)from->at.region_off + from->at.region_len;

	to->at = from->at;
	to->at.region_len = (uint16_t)(head_bytes - from->at.region_off + region_bytes);
	to->len = head_bytes + region_bytes + from->len - tail;
	assert(to->len <= TEST_FRAME_MAX);
	memcpy(to->data, head, head_bytes);
	memcpy(to->data + head_bytes, region, region_bytes);
	memcpy(to->data + head_bytes + region_bytes, from->data + tail, from->len - tail);
}

void
frame_seal(struct test_frame *wire, const struct test_frame *original, struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, const uint8_t *body, size_t body_len)
{
	const size_t head_bytes = original->at.region_off + lp_shim_len(shim->flags);
	const size_t icrc = (size_t)original->at.region_off + original->at.region_len;
	uint8_t *const head = exact_copy(original->data, head_bytes);
	uint8_t *const body_icrc = malloc(body_len + original->at.icrc_len);

	memcpy(body_icrc, body, body_len);
	memcpy(body_icrc + body_len, original->data + icrc, original->at.icrc_len);
	lp_frame_seal(head, &original->at, shim, key, digest, body_icrc, body_len);
	assemble(wire, original, head, head_bytes, body, body_len);
	free(body_icrc);
	free(head);
}

int
frame_unseal(struct test_frame *restored, const struct test_frame *wire, const struct lp_shim *shim,
		const uint8_t *region)
{
	uint8_t *const head = exact_copy(wire->data, wire->at.region_off);
	const int ret = lp_frame_unseal(head, &wire->at, shim);

	if (ret == 0)
		assemble(restored, wire, head, wire->at.region_off, region, shim->orig_len);
	free(head);
	return ret;
}
