/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What profiles tell of each other, and of the books they would be coded with. */

#include <math.h>
#include <string.h>

#include "book.h"
#include "profiles.h"
#include "type.h"

#define BINS 257 /* exponent 0 stays what it is, whatever the base */
#define ZERO_BIN 256
#define ALIGN_ROUNDS 6 /* settled long before */
#define MISSING 0.5    /* times that a symbol occurs which was never counted */

/* Weighted counts of aligned symbols. */
struct histogram {
	unsigned int symbols;
	double count[BINS];
	double total;
};

static unsigned int
bin_of(const struct lp_profile *p, unsigned int symbol, unsigned int base)
{
	if (p->symbol == LP_SYMBOL_EXPONENT && symbol == 0)
		return ZERO_BIN;
	return (symbol - base) & (lp_profile_symbols(p) - 1);
}

/* Bases that an encoder may choose: the sign is the lowest bit of a rotated byte. */
static unsigned int
base_step(const struct lp_profile *p)
{
	return p->symbol == LP_SYMBOL_ROTATED ? 2 : p->symbol == LP_SYMBOL_BYTE ? 256 : 1;
}

static void
add_shard(struct histogram *h, const struct lp_profile *p, const struct lp_shard *shard,
		unsigned int base)
{
	const struct lp_symbol_count *pair = &p->pair[shard->first];

	for (unsigned int i = 0; i < shard->distinct; i++) {
		const double n = (double)shard->weight * pair[i].count;

		h->count[bin_of(p, pair[i].symbol, base)] += n;
		h->total += n;
	}
}

static double
cheapest_base(const struct lp_profile *p, const struct lp_shard *shard, const double *cost,
		unsigned int *base)
{
	const struct lp_symbol_count *pair = &p->pair[shard->first];
	double least = INFINITY;

	for (unsigned int b = 0; b < lp_profile_symbols(p); b += base_step(p)) {
		double bits = 0;

		for (unsigned int i = 0; i < shard->distinct; i++)
			bits += pair[i].count * cost[bin_of(p, pair[i].symbol, b)];
		if (bits < least) {
			least = bits;
			*base = b;
		}
	}
	return least;
}

static void
ideal_costs(const struct histogram *h, double *cost)
{
	const double total = h->total + MISSING * BINS;

	for (unsigned int s = 0; s < BINS; s++)
		cost[s] = -log2((h->count[s] + MISSING) / total);
}

/* The most frequent symbol is a good first base; 0 has another meaning. */
static unsigned int
first_base(const struct lp_profile *p, const struct lp_shard *shard)
{
	const struct lp_symbol_count *pair = &p->pair[shard->first];
	unsigned int most = 0, base = 0;

	for (unsigned int i = 0; i < shard->distinct; i++) {
		if (pair[i].count <= most || pair[i].symbol == 0)
			continue;
		most = pair[i].count;
		base = pair[i].symbol;
	}
	return base - base % base_step(p);
}

/* Each shard with the base that fits the sum of all best; or all with base 0. */
static void
make_histogram(const struct lp_profile *p, bool aligned, struct histogram *h)
{
	double cost[BINS];

	*h = (struct histogram){ .symbols = lp_profile_symbols(p) };
	for (size_t k = 0; k < p->shards; k++)
		add_shard(h, p, &p->shard[k], aligned ? first_base(p, &p->shard[k]) : 0);
	for (unsigned int round = 0; aligned && base_step(p) < h->symbols && round < ALIGN_ROUNDS;
			round++) {
		ideal_costs(h, cost);
		*h = (struct histogram){ .symbols = h->symbols };
		for (size_t k = 0; k < p->shards; k++) {
			unsigned int base = 0;

			cheapest_base(p, &p->shard[k], cost, &base);
			add_shard(h, p, &p->shard[k], base);
		}
	}
}

static double
histogram_entropy(const struct histogram *h)
{
	double sum = 0;

	for (unsigned int s = 0; s < BINS; s++)
		if (h->count[s] > 0)
			sum += h->count[s] * log2(h->total / h->count[s]);
	return sum / h->total;
}

void
lp_profile_summarize(const struct lp_profile *profile, struct lp_profile_summary *summary)
{
	struct histogram h;
	double bits = 0, total = 0;

	*summary = (struct lp_profile_summary){ .shards = profile->shards };
	make_histogram(profile, false, &h);
	summary->entropy = histogram_entropy(&h);
	make_histogram(profile, true, &h);
	summary->aligned = histogram_entropy(&h);
	for (size_t k = 0; k < profile->shards; k++) {
		struct histogram own = { 0 };
		const struct lp_shard *shard = &profile->shard[k];

		add_shard(&own, profile, shard, 0);
		bits += histogram_entropy(&own) * own.total;
		total += own.total;
		summary->symbols += (uint64_t)(own.total / shard->weight + 0.5);
	}
	summary->shards_own = bits / total;
}

/* Bits a symbol of p that a code for q costs, q being shifted. */
static double
cross_entropy(const struct histogram *p, const double *cost, unsigned int shift)
{
	double bits = p->count[ZERO_BIN] * cost[ZERO_BIN];

	for (unsigned int s = 0; s < p->symbols; s++)
		bits += p->count[s] * cost[(s + shift) & (p->symbols - 1)];
	return bits / p->total;
}

