/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdbool.h>

#include <rte_common.h>
#include <rte_ether.h>

#include "bytes.h"
#include "fields.h"
#include "roce.h"

#define PORT_UET 4793

#define IPV4_IHL_MIN 5
#define TCP_FLAGS_REFUSED \
	(RTE_TCP_FIN_FLAG | RTE_TCP_SYN_FLAG | RTE_TCP_RST_FLAG | RTE_TCP_URG_FLAG)

/* Payload of an IP packet. */
struct ip_payload {
	uint8_t protocol;
	uint16_t len;
};

static enum lp_ineligible
parse_ether(const uint8_t *head, struct lp_frame *frame)
{
	size_t off = offsetof(struct rte_ether_hdr, ether_type);
	uint16_t ether_type = load_be16(head + off);

	for (; field_is_vlan(ether_type); frame->vlan_tags++) {
		if (frame->vlan_tags == LP_VLAN_TAGS_PARSED)
			return LP_INELIGIBLE_VLAN_DEPTH;
		off += RTE_VLAN_HLEN;
		ether_type = load_be16(head + off);
	}
	if (ether_type != RTE_ETHER_TYPE_IPV4 && ether_type != RTE_ETHER_TYPE_IPV6)
		return LP_INELIGIBLE_ETHERTYPE;
	frame->ip_version = ether_type == RTE_ETHER_TYPE_IPV4 ? 4 : 6;
	frame->l3_off = (uint16_t)(off + RTE_ETHER_TYPE_LEN);
	return LP_ELIGIBLE;
}

static enum lp_ineligible
parse_ipv4(const uint8_t *ip, size_t room, struct ip_payload *payload)
{
	const uint8_t ihl = ip[0] & RTE_IPV4_HDR_IHL_MASK;
	const uint16_t len = load_be16(ip + offsetof(struct rte_ipv4_hdr, total_length));
	const uint16_t fragment = load_be16(ip + offsetof(struct rte_ipv4_hdr, fragment_offset));

	if (ip[0] >> 4 != IPVERSION || ihl < IPV4_IHL_MIN)
		return LP_INELIGIBLE_IP_HEADER;
	if (ihl > IPV4_IHL_MIN)
		return LP_INELIGIBLE_IP_OPTIONS;
	if (len < sizeof(struct rte_ipv4_hdr) || len > room)
		return LP_INELIGIBLE_IP_LENGTH;
	if (rte_raw_cksum(ip, sizeof(struct rte_ipv4_hdr)) != UINT16_MAX)
		return LP_INELIGIBLE_IP_CHECKSUM;
	if (fragment & (RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK))
		return LP_INELIGIBLE_IP_FRAGMENT;
	payload->protocol = ip[offsetof(struct rte_ipv4_hdr, next_proto_id)];
	payload->len = (uint16_t)(len - sizeof(struct rte_ipv4_hdr));
	return LP_ELIGIBLE;
}

static bool
is_ipv6_extension(uint8_t next_header)
{
	switch (next_header) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_FRAGMENT:
	case IPPROTO_ESP:
	case IPPROTO_AH:
	case IPPROTO_DSTOPTS:
	case IPPROTO_MH:
	case 139: /* HIP */
	case 140: /* Shim6 */
		return true;
	default:
		return false;
	}
}

static enum lp_ineligible
parse_ipv6(const uint8_t *ip, size_t room, struct ip_payload *payload)
{
	const uint16_t len = load_be16(ip + offsetof(struct rte_ipv6_hdr, payload_len));

	if (ip[0] >> 4 != 6)
		return LP_INELIGIBLE_IP_HEADER;
	if (len == 0 || len > room - sizeof(struct rte_ipv6_hdr))
		return LP_INELIGIBLE_IP_LENGTH;
	payload->protocol = ip[offsetof(struct rte_ipv6_hdr, proto)];
	payload->len = len;
	return is_ipv6_extension(payload->protocol) ? LP_INELIGIBLE_IPV6_EXTENSION : LP_ELIGIBLE;
}

static enum lp_ineligible
parse_ip(const uint8_t *head, size_t frame_len, struct lp_frame *frame, struct ip_payload *payload)
{
	const size_t room = frame_len - frame->l3_off;
	const size_t header_len = frame->ip_version == 4 ? sizeof(struct rte_ipv4_hdr)
							 : sizeof(struct rte_ipv6_hdr);

	if (room < header_len)
		return LP_INELIGIBLE_SHORT_FRAME;
	frame->l4_off = (uint16_t)(frame->l3_off + header_len);
	return frame->ip_version == 4 ? parse_ipv4(head + frame->l3_off, room, payload)
				      : parse_ipv6(head + frame->l3_off, room, payload);
}

/* The parsers below set region_off relative to the header they are given. */

static enum lp_ineligible
parse_tcp(const uint8_t *tcp, uint16_t len, struct lp_frame *frame)
{
	uint16_t header_len;

	if (len < sizeof(struct rte_tcp_hdr))
		return LP_INELIGIBLE_L4_HEADER;
	header_len = (tcp[offsetof(struct rte_tcp_hdr, data_off)] >> 4) * 4;
	if (header_len < sizeof(struct rte_tcp_hdr) || header_len > len)
		return LP_INELIGIBLE_L4_HEADER;
	if (tcp[offsetof(struct rte_tcp_hdr, tcp_flags)] & TCP_FLAGS_REFUSED)
		return LP_INELIGIBLE_TCP_FLAGS;
	frame->l4 = LP_L4_TCP;
	frame->region_off = header_len;
	frame->region_len = len - header_len;
	return LP_ELIGIBLE;
}

