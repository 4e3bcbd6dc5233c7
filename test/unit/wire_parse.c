/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "frame.h"

static struct test_frame frame;

static enum lp_ineligible
parse(void)
{
	struct lp_frame parsed;

	return frame_parse(&frame, &parsed);
}

/* Parse what was built and compare with where it was built. */
static bool
parses_as_built(void)
{
	struct lp_frame parsed;
	const enum lp_ineligible reason = frame_parse(&frame, &parsed);

	if (reason != LP_ELIGIBLE) {
		printf("\n  refused: %s", lp_ineligible_name(reason));
		return false;
	}
	return parsed.l3_off == frame.at.l3_off && parsed.l4_off == frame.at.l4_off &&
			parsed.region_off == frame.at.region_off &&
			parsed.region_len == frame.at.region_len &&
			parsed.ip_version == frame.at.ip_version && parsed.l4 == frame.at.l4 &&
			parsed.icrc_len == frame.at.icrc_len;
}

static void
build(uint8_t ip_version, uint8_t l4, uint16_t region_len)
{
	frame_build(&frame,
			&(struct frame_spec){ .ip_version = ip_version,
					.l4 = l4,
					.region_len = region_len });
}

static uint8_t *
ip(void)
{
	return frame.data + frame.at.l3_off;
}

static uint8_t *
l4(void)
{
	return frame.data + frame.at.l4_off;
}

static void
add_to_ip_length(int n)
{
	const size_t off = frame.at.l3_off + (frame.at.ip_version == 4 ? 2u : 4u);

	frame_put16(&frame, off, (uint16_t)(frame_get16(&frame, off) + n));
	frame_fix_ip_cksum(&frame);
}

static void
add_to_udp_length(int n)
{
	const size_t off = frame.at.l4_off + 4u;

	frame_put16(&frame, off, (uint16_t)(frame_get16(&frame, off) + n));
}

static void
every_kind_of_frame_is_found_where_it_was_built(void)
{
	for (unsigned int i = 0; i < 20000; i++) {
		frame_build_random(&frame, 0, (uint16_t)test_random_in(40, 300));
		CU_ASSERT_FATAL(parses_as_built());
	}
}

static void
tcp_options_of_every_length_are_skipped(void)
{
	for (uint8_t len = 0; len <= 40; len += 4) {
		frame_build(&frame,
				&(struct frame_spec){ .tpid = { 0x88a8, 0x8100 },
						.ip_version = 6,
						.l4 = LP_L4_TCP,
						.tcp_options = len,
						.region_len = 100 });
		CU_ASSERT(parses_as_built());
		CU_ASSERT(frame.at.region_off == 82 + len);
	}
}

static void
four_vlan_tags_are_parsed_and_a_fifth_is_refused(void)
{
	struct frame_spec spec = { .ip_version = 4, .l4 = LP_L4_UDP, .region_len = 100 };
	static const uint16_t tpid[] = { 0x88a8, 0x9100, 0x8100, 0x8100 };

	for (unsigned int tags = 0; tags <= 4; tags++) {
		if (tags > 0)
			spec.tpid[tags - 1] = tpid[tags - 1];
		frame_build(&frame, &spec);
		CU_ASSERT(parses_as_built());
		struct lp_frame parsed;

		CU_ASSERT(frame_parse(&frame, &parsed) == LP_ELIGIBLE && parsed.vlan_tags == tags);
	}
	frame_put16(&frame, 12 + 4 * 4, 0x8100);
	CU_ASSERT(parse() == LP_INELIGIBLE_VLAN_DEPTH);
}

/* What the line may add or take away, tags and padding, decides nothing. */
static void
shortness_is_that_of_the_ip_packet(void)
{
	for (uint16_t tags = 0; tags <= 2; tags++) {
		for (uint16_t trailer = 0; trailer < 8; trailer++) {
			for (uint16_t len = 15; len < 22; len++) {
				struct frame_spec spec = { .ip_version = 4,
					.l4 = LP_L4_UDP,
					.region_len = len,
					.trailer_len = trailer };

				for (uint16_t t = 0; t < tags; t++)
					spec.tpid[t] = 0x8100;
				frame_build(&frame, &spec);
				CU_ASSERT(parse() ==
						(14 + 20 + 8 + len <= 60 ? LP_INELIGIBLE_SHORT_FRAME
									 : LP_ELIGIBLE));
			}
		}
	}
}