double
lp_profile_divergence(const struct lp_profile *p, const struct lp_profile *q, bool aligned)
{
	struct histogram of_p, of_q;
	double cost[BINS], least = INFINITY;

	if (p->type != q->type || p->symbol != q->symbol || p->shards == 0 || q->shards == 0)
		return -1;
	make_histogram(p, aligned, &of_p);
	make_histogram(q, aligned, &of_q);
	ideal_costs(&of_q, cost);
	for (unsigned int shift = 0; shift < of_p.symbols; shift += aligned ? base_step(p) : 256)
		least = fmin(least, cross_entropy(&of_p, cost, shift));
	/* Half a symbol of what is missing may make it less than none. */
	return fmax(0, least - histogram_entropy(&of_p));
}

/* Bits of each symbol with a book, by bin. */
static void
book_costs(const struct lp_codebook *cb, double *cost)
{
	const struct lp_grouped *g = &cb->grouped;

	memset(cost, 0, BINS * sizeof(*cost));
	if (cb->info.kind != LP_KIND_GROUPED) {
		for (unsigned int s = 0; s < 256; s++)
			cost[s] = lp_book_code_len(cb)[s];
		return;
	}
	for (unsigned int s = 0; s < lp_type_exponents(cb->info.type); s++)
		cost[s] = g->slot_length[g->delta_slot[s]];
	if (g->zero_slot != LP_NO_SLOT)
		cost[ZERO_BIN] = g->slot_length[g->zero_slot];
}

/* Where a book finds a symbol among its costs. */
static unsigned int
book_bin(const struct lp_profile *p, const struct lp_codebook *cb, unsigned int symbol,
		unsigned int base)
{
	if (cb->info.kind == LP_KIND_GROUPED && cb->grouped.zero_slot != LP_NO_SLOT)
		return bin_of(p, symbol, base);
	return (symbol - base) & (lp_profile_symbols(p) - 1);
}

/* Bits of a shard with a book and the base that is best for it. */
static double
shard_bits(const struct lp_profile *p, const struct lp_shard *shard, const struct lp_codebook *cb,
		unsigned int *best)
{
	const struct lp_symbol_count *pair = &p->pair[shard->first];
	double cost[BINS], least = INFINITY;

	book_costs(cb, cost);
	for (unsigned int base = 0; base < lp_profile_symbols(p); base += base_step(p)) {
		double bits = 0;

		for (unsigned int i = 0; i < shard->distinct; i++)
			bits += pair[i].count * cost[book_bin(p, cb, pair[i].symbol, base)];
		if (bits < least) {
			least = bits;
			*best = base;
		}
	}
	return least;
}

double
lp_profile_code_bits(const struct lp_profile *profile, const struct lp_codebook *const *books,
		unsigned int nb_books)
{
	double bits = 0, total = 0;
	unsigned int base;

	for (unsigned int k = 0; k < nb_books; k++)
		if (books[k]->info.type != profile->type ||
				books[k]->info.symbol != profile->symbol)
			return -1;
	if (nb_books == 0 || profile->shards == 0)
		return -1;
	for (size_t i = 0; i < profile->shards; i++) {
		const struct lp_shard *shard = &profile->shard[i];
		double least = INFINITY;

		for (unsigned int k = 0; k < nb_books; k++)
			least = fmin(least, shard_bits(profile, shard, books[k], &base));
		bits += shard->weight * least;
		for (unsigned int k = 0; k < shard->distinct; k++)
			total += (double)shard->weight * profile->pair[shard->first + k].count;
	}
	return bits / total;
}

double
lp_profile_book_divergence(const struct lp_profile *profile, const struct lp_codebook *cb)
{
	struct histogram h = { 0 };
	double cost[BINS], bits = 0, kraft = 0;

	if (cb->info.type != profile->type || cb->info.symbol != profile->symbol ||
			profile->shards == 0)
		return -1;
	for (size_t k = 0; k < profile->shards; k++) {
		const struct lp_shard *shard = &profile->shard[k];
		const struct lp_symbol_count *pair = &profile->pair[shard->first];
		unsigned int base = 0;

		bits += shard->weight * shard_bits(profile, shard, cb, &base);
		for (unsigned int i = 0; i < shard->distinct; i++) {
			const double n = (double)shard->weight * pair[i].count;

			h.count[book_bin(profile, cb, pair[i].symbol, base)] += n;
			h.total += n;
		}
	}
	book_costs(cb, cost);
	for (unsigned int s = 0; s < lp_profile_symbols(profile); s++)
		kraft += exp2(-cost[s]);
	if (cost[ZERO_BIN] > 0)
		kraft += exp2(-cost[ZERO_BIN]);
	return fmax(0, bits / h.total + log2(kraft) - histogram_entropy(&h));
}

double
lp_profile_saved_percent(const struct lp_profile *profile, double bits_per_symbol)
{
	const unsigned int symbol_bits = lp_profile_symbol_bits(profile);

	return 100 * (symbol_bits - bits_per_symbol) / (symbol_bits + lp_profile_raw_bits(profile));
}