static enum lp_ineligible
parse_roce(const uint8_t *bth, uint16_t len, struct lp_frame *frame)
{
	uint8_t header_len, pad;

	if (len < BTH)
		return LP_INELIGIBLE_ROCE_HEADER;
	header_len = roce_region_off[bth[0]];
	if (header_len == 0)
		return LP_INELIGIBLE_ROCE_OPCODE;
	pad = bth[1] >> 4 & 0x03;
	if ((bth[1] & 0x0f) != 0 || len < header_len + pad + ICRC)
		return LP_INELIGIBLE_ROCE_HEADER;
	frame->l4 = LP_L4_ROCE;
	frame->icrc_len = ICRC;
	frame->region_off = header_len;
	frame->region_len = len - header_len - ICRC;
	return LP_ELIGIBLE;
}

static enum lp_ineligible
parse_udp(const uint8_t *udp, uint16_t len, struct lp_frame *frame)
{
	enum lp_ineligible reason;

	if (len < UDP_HDR_LEN || load_be16(udp + offsetof(struct rte_udp_hdr, dgram_len)) != len)
		return LP_INELIGIBLE_L4_HEADER;

	switch (load_be16(udp + offsetof(struct rte_udp_hdr, dst_port))) {
	case PORT_UET:
		return LP_INELIGIBLE_UET;
	case PORT_ROCE:
		reason = parse_roce(udp + UDP_HDR_LEN, len - UDP_HDR_LEN, frame);
		frame->region_off += UDP_HDR_LEN;
		return reason;
	default:
		frame->l4 = LP_L4_UDP;
		frame->region_off = UDP_HDR_LEN;
		frame->region_len = len - UDP_HDR_LEN;
		return LP_ELIGIBLE;
	}
}

static enum lp_ineligible
parse_l4(const uint8_t *head, const struct ip_payload *payload, struct lp_frame *frame)
{
	enum lp_ineligible reason;

	switch (payload->protocol) {
	case IPPROTO_TCP:
		reason = parse_tcp(head + frame->l4_off, payload->len, frame);
		break;
	case IPPROTO_UDP:
		reason = parse_udp(head + frame->l4_off, payload->len, frame);
		break;
	default:
		return LP_INELIGIBLE_L4_PROTOCOL;
	}
	frame->region_off += frame->l4_off;
	return reason;
}

/*
 * A header is read only once the length that bounds it is known to lie in the frame; the longest
 * headers, 30 bytes to IP, 40 of IPv6 and 60 of TCP, lie in the head.
 */
enum lp_ineligible
lp_frame_parse(const uint8_t *head, size_t frame_len, struct lp_frame *frame)
{
	struct lp_frame found = { 0 };
	struct ip_payload payload;
	enum lp_ineligible reason;

	if (frame_len <= LP_FRAME_PADDED)
		return LP_INELIGIBLE_SHORT_FRAME;
	reason = parse_ether(head, &found);
	if (reason == LP_ELIGIBLE)
		reason = parse_ip(head, frame_len, &found, &payload);
	if (reason == LP_ELIGIBLE)
		reason = parse_l4(head, &payload, &found);
	if (reason != LP_ELIGIBLE)
		return reason;
	if (found.region_len == 0)
		return LP_INELIGIBLE_NO_PAYLOAD;
	if (RTE_ETHER_HDR_LEN + found.l4_off - found.l3_off + payload.len <= LP_FRAME_PADDED)
		return LP_INELIGIBLE_SHORT_FRAME;
	*frame = found;
	return LP_ELIGIBLE;
}

const char *
lp_ineligible_name(enum lp_ineligible reason)
{
	static const char *const names[LP_INELIGIBLE_COUNT] = {
		[LP_ELIGIBLE] = "eligible",
		[LP_INELIGIBLE_SHORT_FRAME] = "short_frame",
		[LP_INELIGIBLE_ETHERTYPE] = "ethertype",
		[LP_INELIGIBLE_VLAN_DEPTH] = "vlan_depth",
		[LP_INELIGIBLE_IP_HEADER] = "ip_header",
		[LP_INELIGIBLE_IP_LENGTH] = "ip_length",
		[LP_INELIGIBLE_IP_CHECKSUM] = "ip_checksum",
		[LP_INELIGIBLE_IP_OPTIONS] = "ip_options",
		[LP_INELIGIBLE_IP_FRAGMENT] = "ip_fragment",
		[LP_INELIGIBLE_IPV6_EXTENSION] = "ipv6_extension",
		[LP_INELIGIBLE_L4_PROTOCOL] = "l4_protocol",
		[LP_INELIGIBLE_L4_HEADER] = "l4_header",
		[LP_INELIGIBLE_TCP_FLAGS] = "tcp_flags",
		[LP_INELIGIBLE_UET] = "uet",
		[LP_INELIGIBLE_ROCE_OPCODE] = "roce_opcode",
		[LP_INELIGIBLE_ROCE_HEADER] = "roce_header",
		[LP_INELIGIBLE_NO_PAYLOAD] = "no_payload",
	};

	return (unsigned int)reason < RTE_DIM(names) ? names[reason] : NULL;
}