static void
other_ethertypes_are_refused(void)
{
	unsigned int eligible = 0;

	for (unsigned int type = 0; type <= UINT16_MAX; type++) {
		build(4, LP_L4_UDP, 40);
		frame_put16(&frame, 12, (uint16_t)type);
		switch (type) {
		case 0x8100:
		case 0x88a8:
		case 0x9100:
			CU_ASSERT(parse() == LP_INELIGIBLE_ETHERTYPE);
			break;
		case 0x86dd:
			CU_ASSERT(parse() == LP_INELIGIBLE_IP_HEADER);
			break;
		default:
			eligible += parse() != LP_INELIGIBLE_ETHERTYPE;
		}
	}
	CU_ASSERT(eligible == 1);
}

static void
ipv4_version_and_header_length_are_checked(void)
{
	for (unsigned int first = 0; first <= UINT8_MAX; first++) {
		build(4, LP_L4_UDP, 100);
		ip()[0] = (uint8_t)first;
		frame_fix_ip_cksum(&frame);
		if (first == 0x45)
			CU_ASSERT(parse() == LP_ELIGIBLE)
		else if (first > 0x45 && first <= 0x4f)
			CU_ASSERT(parse() == LP_INELIGIBLE_IP_OPTIONS)
		else
			CU_ASSERT(parse() == LP_INELIGIBLE_IP_HEADER);
	}
}

static void
ipv6_version_is_checked(void)
{
	for (unsigned int version = 0; version < 16; version++) {
		build(6, LP_L4_UDP, 100);
		ip()[0] = (uint8_t)(version << 4);
		CU_ASSERT(parse() == (version == 6 ? LP_ELIGIBLE : LP_INELIGIBLE_IP_HEADER));
	}
}

static void
ip_length_zero_short_or_beyond_the_frame_is_refused(void)
{
	for (uint8_t version = 4; version <= 6; version += 2) {
		const uint16_t headers = version == 4 ? 20 : 0;
		uint16_t len;

		build(version, LP_L4_UDP, 100);
		add_to_ip_length(1);
		CU_ASSERT(parse() == LP_INELIGIBLE_IP_LENGTH);
		add_to_ip_length(-1);
		CU_ASSERT(parse() == LP_ELIGIBLE);

		len = headers + 108;
		add_to_ip_length(UINT16_MAX - len);
		CU_ASSERT(parse() == LP_INELIGIBLE_IP_LENGTH);
		add_to_ip_length(-UINT16_MAX);
		CU_ASSERT(parse() == LP_INELIGIBLE_IP_LENGTH);
		add_to_ip_length(headers - 1);
		CU_ASSERT(parse() == LP_INELIGIBLE_IP_LENGTH);
		add_to_ip_length(1 + 7);
		CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER);
	}
}

