/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <sys/mman.h>

#include "message.h"
#include "workset.h"

#define CACHE_LINE 64
#define PAGE 4096
#define HUGE_PAGE (2 << 20)

/* Header of a mempool's object, mbuf and headroom. */
#define MBUF_OVERHEAD (64 + 128 + 128)

/* Addresses whose distance is a multiple of a page compete for the same places of a cache. */
static size_t
slot_bytes(size_t content)
{
	const size_t bytes = (content + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

	return bytes % PAGE == 0 ? bytes + CACHE_LINE : bytes;
}

size_t
workset_coded_room(size_t packet_bytes)
{
	return packet_bytes + packet_bytes / 2 + 1024;
}

int
workset_init(struct workset *set, const struct packets *packets)
{
	const size_t raw_slot = slot_bytes(packets->packet_bytes + MBUF_OVERHEAD);
	const size_t coded_slot = slot_bytes(
			workset_coded_room(packets->packet_bytes) + MBUF_OVERHEAD);
	const size_t raw_bytes = slot_bytes(packets->count * raw_slot);
	const size_t coded_bytes = slot_bytes(packets->count * coded_slot);
	const size_t all = (2 * raw_bytes + coded_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;

	*set = (struct workset){
		.packet = calloc(packets->count, sizeof(*set->packet)),
		.count = packets->count,
		.packet_bytes = packets->packet_bytes,
		.memory = aligned_alloc(HUGE_PAGE, all),
	};
	if (set->packet == NULL || set->memory == NULL) {
		workset_free(set);
		return complain("out of memory");
	}
	madvise(set->memory, all, MADV_HUGEPAGE);
	memset(set->memory, 0, all);
	for (size_t i = 0; i < packets->count; i++) {
		uint8_t *raw = set->memory + i * raw_slot;

		memcpy(raw, packets->bytes + i * packets->packet_bytes, packets->packet_bytes);
		set->packet[i] = (struct packet){
			.raw = raw,
			.coded = set->memory + raw_bytes + i * coded_slot,
			.back = set->memory + raw_bytes + coded_bytes + i * raw_slot,
			.index = (uint32_t)i,
		};
	}
	return 0;
}

void
workset_free(struct workset *set)
{
	free(set->packet);
	free(set->memory);
	memset(set, 0, sizeof(*set));
}
