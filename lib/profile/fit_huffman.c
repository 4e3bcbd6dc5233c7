/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Huffman codes fitted to counts of bytes. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "fit_set.h"

#define ESCAPED_BITS 8

struct huffman_set {
	struct lp_fit_set set;
	uint8_t length[LP_FIT_BOOKS_MAX][LP_HUFFMAN_SYMBOLS];
};

static int
by_count(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a >> 8, y = *(const uint64_t *)b >> 8;

	return x > y ? -1 : x < y;
}

/* Lengths when only the most frequent symbols have a code; returns all bits, or UINT64_MAX. */
static uint64_t
try_cut(const uint64_t *count, const uint64_t *order, unsigned int kept, uint8_t *length)
{
	uint64_t with_escape[LP_HUFFMAN_SYMBOLS] = { 0 }, escaped = 0, bits = 0;

	for (unsigned int k = 0; k < 256; k++) {
		const unsigned int s = order[k] & 255;

		if (k < kept)
			with_escape[s] = count[s];
		else
			escaped += count[s];
	}
	if (kept < 256)
		with_escape[LP_HUFFMAN_ESCAPE] = escaped > 0 ? escaped : 1;
	if (lp_huffman_lengths(with_escape, LP_HUFFMAN_SYMBOLS, LP_HUFFMAN_BITS_MAX, length) < 0)
		return UINT64_MAX;
	for (unsigned int s = 0; s < 256; s++)
		bits += with_escape[s] * length[s];
	return bits + escaped * (length[LP_HUFFMAN_ESCAPE] + ESCAPED_BITS);
}

/* Symbols that are too rare for a code of their own are left to the escape. */
static void
fit_book(struct lp_fit_set *set, unsigned int book)
{
	const uint64_t *count = set->count[book];
	uint8_t *best_length = ((struct huffman_set *)set)->length[book];
	uint64_t order[256], least = UINT64_MAX;
	uint8_t length[LP_HUFFMAN_SYMBOLS];
	unsigned int occurring = 0;

	for (unsigned int s = 0; s < 256; s++) {
		order[s] = count[s] << 8 | s;
		occurring += count[s] > 0;
	}
	qsort(order, 256, sizeof(order[0]), by_count);
	for (unsigned int kept = 1; kept <= occurring; kept++) {
		const uint64_t bits = try_cut(count, order, kept, length);

		if (bits < least) {
			least = bits;
			memcpy(best_length, length, sizeof(length));
		}
	}
	for (unsigned int s = 0; s < 256; s++)
		set->cost[book][s] = (uint8_t)(best_length[s] > 0
						? best_length[s]
						: best_length[LP_HUFFMAN_ESCAPE] + ESCAPED_BITS);
}

static void
print_book(const struct huffman_set *f, const struct lp_profile *p, unsigned int book, char *text)
{
	int n = sprintf(text, "symbol %s\n", lp_symbol_name(p->symbol));

	for (unsigned int length = 1; length <= LP_HUFFMAN_BITS_MAX; length++) {
		bool any = false;

		for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++) {
			if (f->length[book][s] != length)
				continue;
			if (!any)
				n += sprintf(text + n, "codes %u", length);
			any = true;
			if (s == LP_HUFFMAN_ESCAPE)
				n += sprintf(text + n, " escape");
			else
				n += sprintf(text + n, " %02x", s);
		}
		if (any)
			n += sprintf(text + n, "\n");
	}
	lp_fit_set_print(&f->set, book, text + n);
}

int
lp_fit_huffman(struct lp_profile *profile, unsigned int books, char (*text)[LP_FIT_TEXT_MAX])
{
	struct huffman_set *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -ENOMEM;
	f->set.fit = fit_book;
	f->set.seeds = 1;
	const int ret = lp_fit_set(&f->set, profile, books);

	for (unsigned int book = 0; ret == 0 && book < books; book++)
		print_book(f, profile, book, text[book]);
	free(f);
	return ret;
}
