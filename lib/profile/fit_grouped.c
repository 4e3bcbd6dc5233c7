/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Grouped codes: rank the aligned exponents, then try all group sizes. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "profile.h"
#include "type.h"

#define ROUNDS_MAX 12	/* alignment and code settle in 3 to 6 */
#define ZERO_SYMBOL 256 /* exponent 0, whatever the base */
#define ESCAPED_BITS 8
#define VECTORS_KEPT 1000 /* candidates that are settled with alignments of their own */
#define BASE_REACH 12	  /* bases tried on either side of the most frequent exponent */

struct ranked {
	uint64_t count;
	uint16_t symbol; /* delta modulo the exponents, or ZERO_SYMBOL */
	bool barred;	 /* never ranked, left to the escape */
};

/* Group sizes. */
struct vector {
	uint64_t bits; /* of the profile */
	unsigned int groups;
	uint8_t suffix_bits[LP_GROUPS_MAX];
	unsigned int ranks;
};

struct fit {
	const struct lp_fit_limits *limits;
	unsigned int exponents;
	bool with_zero; /* exponent 0 has a rank of its own */
	uint64_t total;
	double entropy;
	struct ranked rank[LP_HUFFMAN_SYMBOLS]; /* most frequent first */
	uint64_t up_to[LP_HUFFMAN_SYMBOLS + 1]; /* sums of counts */

	struct vector best[VECTORS_KEPT]; /* cheapest first */
	unsigned int nb_best;

	/* The code. */
	uint64_t bits;
	struct vector vector;
	uint8_t length[LP_HUFFMAN_SYMBOLS]; /* by symbol */
};

static int
by_count(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->barred != y->barred)
		return x->barred ? 1 : -1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/*
 * Ranks lie within LP_GROUPED_WINDOW consecutive deltas, so that kernels find them with one
 * look-up in a register. Keep the most frequent such deltas; the others are left to the escape.
 */
static void
keep_window(struct fit *f)
{
	uint64_t most = 0;
	unsigned int best = 0;

	if (f->exponents <= LP_GROUPED_WINDOW)
		return;
	for (unsigned int first = 0; first < f->exponents; first++) {
		uint64_t inside = 0;

		for (unsigned int k = 0; k < LP_GROUPED_WINDOW; k++)
			inside += f->rank[(first + k) & (f->exponents - 1)].count;
		if (inside > most) {
			most = inside;
			best = first;
		}
	}
	for (unsigned int s = 0; s < f->exponents; s++)
		f->rank[s].barred = ((s - best) & (f->exponents - 1)) >= LP_GROUPED_WINDOW;
}

/* Rank the aligned symbols of all shards. */
static void
rank_symbols(struct fit *f, const struct lp_profile *p)
{
	uint64_t count[LP_HUFFMAN_SYMBOLS];

	f->total = 0;
	for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++)
		f->rank[s] = (struct ranked){
			.symbol = (uint16_t)s,
			.barred = s == ZERO_SYMBOL ? !f->with_zero : s >= f->exponents,
		};
	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_shard *shard = &p->shard[k];
		const struct lp_symbol_count *pair = &p->pair[shard->first];

		for (unsigned int i = 0; i < shard->distinct; i++) {
			const unsigned int s = f->with_zero && pair[i].symbol == 0
					? ZERO_SYMBOL
					: (pair[i].symbol - shard->base) & (f->exponents - 1);

			f->rank[s].count += (uint64_t)shard->weight * pair[i].count;
		}
	}
	for (unsigned int s = 0; s < LP_HUFFMAN_SYMBOLS; s++) {
		count[s] = f->rank[s].count;
		f->total += count[s];
	}
	f->entropy = lp_entropy(count, LP_HUFFMAN_SYMBOLS);
	keep_window(f);
	qsort(f->rank, LP_HUFFMAN_SYMBOLS, sizeof(f->rank[0]), by_count);
	f->up_to[0] = 0;
	for (unsigned int r = 0; r < LP_HUFFMAN_SYMBOLS; r++)
		f->up_to[r + 1] = f->up_to[r] + f->rank[r].count;
}

