/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Frames compressed and restored come back with every byte, in order, and are counted. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "press_help.h"

#define BURST 64
#define JUMBO 9000

static struct test_frame original, wire, restored;

/* Compress and restore `original`; is it equal? What travelled is in `wire`. */
static bool
comes_back(struct lp_press *press)
{
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	return frame_equal(&restored, &original);
}

static bool
is_coded(void)
{
	struct lp_shim shim;

	return frame_shim(&wire, &shim) == LP_OPEN_SEALED && shim.type == LP_SHIM_CODED &&
			shim.orig_len == original.at.region_len;
}

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

/* Kinds of frame */

enum cksum { CKSUM_RIGHT, CKSUM_WRONG, CKSUM_NONE, CKSUM_COUNT };

static void
build_kind(uint8_t l4, uint8_t ip_version, unsigned int tags, enum cksum cksum)
{
	static const uint16_t trailers[] = { 0, 1, 6, 19 };
	struct frame_spec spec = {
		.ip_version = ip_version,
		.l4 = l4,
		.tcp_options = (uint8_t)(4 * test_random_in(0, 10)),
		.pad = (uint8_t)test_random_in(0, 3),
		.no_cksum = cksum == CKSUM_NONE && l4 != LP_L4_TCP,
		.region_len = (uint16_t)test_random_in(256, 1460),
		.trailer_len = trailers[test_random_in(0, RTE_DIM(trailers) - 1)],
	};

	for (unsigned int i = 0; i < tags; i++)
		spec.tpid[i] = i + 1 < tags ? 0x88a8 : 0x8100;
	frame_tensor(&original, &spec, TENSOR_BF16);
	if (cksum == CKSUM_WRONG) {
		const size_t off = frame_l4_cksum_off(&original);

		frame_put16(&original, off, frame_get16(&original, off) ^ 0x1234);
	}
}

static void
check_kind(struct lp_press *press)
{
	CU_ASSERT(comes_back(press));
	CU_ASSERT(is_coded());
	CU_ASSERT(wire.len + LP_PRESS_MIN_SAVING <= original.len);
	/* Without a UDP checksum, RoCE hosts go by the ICRC, which travels along. */
	if (frame_get16(&wire, frame_l4_cksum_off(&wire)) != 0)
		CU_ASSERT(!frame_host_accepts(&wire));
}

static void
check_kinds(struct lp_press *press, uint8_t l4, uint8_t ip_version, unsigned int tags)
{
	for (unsigned int k = 0; k < 4 * CKSUM_COUNT; k++) {
		build_kind(l4, ip_version, tags, (enum cksum)(k % CKSUM_COUNT));
		check_kind(press);
	}
}

static void
every_kind_of_frame_is_coded_and_comes_back(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++)
		for (uint8_t version = 4; version <= 6; version += 2)
			for (unsigned int tags = 0; tags <= 2; tags++)
				check_kinds(press, l4, version, tags);
	finish(press);
}

static void
every_type_of_tensor_is_coded_and_comes_back(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 20 * TENSOR_NOISE; k++) {
		frame_build_random(&original, 0, (uint16_t)test_random_in(1400, JUMBO));
		frame_fill(&original, (enum tensor)(k % TENSOR_NOISE));
		CU_ASSERT(comes_back(press));
		CU_ASSERT(is_coded());
	}
	finish(press);
}

static void
noise_is_never_made_longer_nor_changed(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 200; k++) {
		frame_build_random(&original, 0, (uint16_t)test_random_in(1, 1460));
		CU_ASSERT(comes_back(press));
		CU_ASSERT(frame_equal(&wire, &original));
	}
	CU_ASSERT_EQUAL(compress_stats(press)->coded_pkts, 0);
	finish(press);
}

/* Sizes */

static void
regions_up_to_jumbo_come_back(void)
{
	struct lp_press *press = press_make(press_conf());

	for (uint16_t len = 1; len <= JUMBO; len += len < 300 ? 1 : 61) {
		frame_tensor_random(&original, len);
		CU_ASSERT(comes_back(press));
		CU_ASSERT_EQUAL(is_coded(), len >= LP_PRESS_MIN_REGION);
	}
	finish(press);
}

