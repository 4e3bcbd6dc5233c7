/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linepress/profile.h"

#define SYMBOLS_MAX 512
#define LIMIT_MAX 15

struct leaf {
	uint64_t weight;
	uint16_t symbol;
};

static int
by_weight(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/*
 * One list for each bit of length: all leaves merged by weight with the packages, pairs of the
 * list before. Taking the 2n-2 lightest of the last list adds one bit to each leaf taken there, and
 * takes both members of each package from the list before, and so on back.
 */
struct lists {
	bool is_leaf[LIMIT_MAX][2 * SYMBOLS_MAX];
	uint64_t weight[2][2 * SYMBOLS_MAX];
};

static void
merge_lists(struct lists *l, const struct leaf *leaf, unsigned int leaves, unsigned int limit)
{
	unsigned int before = 0;

	for (unsigned int bit = 0; bit < limit; bit++) {
		const uint64_t *from = l->weight[(bit + 1) % 2];
		uint64_t *to = l->weight[bit % 2];
		unsigned int next_leaf = 0, next_pair = 0, n = 0;

		while (next_leaf < leaves || next_pair + 1 < before) {
			const bool pair_left = next_pair + 1 < before;
			const uint64_t pair = pair_left ? from[next_pair] + from[next_pair + 1] : 0;
			const bool take_leaf = next_leaf < leaves &&
					(!pair_left || leaf[next_leaf].weight <= pair);

			l->is_leaf[bit][n] = take_leaf;
			if (take_leaf) {
				to[n++] = leaf[next_leaf++].weight;
			} else {
				to[n++] = pair;
				next_pair += 2;
			}
		}
		before = n;
	}
}

int
lp_huffman_lengths(const uint64_t *count, unsigned int symbols, unsigned int limit, uint8_t *length)
{
	struct leaf leaf[SYMBOLS_MAX];
	unsigned int leaves = 0;

	if (symbols > SYMBOLS_MAX || limit < 1 || limit > LIMIT_MAX)
		return -EINVAL;
	memset(length, 0, symbols);
	for (unsigned int s = 0; s < symbols; s++)
		if (count[s] > 0)
			leaf[leaves++] = (struct leaf){ count[s], (uint16_t)s };
	if (leaves == 0 || leaves > 1u << limit)
		return -EINVAL;
	if (leaves == 1) {
		length[leaf[0].symbol] = 1;
		return 0;
	}
	qsort(leaf, leaves, sizeof(leaf[0]), by_weight);

	struct lists *l = malloc(sizeof(*l));

	if (l == NULL)
		return -ENOMEM;
	merge_lists(l, leaf, leaves, limit);
	for (unsigned int bit = limit, take = 2 * leaves - 2; bit-- > 0;) {
		unsigned int taken = 0;

		for (unsigned int k = 0; k < take; k++)
			if (l->is_leaf[bit][k])
				length[leaf[taken++].symbol]++;
		take = 2 * (take - taken);
	}
	free(l);
	return 0;
}
