/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* All frames of a flow have one hash, whatever they are, and flows are spread evenly. */

#include <stdio.h>
#include <string.h>

#include "linepress/flow.h"
#include "press_help.h"

#define ROUNDS 200
#define QP_OFF 13 /* after the UDP header's start */

/* What makes a flow. */
struct flow {
	uint8_t ip_version;
	uint8_t l4;
	uint8_t mac[12];
	uint8_t address[32]; /* source and destination; 4 bytes each are used of IPv4 */
	uint16_t src_port;
	uint16_t dst_port; /* not of RoCE */
	uint32_t qp;
};

static struct test_frame frame, wire;

static struct flow
random_flow(uint8_t ip_version, uint8_t l4)
{
	struct flow flow = {
		.ip_version = ip_version,
		.l4 = l4,
		.src_port = (uint16_t)test_random_in(1024, 65535),
		.dst_port = (uint16_t)test_random_in(5000, 65535),
		.qp = test_random_in(0, 0xffffff),
	};

	test_random_bytes(flow.mac, sizeof(flow.mac));
	test_random_bytes(flow.address, sizeof(flow.address));
	return flow;
}

static uint8_t *
ip_of(struct test_frame *f)
{
	return f->data + f->at.l3_off;
}

static void
put_flow(struct test_frame *f, const struct flow *flow)
{
	const bool v4 = flow->ip_version == 4;

	memcpy(f->data, flow->mac, sizeof(flow->mac));
	memcpy(ip_of(f) + (v4 ? 12 : 8), flow->address, v4 ? 8 : 32);
	frame_put16(f, f->at.l4_off, flow->src_port);
	if (flow->l4 != LP_L4_ROCE) {
		frame_put16(f, f->at.l4_off + 2u, flow->dst_port);
	} else {
		f->data[f->at.l4_off + QP_OFF] = (uint8_t)(flow->qp >> 16);
		frame_put16(f, f->at.l4_off + QP_OFF + 1u, (uint16_t)flow->qp);
	}
	frame_fix_ip_cksum(f);
	frame_fix_l4_cksum(f);
}

/* A frame of the flow with `tags` tags; everything else is random. */
static void
build(const struct flow *flow, unsigned int tags, uint16_t region_len)
{
	static const uint16_t tpid[] = { 0x8100, 0x88a8, 0x9100 };
	struct frame_spec spec = {
		.ip_version = flow->ip_version,
		.l4 = flow->l4,
		.tcp_options = (uint8_t)(4 * test_random_in(0, 10)),
		.region_len = region_len,
	};

	for (unsigned int i = 0; i < tags; i++)
		spec.tpid[i] = tpid[test_random_in(0, 2)];
	frame_tensor(&frame, &spec, TENSOR_BF16);
	put_flow(&frame, flow);
}

static void
insert(struct test_frame *f, size_t off, const uint8_t *bytes, size_t len)
{
	memmove(f->data + off + len, f->data + off, f->len - off);
	memcpy(f->data + off, bytes, len);
	f->len += len;
}

static uint32_t
hash_parts(const struct test_frame *f, uint16_t first, uint16_t part)
{
	struct rte_mbuf *mbuf = mbuf_split(bench.pool, f->data, f->len, first, part);
	const uint32_t hash = lp_flow_hash(mbuf);

	CU_ASSERT(mbuf_is(mbuf, f));
	rte_pktmbuf_free(mbuf);
	return hash;
}

static uint32_t
hash_of(const struct test_frame *f)
{
	return hash_parts(f, UINT16_MAX, UINT16_MAX);
}

static uint32_t
hash_flow(const struct flow *flow)
{
	build(flow, 0, 100);
	return hash_of(&frame);
}

typedef void flow_check(const struct flow *flow);

static void
for_each_kind(flow_check *check)
{
	for (unsigned int k = 0; k < ROUNDS; k++) {
		const struct flow flow = random_flow(k % 2 ? 4 : 6, (uint8_t)(k / 2 % 3));

		check(&flow);
	}
	CU_ASSERT(pools_full());
}

/* Frames of one flow */

static void
check_lengths_and_tags(const struct flow *flow)
{
	const uint32_t hash = hash_flow(flow);

	for (unsigned int tags = 0; tags <= 4; tags++) {
		build(flow, tags, (uint16_t)test_random_in(flow->l4 == LP_L4_ROCE, 1400));
		CU_ASSERT_EQUAL(hash_of(&frame), hash);
	}
}

