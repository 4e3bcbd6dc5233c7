/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdbool.h>

#include "bytes.h"
#include "fields.h"
#include "shim.h"
#include "siphash.h"

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

/* The shim without its tag, as little-endian numbers of its bytes. */
struct shim_words {
	uint64_t first; /* up to the original length */
	uint16_t orig_cksum;
	uint32_t check; /* only if there is one */
};

static inline struct shim_words
words_read(const uint8_t *p)
{
	const bool has_check = (p[OFF_FLAGS] & LP_SHIM_F_CHECK) != 0;

	return (struct shim_words){
		.first = load_le64(p),
		.orig_cksum = rte_bswap16(load_be16(p + OFF_ORIG_CKSUM)),
		.check = has_check ? rte_bswap32(load_be32(p + OFF_CHECK)) : 0,
	};
}

/*
 * What the tag covers is what the line must not change: a switch may change TTL, TOS and VLAN
 * tags of a good frame. The UDP source port of RoCE is entropy for ECMP, its queue pair is the
 * address. The digest is part of it so that a frame coded with another book of the same
 * number is refused instead of decoded to garbage.
 */
static inline __attribute__((always_inline)) uint16_t
tag_of(const struct shim_words *shim, bool has_check, const uint8_t *head,
		const struct lp_frame *frame, const struct lp_key *key, uint64_t digest,
		uint16_t region_len)
{
	const uint8_t *const l4 = head + frame->l4_off;
	const uint8_t *addresses;
	size_t addresses_len;
	struct siphash s;

	siphash_begin(&s, key);
	siphash_put(&s, shim->first, 8, 1);
	siphash_put(&s, shim->orig_cksum, 2, 1);
	if (has_check)
		siphash_put(&s, shim->check, 4, 1);
	siphash_put(&s, rte_bswap64(digest), 8, 1);
	addresses = field_addresses(head, frame, &addresses_len);
	for (size_t k = 0; k < addresses_len; k += 8)
		siphash_put(&s, load_le64(addresses + k), 8, 1);
	siphash_put(&s, field_protocol(frame), 1, 1);
	if (frame->l4 == LP_L4_ROCE)
		siphash_put(&s, rte_bswap32(load_be32(l4 + UDP_HDR_LEN + BTH_QP_OFF - 1) << 8), 3,
				1);
	else
		siphash_put(&s, rte_bswap32(load_be32(l4)), 4, 1);
	siphash_put(&s, rte_bswap16(region_len), 2, 1);
	return (uint16_t)siphash_end(&s, 1, 3);
}

static uint16_t
shim_tag(const struct shim_words *shim, const uint8_t *head, const struct lp_frame *frame,
		const struct lp_key *key, uint64_t digest, uint16_t region_len)
{
	if (shim->first >> 8 * OFF_FLAGS & LP_SHIM_F_CHECK)
		return tag_of(shim, true, head, frame, key, digest, region_len);
	return tag_of(shim, false, head, frame, key, digest, region_len);
}

void
lp_shim_write(uint8_t *head, const struct lp_frame *frame, const struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, uint16_t region_len)
{
	uint8_t *const p = head + frame->region_off;
	const uint8_t layout = (uint8_t)(shim->element_log2 << LAYOUT_ELEMENT_SHIFT |
			shim->phase << LAYOUT_PHASE_SHIFT);
	const struct shim_words words = {
		.first = (uint64_t)rte_bswap16(LP_SHIM_MAGIC) << 8 * OFF_MAGIC |
				(uint64_t)(LP_SHIM_VERSION << 4 | shim->type) << 8 * OFF_TYPE |
				(uint64_t)shim->flags << 8 * OFF_FLAGS |
				(uint64_t)shim->book_id << 8 * OFF_BOOK |
				(uint64_t)layout << 8 * OFF_LAYOUT |
				(uint64_t)rte_bswap16(shim->orig_len) << 8 * OFF_ORIG_LEN,
		.orig_cksum = rte_bswap16(shim->orig_cksum),
		.check = rte_bswap32(shim->check),
	};

	store_le64(p, words.first);
	store_be16(p + OFF_ORIG_CKSUM, shim->orig_cksum);
	if (shim->flags & LP_SHIM_F_CHECK)
		store_be32(p + OFF_CHECK, shim->check);
	store_be16(p + OFF_TAG, shim_tag(&words, head, frame, key, digest, region_len));
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

/*
 * Of a region that nobody verifies but hosts, by 16 bits of sum, no box has ever sent a shim
 * without check. RoCE may have one or not: the adapter verifies the ICRC.
 */
static bool
lacks_check(const struct lp_shim *shim, const struct lp_frame *frame)
{
	return frame->l4 != LP_L4_ROCE && (shim->flags & LP_SHIM_F_CHECK) == 0;
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
	if (lacks_check(&found, frame))
		return LP_OPEN_NO_CHECK;

	if (found.type == LP_SHIM_CODED) {
		book = digest[found.book_id];
		if (book == 0)
			return LP_OPEN_UNKNOWN_BOOK;
	}
	const struct shim_words words = words_read(p);

	if (load_be16(p + OFF_TAG) != shim_tag(&words, head, frame, key, book, frame->region_len))
		return LP_OPEN_BAD_TAG;
	return LP_OPEN_SEALED;
}
