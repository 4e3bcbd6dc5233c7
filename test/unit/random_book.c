/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <string.h>

#include "codec_help.h"
#include "random_book.h"

#define GROUPS_MAX 8
#define BITS_MAX 11
#define SYMBOLS 257

/* Random groups with 2 to 16 places; returns the places. */
static unsigned int
random_groups(char *text)
{
	unsigned int places, groups;

	do {
		char *out = text;

		places = 0;
		groups = test_random_in(1, GROUPS_MAX);
		for (unsigned int g = 0; g < groups; g++) {
			const unsigned int bits = test_random_in(0, 4);

			places += 1u << bits;
			out += sprintf(out, " %u", bits);
		}
	} while (places < 2 || places > 16);
	return places;
}

/* Random deltas within 16 neighbours anywhere in the range, perhaps `zero` among them. */
static void
random_ranks(char *text, unsigned int ranks, unsigned int exponents, bool with_zero)
{
	const unsigned int first = test_random_in(0, exponents - 1);
	const unsigned int zero_rank = with_zero ? test_random_in(0, ranks - 1) : ranks;
	uint32_t taken = 0;

	for (unsigned int r = 0; r < ranks; r++) {
		unsigned int place;

		if (r == zero_rank) {
			text += sprintf(text, " zero");
			continue;
		}
		do
			place = test_random_in(0, 15);
		while (taken >> place & 1);
		taken |= 1u << place;
		const int delta = (int)((first + place) % exponents);

		text += sprintf(text, " %d",
				delta < (int)exponents / 2 ? delta : delta - (int)exponents);
	}
}

static struct lp_codebook *
load(const char *text)
{
	struct lp_error error;
	struct lp_codebook *cb = lp_codebook_parse(text, strlen(text), &error);

	if (cb == NULL)
		printf("\n  %s in:\n%s", error.text, text);
	else
		test_use_kernel(cb);
	return cb;
}

struct lp_codebook *
random_book(char *text, enum lp_type type)
{
	const unsigned int exponents = test_exponents(type);
	char groups[64], ranks[256];
	const unsigned int places = random_groups(groups);
	const bool complete = places == exponents && test_random() & 1;

	random_ranks(ranks, complete ? places : places - 1, exponents,
			!complete && test_random() & 1);
	sprintf(text,
			"linepress-codebook 1\nname random\ntype %s\nkind grouped\n"
			"symbol exponent\ngroups%s\nranks%s\n",
			lp_type_name(type), groups, ranks);
	return load(text);
}

/* Lengths of a complete code: leaves are split at random, none at the greatest depth. */
static void
random_lengths(uint8_t *leaf, unsigned int leaves)
{
	unsigned int n = 1;

	leaf[0] = 0;
	while (n < leaves) {
		const unsigned int k = test_random_in(0, n - 1);

		if (leaf[k] == BITS_MAX)
			continue;
		leaf[n++] = ++leaf[k];
	}
}

struct lp_codebook *
random_huffman_book(char *text, unsigned int symbols)
{
	uint8_t leaf[SYMBOLS];
	bool taken[256] = { false };
	char *out = text;

	random_lengths(leaf, symbols);
	out += sprintf(out,
			"linepress-codebook 1\nname random\ntype bytes\nkind huffman\nsymbol %s\n"
			"codes %u escape\n",
			test_random() & 1 ? "rotated" : "byte", leaf[0]);
	for (unsigned int k = 1; k < symbols;) {
		const unsigned int s = test_random_in(0, 255);

		if (taken[s])
			continue;
		taken[s] = true;
		out += sprintf(out, "codes %u %02x\n", leaf[k++], s);
	}
	return load(text);
}

/* Suffix bits of areas, of which none is empty and only the last has fewer symbols than room. */
static char *
random_areas(char *text, unsigned int areas)
{
	unsigned int left = 256, bits;

	for (unsigned int k = 1; k < areas; k++) {
		do
			bits = test_random_in(0, 7);
		while (left - (areas - k) < 1u << bits);
		left -= 1u << bits;
		text += sprintf(text, " %u", bits);
	}
	do
		bits = test_random_in(0, 8);
	while (1u << bits < left);
	return text + sprintf(text, " %u", bits);
}

struct lp_codebook *
random_area_book(char *text, unsigned int prefix_bits)
{
	const bool in_turn = test_random() & 1, rotated = test_random() & 1;
	const unsigned int first = test_random_in(0, 255);
	uint8_t order[256] = { 0 };
	char *out = text;

	for (unsigned int k = 0; k < 256; k++) {
		const unsigned int other = in_turn ? k : test_random_in(0, k);

		order[k] = order[other];
		order[other] = (uint8_t)(first + k);
	}
	out += sprintf(out,
			"linepress-codebook 1\nname random\ntype bytes\nkind area\nsymbol %s\nareas",
			rotated ? "rotated" : "byte");
	out = random_areas(out, 1u << prefix_bits);
	out += sprintf(out, "\nranks");
	for (unsigned int k = 0; k < 256; k++)
		out += sprintf(out, " %02x", order[k]);
	sprintf(out, "\n");
	return load(text);
}