static void
length_bytes_and_tags_do_not_count(void)
{
	for_each_kind(check_lengths_and_tags);
}

static void
handshake_acknowledgements_and_data_are_one_flow(void)
{
	static const uint8_t flags[] = { 0x02, 0x12, 0x10, 0x18, 0x11, 0x04 };

	for (unsigned int k = 0; k < ROUNDS; k++) {
		const struct flow flow = random_flow(k % 2 ? 4 : 6, LP_L4_TCP);
		const uint32_t hash = hash_flow(&flow);

		for (unsigned int i = 0; i < RTE_DIM(flags); i++) {
			build(&flow, k % 3, flags[i] == 0x18 ? 700 : 0);
			frame.data[frame.at.l4_off + 13] = flags[i];
			CU_ASSERT_EQUAL(hash_of(&frame), hash);
		}
	}
}

static void
check_coded(const struct flow *flow)
{
	struct lp_press *press = press_make(press_conf());

	build(flow, (unsigned int)test_random_in(0, 2), 1000);
	const uint32_t hash = hash_of(&frame);

	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
	CU_ASSERT_EQUAL(compress_stats(press)->coded_pkts, 1);
	CU_ASSERT_EQUAL(hash_of(&wire), hash);
	CU_ASSERT_EQUAL(hash_flow(flow), hash);
	lp_press_free(press);
}

static void
coded_frame_is_of_the_flow_of_its_original(void)
{
	for_each_kind(check_coded);
}

static void
check_line_changes(const struct flow *flow)
{
	build(flow, 0, 500);
	const uint32_t hash = hash_of(&frame);

	if (flow->ip_version == 4) {
		ip_of(&frame)[1] ^= 0xff; /* DSCP, ECN */
		ip_of(&frame)[8]--;	  /* TTL */
		frame_fix_ip_cksum(&frame);
	} else {
		ip_of(&frame)[0] ^= 0x0f;
		ip_of(&frame)[1] ^= 0xff; /* traffic class and flow label */
		ip_of(&frame)[7]--;	  /* hop limit */
	}
	test_random_bytes(frame.data, 12);
	CU_ASSERT_EQUAL(hash_of(&frame), hash);
}

static void
what_routers_and_switches_change_does_not_count(void)
{
	for_each_kind(check_line_changes);
}

static void
source_port_of_roce_does_not_count_but_the_queue_pair_does(void)
{
	for (unsigned int k = 0; k < ROUNDS; k++) {
		struct flow flow = random_flow(k % 2 ? 4 : 6, LP_L4_ROCE);
		const uint32_t hash = hash_flow(&flow);

		flow.src_port ^= (uint16_t)test_random_in(1, 0xffff);
		CU_ASSERT_EQUAL(hash_flow(&flow), hash);
		frame.data[frame.at.l4_off + 8] = 0x11; /* acknowledgement: not eligible */
		CU_ASSERT_EQUAL(hash_of(&frame), hash);
		flow.qp ^= 1u << (k % 24);
		CU_ASSERT_NOT_EQUAL(hash_flow(&flow), hash);
	}
}

/* IP headers of other kinds */

static void
ipv4_options_do_not_count(void)
{
	for (unsigned int k = 0; k < ROUNDS; k++) {
		const struct flow flow = random_flow(4, (uint8_t)(k % 3));
		const uint32_t hash = hash_flow(&flow);
		const size_t len = 4 * test_random_in(1, 10);
		uint8_t options[40];

		memset(options, 1, sizeof(options));
		insert(&frame, frame.at.l4_off, options, len);
		ip_of(&frame)[0] = (uint8_t)(0x45 + len / 4);
		CU_ASSERT_EQUAL(hash_of(&frame), hash);
	}
}

static void
ipv6_extensions_do_not_count(void)
{
	for (unsigned int k = 0; k < ROUNDS; k++) {
		const struct flow flow = random_flow(6, (uint8_t)(k % 3));
		const uint32_t hash = hash_flow(&flow);
		uint8_t extension[16] = { ip_of(&frame)[6], 1 };

		insert(&frame, frame.at.l4_off, extension, sizeof(extension));
		ip_of(&frame)[6] = k % 2 ? 0 : 60; /* hop by hop, destination options */
		CU_ASSERT_EQUAL(hash_of(&frame), hash);
	}
}

