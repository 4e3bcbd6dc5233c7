/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Sets of codes over bytes: divide the shards among the books, fit each book, repeat. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit_set.h"

#define ROUNDS_MAX 12
#define SEED_WEIGHT 8 /* of the shard a book starts from, against its present book */
#define BASE_STEP 2   /* the sign is the lowest bit of a rotated byte: leave it alone */

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

/* The book and base that code a shard best; returns its bits. */
static uint64_t
choose_book(const struct lp_fit_set *f, const struct lp_profile *p, unsigned int books,
		const struct lp_shard *shard, uint16_t *best_book, uint16_t *best_base)
{
	const unsigned int bases = p->symbol == LP_SYMBOL_ROTATED ? 256 : 1;
	uint64_t least = UINT64_MAX;

	for (unsigned int book = 0; book < books; book++) {
		for (unsigned int base = 0; base < bases; base += BASE_STEP) {
			const uint64_t bits = shard_bits(p, shard, f->cost[book], base);

			if (bits >= least)
				continue;
			least = bits;
			*best_book = (uint16_t)book;
			*best_base = (uint16_t)base;
		}
	}
	return least;
}

/* Give each shard the book and base that code it best; returns the bits of all. */
static uint64_t
assign_shards(const struct lp_fit_set *f, struct lp_profile *p, unsigned int books)
{
	uint64_t total = 0;

	for (size_t k = 0; k < p->shards; k++) {
		struct lp_shard *shard = &p->shard[k];

		total += shard->weight *
				choose_book(f, p, books, shard, &shard->book, &shard->base);
	}
	return total;
}

/* Bits of all shards, if they were assigned. */
static uint64_t
assigned_bits(const struct lp_fit_set *f, const struct lp_profile *p, unsigned int books)
{
	uint64_t total = 0;
	uint16_t book, base;

	for (size_t k = 0; k < p->shards; k++)
		total += p->shard[k].weight * choose_book(f, p, books, &p->shard[k], &book, &base);
	return total;
}

static void
count_books(struct lp_fit_set *f, const struct lp_profile *p)
{
	memset(f->count, 0, sizeof(f->count));
	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_shard *shard = &p->shard[k];
		const struct lp_symbol_count *pair = &p->pair[shard->first];

		for (unsigned int i = 0; i < shard->distinct; i++)
			f->count[shard->book][(uint8_t)(pair[i].symbol - shard->base)] +=
					(uint64_t)shard->weight * pair[i].count;
	}
}

static void
settle(struct lp_fit_set *f, struct lp_profile *p, unsigned int books)
{
	uint64_t before = UINT64_MAX;

	for (unsigned int round = 0; round < ROUNDS_MAX; round++) {
		const uint64_t bits = assign_shards(f, p, books);

		count_books(f, p);
		if (bits >= before)
			break;
		before = bits;
		for (unsigned int book = 0; book < books; book++)
			f->fit(f, book);
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

/* A shard that a new book may start from. */
struct seed {
	const struct lp_shard *shard;
	uint64_t symbols;
	double excess; /* bits, over its own entropy */
};

static int
by_excess(const void *a, const void *b)
{
	const struct seed *x = a, *y = b;

	if (x->excess == y->excess)
		return x->shard < y->shard ? -1 : x->shard > y->shard;
	return x->excess > y->excess ? -1 : 1;
}

/* All shards, the worst served first. */
static struct seed *
list_seeds(const struct lp_fit_set *f, const struct lp_profile *p)
{
	struct seed *seed = calloc(p->shards, sizeof(*seed));

	if (seed == NULL)
		return NULL;
	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_shard *shard = &p->shard[k];
		const double entropy = shard_entropy(p, shard, &seed[k].symbols);

		seed[k].shard = shard;
		seed[k].excess = (double)shard_bits(p, shard, f->cost[shard->book], shard->base) -
				entropy * (double)seed[k].symbols;
	}
	qsort(seed, p->shards, sizeof(*seed), by_excess);
	return seed;
}

/*
 * Start a book from a shard, blended with the counts of its present book so that symbols it
 * happens to lack keep a code.
 */
static void
plant_seed(struct lp_fit_set *f, const struct lp_profile *p, unsigned int book,
		const struct seed *seed)
{
	const struct lp_shard *shard = seed->shard;
	uint64_t total = 0;

	for (unsigned int s = 0; s < 256; s++)
		total += f->count[shard->book][s];
	for (unsigned int s = 0; s < 256; s++)
		f->count[book][s] = (uint64_t)((unsigned __int128)f->count[shard->book][s] *
				seed->symbols / total);
	for (unsigned int i = 0; i < shard->distinct; i++) {
		const struct lp_symbol_count *pair = &p->pair[shard->first + i];

		f->count[book][(uint8_t)(pair->symbol - shard->base)] += SEED_WEIGHT * pair->count;
	}
	f->fit(f, book);
}

/* Start a new book from the shard worst served, or from that of several with which most is gained.
 */
static int
seed_book(struct lp_fit_set *f, const struct lp_profile *p, unsigned int books)
{
	struct seed *seed = list_seeds(f, p), *best = seed;
	uint64_t least = UINT64_MAX;

	if (seed == NULL)
		return -ENOMEM;
	for (size_t k = 0; f->seeds > 1 && k < f->seeds; k++) {
		struct seed *candidate = &seed[k * p->shards / f->seeds];

		plant_seed(f, p, books, candidate);
		const uint64_t bits = assigned_bits(f, p, books + 1);

		if (bits < least) {
			least = bits;
			best = candidate;
		}
	}
	plant_seed(f, p, books, best);
	free(seed);
	return 0;
}

int
lp_fit_set(struct lp_fit_set *f, struct lp_profile *p, unsigned int books)
{
	if (p->symbol == LP_SYMBOL_EXPONENT || books < 1 || books > LP_FIT_BOOKS_MAX ||
			p->shards < books)
		return -EINVAL;
	for (size_t k = 0; k < p->shards; k++)
		p->shard[k].book = p->shard[k].base = 0;
	count_books(f, p);
	f->fit(f, 0);
	settle(f, p, 1);
	for (unsigned int book = 1; book < books; book++) {
		if (seed_book(f, p, book) < 0)
			return -ENOMEM;
		settle(f, p, book + 1);
	}
	return 0;
}

int
lp_fit_set_print(const struct lp_fit_set *f, unsigned int book, char *text)
{
	uint64_t symbols = 0, bits = 0;

	for (unsigned int s = 0; s < 256; s++) {
		symbols += f->count[book][s];
		bits += f->count[book][s] * f->cost[book][s];
	}
	return sprintf(text, "profile-symbols %llu\nprofile-entropy %.4f\nprofile-code %.4f\n",
			(unsigned long long)symbols, lp_entropy(f->count[book], 256),
			symbols > 0 ? (double)bits / (double)symbols : 0);
}
