/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Portable encoder of grouped codes; grouped.h has the format. */

#include <string.h>

#include "grouped.h"
#include "planes.h"

/* Level and suffix bits of each exponent value, for one base. */
struct code_table {
	uint8_t levels[256];
	uint8_t suffix[256];
	uint8_t escapes[256];
};

static void
code_table_init(struct code_table *t, const struct lp_grouped *g, unsigned int exponents,
		unsigned int base)
{
	const uint8_t *slot_of = g->delta_slot + (exponents - base);

	for (unsigned int e = 0; e < exponents; e++) {
		uint8_t slot = slot_of[e];

		if (e == 0 && g->zero_slot != LP_NO_SLOT)
			slot = g->zero_slot;
		t->levels[e] = g->slot_levels[slot];
		t->suffix[e] = g->slot_suffix[slot];
		t->escapes[e] = slot == g->escape_slot;
	}
}

/* Fill the planes from the exponents; returns the number of escapes, kept in exponent[]. */
static size_t
fill_planes(const struct lp_grouped *g, const struct code_table *t, uint8_t *exponent, size_t n,
		struct lp_grouped_planes *planes)
{
	uint64_t word_level[LP_GROUPS_MAX - 1], word_suffix[LP_GROUP_SUFFIX_MAX];
	size_t escapes = 0;

	for (size_t i = 0; i < n; i += 64) {
		memset(word_level, 0, sizeof(word_level));
		memset(word_suffix, 0, sizeof(word_suffix));
		for (size_t byte = 0; byte < 8 && i + 8 * byte < n; byte++) {
			const size_t first = i + 8 * byte;
			const size_t block = n - first < 8 ? n - first : 8;
			uint64_t levels = 0, suffix = 0;

			for (size_t k = 0; k < block; k++) {
				const uint8_t e = exponent[first + k];

				levels |= (uint64_t)t->levels[e] << 8 * k;
				suffix |= (uint64_t)t->suffix[e] << 8 * k;
				exponent[escapes] = e;
				escapes += t->escapes[e];
			}
			for (unsigned int j = 0; j < lp_grouped_levels(g); j++)
				word_level[j] |= (uint64_t)lp_bit_of_bytes(levels, j) << 8 * byte;
			for (unsigned int b = 0; b < g->suffix_bits_max; b++)
				word_suffix[b] |= (uint64_t)lp_bit_of_bytes(suffix, b) << 8 * byte;
		}
		for (unsigned int j = 0; j < lp_grouped_levels(g); j++)
			planes->level[j][i / 64] = word_level[j];
		for (unsigned int b = 0; b < g->suffix_bits_max; b++)
			planes->suffix[b][i / 64] = word_suffix[b];
	}
	return escapes;
}

static size_t
sparse_bits(const struct lp_grouped *g, const struct lp_grouped_planes *planes, size_t n)
{
	size_t bits = 0;

	for (size_t word = 0; word < (n + 63) / 64; word++) {
		for (unsigned int j = 1; j < lp_grouped_levels(g); j++)
			bits += lp_popcount64(planes->level[j - 1][word]);
		for (unsigned int b = g->suffix_bits_min; b < g->suffix_bits_max; b++)
			bits += lp_popcount64(lp_grouped_suffix_mask(g, planes, b, n, word));
	}
	return bits;
}

static uint8_t *
put_dense(uint8_t *dst, const uint64_t *plane, size_t n)
{
	const size_t bytes = (n + 7) / 8;
	size_t word = 0;

	for (; word < bytes / 8; word++)
		lp_store64(dst + 8 * word, plane[word]);
	for (size_t byte = 8 * word; byte < bytes; byte++)
		dst[byte] = (uint8_t)(plane[word] >> 8 * (byte % 8));
	return dst + bytes;
}

static uint8_t *
put_sparse(const struct lp_grouped *g, const struct lp_grouped_planes *planes, size_t n,
		uint8_t *dst, const uint8_t *end)
{
	const size_t words = (n + 63) / 64;
	struct lp_bit_writer w;

	lp_bits_init(&w, dst, end);
	for (unsigned int j = 1; j < lp_grouped_levels(g); j++) {
		for (size_t word = 0; word < words; word++) {
			const uint64_t mask = planes->level[j - 1][word];

			lp_bits_put(&w, lp_gather64(planes->level[j][word], mask),
					lp_popcount64(mask));
		}
	}
	for (unsigned int b = g->suffix_bits_min; b < g->suffix_bits_max; b++) {
		for (size_t word = 0; word < words; word++) {
			const uint64_t mask = lp_grouped_suffix_mask(g, planes, b, n, word);

			lp_bits_put(&w, lp_gather64(planes->suffix[b][word], mask),
					lp_popcount64(mask));
		}
	}
	return lp_bits_finish(&w);
}

/* Returns the end of the chunk, or NULL if it does not fit before `end`. */
static uint8_t *
encode_chunk(const struct lp_codebook *cb, const struct code_table *t, const uint8_t *src, size_t n,
		uint8_t *dst, const uint8_t *end)
{
	const struct lp_grouped *g = &cb->grouped;
	const size_t raw = lp_raw_bytes(cb->info.type, n);
	const size_t dense = (n + 7) / 8 * ((lp_grouped_levels(g) > 0) + g->suffix_bits_min);
	const size_t room = (size_t)(end - dst);
	uint8_t exponent[LP_GROUPED_CHUNK];
	struct lp_grouped_planes planes;

	if (room < raw + dense)
		return NULL;
	lp_planes_split(cb->info.type, src, n, 0, exponent, dst);
	const size_t escapes = fill_planes(g, t, exponent, n, &planes);

	if (room < raw + dense + (sparse_bits(g, &planes, n) + 7) / 8 + escapes)
		return NULL;
	dst += raw;
	if (lp_grouped_levels(g) > 0)
		dst = put_dense(dst, planes.level[0], n);
	for (unsigned int b = 0; b < g->suffix_bits_min; b++)
		dst = put_dense(dst, planes.suffix[b], n);
	dst = put_sparse(g, &planes, n, dst, end);
	memcpy(dst, exponent, escapes);
	return dst + escapes;
}

int
lp_grouped_encode_portable(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_span span = lp_span_of(cb->info.type, params->phase, len);
	const unsigned int exponents = lp_type_exponents(cb->info.type);
	const uint8_t *const end = dst + dst_cap;
	const uint8_t *elements = src + span.lead;
	uint8_t *out = dst;
	struct code_table table;

	if (dst_cap < 1 + span.lead + span.tail)
		return 0;
	out = lp_grouped_put_edges(out, params->base, &span, src, len);
	code_table_init(&table, &cb->grouped, exponents, params->base);
	for (size_t left = span.count; left > 0;) {
		const size_t n = left < LP_GROUPED_CHUNK ? left : LP_GROUPED_CHUNK;

		out = encode_chunk(cb, &table, elements, n, out, end);
		if (out == NULL)
			return 0;
		elements += n * lp_type_traits[cb->info.type].bytes;
		left -= n;
	}
	return (int)(out - dst);
}
