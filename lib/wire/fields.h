/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_FIELDS_H
#define LINEPRESS_WIRE_FIELDS_H

/**
 * @file
 * Where the fields that differ between IPv4 and IPv6, TCP and UDP are in a parsed frame.
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "linepress/wire.h"

/** Bytes of a UDP header. */
#define UDP_HDR_LEN sizeof(struct rte_udp_hdr)

/** UDP port of RoCEv2. */
#define PORT_ROCE 4791

/** Offset of the destination queue pair, 3 bytes, in a RoCE base transport header. */
#define BTH_QP_OFF 5
#define BTH_QP_LEN 3

/** Is this the EtherType of a VLAN tag? */
static inline bool
field_is_vlan(uint16_t ether_type)
{
	return ether_type == RTE_ETHER_TYPE_VLAN || ether_type == RTE_ETHER_TYPE_QINQ ||
			ether_type == RTE_ETHER_TYPE_QINQ1;
}

static inline uint8_t
field_protocol(const struct lp_frame *frame)
{
	return frame->l4 == LP_L4_TCP ? IPPROTO_TCP : IPPROTO_UDP;
}

/** Source and destination address, which are neighbours in both versions of IP. */
static inline const uint8_t *
field_addresses(const uint8_t *head, const struct lp_frame *frame, size_t *len)
{
	const uint8_t *const ip = head + frame->l3_off;

	if (frame->ip_version == 4) {
		*len = 2 * sizeof(rte_be32_t);
		return ip + offsetof(struct rte_ipv4_hdr, src_addr);
	}
	*len = 2 * sizeof(((struct rte_ipv6_hdr *)0)->src_addr);
	return ip + offsetof(struct rte_ipv6_hdr, src_addr);
}

/** Offset in the frame of the IPv4 total length or IPv6 payload length. */
static inline size_t
field_ip_length_off(const struct lp_frame *frame)
{
	return frame->l3_off +
			(frame->ip_version == 4 ? offsetof(struct rte_ipv4_hdr, total_length)
						: offsetof(struct rte_ipv6_hdr, payload_len));
}

/** Offset in the frame of the IPv4 header checksum. */
static inline size_t
field_ip_cksum_off(const struct lp_frame *frame)
{
	return frame->l3_off + offsetof(struct rte_ipv4_hdr, hdr_checksum);
}

/** Offset in the frame of the TCP or UDP checksum. */
static inline size_t
field_l4_cksum_off(const struct lp_frame *frame)
{
	return frame->l4_off +
			(frame->l4 == LP_L4_TCP ? offsetof(struct rte_tcp_hdr, cksum)
						: offsetof(struct rte_udp_hdr, dgram_cksum));
}

#endif /* LINEPRESS_WIRE_FIELDS_H */
