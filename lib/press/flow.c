/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#define ALLOW_EXPERIMENTAL_API /* rte_net_skip_ip6_ext() */

#include <string.h>

#include <rte_hash_crc.h>
#include <rte_net.h>

#include "fields.h"
#include "linepress/flow.h"

#define ETHER_TYPE_MIN 0x0600 /* below, it is the length of an IEEE 802.3 frame */

#define ROCE_MARK (UINT64_C(1) << 40) /* a queue pair is not two ports */
#define NOT_IP_MARK (UINT64_C(1) << 41)

/*
 * Words, so that the hash may read it as such: addresses, then protocol, and ports or queue pair.
 * What is absent is zero.
 */
struct flow_key {
	uint64_t address[4];
	uint64_t rest;
};

/* What the layers below IP tell of a packet's payload. */
struct ip_payload {
	uint32_t off;
	uint8_t protocol;
	bool is_whole; /* not a fragment, and all headers before it were there */
};

/*
 * Where the layers above start. rte_net_get_ptype() does not follow as many tags as may be on the
 * line.
 */
static uint32_t
skip_tags(const struct rte_mbuf *m, uint16_t *ether_type)
{
	uint32_t off = offsetof(struct rte_ether_hdr, ether_type);
	rte_be16_t copy;

	*ether_type = 0;
	for (unsigned int tags = 0; tags <= LP_VLAN_TAGS_PARSED; tags++, off += RTE_VLAN_HLEN) {
		const void *p = rte_pktmbuf_read(m, off, sizeof(copy), &copy);

		if (p == NULL)
			break;
		memcpy(&copy, p, sizeof(copy));
		*ether_type = rte_be_to_cpu_16(copy);
		if (!field_is_vlan(*ether_type))
			break;
	}
	return off + RTE_ETHER_TYPE_LEN;
}

static bool
read_ipv4(const struct rte_mbuf *m, uint32_t off, struct flow_key *key, struct ip_payload *payload)
{
	const rte_be16_t fragment = RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK);
	struct rte_ipv4_hdr ip;
	const void *p = rte_pktmbuf_read(m, off, sizeof(ip), &ip);

	if (p == NULL)
		return false;
	memcpy(&ip, p, sizeof(ip));
	if (ip.version != IPVERSION || rte_ipv4_hdr_len(&ip) < sizeof(ip))
		return false;
	memcpy(&key->address[0], &ip.src_addr, sizeof(ip.src_addr));
	memcpy(&key->address[1], &ip.dst_addr, sizeof(ip.dst_addr));
	payload->off = off + rte_ipv4_hdr_len(&ip);
	payload->protocol = ip.next_proto_id;
	payload->is_whole = (ip.fragment_offset & fragment) == 0;
	return true;
}

static bool
read_ipv6(const struct rte_mbuf *m, uint32_t off, struct flow_key *key, struct ip_payload *payload)
{
	struct rte_ipv6_hdr ip;
	const void *p = rte_pktmbuf_read(m, off, sizeof(ip), &ip);
	int is_fragment = 0;

	if (p == NULL)
		return false;
	memcpy(&ip, p, sizeof(ip));
	if (rte_be_to_cpu_32(ip.vtc_flow) >> 28 != 6)
		return false;
	memcpy(&key->address[0], ip.src_addr, sizeof(ip.src_addr));
	memcpy(&key->address[2], ip.dst_addr, sizeof(ip.dst_addr));
	payload->off = off + (uint32_t)sizeof(ip);

	const int protocol = rte_net_skip_ip6_ext(ip.proto, m, &payload->off, &is_fragment);

	payload->protocol = protocol < 0 ? ip.proto : (uint8_t)protocol;
	payload->is_whole = protocol >= 0 && is_fragment == 0;
	return true;
}

/* Destination queue pair, after the UDP header; 0 if the frame ends before. */
static uint32_t
queue_pair(const struct rte_mbuf *m, uint32_t off)
{
	uint8_t copy[BTH_QP_LEN];
	const uint8_t *qp = rte_pktmbuf_read(m, off + UDP_HDR_LEN + BTH_QP_OFF, sizeof(copy), copy);

	return qp == NULL ? 0 : (uint32_t)(qp[0] << 16 | qp[1] << 8 | qp[2]);
}

/* What tells the flows between two addresses apart, by protocol. */
static uint64_t
read_l4(const struct rte_mbuf *m, const struct ip_payload *payload)
{
	const uint64_t protocol = (uint64_t)payload->protocol << 32;
	rte_be16_t port[2]; /* source and destination: first in TCP, UDP and SCTP */
	const void *p;

	if (!payload->is_whole ||
			(payload->protocol != IPPROTO_TCP && payload->protocol != IPPROTO_UDP &&
					payload->protocol != IPPROTO_SCTP))
		return protocol;
	p = rte_pktmbuf_read(m, payload->off, sizeof(port), port);
	if (p == NULL)
		return protocol;
	memcpy(port, p, sizeof(port));
	if (payload->protocol == IPPROTO_UDP && port[1] == RTE_BE16(PORT_ROCE))
		return protocol | ROCE_MARK | queue_pair(m, payload->off);
	return protocol | (uint32_t)rte_be_to_cpu_16(port[0]) << 16 | rte_be_to_cpu_16(port[1]);
}

static void
read_ether(const struct rte_mbuf *m, uint16_t ether_type, struct flow_key *key)
{
	uint8_t copy[2 * RTE_ETHER_ADDR_LEN];
	const void *p = rte_pktmbuf_read(m, 0, sizeof(copy), copy);

	if (p != NULL)
		memcpy(key->address, p, sizeof(copy));
	key->rest = NOT_IP_MARK | (ether_type < ETHER_TYPE_MIN ? 0 : ether_type);
}

uint32_t
lp_flow_hash(const struct rte_mbuf *m)
{
	struct flow_key key = { 0 };
	struct ip_payload payload;
	uint16_t ether_type;
	const uint32_t off = skip_tags(m, &ether_type);

	if ((ether_type == RTE_ETHER_TYPE_IPV4 && read_ipv4(m, off, &key, &payload)) ||
			(ether_type == RTE_ETHER_TYPE_IPV6 && read_ipv6(m, off, &key, &payload)))
		key.rest = read_l4(m, &payload);
	else
		read_ether(m, ether_type, &key);
	return rte_hash_crc(&key, sizeof(key), UINT32_MAX);
}
