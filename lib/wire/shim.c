/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdbool.h>
#include <string.h>

#include "bytes.h"
#include "fields.h"
#include "shim.h"

enum {
	OFF_MAGIC = 0,
	OFF_TYPE = 2,
	OFF_FLAGS = 3,
	OFF_BOOK = 4,
	OFF_LAYOUT = 5,
	OFF_ORIG_LEN = 6,
	OFF_ORIG_CKSUM = 8,
	OFF_TAG = 10,
	OFF_CHECK = 12,
};

#define FLAGS_FRAME (LP_SHIM_F_CKSUM | LP_SHIM_F_ICRC) /* those that the frame determines */
#define FLAGS_KNOWN (FLAGS_FRAME | LP_SHIM_F_CHECK)

#define LAYOUT_ELEMENT_SHIFT 6
#define LAYOUT_PHASE_SHIFT 4
#define LAYOUT_PHASE_MASK 0x03
#define LAYOUT_ZERO 0x0f
#define ELEMENT_LOG2_MAX 2

/* Shim without tag, digest, two IPv6 addresses, protocol, ports, region length. */
#define TAG_MESSAGE_MAX (LP_SHIM_MAX - 2 + 8 + 32 + 1 + 4 + 2)

/*
 * What the tag covers is what the line must not change: a switch may change TTL, TOS and VLAN
 * tags of a good frame. The UDP source port of RoCE is entropy for ECMP, its queue pair is the
 * address. The digest is part of it so that a frame coded with another book of the same
 * number is refused instead of decoded to garbage.
 */
static uint16_t
shim_tag(const uint8_t *head, const struct lp_frame *frame, const struct lp_key *key,
		uint64_t digest, uint16_t region_len)
{
	const uint8_t *const shim = head + frame->region_off;
	const uint8_t *const l4 = head + frame->l4_off;
	uint8_t message[TAG_MESSAGE_MAX];
	uint8_t *end = message;
	const uint8_t *addresses;
	size_t addresses_len;

	end = mempcpy(end, shim, OFF_TAG);
	if (shim[OFF_FLAGS] & LP_SHIM_F_CHECK)
		end = mempcpy(end, shim + OFF_CHECK, sizeof(uint32_t));
	store_be64(end, digest);
	end += sizeof(digest);
	addresses = field_addresses(head, frame, &addresses_len);
	end = mempcpy(end, addresses, addresses_len);
	*end++ = field_protocol(frame);
	if (frame->l4 == LP_L4_ROCE)
		end = mempcpy(end, l4 + UDP_HDR_LEN + BTH_QP_OFF, BTH_QP_LEN);
	else
		end = mempcpy(end, l4, 2 * sizeof(rte_be16_t));
	store_be16(end, region_len);
	end += sizeof(region_len);
	return (uint16_t)lp_siphash13(key, message, (size_t)(end - message));
}

void
lp_shim_write(uint8_t *head, const struct lp_frame *frame, const struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, uint16_t region_len)
{
	uint8_t *const p = head + frame->region_off;

	store_be16(p + OFF_MAGIC, LP_SHIM_MAGIC);
	p[OFF_TYPE] = (uint8_t)(LP_SHIM_VERSION << 4 | shim->type);
	p[OFF_FLAGS] = shim->flags;
	p[OFF_BOOK] = shim->book_id;
	p[OFF_LAYOUT] = (uint8_t)(shim->element_log2 << LAYOUT_ELEMENT_SHIFT |
			shim->phase << LAYOUT_PHASE_SHIFT);
	store_be16(p + OFF_ORIG_LEN, shim->orig_len);
	store_be16(p + OFF_ORIG_CKSUM, shim->orig_cksum);
	if (shim->flags & LP_SHIM_F_CHECK)
		store_be32(p + OFF_CHECK, shim->check);
	store_be16(p + OFF_TAG, shim_tag(head, frame, key, digest, region_len));
}

uint8_t
lp_shim_flags(const uint8_t *head, const struct lp_frame *frame)
{
	if (frame->l4 != LP_L4_ROCE)
		return LP_SHIM_F_CKSUM | LP_SHIM_F_CHECK;
	if (load_be16(head + field_l4_cksum_off(frame)) == 0)
		return LP_SHIM_F_ICRC;
	return LP_SHIM_F_ICRC | LP_SHIM_F_CKSUM;
}

/*
 * An eligible frame has its region at 122 or before, so the bytes up to the end of the longest
 * shim are in the head if they are in the region.
 */
static bool
shim_read(const uint8_t *p, uint16_t region_len, struct lp_shim *shim)
{
	if (region_len <= LP_SHIM_MIN || load_be16(p + OFF_MAGIC) != LP_SHIM_MAGIC ||
			p[OFF_TYPE] >> 4 != LP_SHIM_VERSION || p[OFF_FLAGS] & ~FLAGS_KNOWN ||
			region_len <= lp_shim_len(p[OFF_FLAGS]) || p[OFF_LAYOUT] & LAYOUT_ZERO)
		return false;

	*shim = (struct lp_shim){
		.type = p[OFF_TYPE] & 0x0f,
		.flags = p[OFF_FLAGS],
		.book_id = p[OFF_BOOK],
		.element_log2 = p[OFF_LAYOUT] >> LAYOUT_ELEMENT_SHIFT,
		.phase = p[OFF_LAYOUT] >> LAYOUT_PHASE_SHIFT & LAYOUT_PHASE_MASK,
		.orig_len = load_be16(p + OFF_ORIG_LEN),
		.orig_cksum = load_be16(p + OFF_ORIG_CKSUM),
	};
	if (shim->flags & LP_SHIM_F_CHECK)
		shim->check = load_be32(p + OFF_CHECK);
	return true;
}

/* Could lp_frame_seal() have put this shim into this frame? */
static bool
shim_fits(const struct lp_shim *shim, const uint8_t *head, const struct lp_frame *frame)
{
	if ((shim->flags & FLAGS_FRAME) != (lp_shim_flags(head, frame) & FLAGS_FRAME))
		return false;
	if (frame->l4 == LP_L4_UDP && load_be16(head + field_l4_cksum_off(frame)) == 0)
		return false;
	if (shim->element_log2 > ELEMENT_LOG2_MAX || shim->phase >> shim->element_log2 != 0)
		return false;

	switch (shim->type) {
	case LP_SHIM_CODED:
		return shim->book_id != 0 &&
				shim->orig_len >= frame->region_len + LP_SHIM_SAVING_MIN;
	case LP_SHIM_STORED:
		return shim->book_id == 0 && shim->element_log2 == 0 &&
				shim->orig_len + lp_shim_len(shim->flags) == frame->region_len;
	default:
		return false;
	}
}

enum lp_open
lp_frame_open(const uint8_t *head, const struct lp_frame *frame, const struct lp_key *key,
		const uint64_t *digest, struct lp_shim *shim)
{
	const uint8_t *const p = head + frame->region_off;
	struct lp_shim found;
	uint64_t book = 0;

	if (!shim_read(p, frame->region_len, &found) || !shim_fits(&found, head, frame))
		return LP_OPEN_RAW;
	*shim = found;

	if (found.type == LP_SHIM_CODED) {
		book = digest[found.book_id];
		if (book == 0)
			return LP_OPEN_UNKNOWN_BOOK;
	}
	if (load_be16(p + OFF_TAG) != shim_tag(head, frame, key, book, frame->region_len))
		return LP_OPEN_BAD_TAG;
	return LP_OPEN_SEALED;
}