/* Bits of a code with these groups; the last place is the escape unless all deltas have one. */
static uint64_t
code_bits(const struct fit *f, const uint8_t *suffix_bits, unsigned int groups, unsigned int places)
{
	const bool complete = !f->with_zero && places == f->exponents;
	const unsigned int ranks = places - !complete;
	uint64_t bits = (f->total - f->up_to[ranks]) * ESCAPED_BITS;

	for (unsigned int g = 0, place = 0; g < groups; g++) {
		const unsigned int length = suffix_bits[g] + (g + 1 < groups ? g + 1 : g);
		const unsigned int next = place + (1u << suffix_bits[g]);
		const uint64_t end = next == places && !complete ? f->total : f->up_to[next];

		bits += length * (end - f->up_to[place]);
		place = next;
	}
	return bits;
}

static void
keep_vector(struct fit *f, const struct vector *v)
{
	unsigned int place = f->nb_best;

	while (place > 0 && f->best[place - 1].bits > v->bits)
		place--;
	if (place == VECTORS_KEPT)
		return;
	if (f->nb_best < VECTORS_KEPT)
		f->nb_best++;
	memmove(f->best + place + 1, f->best + place,
			(f->nb_best - 1 - place) * sizeof(f->best[0]));
	f->best[place] = *v;
}

/* May the groups so far be all of them? */
static bool
is_allowed(const struct fit *f, const struct vector *v)
{
	return f->limits->groups == 0 || v->groups == f->limits->groups;
}

/* May the next group be of this size? */
static bool
may_follow(const struct fit *f, const struct vector *v, unsigned int suffix_bits)
{
	return f->limits->groups == 0 ||
			(v->groups < f->limits->groups &&
					f->limits->suffix_bits[v->groups] == suffix_bits);
}

static void
try_groups(struct fit *f, struct vector *v, unsigned int places)
{
	if (places >= 2 && is_allowed(f, v)) {
		v->ranks = places - (f->with_zero || places != f->exponents);
		v->bits = code_bits(f, v->suffix_bits, v->groups, places);
		keep_vector(f, v);
	}
	if (v->groups == f->limits->levels + 1)
		return;
	for (unsigned int s = 0; s <= LP_GROUP_SUFFIX_MAX; s++) {
		const unsigned int next = places + (1u << s);

		/* More places than symbols would leave ranks without one. */
		if (next > f->limits->codes || next > f->exponents)
			break;
		if (!may_follow(f, v, s))
			continue;
		v->suffix_bits[v->groups++] = (uint8_t)s;
		try_groups(f, v, next);
		v->groups--;
	}
}

static void
set_lengths(struct fit *f)
{
	const struct vector *v = &f->vector;
	const unsigned int last = v->groups - 1;

	memset(f->length, (int)(last + v->suffix_bits[last] + ESCAPED_BITS), sizeof(f->length));
	for (unsigned int g = 0, r = 0; g < v->groups; g++)
		for (unsigned int k = 0; k < 1u << v->suffix_bits[g] && r < v->ranks; k++, r++)
			f->length[f->rank[r].symbol] = (uint8_t)(v->suffix_bits[g] +
					(g < last ? g + 1 : last));
}

/* Give each shard the base that codes it best; returns the bits of all. */
static uint64_t
align_shards(const struct fit *f, struct lp_profile *p)
{
	const unsigned int reach = f->exponents > 2 * BASE_REACH ? BASE_REACH : f->exponents / 2;
	const unsigned int bases = 2 * reach;
	uint64_t total = 0;

	for (size_t k = 0; k < p->shards; k++) {
		struct lp_shard *shard = &p->shard[k];
		const struct lp_symbol_count *pair = &p->pair[shard->first];
		uint64_t least = UINT64_MAX;

		for (unsigned int step = 0; step < bases; step++) {
			const unsigned int base = (shard->mode - reach + step) & (f->exponents - 1);
			uint64_t bits = 0;

			for (unsigned int i = 0; i < shard->distinct; i++) {
				const unsigned int s = f->with_zero && pair[i].symbol == 0
						? ZERO_SYMBOL
						: (pair[i].symbol - base) & (f->exponents - 1);

				bits += (uint64_t)pair[i].count * f->length[s];
			}
			if (bits < least) {
				least = bits;
				shard->base = (uint16_t)base;
			}
		}
		total += least * shard->weight;
	}
	return total;
}