static void
smallest_regions_and_savings_come_back(void)
{
	struct lp_press_conf conf = press_conf();

	conf.min_region = 1;
	conf.min_saving = LP_SHIM_SAVING_MIN;
	struct lp_press *press = press_make(conf);

	for (unsigned int k = 0; k < 2000; k++) {
		frame_tensor_random(&original, (uint16_t)test_random_in(1, 256));
		CU_ASSERT(comes_back(press));
		CU_ASSERT(wire.len == original.len ||
				wire.len + LP_SHIM_SAVING_MIN <= original.len);
	}
	CU_ASSERT(compress_stats(press)->coded_pkts > 500);
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_SHORT_REGION], 0);
	finish(press);
}

static void
min_region_and_min_saving_are_kept(void)
{
	struct lp_press_conf conf = press_conf();

	conf.min_region = 700;
	conf.min_saving = 300;
	struct lp_press *press = press_make(conf);

	for (uint16_t len = 600; len < 1500; len += 3) {
		frame_tensor_random(&original, len);
		CU_ASSERT(comes_back(press));
		CU_ASSERT(wire.len == original.len || wire.len + 300 <= original.len);
		CU_ASSERT(len >= 700 || !is_coded());
	}
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_SHORT_REGION], 34);
	CU_ASSERT(compress_stats(press)->passed[LP_PASS_NO_GAIN] > 0);
	CU_ASSERT(compress_stats(press)->coded_pkts > 0);
	finish(press);
}

/* A TCP frame whose IPv4 packet has this length. */
static void
build_ip_len(uint16_t ip_len, enum tensor tensor)
{
	frame_tensor(&original,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = LP_L4_TCP,
					.tcp_options = 12,
					.region_len = (uint16_t)(ip_len - 20 - 32),
					.trailer_len = 4 },
			tensor);
}

static void
frame_of_64_kib_is_coded_and_comes_back(void)
{
	struct lp_press *press = press_make(press_conf());

	build_ip_len(UINT16_MAX, TENSOR_BF16);
	CU_ASSERT(comes_back(press));
	CU_ASSERT(is_coded());
	build_ip_len(UINT16_MAX, TENSOR_NOISE);
	CU_ASSERT(comes_back(press));
	finish(press);
}

static void
longest_ip_packets_come_back(void)
{
	struct lp_press *press = press_make(press_conf());

	for (uint32_t ip_len = UINT16_MAX - LP_SHIM_MAX - 2; ip_len <= UINT16_MAX; ip_len++) {
		build_ip_len((uint16_t)ip_len, TENSOR_BF16);
		CU_ASSERT(comes_back(press));
		CU_ASSERT(is_coded());
	}
	finish(press);
}

/* Bursts */

static struct test_frame burst[BURST];

/* A mixed burst: coded, short, noise, not eligible. */
static void
build_burst(struct rte_mbuf **pkts)
{
	for (unsigned int k = 0; k < BURST; k++) {
		struct test_frame *frame = &burst[k];

		frame_tensor_random(frame, (uint16_t)test_random_in(1, 1400));
		if (k % 4 == 1)
			frame_fill(frame, TENSOR_NOISE);
		if (k % 7 == 2)
			frame_put16(frame, 12, 0x0806);
		pkts[k] = mbuf_from(frame);
	}
}

static void
free_burst(struct rte_mbuf **pkts, uint16_t count)
{
	rte_pktmbuf_free_bulk(pkts, count);
}

static void
burst_of_mixed_frames_keeps_its_order(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *pkts[BURST];

	for (unsigned int round = 0; round < 20; round++) {
		build_burst(pkts);
		CU_ASSERT_FATAL(lp_press_compress(press, pkts, BURST) == BURST);
		CU_ASSERT_FATAL(lp_press_restore(press, pkts, BURST) == BURST);
		for (unsigned int k = 0; k < BURST; k++)
			CU_ASSERT(mbuf_is(pkts[k], &burst[k]));
		free_burst(pkts, BURST);
	}
	CU_ASSERT(compress_stats(press)->coded_pkts > 0);
	CU_ASSERT_EQUAL(compress_stats(press)->rx_pkts, 20 * BURST);
	finish(press);
}

static void
burst_of_none_returns_none(void)
{
	struct lp_press *press = press_make(press_conf());

	CU_ASSERT_EQUAL(lp_press_compress(press, NULL, 0), 0);
	CU_ASSERT_EQUAL(lp_press_restore(press, NULL, 0), 0);
	CU_ASSERT_EQUAL(lp_press_verify(press, NULL, 0), 0);
	finish(press);
}