static void
ipv4_header_checksum_is_verified_in_every_bit(void)
{
	build(4, LP_L4_UDP, 100);
	for (unsigned int bit = 0; bit < 160; bit++) {
		if (bit / 8 >= 4) { /* before that other checks come first */
			ip()[bit / 8] ^= (uint8_t)(1 << bit % 8);
			CU_ASSERT(parse() == LP_INELIGIBLE_IP_CHECKSUM);
			ip()[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
	CU_ASSERT(parse() == LP_ELIGIBLE);
}

static void
both_zeros_of_the_ipv4_checksum_are_accepted(void)
{
	build(4, LP_L4_UDP, 100);
	/* A checksum moved into the identification leaves zero for the checksum. */
	frame_put16(&frame, frame.at.l3_off + 4u, 0);
	frame_fix_ip_cksum(&frame);
	frame_put16(&frame, frame.at.l3_off + 4u, frame_get16(&frame, frame.at.l3_off + 10u));
	frame_put16(&frame, frame.at.l3_off + 10u, 0);
	CU_ASSERT(parse() == LP_ELIGIBLE);
	frame_put16(&frame, frame.at.l3_off + 10u, 0xffff);
	CU_ASSERT(parse() == LP_ELIGIBLE);
	frame_put16(&frame, frame.at.l3_off + 10u, 0xfffe);
	CU_ASSERT(parse() == LP_INELIGIBLE_IP_CHECKSUM);
}

static void
every_ipv4_fragment_is_refused(void)
{
	for (unsigned int bit = 0; bit < 16; bit++) {
		build(4, LP_L4_UDP, 100);
		frame_put16(&frame, frame.at.l3_off + 6u, (uint16_t)(1 << bit));
		frame_fix_ip_cksum(&frame);
		/* 15 is reserved, 14 is DF, 13 is MF. */
		CU_ASSERT(parse() == (bit >= 14 ? LP_ELIGIBLE : LP_INELIGIBLE_IP_FRAGMENT));
	}
}

static void
only_tcp_and_udp_pass_and_ipv6_extensions_have_a_name(void)
{
	static const uint8_t extensions[] = { 0, 43, 44, 50, 51, 60, 135, 139, 140 };

	for (unsigned int protocol = 0; protocol <= UINT8_MAX; protocol++) {
		const bool extension = memchr(extensions, (int)protocol, sizeof(extensions));

		if (protocol == 6 || protocol == 17)
			continue;
		build(4, LP_L4_UDP, 100);
		ip()[9] = (uint8_t)protocol;
		frame_fix_ip_cksum(&frame);
		CU_ASSERT(parse() == LP_INELIGIBLE_L4_PROTOCOL);
		build(6, LP_L4_UDP, 100);
		ip()[6] = (uint8_t)protocol;
		CU_ASSERT(parse() ==
				(extension ? LP_INELIGIBLE_IPV6_EXTENSION
					   : LP_INELIGIBLE_L4_PROTOCOL));
	}
}

static void
udp_length_other_than_the_ip_payload_is_refused(void)
{
	build(4, LP_L4_UDP, 100);
	add_to_udp_length(-1);
	CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER);
	add_to_udp_length(2);
	CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER);
	add_to_udp_length(-109);
	CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER);
}

static void
udp_header_cut_by_the_ip_length_is_refused(void)
{
	for (int len = 1; len < 8; len++) {
		build(6, LP_L4_UDP, 100);
		add_to_ip_length(len - 108);
		add_to_udp_length(len - 108);
		CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER);
	}
}

static void
tcp_data_offset_below_20_or_beyond_the_payload_is_refused(void)
{
	for (unsigned int words = 0; words < 16; words++) {
		build(4, LP_L4_TCP, 20);
		l4()[12] = (uint8_t)(words << 4);
		if (words < 5 || words > 10)
			CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER)
		else
			CU_ASSERT(parse() == (words < 10 ? LP_ELIGIBLE : LP_INELIGIBLE_NO_PAYLOAD));
	}
}

static void
tcp_header_cut_by_the_ip_length_is_refused(void)
{
	for (int len = 1; len < 20; len++) {
		build(6, LP_L4_TCP, 100);
		add_to_ip_length(len - 120);
		CU_ASSERT(parse() == LP_INELIGIBLE_L4_HEADER);
	}
}

static void
tcp_syn_fin_rst_and_urg_are_refused(void)
{
	for (unsigned int flags = 0; flags <= UINT8_MAX; flags++) {
		build(4, LP_L4_TCP, 100);
		l4()[13] = (uint8_t)flags;
		CU_ASSERT(parse() == (flags & 0x27 ? LP_INELIGIBLE_TCP_FLAGS : LP_ELIGIBLE));
	}
}

static void
empty_payload_is_refused(void)
{
	for (uint8_t version = 4; version <= 6; version += 2) {
		for (unsigned int kind = LP_L4_TCP; kind <= LP_L4_ROCE; kind++) {
			frame_build(&frame,
					&(struct frame_spec){ .ip_version = version,
							.l4 = (uint8_t)kind,
							.region_len = 0,
							.trailer_len = 20 });
			CU_ASSERT(parse() == LP_INELIGIBLE_NO_PAYLOAD);
			frame_build(&frame,
					&(struct frame_spec){ .ip_version = version,
							.l4 = (uint8_t)kind,
							.region_len = 20,
							.trailer_len = 20 });
			CU_ASSERT(parses_as_built());
		}
	}
}

