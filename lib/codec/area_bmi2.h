/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_AREA_BMI2_H
#define LP_AREA_BMI2_H

/**
 * @file
 * Suffixes of eight symbols at a time, by `pext` and `pdep`. A word has a byte for each symbol; its
 * mask has the bits of the suffix set, its length is the number of these bits.
 */

#include <immintrin.h>

#include "area.h"
#include "huffman_x86.h"

#define LP_AREA_WORDS (LP_AREA_BLOCK / 8)

/**
 * Blocks whose vectors are done first, and then their words, or the other way round: what has just
 * been stored is slow to be loaded in another width. They stay in L1.
 */
#define LP_AREA_BLOCKS 8

/** Bytes that a block of suffixes may take or touch, after the one that is begun. */
#define LP_AREA_SUFFIX_ROOM (LP_AREA_BLOCK * LP_AREA_SUFFIX_MAX / 8 + 16)

/** A block on its way: suffixes, when encoding with whatever is above them. */
struct lp_area_words {
	uint64_t word[LP_AREA_WORDS] __attribute__((aligned(64)));
	uint64_t mask[LP_AREA_WORDS];
	uint64_t length[LP_AREA_WORDS]; /**< only for encoding, where counting bits is slower */
};

/** A stream that is being written, as struct lp_bit_writer. */
struct lp_area_stream {
	uint64_t held;
	uint64_t count;
	uint8_t *next;
};

/** Append at most 56 bits. */
static inline void
lp_area_put_bits(struct lp_area_stream *s, uint64_t bits, uint64_t count)
{
	const uint64_t total = s->count + count;

	s->held |= bits << s->count;
	lp_x86_store64(s->next, s->held);
	s->next += total / 8;
	s->held >>= total & ~UINT64_C(7);
	s->count = total % 8;
}

/** Append at most 64 bits. */
static inline void
lp_area_put_long(struct lp_area_stream *s, uint64_t bits, uint64_t count)
{
	const uint64_t half = count / 2;

	if (count <= 56) {
		lp_area_put_bits(s, bits, count);
		return;
	}
	lp_area_put_bits(s, bits & ((UINT64_C(1) << half) - 1), half);
	lp_area_put_bits(s, bits >> half, count - half);
}

/** Append the suffixes of a block; LP_AREA_SUFFIX_ROOM bytes are there. */
static inline __attribute__((always_inline)) void
lp_area_put_words(struct lp_area_stream *s, const struct lp_area_words *w)
{
#pragma GCC unroll 4
	for (unsigned int k = 0; k < LP_AREA_WORDS; k += 2) {
		const uint64_t first = _pext_u64(w->word[k], w->mask[k]);
		const uint64_t second = _pext_u64(w->word[k + 1], w->mask[k + 1]);
		const uint64_t length = w->length[k], both = length + w->length[k + 1];

		if (__builtin_expect(both <= 56, 1)) {
			lp_area_put_bits(s, first | second << length, both);
			continue;
		}
		lp_area_put_long(s, first, length);
		lp_area_put_long(s, second, both - length);
	}
}

/** Append the suffixes of blocks while there is room for any; returns how many. */
static inline __attribute__((always_inline)) size_t
lp_area_put_blocks(struct lp_bit_writer *w, const struct lp_area_words *words, size_t blocks)
{
	const size_t room = (size_t)(w->end - w->next);
	struct lp_area_stream s = { w->held, w->count, w->next };
	size_t done = blocks;

	if (__builtin_expect(room < LP_AREA_BLOCKS * LP_AREA_SUFFIX_ROOM, 0))
		done = room / LP_AREA_SUFFIX_ROOM < blocks ? room / LP_AREA_SUFFIX_ROOM : blocks;
	for (size_t k = 0; k < done; k++)
		lp_area_put_words(&s, &words[k]);
	w->held = s.held;
	w->count = (unsigned int)s.count;
	w->next = s.next;
	return done;
}

/** 64 bits from a bit on, of which 9 bytes are there. */
static inline uint64_t
lp_area_get_long(const uint8_t *src, uint64_t pos)
{
	const uint8_t *p = src + pos / 8;

	return lp_x86_load64(p) >> pos % 8 | (uint64_t)p[8] << 1 << (63 - pos % 8);
}

/** Scatter the suffixes of a block; LP_AREA_SUFFIX_ROOM bytes from `pos` on are there. */
static inline uint64_t
lp_area_get_words(const uint8_t *src, uint64_t pos, struct lp_area_words *w)
{
#pragma GCC unroll 4
	for (unsigned int k = 0; k < LP_AREA_WORDS; k += 2) {
		const uint64_t length = lp_popcount64(w->mask[k]);
		const uint64_t both = length + lp_popcount64(w->mask[k + 1]);

		if (__builtin_expect(both <= 57, 1)) {
			const uint64_t bits = lp_x86_load64(src + pos / 8) >> pos % 8;

			w->word[k] = _pdep_u64(bits, w->mask[k]);
			w->word[k + 1] = _pdep_u64(bits >> length, w->mask[k + 1]);
		} else {
			w->word[k] = _pdep_u64(lp_area_get_long(src, pos), w->mask[k]);
			w->word[k + 1] = _pdep_u64(
					lp_area_get_long(src, pos + length), w->mask[k + 1]);
		}
		pos += both;
	}
	return pos;
}

/** Suffixes that are being read; near the end of the stream from a copy with zeros after it. */
struct lp_area_reader {
	const uint8_t *src;
	uint64_t pos;	/**< bits from src on */
	uint64_t end;	/**< the stream's */
	uint64_t moved; /**< bits of the stream before src */
	uint8_t tail[3 * LP_AREA_SUFFIX_ROOM];
};

static inline void
lp_area_read(struct lp_area_reader *r, const struct lp_area_body *parts)
{
	r->src = parts->suffix;
	r->pos = 0;
	r->end = parts->suffix_len * 8;
	r->moved = 0;
}

/** Make sure that a block can be read; false if the stream is over. */
static inline bool
lp_area_can_read(struct lp_area_reader *r)
{
	if (__builtin_expect(r->pos + 8 * LP_AREA_SUFFIX_ROOM <= r->end, 1))
		return true;
	if (r->pos > r->end)
		return false;
	if (r->src == r->tail)
		return true;
	const uint64_t from = r->pos / 8;
	const uint64_t left = r->end / 8 - from; /* at most LP_AREA_SUFFIX_ROOM */

	memcpy(r->tail, r->src + from, left);
	memset(r->tail + left, 0, sizeof(r->tail) - left);
	r->src = r->tail;
	r->moved = from * 8;
	r->pos -= r->moved;
	r->end -= r->moved;
	return true;
}

/** Scatter the suffixes of blocks; 0, or -EBADMSG if the stream is over. */
static inline __attribute__((always_inline)) int
lp_area_get_blocks(struct lp_area_reader *r, struct lp_area_words *words, size_t blocks)
{
	for (size_t k = 0; k < blocks; k++) {
		if (!lp_area_can_read(r))
			return -EBADMSG;
		r->pos = lp_area_get_words(r->src, r->pos, &words[k]);
	}
	return 0;
}

#endif /* LP_AREA_BMI2_H */