/* The most frequent exponent of a shard is a good first base. */
static void
first_bases(struct lp_profile *p)
{
	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_symbol_count *pair = &p->pair[p->shard[k].first];
		unsigned int most = 0;

		p->shard[k].mode = 0;
		for (unsigned int i = 0; i < p->shard[k].distinct; i++) {
			if (pair[i].count <= most || pair[i].symbol == 0)
				continue;
			most = pair[i].count;
			p->shard[k].mode = pair[i].symbol;
		}
		p->shard[k].base = p->shard[k].mode;
	}
}

/* Ranks and bases depend on each other: repeat until nothing is gained. */
static void
settle_vector(struct fit *f, struct lp_profile *p, const struct vector *v)
{
	uint64_t before = UINT64_MAX;

	f->vector = *v;
	for (unsigned int round = 0; round < ROUNDS_MAX; round++) {
		rank_symbols(f, p);
		set_lengths(f);
		f->bits = align_shards(f, p);
		if (f->bits >= before)
			break;
		before = f->bits;
	}
}

static void
fit_profile(struct fit *f, struct lp_profile *p)
{
	struct vector v = { 0 };
	const struct vector *winner = f->best;
	uint64_t least = UINT64_MAX;

	first_bases(p);
	rank_symbols(f, p);
	try_groups(f, &v, 0);
	settle_vector(f, p, &f->best[0]);
	f->nb_best = 0;
	rank_symbols(f, p);
	try_groups(f, &v, 0);
	for (unsigned int k = 0; k < f->nb_best; k++) {
		settle_vector(f, p, &f->best[k]);
		if (f->bits < least) {
			least = f->bits;
			winner = &f->best[k];
		}
	}
	settle_vector(f, p, winner);
}

static void
print_book(const struct fit *f, char *text)
{
	/* Delta 0 is the most frequent one, whatever base the fit happened to use. */
	unsigned int origin = f->rank[0].symbol;
	int n = sprintf(text, "symbol exponent\ngroups");

	if (origin == ZERO_SYMBOL)
		origin = f->rank[1].symbol;
	for (unsigned int g = 0; g < f->vector.groups; g++)
		n += sprintf(text + n, " %u", f->vector.suffix_bits[g]);
	n += sprintf(text + n, "\nranks");
	for (unsigned int r = 0; r < f->vector.ranks; r++) {
		int delta = (int)((f->rank[r].symbol - origin) & (f->exponents - 1));

		if (f->rank[r].symbol == ZERO_SYMBOL) {
			n += sprintf(text + n, " zero");
			continue;
		}
		if (delta >= (int)f->exponents / 2)
			delta -= (int)f->exponents;
		n += sprintf(text + n, delta > 0 ? " +%d" : " %d", delta);
	}
	sprintf(text + n, "\nprofile-symbols %llu\nprofile-entropy %.4f\nprofile-code %.4f\n",
			(unsigned long long)f->total, f->entropy,
			(double)f->bits / (double)f->total);
}

static bool
groups_fit(const struct lp_fit_limits *limits, unsigned int exponents)
{
	unsigned int places = 0;

	for (unsigned int g = 0; g < limits->groups; g++) {
		if (limits->suffix_bits[g] > LP_GROUP_SUFFIX_MAX)
			return false;
		places += 1u << limits->suffix_bits[g];
	}
	return limits->groups == 0 ||
			(limits->groups <= limits->levels + 1 && places >= 2 &&
					places <= limits->codes && places <= exponents);
}

int
lp_fit_grouped(struct lp_profile *profile, const struct lp_fit_limits *limits, char *text)
{
	struct fit *f[2] = { NULL, NULL };
	int ret = -ENOMEM;

	if (profile->symbol != LP_SYMBOL_EXPONENT || profile->shards == 0 ||
			limits->levels > LP_GROUPS_MAX - 1 || limits->codes < 2 ||
			limits->codes > LP_GROUPED_CODES_MAX ||
			!groups_fit(limits, lp_type_exponents(profile->type)))
		return -EINVAL;
	for (unsigned int zero = 0; zero < 2; zero++) {
		f[zero] = calloc(1, sizeof(*f[zero]));
		if (f[zero] == NULL)
			goto out;
		f[zero]->limits = limits;
		f[zero]->exponents = lp_type_exponents(profile->type);
		f[zero]->with_zero = zero;
		fit_profile(f[zero], profile);
	}
	print_book(f[0]->bits <= f[1]->bits ? f[0] : f[1], text);
	ret = 0;
out:
	free(f[0]);
	free(f[1]);
	return ret;
}