static void
uet_and_roce_are_known_by_destination_port_alone(void)
{
	build(4, LP_L4_UDP, 100);
	frame_put16(&frame, frame.at.l4_off, 4793);
	CU_ASSERT(parses_as_built());
	frame_put16(&frame, frame.at.l4_off, 4791);
	CU_ASSERT(parses_as_built());
	frame_put16(&frame, frame.at.l4_off + 2u, 4793);
	CU_ASSERT(parse() == LP_INELIGIBLE_UET);
	frame_put16(&frame, frame.at.l4_off + 2u, 4792);
	CU_ASSERT(parses_as_built());
}

/* From the opcode tables of the Linux rxe driver and, for XRC, its proposed patches. */
static const struct {
	uint8_t opcode;
	uint8_t region_off;
} roce_expected[] = {
	/* RC */
	{ 0x00, 12 },
	{ 0x01, 12 },
	{ 0x02, 12 },
	{ 0x03, 16 },
	{ 0x04, 12 },
	{ 0x05, 16 },
	{ 0x06, 28 },
	{ 0x07, 12 },
	{ 0x08, 12 },
	{ 0x09, 16 },
	{ 0x0a, 28 },
	{ 0x0b, 32 },
	{ 0x0d, 16 },
	{ 0x0e, 12 },
	{ 0x0f, 16 },
	{ 0x10, 16 },
	{ 0x16, 16 },
	{ 0x17, 16 },
	/* UC */
	{ 0x20, 12 },
	{ 0x21, 12 },
	{ 0x22, 12 },
	{ 0x23, 16 },
	{ 0x24, 12 },
	{ 0x25, 16 },
	{ 0x26, 28 },
	{ 0x27, 12 },
	{ 0x28, 12 },
	{ 0x29, 16 },
	{ 0x2a, 28 },
	{ 0x2b, 32 },
	/* UD */
	{ 0x64, 20 },
	{ 0x65, 24 },
	/* XRC */
	{ 0xa0, 16 },
	{ 0xa1, 16 },
	{ 0xa2, 16 },
	{ 0xa3, 20 },
	{ 0xa4, 16 },
	{ 0xa5, 20 },
	{ 0xa6, 32 },
	{ 0xa7, 16 },
	{ 0xa8, 16 },
	{ 0xa9, 20 },
	{ 0xaa, 32 },
	{ 0xab, 36 },
	{ 0xad, 16 },
	{ 0xae, 12 },
	{ 0xaf, 16 },
	{ 0xb0, 16 },
	{ 0xb6, 20 },
	{ 0xb7, 20 },
};

static uint8_t
roce_expected_off(unsigned int opcode)
{
	for (size_t i = 0; i < sizeof(roce_expected) / sizeof(roce_expected[0]); i++) {
		if (roce_expected[i].opcode == opcode)
			return roce_expected[i].region_off;
	}
	return 0;
}

static void
every_roce_opcode_has_its_region_or_is_refused(void)
{
	for (unsigned int opcode = 0; opcode <= UINT8_MAX; opcode++) {
		const uint8_t off = roce_expected_off(opcode);

		for (uint8_t pad = 0; pad <= 3; pad++) {
			frame_build(&frame,
					&(struct frame_spec){ .ip_version = 4,
							.l4 = LP_L4_ROCE,
							.opcode = (uint8_t)opcode,
							.roce_headers = off,
							.pad = pad,
							.region_len = 100 });
			if (off == 0)
				CU_ASSERT(parse() == LP_INELIGIBLE_ROCE_OPCODE)
			else
				CU_ASSERT(parses_as_built());
		}
	}
}

static void
roce_region_of_zero_bytes_or_less_than_its_pad_is_refused(void)
{
	for (size_t i = 0; i < sizeof(roce_expected) / sizeof(roce_expected[0]); i++) {
		struct frame_spec spec = { .ip_version = 6,
			.l4 = LP_L4_ROCE,
			.opcode = roce_expected[i].opcode,
			.roce_headers = roce_expected[i].region_off };

		for (spec.pad = 0; spec.pad <= 3; spec.pad++) {
			for (spec.region_len = 0; spec.region_len < 5; spec.region_len++) {
				frame_build(&frame, &spec);
				if (spec.region_len < spec.pad)
					CU_ASSERT(parse() == LP_INELIGIBLE_ROCE_HEADER)
				else if (spec.region_len == 0)
					CU_ASSERT(parse() == LP_INELIGIBLE_NO_PAYLOAD)
				else
					CU_ASSERT(parses_as_built());
			}
		}
	}
}

