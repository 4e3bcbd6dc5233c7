/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_GROUPED_H
#define LP_GROUPED_H

/**
 * @file
 * Body of a grouped code. This is the format; kernels differ only in how they get there.
 *
 * ```
 * base            1 byte
 * edges           the bytes before the first and after the last whole element
 * chunk ...       of LP_GROUPED_CHUNK elements, the last one shorter
 *
 * chunk of n elements:
 *   raw planes    lp_raw_bytes(type, n) bytes, see planes.h
 *   level 0       n bits: does the element's rank go beyond group 0?
 *   dense suffix  n bits for each suffix bit that all groups have, lowest bit first
 *   sparse bits   level 1: one bit for each element beyond group 0, in order; level 2: for each
 *                 beyond group 1; ... then for each further suffix bit, lowest first, one bit
 *                 for each element whose group has it
 *   escapes       one byte for each element with the escape rank: its exponent
 * ```
 *
 * Level 0 and each dense suffix plane end with zero bits up to a full byte; the sparse bits run
 * on from level to level and end so once. All bit runs are LSB-first.
 *
 * Level j needs no more than level j-1 to be unpacked, 64 elements at a time, so that no
 * element waits for the element before it.
 */

#include <string.h>

#include "bits.h"
#include "book.h"
#include "type.h"

/** Elements coded together: a frame of 9000 bytes is one chunk, and the planes fit in L1. */
#define LP_GROUPED_CHUNK 16384

/** Bytes that the sparse bits of n elements may take, at the very most. */
#define LP_GROUPED_SPARSE_MAX(n) (((n) + 7) / 8 * (LP_GROUPS_MAX - 1 + LP_GROUP_SUFFIX_MAX))

/** Where whole elements are in a region. */
struct lp_span {
	size_t lead;  /**< bytes before the first whole element */
	size_t count; /**< whole elements */
	size_t tail;  /**< bytes after the last */
};

/** Whole elements of 2^log2 bytes; constant parts fold if `log2` is constant. */
static inline struct lp_span
lp_span_of_log2(unsigned int log2, unsigned int phase, size_t len)
{
	struct lp_span s;

	s.lead = -(size_t)phase & lp_low_mask(log2);
	if (s.lead > len)
		s.lead = len;
	s.count = (len - s.lead) >> log2;
	s.tail = len - s.lead - (s.count << log2);
	return s;
}

static inline struct lp_span
lp_span_of(enum lp_type type, unsigned int phase, size_t len)
{
	return lp_span_of_log2(lp_type_log2(type), phase, len);
}

/** Bit planes of one chunk, a word for 64 elements. */
struct lp_grouped_planes {
	uint64_t level[LP_GROUPS_MAX - 1][LP_GROUPED_CHUNK / 64];
	uint64_t suffix[LP_GROUP_SUFFIX_MAX][LP_GROUPED_CHUNK / 64];
};

/** Levels of a code: unary bits of its last group. */
static inline unsigned int
lp_grouped_levels(const struct lp_grouped *g)
{
	return g->shape.groups - 1u;
}

/** Bits of a word that stand for elements of a chunk of n. */
static inline uint64_t
lp_grouped_valid(size_t n, size_t word)
{
	return n - 64 * word >= 64 ? ~UINT64_C(0) : lp_low_mask((unsigned int)(n - 64 * word));
}

/** Elements of a word that go beyond a group. */
static inline uint64_t
lp_grouped_beyond(const struct lp_grouped *g, const struct lp_grouped_planes *planes,
		unsigned int group, size_t word)
{
	return group < lp_grouped_levels(g) ? planes->level[group][word] : 0;
}

/** Elements of a word whose group has suffix bit b. */
static inline uint64_t
lp_grouped_suffix_mask(const struct lp_grouped *g, const struct lp_grouped_planes *planes,
		unsigned int b, size_t n, size_t word)
{
	uint64_t at_least = lp_grouped_valid(n, word), mask = 0;

	for (unsigned int group = 0; group < g->shape.groups; group++) {
		const uint64_t beyond = lp_grouped_beyond(g, planes, group, word);

		if (g->shape.suffix_bits[group] > b)
			mask |= at_least & ~beyond;
		at_least = beyond;
	}
	return mask;
}

/** Write base and edges; the caller has checked the room. Returns their end. */
static inline uint8_t *
lp_grouped_put_edges(uint8_t *dst, uint8_t base, const struct lp_span *span, const uint8_t *src,
		size_t len)
{
	*dst++ = base;
	if (span->lead + span->tail == 0)
		return dst;
	memcpy(dst, src, span->lead);
	memcpy(dst + span->lead, src + len - span->tail, span->tail);
	return dst + span->lead + span->tail;
}

/** Put the edges of a body back; returns where its first chunk starts, or NULL if it is cut. */
static inline const uint8_t *
lp_grouped_get_edges(const uint8_t *body, size_t body_len, const struct lp_span *span, uint8_t *dst,
		size_t len)
{
	if (body_len < 1 + span->lead + span->tail)
		return NULL;
	if (span->lead + span->tail == 0)
		return body + 1;
	memcpy(dst, body + 1, span->lead);
	memcpy(dst + len - span->tail, body + 1 + span->lead, span->tail);
	return body + 1 + span->lead + span->tail;
}

#endif /* LP_GROUPED_H */