/* A fragment of a packet of the flow: the first has its ports, others have some bytes there. */
static uint32_t
hash_fragment(const struct flow *flow, uint16_t offset, bool more)
{
	build(flow, (unsigned int)test_random_in(0, 2), 600);
	if (offset > 0)
		test_random_bytes(frame.data + frame.at.l4_off, 40);
	if (flow->ip_version == 4) {
		frame_put16(&frame, frame.at.l3_off + 6u, (uint16_t)((more ? 0x2000 : 0) | offset));
	} else {
		uint8_t header[8] = { ip_of(&frame)[6], 0, (uint8_t)(offset >> 5),
			(uint8_t)(offset << 3 | more) };

		insert(&frame, frame.at.l4_off, header, sizeof(header));
		ip_of(&frame)[6] = 44;
	}
	return hash_of(&frame);
}

static void
check_fragments(const struct flow *flow)
{
	struct flow other = *flow;
	const uint32_t hash = hash_fragment(flow, 0, true);

	CU_ASSERT_EQUAL(hash_fragment(flow, 100, true), hash);
	CU_ASSERT_EQUAL(hash_fragment(flow, 200, false), hash);
	other.src_port ^= 1;
	other.dst_port ^= 1;
	other.qp ^= 1;
	CU_ASSERT_EQUAL(hash_fragment(&other, 0, true), hash);
	other.address[0] ^= 1;
	CU_ASSERT_NOT_EQUAL(hash_fragment(&other, 0, true), hash);
	other = *flow;
	other.l4 = flow->l4 == LP_L4_TCP ? LP_L4_UDP : LP_L4_TCP;
	CU_ASSERT_NOT_EQUAL(hash_fragment(&other, 100, true), hash);
}

static void
fragments_go_by_addresses_and_protocol(void)
{
	for_each_kind(check_fragments);
}

static void
protocols_without_ports_go_by_addresses(void)
{
	for (unsigned int k = 0; k < ROUNDS; k++) {
		struct flow flow = random_flow(k % 2 ? 4 : 6, LP_L4_UDP);
		const unsigned int at = flow.ip_version == 4 ? 9 : 6;
		uint32_t hash[2];

		for (unsigned int i = 0; i < 2; i++) {
			build(&flow, 0, 300);
			test_random_bytes(frame.data + frame.at.l4_off, 40);
			ip_of(&frame)[at] = 47;
			hash[i] = hash_of(&frame);
		}
		CU_ASSERT_EQUAL(hash[0], hash[1]);
		ip_of(&frame)[at] = 1;
		CU_ASSERT_NOT_EQUAL(hash_of(&frame), hash[0]);
	}
}

/* Not IP */

static void
build_ether(const struct flow *flow, uint16_t ether_type, bool tagged)
{
	frame.len = test_random_in(60, 200);
	test_random_bytes(frame.data, frame.len);
	memcpy(frame.data, flow->mac, sizeof(flow->mac));
	if (tagged)
		frame_put16(&frame, 12, 0x8100);
	frame_put16(&frame, tagged ? 16 : 12, ether_type);
}

static uint32_t
hash_ether(const struct flow *flow, uint16_t ether_type, bool tagged)
{
	build_ether(flow, ether_type, tagged);
	return hash_of(&frame);
}

static void
frames_without_ip_go_by_mac_addresses_and_ethertype(void)
{
	for (unsigned int k = 0; k < ROUNDS; k++) {
		struct flow flow = random_flow(4, LP_L4_TCP);
		const uint32_t hash = hash_ether(&flow, 0x0806, false);

		CU_ASSERT_EQUAL(hash_ether(&flow, 0x0806, true), hash);
		CU_ASSERT_NOT_EQUAL(hash_ether(&flow, 0x0807, false), hash);
		flow.mac[k % 12] ^= 1;
		CU_ASSERT_NOT_EQUAL(hash_ether(&flow, 0x0806, false), hash);
	}
}