static void
roce_headers_and_icrc_beyond_the_udp_length_are_refused(void)
{
	frame_build(&frame,
			&(struct frame_spec){ .ip_version = 6,
					.l4 = LP_L4_ROCE,
					.opcode = 0x0b,
					.roce_headers = 32 });
	CU_ASSERT(parse() == LP_INELIGIBLE_NO_PAYLOAD);
	for (int cut = 1; cut <= 36; cut++) {
		frame.len--;
		add_to_ip_length(-1);
		add_to_udp_length(-1);
		CU_ASSERT(parse() == LP_INELIGIBLE_ROCE_HEADER);
	}
}

static void
roce_transport_version_other_than_zero_is_refused(void)
{
	for (uint8_t version = 0; version < 16; version++) {
		build(4, LP_L4_ROCE, 100);
		l4()[9] |= version;
		CU_ASSERT(parse() == (version == 0 ? LP_ELIGIBLE : LP_INELIGIBLE_ROCE_HEADER));
	}
}

static void
trailer_after_the_ip_packet_is_not_in_the_region(void)
{
	for (uint16_t trailer = 0; trailer < 100; trailer++) {
		for (unsigned int kind = LP_L4_TCP; kind <= LP_L4_ROCE; kind++) {
			frame_build(&frame,
					&(struct frame_spec){ .ip_version = 4,
							.l4 = (uint8_t)kind,
							.region_len = 30,
							.trailer_len = trailer });
			CU_ASSERT(parses_as_built());
		}
	}
}

static void
frame_of_60_bytes_is_short_and_of_61_is_not(void)
{
	build(4, LP_L4_UDP, 18);
	CU_ASSERT(frame.len == 60);
	CU_ASSERT(parse() == LP_INELIGIBLE_SHORT_FRAME);
	build(4, LP_L4_UDP, 19);
	CU_ASSERT(parses_as_built());
	frame_build(&frame,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = LP_L4_UDP,
					.region_len = 3,
					.trailer_len = 15 });
	CU_ASSERT(parse() == LP_INELIGIBLE_SHORT_FRAME);
	/* Two tags and IPv6 need 62. */
	frame_build(&frame,
			&(struct frame_spec){ .tpid = { 0x8100, 0x8100 },
					.ip_version = 6,
					.l4 = LP_L4_UDP,
					.region_len = 10 });
	frame.len = 61;
	CU_ASSERT(parse() == LP_INELIGIBLE_SHORT_FRAME);
	frame.len = 62;
	CU_ASSERT(parse() == LP_INELIGIBLE_IP_LENGTH);
}

static void
largest_packets_are_measured_without_wrapping(void)
{
	build(4, LP_L4_UDP, 65535 - 20 - 8);
	CU_ASSERT(parses_as_built());
	build(6, LP_L4_UDP, 65535 - 8);
	CU_ASSERT(parses_as_built());
	build(6, LP_L4_TCP, 65535 - 20);
	CU_ASSERT(parses_as_built());
	build(6, LP_L4_ROCE, 65535 - 8 - 12 - 4);
	CU_ASSERT(parses_as_built());
}

/* Under AddressSanitizer this shows that nothing is read beyond the head. */
static void
frame_cut_at_any_byte_is_eligible_only_with_its_whole_ip_packet(void)
{
	for (unsigned int i = 0; i < 300; i++) {
		size_t packet_end, whole;

		frame_build_random(&frame, 0, (uint16_t)test_random_in(30, 200));
		whole = frame.len;
		packet_end = (size_t)frame.at.region_off + frame.at.region_len + frame.at.icrc_len;
		for (frame.len = 0; frame.len <= whole; frame.len++) {
			const bool eligible = frame.len >= packet_end &&
					frame.len > LP_FRAME_PADDED;

			CU_ASSERT_FATAL((parse() == LP_ELIGIBLE) == eligible);
		}
	}
}

