/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Every key of a rule matches what it says, and the first rule that matches counts. */

#include <stdio.h>
#include <string.h>

#include "rules_frame.h"

/* Number of the only rule that counted the frame, among those of `text`. */
static unsigned int
rule_that_matches(const char *text, uint16_t port)
{
	struct lp_rules *rules = rules_for(text, bench.books);
	struct lp_press *press = press_with(rules, port);
	unsigned int found = UINT32_MAX;

	CU_ASSERT(comes_back(press));
	CU_ASSERT_EQUAL(compress_stats(press)->eligible_pkts, 1);
	for (unsigned int k = 0; k <= LP_RULES_MAX; k++)
		if (rule_stats(press, k).pkts == 1)
			found = k;
	finish(press, rules);
	return found;
}

static bool
matches(const char *keys)
{
	char text[256];

	snprintf(text, sizeof(text), "%s -> pass", keys);
	return rule_that_matches(text, 3) == 1;
}

/* Keys */

static void
port_is_that_of_the_press(void)
{
	build(4, LP_L4_TCP, 1000);
	CU_ASSERT_EQUAL(rule_that_matches("port 0 -> pass\nport 3 -> pass\n-> pass", 0), 1);
	CU_ASSERT_EQUAL(rule_that_matches("port 0 -> pass\nport 3 -> pass\n-> pass", 3), 2);
	CU_ASSERT_EQUAL(rule_that_matches("port 0 -> pass\nport 3 -> pass\n-> pass", 2), 3);
}

static void
vlan_is_the_outermost_tag_in_the_frame(void)
{
	struct frame_spec spec = {
		.tpid = { 0x88a8, 0x8100 }, .ip_version = 6, .l4 = LP_L4_UDP, .region_len = 1000
	};

	frame_tensor(&frame, &spec, TENSOR_BF16);
	frame_put16(&frame, 14, 0xe064); /* priority 7, VLAN 100 */
	frame_put16(&frame, 18, 200);
	CU_ASSERT(matches("vlan 100"));
	CU_ASSERT(!matches("vlan 200"));
	CU_ASSERT(!matches("vlan none"));
	spec.tpid[1] = 0;
	frame_tensor(&frame, &spec, TENSOR_BF16);
	frame_put16(&frame, 14, 0xf000);
	CU_ASSERT(matches("vlan 0"));
	CU_ASSERT(!matches("vlan none"));
	spec.tpid[0] = 0;
	frame_tensor(&frame, &spec, TENSOR_BF16);
	CU_ASSERT(matches("vlan none"));
	CU_ASSERT(!matches("vlan 0"));
}

/* Which of three rules matches a frame whose tags the port took off? */
static unsigned int
rule_of_stripped(uint64_t flags)
{
	struct lp_rules *rules = rules_for(
			"vlan 100 -> pass\nvlan 200 -> pass\n-> pass", bench.books);
	struct lp_press *press = press_with(rules, 0);
	struct rte_mbuf *mbuf = mbuf_from(&frame);
	unsigned int found = 0;

	mbuf->ol_flags |= flags;
	mbuf->vlan_tci = 0x6000 | 100;
	mbuf->vlan_tci_outer = 200;
	rte_pktmbuf_free(compress_mbuf(press, mbuf));
	for (unsigned int k = 1; k <= 3; k++)
		if (rule_stats(press, k).pkts == 1)
			found = k;
	finish(press, rules);
	return found;
}

static void
vlan_that_the_port_took_off_counts(void)
{
	const uint64_t vlan = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	const uint64_t qinq = RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED;

	build(4, LP_L4_TCP, 1000);
	CU_ASSERT_EQUAL(rule_of_stripped(0), 3);
	CU_ASSERT_EQUAL(rule_of_stripped(vlan), 1);
	CU_ASSERT_EQUAL(rule_of_stripped(vlan | qinq), 2);
}

static void
prefixes_match_their_addresses_of_ipv4(void)
{
	build(4, LP_L4_TCP, 1000);
	put_bytes(frame.at.l3_off + 12u, "\x0a\x01\x02\x03\xc0\xa8\x00\x80", 8);
	CU_ASSERT(matches("src 10.1.2.3"));
	CU_ASSERT(matches("src 10.0.0.0/8"));
	CU_ASSERT(matches("src 0.0.0.0/0"));
	CU_ASSERT(matches("src 10.1.2.2/31 dst 192.168.0.128/25"));
	CU_ASSERT(!matches("src 10.1.2.4"));
	CU_ASSERT(!matches("src 11.0.0.0/8"));
	CU_ASSERT(!matches("dst 10.1.2.3"));
	CU_ASSERT(!matches("src 10.0.0.0/8 dst 192.168.0.0/25"));
	CU_ASSERT(!matches("src ::/0"));
	CU_ASSERT(!matches("dst ::/0"));
}