/* Spoil the body of each third coded TCP or UDP frame; which of them must be dropped? */
static uint16_t
spoil_bodies(struct rte_mbuf **pkts, bool *spoiled)
{
	uint16_t kept = BURST;

	for (unsigned int k = 0; k < BURST; k++) {
		struct lp_shim shim;

		spoiled[k] = false;
		CU_ASSERT_FATAL(mbuf_take(pkts[k], &wire));
		if (k % 3 == 0 && frame_shim(&wire, &shim) == LP_OPEN_SEALED &&
				wire.at.l4 != LP_L4_ROCE) {
			wire.data[shim_off(&wire) + LP_SHIM_MAX + 1] ^= 0x5a;
			spoiled[k] = true;
			kept--;
		}
		pkts[k] = mbuf_from(&wire);
	}
	return kept;
}

static void
drops_within_a_burst_close_up_in_order(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *pkts[BURST];
	bool spoiled[BURST];

	build_burst(pkts);
	CU_ASSERT_FATAL(lp_press_compress(press, pkts, BURST) == BURST);
	const uint16_t kept = spoil_bodies(pkts, spoiled);

	CU_ASSERT(kept < BURST);
	CU_ASSERT_FATAL(lp_press_restore(press, pkts, BURST) == kept);
	for (unsigned int k = 0, out = 0; k < BURST; k++)
		if (!spoiled[k])
			CU_ASSERT(mbuf_is(pkts[out++], &burst[k]));
	free_burst(pkts, kept);
	finish(press);
}

/* What travels with a packet */

static void
set_metadata(struct rte_mbuf *mbuf)
{
	mbuf->port = 7;
	mbuf->vlan_tci = 0x1234;
	mbuf->vlan_tci_outer = 0x0567;
	mbuf->hash.rss = 0xdeadbeef;
	memset(mbuf->dynfield1, 0xa5, sizeof(mbuf->dynfield1));
	mbuf->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED |
			RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_L4_CKSUM_BAD |
			RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM;
	mbuf->l2_len = 14;
	mbuf->l3_len = 20;
}

static void
check_metadata(const struct rte_mbuf *mbuf)
{
	uint32_t dynfields[RTE_DIM(mbuf->dynfield1)];

	memset(dynfields, 0xa5, sizeof(dynfields));
	CU_ASSERT_EQUAL(mbuf->port, 7);
	CU_ASSERT_EQUAL(mbuf->vlan_tci, 0x1234);
	CU_ASSERT_EQUAL(mbuf->vlan_tci_outer, 0x0567);
	CU_ASSERT_EQUAL(mbuf->hash.rss, 0xdeadbeef);
	CU_ASSERT(memcmp(mbuf->dynfield1, dynfields, sizeof(dynfields)) == 0);
	CU_ASSERT_EQUAL(mbuf->ol_flags,
			RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_RSS_HASH);
	CU_ASSERT_EQUAL(mbuf->tx_offload, 0);
}

/* A stale TX flag would have the NIC write a checksum into the rewritten frame. */
static void
vlan_and_hash_stay_and_tx_flags_do_not(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *mbuf;

	frame_tensor_random(&original, 1400);
	mbuf = mbuf_from(&original);
	set_metadata(mbuf);
	mbuf = compress_mbuf(press, mbuf);
	CU_ASSERT_FATAL(compress_stats(press)->coded_pkts == 1);
	check_metadata(mbuf);
	set_metadata(mbuf);
	mbuf = restore_mbuf(press, mbuf);
	CU_ASSERT_FATAL(restore_stats(press)->coded_pkts == 1);
	check_metadata(mbuf);
	rte_pktmbuf_free(mbuf);
	finish(press);
}

static void
frame_passed_is_the_mbuf_given(void)
{
	struct lp_press *press = press_make(press_conf());

	frame_build_random(&original, 0, 1000);
	struct rte_mbuf *mbuf = mbuf_from(&original);

	set_metadata(mbuf);
	const uint64_t flags = mbuf->ol_flags;

	CU_ASSERT_PTR_EQUAL(compress_mbuf(press, mbuf), mbuf);
	CU_ASSERT_PTR_EQUAL(restore_mbuf(press, mbuf), mbuf);
	CU_ASSERT_EQUAL(mbuf->ol_flags, flags);
	CU_ASSERT(mbuf_is(mbuf, &original));
	rte_pktmbuf_free(mbuf);
	finish(press);
}

