/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_jhash.h>

#include "flows.h"
#include "message.h"

#define QUEUES_MAX 256 /* numbers of queues have a byte */

/* A frame or a flow, to be sorted. */
struct item {
	uint64_t key;
	uint32_t index;
};

static int
compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/** What the frames of a flow have in common; zero where there is nothing. */
struct flow_key {
	uint32_t addresses[8]; /**< not bytes: rte_jhash() reads words */
	uint32_t ports;
	uint16_t type;
	uint16_t protocol;
};

static void
take_ports(struct flow_key *key, const uint8_t *frame, uint32_t len, uint32_t off)
{
	if ((key->protocol == IPPROTO_TCP || key->protocol == IPPROTO_UDP) &&
			off + sizeof(key->ports) <= len)
		memcpy(&key->ports, frame + off, sizeof(key->ports));
}

/* Fragments have no ports, except the first: it goes with the others. */
static void
take_ipv4(struct flow_key *key, const uint8_t *frame, uint32_t len, uint32_t off)
{
	struct rte_ipv4_hdr ip;

	memcpy(&ip, frame + off, sizeof(ip));
	key->protocol = ip.next_proto_id;
	key->addresses[0] = ip.src_addr;
	key->addresses[1] = ip.dst_addr;
	if ((ip.fragment_offset & RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) == 0)
		take_ports(key, frame, len, off + rte_ipv4_hdr_len(&ip));
}

static void
take_ipv6(struct flow_key *key, const uint8_t *frame, uint32_t len, uint32_t off)
{
	struct rte_ipv6_hdr ip;

	memcpy(&ip, frame + off, sizeof(ip));
	key->protocol = ip.proto;
	memcpy(key->addresses, ip.src_addr, sizeof(ip.src_addr));
	memcpy(key->addresses + 4, ip.dst_addr, sizeof(ip.dst_addr));
	take_ports(key, frame, len, off + sizeof(ip));
}

/* Two flows of one hash count as one: that does no harm. */
static uint32_t
hash_frame(const uint8_t *frame, uint32_t len)
{
	uint32_t off = 2 * RTE_ETHER_ADDR_LEN;
	struct flow_key key = { 0 };

	for (; off + sizeof(key.type) <= len; off += RTE_VLAN_HLEN) {
		key.type = (uint16_t)(frame[off] << 8 | frame[off + 1]);
		if (key.type != RTE_ETHER_TYPE_VLAN && key.type != RTE_ETHER_TYPE_QINQ)
			break;
	}
	off += sizeof(key.type);
	if (key.type == RTE_ETHER_TYPE_IPV4 && off + sizeof(struct rte_ipv4_hdr) <= len)
		take_ipv4(&key, frame, len, off);
	else if (key.type == RTE_ETHER_TYPE_IPV6 && off + sizeof(struct rte_ipv6_hdr) <= len)
		take_ipv6(&key, frame, len, off);
	else
		memcpy(key.addresses, frame, RTE_MIN(len, 2u * RTE_ETHER_ADDR_LEN));
	return rte_jhash(&key, sizeof(key), 0);
}

int
flows_find(struct flows *flows, const struct capture *cap)
{
	struct item *item = calloc(cap->count, sizeof(*item));

	*flows = (struct flows){
		.of_frame = calloc(cap->count, sizeof(*flows->of_frame)),
		.bytes = calloc(cap->count, sizeof(*flows->bytes)),
	};
	if (item == NULL || flows->of_frame == NULL || flows->bytes == NULL) {
		free(item);
		flows_free(flows);
		return complain("out of memory");
	}
	for (size_t i = 0; i < cap->count; i++)
		item[i] = (struct item){
			.key = hash_frame(capture_data(cap, &cap->frames[i]), cap->frames[i].len),
			.index = (uint32_t)i,
		};
	qsort(item, cap->count, sizeof(*item), compare);
	for (size_t i = 0; i < cap->count; i++) {
		if (i == 0 || item[i].key != item[i - 1].key)
			flows->count++;
		flows->of_frame[item[i].index] = flows->count - 1;
		flows->bytes[flows->count - 1] += cap->frames[item[i].index].len;
	}
	free(item);
	return 0;
}

/* Largest first, each to the queue that has least. */
int
flows_spread(const struct flows *flows, unsigned int nb_queues, uint8_t *queue)
{
	struct item *item = calloc(flows->count, sizeof(*item));
	uint64_t load[QUEUES_MAX] = { 0 };

	if (item == NULL)
		return complain("out of memory");
	for (uint32_t i = 0; i < flows->count; i++)
		item[i] = (struct item){ .key = UINT64_MAX - flows->bytes[i], .index = i };
	qsort(item, flows->count, sizeof(*item), compare);
	for (uint32_t i = 0; i < flows->count; i++) {
		unsigned int least = 0;

		for (unsigned int q = 1; q < nb_queues; q++)
			if (load[q] < load[least])
				least = q;
		queue[item[i].index] = (uint8_t)least;
		load[least] += flows->bytes[item[i].index];
	}
	free(item);
	return 0;
}

void
flows_free(struct flows *flows)
{
	free(flows->of_frame);
	free(flows->bytes);
	memset(flows, 0, sizeof(*flows));
}
