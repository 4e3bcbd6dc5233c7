/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Portable decoder of grouped codes; grouped.h has the format. */

#include <errno.h>
#include <string.h>

#include "grouped.h"
#include "planes.h"

/* A cursor over the sparse bits. */
struct sparse {
	const uint8_t *src;
	size_t len;
	size_t pos; /* bits */
};

/* Returns false if padding bits are set. */
static bool
get_dense(const uint8_t *src, size_t n, uint64_t *plane)
{
	const size_t words = (n + 63) / 64, bytes = (n + 7) / 8;

	for (size_t word = 0; word < bytes / 8; word++)
		plane[word] = lp_load64(src + 8 * word);
	if (bytes % 8 != 0)
		plane[words - 1] = lp_load_part(src + 8 * (words - 1), bytes % 8);
	return (plane[words - 1] & ~lp_grouped_valid(n, words - 1)) == 0;
}

/*
 * Unpack one run: plane[word] gets its bits at the places of mask[word]. The mask is
 * consumed word by word, so plane and mask may be the same array. Returns false if the run is
 * longer than what is left: checked once, before any bit is read.
 */
static bool
get_sparse(struct sparse *s, const uint64_t *mask, size_t words, uint64_t *plane)
{
	size_t bits = 0;

	for (size_t word = 0; word < words; word++)
		bits += lp_popcount64(mask[word]);
	if (bits > 8 * s->len - s->pos)
		return false;
	for (size_t word = 0; word < words; word++) {
		const uint64_t m = mask[word];

		plane[word] = lp_scatter64(lp_bits_at(s->src, s->len, s->pos), m);
		s->pos += lp_popcount64(m);
	}
	return true;
}

/* Unpack all planes; returns the bytes used, or -EBADMSG. */
static int
get_planes(const struct lp_grouped *g, const uint8_t *src, size_t len, size_t n,
		struct lp_grouped_planes *planes)
{
	const size_t words = (n + 63) / 64, dense = (n + 7) / 8;
	const unsigned int dense_planes = (lp_grouped_levels(g) > 0) + g->suffix_bits_min;

	if (len < dense * dense_planes)
		return -EBADMSG;
	const uint8_t *in = src;

	if (lp_grouped_levels(g) > 0) {
		if (!get_dense(in, n, planes->level[0]))
			return -EBADMSG;
		in += dense;
	}
	for (unsigned int b = 0; b < g->suffix_bits_min; b++, in += dense)
		if (!get_dense(in, n, planes->suffix[b]))
			return -EBADMSG;

	struct sparse s = { .src = in, .len = len - dense * dense_planes };

	for (unsigned int j = 1; j < lp_grouped_levels(g); j++)
		if (!get_sparse(&s, planes->level[j - 1], words, planes->level[j]))
			return -EBADMSG;
	for (unsigned int b = g->suffix_bits_min; b < g->suffix_bits_max; b++) {
		for (size_t word = 0; word < words; word++)
			planes->suffix[b][word] = lp_grouped_suffix_mask(g, planes, b, n, word);
		if (!get_sparse(&s, planes->suffix[b], words, planes->suffix[b]))
			return -EBADMSG;
	}
	if (s.pos % 8 != 0 && in[s.pos / 8] >> s.pos % 8 != 0)
		return -EBADMSG;
	return (int)(dense * dense_planes + (s.pos + 7) / 8);
}