static void
length_in_place_of_an_ethertype_does_not_count(void)
{
	const struct flow flow = random_flow(4, LP_L4_TCP);
	const uint32_t hash = hash_ether(&flow, 46, false);

	CU_ASSERT_EQUAL(hash_ether(&flow, 1500, false), hash);
	CU_ASSERT_NOT_EQUAL(hash_ether(&flow, 0x0600, false), hash);
}

/* Mbufs */

static void
check_segments(const struct flow *flow)
{
	build(flow, (unsigned int)test_random_in(0, 4), 60);
	const uint32_t hash = hash_of(&frame);

	for (uint16_t first = 1; first < 100; first++)
		CU_ASSERT_EQUAL(hash_parts(&frame, first, 7), hash);
}

static void
segments_do_not_count(void)
{
	for_each_kind(check_segments);
}

static void
check_short_frames(const struct flow *flow)
{
	build(flow, (unsigned int)test_random_in(0, 4), 10);
	for (frame.len = 0; frame.len < 110; frame.len++)
		CU_ASSERT_EQUAL(hash_of(&frame), hash_parts(&frame, 5, 9));
}

static void
frames_cut_short_are_hashed_by_what_is_there(void)
{
	for_each_kind(check_short_frames);
}

/* Different flows */

static void
check_neighbours(const struct flow *flow)
{
	const uint32_t hash = hash_flow(flow);
	const size_t addresses = flow->ip_version == 4 ? 8 : 32;
	struct flow other = *flow;

	for (size_t i = 0; i < addresses; i++) {
		other.address[i] ^= (uint8_t)(1u << test_random_in(0, 7));
		CU_ASSERT_NOT_EQUAL(hash_flow(&other), hash);
		other.address[i] = flow->address[i];
	}
	if (flow->l4 == LP_L4_ROCE)
		return;
	other.src_port ^= (uint16_t)(1u << test_random_in(0, 15));
	CU_ASSERT_NOT_EQUAL(hash_flow(&other), hash);
	other = *flow;
	other.dst_port ^= 1;
	CU_ASSERT_NOT_EQUAL(hash_flow(&other), hash);
	other = *flow;
	other.l4 = flow->l4 == LP_L4_TCP ? LP_L4_UDP : LP_L4_TCP;
	CU_ASSERT_NOT_EQUAL(hash_flow(&other), hash);
}

static void
flows_that_differ_in_one_field_differ(void)
{
	for_each_kind(check_neighbours);
}

/* Hosts count up ports, queue pairs and addresses. */
static void
check_spread(struct flow flow, unsigned int lcores)
{
	const unsigned int flows = 400 * lcores;
	unsigned int count[8] = { 0 };

	for (unsigned int k = 0; k < flows; k++) {
		flow.src_port++;
		flow.qp = (flow.qp + 1) & 0xffffff;
		flow.address[3] = (uint8_t)(k % 16);
		count[hash_flow(&flow) % lcores]++;
	}
	for (unsigned int i = 0; i < lcores; i++) {
		CU_ASSERT(count[i] >= 300 && count[i] <= 500);
		if (count[i] < 300 || count[i] > 500)
			printf("\n  lcore %u of %u: %u of %u flows", i, lcores, count[i], flows);
	}
}

static void
flows_that_count_up_are_spread_evenly(void)
{
	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++)
		for (unsigned int lcores = 2; lcores <= 8; lcores++)
			check_spread(random_flow(lcores % 2 ? 4 : 6, l4), lcores);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(length_bytes_and_tags_do_not_count),
		TEST(handshake_acknowledgements_and_data_are_one_flow),
		TEST(coded_frame_is_of_the_flow_of_its_original),
		TEST(what_routers_and_switches_change_does_not_count),
		TEST(source_port_of_roce_does_not_count_but_the_queue_pair_does),
		TEST(ipv4_options_do_not_count),
		TEST(ipv6_extensions_do_not_count),
		TEST(fragments_go_by_addresses_and_protocol),
		TEST(protocols_without_ports_go_by_addresses),
		TEST(frames_without_ip_go_by_mac_addresses_and_ethertype),
		TEST(length_in_place_of_an_ethertype_does_not_count),
		TEST(segments_do_not_count),
		TEST(frames_cut_short_are_hashed_by_what_is_there),
		TEST(flows_that_differ_in_one_field_differ),
		TEST(flows_that_count_up_are_spread_evenly),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_flow", tests);
}