static void
mangled_frames_never_have_a_region_outside_the_frame(void)
{
	unsigned int eligible = 0;

	for (unsigned int i = 0; i < 200000; i++) {
		struct lp_frame parsed;

		frame_build_random(&frame, 0, (uint16_t)test_random_in(1, 80));
		for (unsigned int n = test_random_in(1, 4); n > 0; n--)
			frame.data[test_random_in(12, 80)] = (uint8_t)test_random();
		frame_fix_ip_cksum(&frame);
		frame.len = test_random_in(0, (uint32_t)frame.len);
		if (frame_parse(&frame, &parsed) != LP_ELIGIBLE)
			continue;
		eligible++;
		CU_ASSERT_FATAL(parsed.region_len > 0);
		CU_ASSERT_FATAL((size_t)parsed.region_off + parsed.region_len + parsed.icrc_len <=
				frame.len);
		CU_ASSERT_FATAL(parsed.region_off + LP_SHIM_MAX <= LP_HEAD_MAX);
	}
	CU_ASSERT(eligible > 100);
}

static void
refused_frame_leaves_the_result_alone(void)
{
	struct lp_frame parsed, before;

	memset(&parsed, 0xa5, sizeof(parsed));
	before = parsed;
	frame_build(&frame,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = LP_L4_ROCE,
					.opcode = 0x11,
					.region_len = 50 });
	CU_ASSERT(frame_parse(&frame, &parsed) == LP_INELIGIBLE_ROCE_OPCODE);
	CU_ASSERT(memcmp(&parsed, &before, sizeof(parsed)) == 0);
}

static void
every_reason_has_a_name_of_its_own(void)
{
	for (int i = 0; i < LP_INELIGIBLE_COUNT; i++) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(lp_ineligible_name(i));
		for (int j = 0; j < i; j++)
			CU_ASSERT_STRING_NOT_EQUAL(lp_ineligible_name(i), lp_ineligible_name(j));
	}
	CU_ASSERT_STRING_EQUAL(lp_ineligible_name(LP_INELIGIBLE_IP_FRAGMENT), "ip_fragment");
	CU_ASSERT_PTR_NULL(lp_ineligible_name(LP_INELIGIBLE_COUNT));
	CU_ASSERT_PTR_NULL(lp_ineligible_name((enum lp_ineligible) - 1));
}

static CU_TestInfo tests[] = {
	TEST(every_kind_of_frame_is_found_where_it_was_built),
	TEST(tcp_options_of_every_length_are_skipped),
	TEST(four_vlan_tags_are_parsed_and_a_fifth_is_refused),
	TEST(shortness_is_that_of_the_ip_packet),
	TEST(other_ethertypes_are_refused),
	TEST(ipv4_version_and_header_length_are_checked),
	TEST(ipv6_version_is_checked),
	TEST(ip_length_zero_short_or_beyond_the_frame_is_refused),
	TEST(ipv4_header_checksum_is_verified_in_every_bit),
	TEST(both_zeros_of_the_ipv4_checksum_are_accepted),
	TEST(every_ipv4_fragment_is_refused),
	TEST(only_tcp_and_udp_pass_and_ipv6_extensions_have_a_name),
	TEST(udp_length_other_than_the_ip_payload_is_refused),
	TEST(udp_header_cut_by_the_ip_length_is_refused),
	TEST(tcp_data_offset_below_20_or_beyond_the_payload_is_refused),
	TEST(tcp_header_cut_by_the_ip_length_is_refused),
	TEST(tcp_syn_fin_rst_and_urg_are_refused),
	TEST(empty_payload_is_refused),
	TEST(uet_and_roce_are_known_by_destination_port_alone),
	TEST(every_roce_opcode_has_its_region_or_is_refused),
	TEST(roce_region_of_zero_bytes_or_less_than_its_pad_is_refused),
	TEST(roce_headers_and_icrc_beyond_the_udp_length_are_refused),
	TEST(roce_transport_version_other_than_zero_is_refused),
	TEST(trailer_after_the_ip_packet_is_not_in_the_region),
	TEST(frame_of_60_bytes_is_short_and_of_61_is_not),
	TEST(largest_packets_are_measured_without_wrapping),
	TEST(frame_cut_at_any_byte_is_eligible_only_with_its_whole_ip_packet),
	TEST(mangled_frames_never_have_a_region_outside_the_frame),
	TEST(refused_frame_leaves_the_result_alone),
	TEST(every_reason_has_a_name_of_its_own),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("wire_parse", tests);
}
