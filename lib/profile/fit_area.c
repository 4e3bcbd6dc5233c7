/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Area codes fitted to counts of bytes.
 *
 * Symbols are put in order and cut into areas. With an order given, the cut with the fewest bits is
 * found by dynamic programming: the best way to divide the symbols from some place on among the
 * areas that are left. Without, the order is that of the symbols, from the one on that is best.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "fit_set.h"

#define PREFIX_BITS_MAX 4
#define SIZES (LP_AREA_SUFFIX_MAX + 1)
/* The worst served shards are those of few symbols, where no area code gains much. */
#define SEEDS 16

#define ALL_SIZES ((1u << SIZES) - 1)

struct area_code {
	unsigned int areas;
	uint8_t suffix_bits[LP_AREAS_MAX];
	uint8_t symbol[256]; /* by rank */
};

struct area_set {
	struct lp_fit_set set;
	struct lp_area_limits limits;
	bool rotated;
	struct area_code code[LP_FIT_BOOKS_MAX];
};

/* ---- cutting an order ---- */

/* Fewest bits of suffixes of the ranks from each place on, with a number of areas. */
struct cutting {
	uint64_t bits[LP_AREAS_MAX + 1][257];
	uint8_t size[LP_AREAS_MAX + 1][257]; /* suffix bits of the first of these areas */
};

/* No area is empty, and only the last has fewer symbols than suffixes. */
static void
cut_from(struct cutting *c, const uint64_t *count_before, unsigned int areas, unsigned int rank,
		unsigned int sizes)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int s = 0; s < SIZES; s++) {
		const unsigned int end = rank + (1u << s);
		uint64_t after = 0;

		if ((sizes >> s & 1) == 0 || (areas == 1 ? end < 256 : end >= 256))
			continue;
		if (areas > 1)
			after = c->bits[areas - 1][end];
		if (after == UINT64_MAX)
			continue;
		const uint64_t bits = after +
				s * (count_before[end < 256 ? end : 256] - count_before[rank]);

		if (bits < least) {
			least = bits;
			c->size[areas][rank] = (uint8_t)s;
		}
	}
	c->bits[areas][rank] = least;
}

/* Returns the bits of all codes, or UINT64_MAX if areas of these sizes cannot hold all symbols. */
static uint64_t
cut_order(const uint64_t *count, unsigned int areas, unsigned int sizes, struct area_code *code)
{
	const unsigned int prefix_bits = (unsigned int)__builtin_ctz(areas);
	uint64_t count_before[257] = { 0 };
	struct cutting c;

	for (unsigned int rank = 0; rank < 256; rank++)
		count_before[rank + 1] = count_before[rank] + count[code->symbol[rank]];
	for (unsigned int k = 1; k <= areas; k++)
		for (unsigned int rank = k < areas ? areas - k : 0; rank < (k < areas ? 256 : 1);
				rank++)
			cut_from(&c, count_before, k, rank, sizes);
	if (c.bits[areas][0] == UINT64_MAX)
		return UINT64_MAX;
	code->areas = areas;
	for (unsigned int k = areas, rank = 0; k > 0; k--) {
		code->suffix_bits[areas - k] = c.size[k][rank];
		rank += 1u << c.size[k][rank];
	}
	return c.bits[areas][0] + prefix_bits * count_before[256];
}

/* ---- orders ---- */

static void
order_from(struct area_code *code, unsigned int first)
{
	for (unsigned int rank = 0; rank < 256; rank++)
		code->symbol[rank] = (uint8_t)(first + rank);
}