/* Counters */

/* What the counters should say, from the frames themselves. */
struct tally {
	uint64_t rx_bytes, tx_bytes;
	uint64_t eligible, region_bytes, line_bytes;
};

static void
tally_frame(struct tally *tally, const struct test_frame *in, const struct test_frame *out)
{
	struct lp_frame at;

	tally->rx_bytes += in->len;
	tally->tx_bytes += out->len;
	if (frame_parse(in, &at) != LP_ELIGIBLE || at.region_len < LP_PRESS_MIN_REGION)
		return;
	tally->eligible++;
	tally->region_bytes += at.region_len;
	CU_ASSERT_FATAL(frame_parse(out, &at) == LP_ELIGIBLE);
	tally->line_bytes += at.region_len;
}

/* A burst through both directions; every fifth coded frame is compressed again. */
static void
count_burst(struct lp_press *press, struct tally *tally)
{
	struct rte_mbuf *pkts[BURST];

	build_burst(pkts);
	free_burst(pkts, BURST);
	for (unsigned int k = 0; k < BURST; k++) {
		CU_ASSERT_FATAL(compress_frame(press, &burst[k], &wire));
		tally_frame(tally, &burst[k], &wire);
		if (k % 5 == 0) {
			CU_ASSERT_FATAL(compress_frame(press, &wire, &restored));
			tally_frame(tally, &wire, &restored);
			frame_copy(&wire, &restored);
		}
		CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	}
}

static void
counters_agree_with_the_frames_on_the_wire(void)
{
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *s = compress_stats(press);
	struct tally tally = { 0 };

	for (unsigned int round = 0; round < 20; round++)
		count_burst(press, &tally);
	CU_ASSERT(s->coded_pkts > 0 && s->stored_pkts > 0);
	CU_ASSERT_EQUAL(s->rx_bytes, tally.rx_bytes);
	CU_ASSERT_EQUAL(s->tx_bytes, tally.tx_bytes);
	CU_ASSERT_EQUAL(s->eligible_pkts, tally.eligible);
	CU_ASSERT_EQUAL(s->region_bytes, tally.region_bytes);
	CU_ASSERT_EQUAL(s->region_line_bytes, tally.line_bytes);
	CU_ASSERT_EQUAL(restore_stats(press)->stored_pkts, s->stored_pkts);
	finish(press);
}

static void
books_are_counted_alike_in_both_directions(void)
{
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *to = compress_stats(press), *from = restore_stats(press);
	unsigned int used = 0;

	for (unsigned int k = 0; k < 300; k++) {
		frame_build_random(&original, 0, (uint16_t)test_random_in(256, 4000));
		frame_fill(&original, (enum tensor)(k % TENSOR_COUNT));
		CU_ASSERT(comes_back(press));
	}
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		CU_ASSERT_EQUAL(to->book[id].pkts, from->book[id].pkts);
		CU_ASSERT_EQUAL(to->book[id].region_bytes, from->book[id].region_bytes);
		CU_ASSERT_EQUAL(to->book[id].line_bytes, from->book[id].line_bytes);
		CU_ASSERT(to->book[id].pkts == 0 || bench.books->book[id] != NULL);
		used += to->book[id].pkts > 0;
	}
	CU_ASSERT(used > 1);
	CU_ASSERT_EQUAL(to->tx_bytes, from->rx_bytes);
	CU_ASSERT_EQUAL(to->rx_bytes, from->tx_bytes);
	finish(press);
}

static void
stats_of_two_presses_add(void)
{
	struct lp_press_stats sum = { 0 }, expected;
	uint64_t *const words = (uint64_t *)&expected;

	for (size_t k = 0; k < sizeof(expected) / sizeof(*words); k++)
		words[k] = k + 1;
	lp_press_stats_add(&sum, &expected);
	CU_ASSERT(memcmp(&sum, &expected, sizeof(sum)) == 0);
	lp_press_stats_add(&sum, &expected);
	CU_ASSERT_EQUAL(sum.rx_pkts, 2 * expected.rx_pkts);
	CU_ASSERT_EQUAL(sum.dropped[LP_DROP_COUNT - 1], 2 * expected.dropped[LP_DROP_COUNT - 1]);
	CU_ASSERT_EQUAL(sum.book[LP_BOOK_IDS - 1].line_bytes,
			2 * expected.book[LP_BOOK_IDS - 1].line_bytes);
}

