/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Sets of Huffman codes: divide the shards among the books, fit each book, repeat. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "profile.h"

#define BOOKS_MAX 16
#define ROUNDS_MAX 12
#define ESCAPED_BITS 8
#define SEED_WEIGHT 8 /* of the shard a book starts from, against its present book */
#define BASE_STEP 2   /* the sign is the lowest bit of a rotated byte: leave it alone */

struct fit {
	uint64_t count[BOOKS_MAX][256];
	uint8_t length[BOOKS_MAX][LP_HUFFMAN_SYMBOLS];
	uint8_t cost[BOOKS_MAX][256]; /* bits of a byte, escaped or not */
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
fit_book(const uint64_t *count, uint8_t *best_length, uint8_t *cost)
{
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
		cost[s] = (uint8_t)(best_length[s] > 0
						? best_length[s]
						: best_length[LP_HUFFMAN_ESCAPE] + ESCAPED_BITS);
}

static uint64_t
shard_bits(const struct lp_profile *p, const struct lp_shard *shard, const uint8_t *cost,
		unsigned int base)
{
	const struct lp_symbol_count *pair = &p->pair[shard->first];
	uint64_t bits = 0;

	for (unsigned int i = 0; i < shard->distinct; i++)
		bits += (uint64_t)pair[i].count * cost[(uint8_t)(pair[i].symbol - base)];
	return bits;
}

/* Give each shard the book and base that code it best; returns the bits of all. */
static uint64_t
assign_shards(const struct fit *f, struct lp_profile *p, unsigned int books)
{
	const unsigned int bases = p->symbol == LP_SYMBOL_ROTATED ? 256 : 1;
	uint64_t total = 0;

	for (size_t k = 0; k < p->shards; k++) {
		struct lp_shard *shard = &p->shard[k];
		uint64_t least = UINT64_MAX;

		for (unsigned int book = 0; book < books; book++) {
			for (unsigned int base = 0; base < bases; base += BASE_STEP) {
				const uint64_t bits = shard_bits(p, shard, f->cost[book], base);

				if (bits >= least)
					continue;
				least = bits;
				shard->book = (uint16_t)book;
				shard->base = (uint16_t)base;
			}
		}
		total += least;
	}
	return total;
}

static void
count_books(struct fit *f, const struct lp_profile *p)
{
	memset(f->count, 0, sizeof(f->count));
	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_shard *shard = &p->shard[k];
		const struct lp_symbol_count *pair = &p->pair[shard->first];

		for (unsigned int i = 0; i < shard->distinct; i++)
			f->count[shard->book][(uint8_t)(pair[i].symbol - shard->base)] +=
					pair[i].count;
	}
}

static void
settle(struct fit *f, struct lp_profile *p, unsigned int books)
{
	uint64_t before = UINT64_MAX;

	for (unsigned int round = 0; round < ROUNDS_MAX; round++) {
		const uint64_t bits = assign_shards(f, p, books);

		count_books(f, p);
		if (bits >= before)
			break;
		before = bits;
		for (unsigned int book = 0; book < books; book++)
			fit_book(f->count[book], f->length[book], f->cost[book]);
	}
}

static double
shard_entropy(const struct lp_profile *p, const struct lp_shard *shard, uint64_t *symbols)
{
	uint64_t count[256];

	*symbols = 0;
	for (unsigned int i = 0; i < shard->distinct; i++) {
		count[i] = p->pair[shard->first + i].count;
		*symbols += count[i];
	}
	return lp_entropy(count, shard->distinct);
}

/*
 * Start a new book from the shard worst served, relative to its own entropy, blended with the
 * counts of its present book so that symbols it happens to lack keep a code.
 */
static void
seed_book(struct fit *f, const struct lp_profile *p, unsigned int books)
{
	const struct lp_shard *worst = &p->shard[0];
	uint64_t total = 0, worst_symbols = 0;
	double most = -1;

	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_shard *shard = &p->shard[k];
		uint64_t symbols;
		const double entropy = shard_entropy(p, shard, &symbols);
		const double bits = (double)shard_bits(p, shard, f->cost[shard->book], shard->base);
		const double excess = bits - entropy * (double)symbols;

		if (excess > most) {
			most = excess;
			worst = shard;
			worst_symbols = symbols;
		}
	}
	for (unsigned int s = 0; s < 256; s++)
		total += f->count[worst->book][s];
	for (unsigned int s = 0; s < 256; s++)
		f->count[books][s] = f->count[worst->book][s] * worst_symbols / total;
	for (unsigned int i = 0; i < worst->distinct; i++) {
		const struct lp_symbol_count *pair = &p->pair[worst->first + i];

		f->count[books][(uint8_t)(pair->symbol - worst->base)] += SEED_WEIGHT * pair->count;
	}
	fit_book(f->count[books], f->length[books], f->cost[books]);
}

static void
print_book(const struct fit *f, const struct lp_profile *p, unsigned int book, char *text)
{
	uint64_t symbols = 0, bits = 0;
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
	for (unsigned int s = 0; s < 256; s++) {
		symbols += f->count[book][s];
		bits += f->count[book][s] * f->cost[book][s];
	}
	sprintf(text + n, "profile-symbols %llu\nprofile-entropy %.4f\nprofile-code %.4f\n",
			(unsigned long long)symbols, lp_entropy(f->count[book], 256),
			symbols > 0 ? (double)bits / (double)symbols : 0);
}

int
lp_fit_huffman(struct lp_profile *profile, unsigned int books, char (*text)[LP_FIT_TEXT_MAX])
{
	struct fit *f;

	if (profile->symbol == LP_SYMBOL_EXPONENT || books < 1 || books > BOOKS_MAX ||
			profile->shards < books)
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	for (size_t k = 0; k < profile->shards; k++)
		profile->shard[k].book = profile->shard[k].base = 0;
	count_books(f, profile);
	fit_book(f->count[0], f->length[0], f->cost[0]);
	settle(f, profile, 1);
	for (unsigned int book = 1; book < books; book++) {
		seed_book(f, profile, book);
		settle(f, profile, book + 1);
	}
	for (unsigned int book = 0; book < books; book++)
		print_book(f, profile, book, text[book]);
	free(f);
	return 0;
}