/* Slots of up to 64 elements, one byte each; returns how many are escapes. */
static unsigned int
word_slots(const struct lp_grouped *g, const struct lp_grouped_planes *planes, size_t word,
		uint64_t valid, uint8_t *slot)
{
	uint64_t plane[4] = { 0 }, at_least = valid, escape = valid;

	for (unsigned int b = 0; b < g->suffix_bits_max; b++)
		plane[b] = planes->suffix[b][word];
	for (unsigned int group = 0; group < g->shape.groups; group++) {
		const uint64_t beyond = lp_grouped_beyond(g, planes, group, word);

		for (unsigned int b = 0; b < g->slot_bits; b++)
			if (g->shape.slot[group] >> b & 1)
				plane[b] |= at_least & ~beyond;
		at_least = beyond;
	}
	for (unsigned int byte = 0; byte < 8; byte++) {
		uint64_t slots = 0;

		for (unsigned int b = 0; b < g->slot_bits; b++)
			slots |= lp_bytes_of_bits((uint8_t)(plane[b] >> 8 * byte)) << b;
		lp_store64(slot + 8 * byte, slots);
	}
	if (g->escape_slot == LP_NO_SLOT)
		return 0;
	for (unsigned int b = 0; b < g->slot_bits; b++)
		escape &= g->escape_slot >> b & 1 ? plane[b] : ~plane[b];
	return lp_popcount64(escape);
}

/* Exponents from planes and escapes; returns the bytes of escapes used, or -EBADMSG. */
static int
get_exponents(const struct lp_grouped *g, const struct lp_grouped_planes *planes, size_t n,
		unsigned int exponents, unsigned int base, const uint8_t *src, size_t len,
		uint8_t *exponent)
{
	uint8_t value[LP_GROUPED_CODES_MAX], slot[64];
	size_t used = 0;

	for (unsigned int k = 0; k < LP_GROUPED_CODES_MAX; k++)
		value[k] = k == g->zero_slot ? 0 : (g->slot_delta[k] + base) & (exponents - 1);
	for (size_t i = 0; i < n; i += 64) {
		const size_t block = n - i < 64 ? n - i : 64;
		const unsigned int escapes = word_slots(
				g, planes, i / 64, lp_grouped_valid(n, i / 64), slot);

		for (size_t k = 0; k < block; k++)
			exponent[i + k] = value[slot[k]];
		if (escapes == 0)
			continue;
		if (escapes > len - used)
			return -EBADMSG;
		for (size_t k = 0; k < block; k++) {
			if (slot[k] != g->escape_slot)
				continue;
			if (src[used] >= exponents)
				return -EBADMSG;
			exponent[i + k] = src[used++];
		}
	}
	return (int)used;
}

/* Returns the bytes used, or -EBADMSG. */
static int
decode_chunk(const struct lp_codebook *cb, unsigned int base, const uint8_t *src, size_t len,
		size_t n, uint8_t *dst)
{
	const struct lp_grouped *g = &cb->grouped;
	const size_t raw = lp_raw_bytes(cb->info.type, n);
	uint8_t exponent[LP_GROUPED_CHUNK];
	struct lp_grouped_planes planes;

	if (len < raw)
		return -EBADMSG;
	const int coded = get_planes(g, src + raw, len - raw, n, &planes);

	if (coded < 0)
		return coded;
	const uint8_t *escape = src + raw + coded;
	const int escapes = get_exponents(g, &planes, n, lp_type_exponents(cb->info.type), base,
			escape, len - raw - (size_t)coded, exponent);

	if (escapes < 0)
		return escapes;
	if (lp_planes_merge(cb->info.type, exponent, src, n, 0, dst) < 0)
		return -EBADMSG;
	return (int)raw + coded + escapes;
}

int
lp_grouped_decode_portable(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	const struct lp_span span = lp_span_of(cb->info.type, phase, len);
	const uint8_t *const end = body + body_len;
	const uint8_t *in = lp_grouped_get_edges(body, body_len, &span, dst, len);

	if (in == NULL || body[0] >= lp_type_exponents(cb->info.type))
		return -EBADMSG;
	dst += span.lead;
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;
		const int used = decode_chunk(cb, body[0], in, (size_t)(end - in), n, dst);

		if (used < 0)
			return used;
		in += used;
		dst += n * lp_type_traits[cb->info.type].bytes;
		left -= n;
	}
	return in == end ? 0 : -EBADMSG;
}
