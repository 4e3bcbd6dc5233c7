/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Portable area kernel, and the careful steps of the others. */

#include "area.h"

/* Suffixes of one load, which has 57 good bits, or of one word to store. */
#define BATCH (57 / LP_AREA_SUFFIX_MAX)

/* Append a block of n symbols. */
static bool
put_block(const struct lp_area *a, struct lp_area_writer *w, const uint8_t *src, size_t n)
{
	uint8_t area[LP_AREA_ROOM] = { 0 }, suffix[LP_AREA_BLOCK];
	size_t bits = w->suffix.count;

	for (size_t i = 0; i < n; i++) {
		const uint8_t rank = a->rank[lp_turn_symbol(w->turn, src[i])];

		area[i] = a->rank_area[rank];
		suffix[i] = (uint8_t)(rank - a->first[area[i]]);
		bits += a->suffix_bits[area[i]];
	}
	if ((bits + 7) / 8 > (size_t)(w->suffix.end - w->suffix.next))
		return false;
	w->prefix = lp_area_put_block(a->prefix_bits, area, n, w->prefix);
	for (size_t i = 0; i < n;) {
		uint64_t word = 0;
		unsigned int count = 0;

		for (unsigned int k = 0; k < BATCH && i < n; k++, i++) {
			word |= (uint64_t)suffix[i] << count;
			count += a->suffix_bits[area[i]];
		}
		lp_bits_put(&w->suffix, word, count);
	}
	return true;
}

bool
lp_area_put(const struct lp_area *a, struct lp_area_writer *w, const uint8_t *src, size_t n)
{
	for (; n > LP_AREA_BLOCK; src += LP_AREA_BLOCK, n -= LP_AREA_BLOCK)
		if (!put_block(a, w, src, LP_AREA_BLOCK))
			return false;
	return put_block(a, w, src, n);
}

int
lp_area_encode_portable(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	struct lp_area_writer w;

	if (!lp_area_start(cb, params->base, len, dst, dst_cap, &w) ||
			!lp_area_put(&cb->area, &w, src, len))
		return 0;
	return (int)(lp_bits_finish(&w.suffix) - dst);
}

/* Decode a block of n symbols; false if a suffix stands for none. */
static bool
get_block(const struct lp_area *a, const struct lp_area_body *parts, const uint8_t *area,
		uint8_t *dst, size_t n, size_t *pos)
{
	bool beyond = false;

	for (size_t i = 0; i < n;) {
		uint64_t bits = lp_bits_at(parts->suffix, parts->suffix_len, *pos);

		for (unsigned int k = 0; k < BATCH && i < n; k++, i++) {
			const unsigned int suffix = bits & a->mask[area[i]];
			const uint8_t rank = (uint8_t)(a->first[area[i]] + suffix);

			beyond |= suffix > a->limit[area[i]];
			dst[i] = lp_turn_byte(parts->turn, a->symbol[rank]);
			bits >>= a->suffix_bits[area[i]];
			*pos += a->suffix_bits[area[i]];
		}
	}
	return !beyond;
}

int
lp_area_decode_portable(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_area *a = &cb->area;
	uint8_t area[LP_AREA_ROOM];
	struct lp_area_body parts;
	size_t pos = 0;

	(void)phase;
	if (lp_area_open(cb, body, body_len, len, &parts) < 0)
		return -EBADMSG;
	for (size_t i = 0; i < len; i += LP_AREA_BLOCK) {
		const size_t n = len - i < LP_AREA_BLOCK ? len - i : LP_AREA_BLOCK;

		parts.prefix = lp_area_get_block(a->prefix_bits, parts.prefix, n, area);
		if (!lp_area_is_filled(area, n) || !get_block(a, &parts, area, dst + i, n, &pos))
			return -EBADMSG;
	}
	return lp_area_end(&parts, pos);
}