static void
prefixes_match_their_addresses_of_ipv6(void)
{
	static const uint8_t addresses[32] = { 0x20, 1, 0xd, 0xb8, [15] = 9, 0xfd, [31] = 1 };

	build(6, LP_L4_ROCE, 1000);
	put_bytes(frame.at.l3_off + 8u, addresses, sizeof(addresses));
	CU_ASSERT(matches("src 2001:db8::9"));
	CU_ASSERT(matches("src 2001:db8::/32"));
	CU_ASSERT(matches("src 2001:db8::8/127 dst fd00::/8"));
	CU_ASSERT(matches("src ::/0 dst ::/0"));
	CU_ASSERT(!matches("src 2001:db8::9 dst fd00::/127"
			   " port 1"));
	CU_ASSERT(!matches("src 2001:db8:0:0:1::/80"));
	CU_ASSERT(!matches("dst 2001:db8::/32"));
	CU_ASSERT(!matches("src 0.0.0.0/0"));
}

static void
proto_tells_tcp_udp_and_roce_apart(void)
{
	static const char *const keys[] = { "proto tcp", "proto udp", "proto roce" };

	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++) {
		for (uint8_t version = 4; version <= 6; version += 2) {
			build(version, (uint8_t)l4, 1000);
			for (unsigned int key = 0; key < RTE_DIM(keys); key++)
				CU_ASSERT_EQUAL(matches(keys[key]), key == l4);
		}
	}
}

static void
ports_match_within_their_bounds(void)
{
	build(4, LP_L4_TCP, 1000);
	put_bytes(frame.at.l4_off, "\x03\xff\x14\x51", 4); /* 1023 and 5201 */
	CU_ASSERT(matches("sport 1023"));
	CU_ASSERT(matches("sport 1000-1023"));
	CU_ASSERT(matches("sport 1023-1024"));
	CU_ASSERT(matches("sport 0-65535 dport 5201"));
	CU_ASSERT(!matches("sport 1024-65535"));
	CU_ASSERT(!matches("sport 0-1022"));
	CU_ASSERT(!matches("sport 5201"));
	CU_ASSERT(!matches("sport 1023 dport 5202"));
	build(6, LP_L4_ROCE, 1000);
	CU_ASSERT(matches("dport 4791"));
}

static void
dscp_is_six_bits_of_both_versions(void)
{
	build(4, LP_L4_TCP, 1000);
	put_bytes(frame.at.l3_off + 1u, "\xbb", 1); /* 46, ECN 3 */
	CU_ASSERT(matches("dscp 46"));
	CU_ASSERT(!matches("dscp 47"));
	CU_ASSERT(!matches("dscp 0"));
	build(6, LP_L4_TCP, 1000);
	put_bytes(frame.at.l3_off, "\x6b\xbf", 2); /* 46, ECN 3, flow label f.... */
	CU_ASSERT(matches("dscp 46"));
	CU_ASSERT(!matches("dscp 45"));
}

static void
min_region_matches_from_that_length_on(void)
{
	for (uint8_t version = 4; version <= 6; version += 2) {
		build(version, LP_L4_UDP, 1000);
		CU_ASSERT(matches("min-region 1"));
		CU_ASSERT(matches("min-region 1000"));
		CU_ASSERT(!matches("min-region 1001"));
		CU_ASSERT(!matches("min-region 65535"));
	}
}

/* Order */

static void
first_rule_that_matches_decides(void)
{
	build(4, LP_L4_TCP, 1000);
	CU_ASSERT_EQUAL(rule_that_matches("-> pass\nproto tcp -> dry-run", 0), 1);
	CU_ASSERT_EQUAL(rule_that_matches("proto tcp -> dry-run\n-> pass", 0), 1);
	CU_ASSERT_EQUAL(rule_that_matches("proto udp -> dry-run\n\n-> pass\n-> books all", 0), 2);
	CU_ASSERT_EQUAL(rule_that_matches("proto udp -> pass\nsrc ::/0 -> pass", 0), 0);
	CU_ASSERT_EQUAL(rule_that_matches("", 0), 0);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(port_is_that_of_the_press),
		TEST(vlan_is_the_outermost_tag_in_the_frame),
		TEST(vlan_that_the_port_took_off_counts),
		TEST(prefixes_match_their_addresses_of_ipv4),
		TEST(prefixes_match_their_addresses_of_ipv6),
		TEST(proto_tells_tcp_udp_and_roce_apart),
		TEST(ports_match_within_their_bounds),
		TEST(dscp_is_six_bits_of_both_versions),
		TEST(min_region_matches_from_that_length_on),
		TEST(first_rule_that_matches_decides),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_rules_keys", tests);
}