/* Reasons to pass. Each function spoils an IPv4 TCP or RoCE frame that would be coded. */

static void
spoil_not_at_all(struct test_frame *f)
{
	(void)f;
}

static void
spoil_length(struct test_frame *f)
{
	f->len = LP_FRAME_PADDED;
}

static void
spoil_ethertype(struct test_frame *f)
{
	frame_put16(f, 12, 0x0806);
}

static void
spoil_vlan_depth(struct test_frame *f)
{
	for (size_t off = 12; off <= 28; off += 4)
		frame_put16(f, off, 0x8100);
}

static void
spoil_ip_version(struct test_frame *f)
{
	f->data[f->at.l3_off] = 0x55;
}

static void
spoil_ip_length(struct test_frame *f)
{
	frame_put16(f, f->at.l3_off + 2u, (uint16_t)f->len);
	frame_fix_ip_cksum(f);
}

static void
spoil_ip_cksum(struct test_frame *f)
{
	f->data[f->at.l3_off + 10] ^= 1;
}

static void
spoil_ihl(struct test_frame *f)
{
	f->data[f->at.l3_off] = 0x46;
}

static void
spoil_fragment(struct test_frame *f)
{
	frame_put16(f, f->at.l3_off + 6u, 0x2000);
	frame_fix_ip_cksum(f);
}

static void
spoil_next_header(struct test_frame *f)
{
	f->data[f->at.l3_off + 6] = 44;
}

static void
spoil_protocol(struct test_frame *f)
{
	f->data[f->at.l3_off + 9] = 47;
	frame_fix_ip_cksum(f);
}

static void
spoil_tcp_offset(struct test_frame *f)
{
	f->data[f->at.l4_off + 12] = 0x40;
}

static void
spoil_tcp_flags(struct test_frame *f)
{
	f->data[f->at.l4_off + 13] = 0x02;
}

static void
spoil_udp_port(struct test_frame *f)
{
	frame_put16(f, f->at.l4_off + 2u, 4793);
}

static void
spoil_opcode(struct test_frame *f)
{
	f->data[f->at.l4_off + 8] = 0x11; /* RC acknowledgement */
}

static void
spoil_bth_version(struct test_frame *f)
{
	f->data[f->at.l4_off + 9] |= 0x01;
}

static void
spoil_noise(struct test_frame *f)
{
	frame_fill(f, TENSOR_NOISE);
}

/* With this identification the sum of the other words is 0xFFFF, so the checksum is 0 or that. */
static void
spoil_ip_cksum_ffff(struct test_frame *f)
{
	frame_put16(f, f->at.l3_off + 4u, 0);
	frame_fix_ip_cksum(f);
	frame_put16(f, f->at.l3_off + 4u, frame_get16(f, f->at.l3_off + 10u));
	frame_put16(f, f->at.l3_off + 10u, 0xffff);
}

static const struct pass_case {
	const char *name;
	void (*spoil)(struct test_frame *frame);
	struct frame_spec spec;
} pass_cases[] = {
	{ "short_frame", spoil_length, { .ip_version = 4 } },
	{ "ethertype", spoil_ethertype, { .ip_version = 4 } },
	{ "vlan_depth", spoil_vlan_depth, { .ip_version = 4 } },
	{ "ip_header", spoil_ip_version, { .ip_version = 4 } },
	{ "ip_length", spoil_ip_length, { .ip_version = 4 } },
	{ "ip_checksum", spoil_ip_cksum, { .ip_version = 4 } },
	{ "ip_options", spoil_ihl, { .ip_version = 4 } },
	{ "ip_fragment", spoil_fragment, { .ip_version = 4 } },
	{ "ipv6_extension", spoil_next_header, { .ip_version = 6 } },
	{ "l4_protocol", spoil_protocol, { .ip_version = 4 } },
	{ "l4_header", spoil_tcp_offset, { .ip_version = 4 } },
	{ "tcp_flags", spoil_tcp_flags, { .ip_version = 4 } },
	{ "uet", spoil_udp_port, { .ip_version = 4, .l4 = LP_L4_UDP } },
	{ "roce_opcode", spoil_opcode, { .ip_version = 4, .l4 = LP_L4_ROCE } },
	{ "roce_header", spoil_bth_version, { .ip_version = 4, .l4 = LP_L4_ROCE } },
	{ "no_payload", spoil_not_at_all, { .ip_version = 4, .tcp_options = 20 } },
	{ "short_region", spoil_not_at_all, { .ip_version = 4, .region_len = 255 } },
	{ "no_gain", spoil_noise, { .ip_version = 4 } },
	{ "ip_checksum_ffff", spoil_ip_cksum_ffff, { .ip_version = 4 } },
};

