/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "bytes.h"
#include "cksum.h"
#include "fields.h"
#include "shim.h"

/*
 * No host accepts valid ^ POISON: two checksums are equivalent only if they are equal or are
 * 0x0000 and 0xFFFF, which differ in all bits.
 */
#define POISON 0x5555

/* RFC 1624, eqn 3: HC' = ~(~HC + ~m + m'). */
static uint16_t
cksum_adjust(uint16_t cksum, uint16_t from, uint16_t to)
{
	const uint32_t sum = (uint16_t)~cksum + (uint16_t)~from + to;

	return (uint16_t)~__rte_raw_cksum_reduce(sum);
}

/* The UDP length needs no check of its own: it is never above the IP length. */
static int
lengths_change(uint8_t *head, const struct lp_frame *frame, int delta)
{
	uint8_t *const ip_length = head + field_ip_length_off(frame);
	uint8_t *const ip_cksum = head + field_ip_cksum_off(frame);
	uint8_t *const udp_length = head + frame->l4_off + offsetof(struct rte_udp_hdr, dgram_len);
	const uint16_t from = load_be16(ip_length);
	const int to = from + delta;

	if (to > UINT16_MAX)
		return -EMSGSIZE;
	store_be16(ip_length, (uint16_t)to);
	if (frame->ip_version == 4)
		store_be16(ip_cksum, cksum_adjust(load_be16(ip_cksum), from, (uint16_t)to));
	if (frame->l4 != LP_L4_TCP)
		store_be16(udp_length, (uint16_t)(load_be16(udp_length) + delta));
	return 0;
}

/*
 * Headers and shim are an even number of bytes, so the body (with the ICRC behind it) may be
 * summed on its own; 64 KiB of 0xFF do not overflow 32 bits.
 */
static uint16_t
l4_cksum(const uint8_t *head, const struct lp_frame *frame, size_t shim_len, const uint8_t *body,
		size_t body_len)
{
	const size_t l4_head_len = frame->region_off - frame->l4_off + shim_len;
	const uint16_t l4_len = (uint16_t)(l4_head_len + body_len + frame->icrc_len);
	const uint8_t *addresses;
	size_t addresses_len;
	uint32_t sum;

	sum = rte_cpu_to_be_16(field_protocol(frame)) + rte_cpu_to_be_16(l4_len);
	addresses = field_addresses(head, frame, &addresses_len);
	sum = __rte_raw_cksum(addresses, addresses_len, sum);
	sum = __rte_raw_cksum(head + frame->l4_off, l4_head_len, sum);
	sum = lp_cksum_add(body, body_len + frame->icrc_len, sum);
	return rte_be_to_cpu_16((uint16_t)~__rte_raw_cksum_reduce(sum));
}

void
lp_frame_seal(uint8_t *head, const struct lp_frame *frame, struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, const uint8_t *body, size_t body_len)
{
	uint8_t *const cksum = head + field_l4_cksum_off(frame);
	const size_t shim_len = lp_shim_len(shim->flags);
	const size_t region_len = shim_len + body_len;
	uint16_t poisoned;
	int ret;

	assert(shim->type == LP_SHIM_STORED ? body_len == frame->region_len
					    : region_len + LP_SHIM_SAVING_MIN <= frame->region_len);

	shim->orig_len = frame->region_len;
	shim->orig_cksum = load_be16(cksum);
	lp_shim_write(head, frame, shim, key, digest, (uint16_t)region_len);
	ret = lengths_change(head, frame, (int)region_len - frame->region_len);
	assert(ret == 0);
	(void)ret;

	if ((shim->flags & LP_SHIM_F_CKSUM) == 0)
		return;
	store_be16(cksum, 0);
	poisoned = l4_cksum(head, frame, shim_len, body, body_len) ^ POISON;
	store_be16(cksum, poisoned != 0 ? poisoned : UINT16_MAX);
}

int
lp_frame_sealable(const uint8_t *head, const struct lp_frame *frame)
{
	return frame->ip_version != 4 || load_be16(head + field_ip_cksum_off(frame)) != UINT16_MAX;
}

int
lp_frame_unseal(uint8_t *head, const struct lp_frame *frame, const struct lp_shim *shim)
{
	const int ret = lengths_change(head, frame, shim->orig_len - frame->region_len);

	if (ret != 0)
		return ret;
	if (shim->flags & LP_SHIM_F_CKSUM)
		store_be16(head + field_l4_cksum_off(frame), shim->orig_cksum);
	return 0;
}