static int
by_count(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Most frequent first, of equals the lowest; from a rank on, all others by number. */
static void
order_by_count(struct area_code *code, const uint64_t *count, unsigned int ranked)
{
	uint64_t order[256];
	bool taken[256] = { false };
	unsigned int rank = 0;

	for (unsigned int s = 0; s < 256; s++)
		order[s] = count[s] << 8 | (255 - s);
	qsort(order, 256, sizeof(order[0]), by_count);
	for (; rank < ranked; rank++) {
		code->symbol[rank] = (uint8_t)(255 - (order[rank] & 255));
		taken[code->symbol[rank]] = true;
	}
	for (unsigned int s = 0; s < 256; s++)
		if (!taken[s])
			code->symbol[rank++] = (uint8_t)s;
}

/* ---- schemes ---- */

static void
keep_better(uint64_t bits, const struct area_code *code, uint64_t *least, struct area_code *best)
{
	if (bits >= *least)
		return;
	*least = bits;
	*best = *code;
}

/* Symbols in their own order, from any on. The sign of rotated bytes stays lowest. */
static void
fit_in_turn(const uint64_t *count, unsigned int areas, bool rotated, uint64_t *least,
		struct area_code *best)
{
	struct area_code code;

	for (unsigned int first = 0; first < 256; first += rotated ? 2 : 1) {
		order_from(&code, first);
		keep_better(cut_order(count, areas, ALL_SIZES, &code), &code, least, best);
	}
}

/* At most four lengths of code, which the name of the scheme says. */
static void
fit_quad(const uint64_t *count, uint64_t *least, struct area_code *best)
{
	struct area_code code;

	order_by_count(&code, count, 256);
	for (unsigned int sizes = 1; sizes <= ALL_SIZES; sizes++)
		if (__builtin_popcount(sizes) == 4)
			keep_better(cut_order(count, 8, sizes, &code), &code, least, best);
}

static void
fit_dual(const uint64_t *count, struct area_code *best)
{
	order_by_count(best, count, 8);
	best->areas = 2;
	best->suffix_bits[0] = 3;
	best->suffix_bits[1] = 8;
}

static void
fit_any(const struct area_set *f, const uint64_t *count, uint64_t *least, struct area_code *best)
{
	const unsigned int wanted = f->limits.prefix_bits;
	struct area_code code;

	for (unsigned int bits = 1; bits <= PREFIX_BITS_MAX; bits++) {
		if (wanted != 0 && wanted != bits)
			continue;
		if (!f->limits.by_count) {
			fit_in_turn(count, 1u << bits, f->rotated, least, best);
			continue;
		}
		order_by_count(&code, count, 256);
		keep_better(cut_order(count, 1u << bits, ALL_SIZES, &code), &code, least, best);
	}
}

static void
fit_book(struct lp_fit_set *set, unsigned int book)
{
	struct area_set *f = (struct area_set *)set;
	struct area_code *code = &f->code[book];
	uint64_t least = UINT64_MAX;
	unsigned int rank = 0;

	if (f->limits.scheme == LP_AREA_DUAL)
		fit_dual(set->count[book], code);
	else if (f->limits.scheme == LP_AREA_QUAD)
		fit_quad(set->count[book], &least, code);
	else
		fit_any(f, set->count[book], &least, code);
	for (unsigned int k = 0; k < code->areas; k++)
		for (unsigned int i = 0; i < 1u << code->suffix_bits[k] && rank < 256; i++)
			set->cost[book][code->symbol[rank++]] =
					(uint8_t)(__builtin_ctz(code->areas) +
							code->suffix_bits[k]);
}

/* ---- text ---- */

/* Symbols in order, neighbours as ranges. */
static int
print_ranks(const struct area_code *code, char *text)
{
	int n = sprintf(text, "ranks");

	for (unsigned int rank = 0, end; rank < 256; rank = end) {
		for (end = rank + 1; end < 256; end++)
			if (code->symbol[end] != code->symbol[end - 1] + 1)
				break;
		n += sprintf(text + n, " %02x", code->symbol[rank]);
		if (end - rank > 1)
			n += sprintf(text + n, "%c%02x", end - rank == 2 ? ' ' : '-',
					code->symbol[end - 1]);
	}
	return n + sprintf(text + n, "\n");
}

static void
print_book(const struct area_set *f, unsigned int book, char *text)
{
	const struct area_code *code = &f->code[book];

	text += sprintf(text, "symbol %s\nareas",
			lp_symbol_name(f->rotated ? LP_SYMBOL_ROTATED : LP_SYMBOL_BYTE));
	for (unsigned int k = 0; k < code->areas; k++)
		text += sprintf(text, " %u", code->suffix_bits[k]);
	text += sprintf(text, "\n");
	text += print_ranks(code, text);
	lp_fit_set_print(&f->set, book, text);
}

int
lp_fit_area(struct lp_profile *profile, const struct lp_area_limits *limits, unsigned int books,
		char (*text)[LP_FIT_TEXT_MAX])
{
	struct area_set *f;

	if (limits->prefix_bits > PREFIX_BITS_MAX || limits->scheme > LP_AREA_QUAD ||
			(limits->scheme != LP_AREA_ANY &&
					(limits->prefix_bits != 0 || limits->by_count)))
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	f->set.fit = fit_book;
	f->set.seeds = SEEDS;
	f->limits = *limits;
	f->rotated = profile->symbol == LP_SYMBOL_ROTATED;
	const int ret = lp_fit_set(&f->set, profile, books);

	for (unsigned int book = 0; ret == 0 && book < books; book++)
		print_book(f, book, text[book]);
	free(f);
	return ret;
}