static uint64_t
passed_as(const struct lp_press_stats *stats, const char *name)
{
	for (unsigned int reason = 0; reason < LP_PASS_COUNT; reason++)
		if (strcmp(lp_pass_name(reason), name) == 0)
			return stats->passed[reason];
	return UINT64_MAX;
}

static void
check_pass_case(const struct pass_case *c)
{
	struct lp_press *press = press_make(press_conf());
	struct frame_spec spec = c->spec;

	if (spec.region_len == 0 && strcmp(c->name, "no_payload") != 0)
		spec.region_len = 1000;
	frame_tensor(&original, &spec, TENSOR_BF16);
	c->spoil(&original);
	CU_ASSERT(comes_back(press));
	CU_ASSERT(frame_equal(&wire, &original));
	if (passed_as(compress_stats(press), c->name) != 1) {
		printf("\n  %s not counted", c->name);
		CU_FAIL("reason to pass");
	}
	CU_ASSERT_EQUAL(restore_stats(press)->tx_pkts, 1);
	finish(press);
}

static void
each_reason_to_pass_is_counted_by_its_name(void)
{
	for (size_t k = 0; k < RTE_DIM(pass_cases); k++)
		check_pass_case(&pass_cases[k]);
}

static void
ordinary_frames_pass_restore_as_not_coded(void)
{
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *s = restore_stats(press);

	for (unsigned int k = 0; k < 50; k++) {
		frame_tensor_random(&original, (uint16_t)test_random_in(30, 1400));
		CU_ASSERT(restore_frame(press, &original, &restored));
		CU_ASSERT(frame_equal(&restored, &original));
	}
	CU_ASSERT_EQUAL(passed_as(s, "not_coded"), s->rx_pkts);
	finish(press);
}

static void
check_names(const char *(*name)(unsigned int), unsigned int count)
{
	for (unsigned int a = 0; a < count; a++) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(name(a));
		CU_ASSERT(name(a)[0] != '\0');
		for (unsigned int b = 0; b < a; b++)
			CU_ASSERT_STRING_NOT_EQUAL(name(a), name(b));
	}
	CU_ASSERT_PTR_NULL(name(count));
	CU_ASSERT_PTR_NULL(name(UINT32_MAX));
}

static void
each_reason_has_a_name_of_its_own(void)
{
	check_names(lp_pass_name, LP_PASS_COUNT);
	check_names(lp_drop_name, LP_DROP_COUNT);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(every_kind_of_frame_is_coded_and_comes_back),
		TEST(every_type_of_tensor_is_coded_and_comes_back),
		TEST(noise_is_never_made_longer_nor_changed),
		TEST(regions_up_to_jumbo_come_back),
		TEST(smallest_regions_and_savings_come_back),
		TEST(min_region_and_min_saving_are_kept),
		TEST(frame_of_64_kib_is_coded_and_comes_back),
		TEST(longest_ip_packets_come_back),
		TEST(burst_of_mixed_frames_keeps_its_order),
		TEST(burst_of_none_returns_none),
		TEST(drops_within_a_burst_close_up_in_order),
		TEST(vlan_and_hash_stay_and_tx_flags_do_not),
		TEST(frame_passed_is_the_mbuf_given),
		TEST(counters_agree_with_the_frames_on_the_wire),
		TEST(books_are_counted_alike_in_both_directions),
		TEST(stats_of_two_presses_add),
		TEST(each_reason_to_pass_is_counted_by_its_name),
		TEST(ordinary_frames_pass_restore_as_not_coded),
		TEST(each_reason_has_a_name_of_its_own),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_roundtrip", tests);
}
