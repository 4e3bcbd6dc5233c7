/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <string.h>

#include <isa-l/crc.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "message.h"
#include "roce_frames.h"

#define ROCE_PORT 4791
#define SOURCE_PORT 49152 /* of the first queue pair */
#define WRITE_MIDDLE 0x07
#define DEFAULT_PKEY 0xffff
#define ICRC_BYTES 4
#define TTL 64
#define ECT_0 2 /* as hosts with DCQCN send */

/** Base transport header of InfiniBand. */
struct bth {
	uint8_t opcode;
	uint8_t flags;
	rte_be16_t pkey;
	rte_be32_t qp;	/**< upper 8 bits change on the way */
	rte_be32_t psn; /**< upper bit asks for an acknowledgement */
} __attribute__((packed));

/** Headers of a frame. */
struct head {
	struct rte_ether_hdr ether;
	struct rte_ipv4_hdr ip;
	struct rte_udp_hdr udp;
	struct bth bth;
} __attribute__((packed, aligned(2)));

static void
fill_head(struct head *head, size_t packet_bytes, unsigned int flow, uint32_t psn)
{
	const size_t udp_len = sizeof(head->udp) + sizeof(head->bth) + packet_bytes + ICRC_BYTES;

	*head = (struct head){
		.ether = {
			.dst_addr.addr_bytes = { 0x02, 0, 0, 0, 0, 0x02 },
			.src_addr.addr_bytes = { 0x02, 0, 0, 0, 0, 0x01 },
			.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV4),
		},
		.ip = {
			.version_ihl = RTE_IPV4_VHL_DEF,
			.type_of_service = ECT_0,
			.total_length = rte_cpu_to_be_16((uint16_t)(sizeof(head->ip) + udp_len)),
			.fragment_offset = RTE_BE16(RTE_IPV4_HDR_DF_FLAG),
			.time_to_live = TTL,
			.next_proto_id = IPPROTO_UDP,
			.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 1)),
			.dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 2)),
		},
		.udp = {
			.src_port = rte_cpu_to_be_16((uint16_t)(SOURCE_PORT + flow)),
			.dst_port = RTE_BE16(ROCE_PORT),
			.dgram_len = rte_cpu_to_be_16((uint16_t)udp_len),
		},
		.bth = {
			.opcode = WRITE_MIDDLE,
			.pkey = RTE_BE16(DEFAULT_PKEY),
			.qp = rte_cpu_to_be_32(flow + 1),
			.psn = rte_cpu_to_be_32(psn),
		},
	};
	head->ip.hdr_checksum = rte_ipv4_cksum(&head->ip);
}

/* Over all from the IP header on, behind 8 bytes of ones; what changes on the way counts as ones.
 */
static uint32_t
icrc(const struct head *head, const uint8_t *payload, size_t len)
{
	struct head masked = *head;
	uint8_t ones[8];

	memset(ones, 0xff, sizeof(ones));
	masked.ip.type_of_service = 0xff;
	masked.ip.time_to_live = 0xff;
	masked.ip.hdr_checksum = 0xffff;
	masked.udp.dgram_cksum = 0xffff;
	masked.bth.qp |= RTE_BE32(0xff000000);
	uint32_t crc = crc32_gzip_refl(0, ones, sizeof(ones));

	crc = crc32_gzip_refl(crc, (const uint8_t *)&masked.ip,
			sizeof(masked) - offsetof(struct head, ip));
	return crc32_gzip_refl(crc, payload, len);
}

/* Flows that carry one and the same tensor. */
static size_t
flows_of_each(size_t tensors)
{
	return (ROCE_FLOWS + tensors - 1) / tensors;
}

/*
 * As dataset_cut() has it, packets come from all tensors in turn. A flow carries one of them from
 * start to end, as a message does.
 */
static size_t
packet_of(size_t flow, size_t psn, size_t tensors)
{
	const size_t place = psn * flows_of_each(tensors) + flow / tensors;

	return place * tensors + flow % tensors;
}

static void
append(struct capture *cap, const struct packets *packets, size_t tensors)
{
	const unsigned int flow = (unsigned int)(cap->count % ROCE_FLOWS);
	const size_t psn = cap->count / ROCE_FLOWS;
	const uint8_t *payload = packets->bytes +
			packet_of(flow, psn, tensors) * packets->packet_bytes;
	uint8_t *frame = cap->arena + cap->bytes;
	struct head head;

	fill_head(&head, packets->packet_bytes, flow, (uint32_t)psn);
	const rte_le32_t crc = rte_cpu_to_le_32(icrc(&head, payload, packets->packet_bytes));

	memcpy(frame, &head, sizeof(head));
	memcpy(frame + sizeof(head), payload, packets->packet_bytes);
	memcpy(frame + sizeof(head) + packets->packet_bytes, &crc, sizeof(crc));
	cap->frames[cap->count] = (struct capture_frame){
		.offset = cap->bytes,
		.number = cap->count + 1,
		.len = cap->longest,
	};
	cap->bytes += cap->longest;
	cap->count++;
}

struct capture *
roce_frames_make(const struct dataset *data, enum lp_type type, size_t packet_bytes)
{
	struct capture *cap = calloc(1, sizeof(*cap));
	const size_t tensors = data->set[type][DATASET_EVAL].count;
	const size_t needed = tensors * flows_of_each(tensors) * (ROCE_FRAMES / ROCE_FLOWS);
	struct packets packets;

	if (dataset_cut(data, type, DATASET_EVAL, packet_bytes, needed, &packets) < 0) {
		free(cap);
		return NULL;
	}
	if (cap != NULL) {
		cap->longest = (uint32_t)(sizeof(struct head) + packet_bytes + ICRC_BYTES);
		cap->frames = calloc(ROCE_FRAMES, sizeof(*cap->frames));
		cap->arena = malloc((size_t)ROCE_FRAMES * cap->longest);
	}
	if (cap == NULL || cap->frames == NULL || cap->arena == NULL) {
		complain("out of memory");
		capture_free(cap);
		cap = NULL;
	}
	while (cap != NULL && cap->count < ROCE_FRAMES)
		append(cap, &packets, tensors);
	free(packets.bytes);
	return cap;
}
