/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Profiles of several types side by side, and their text. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "profiles.h"
#include "type.h"

struct lp_profiles *
lp_profiles_create(void)
{
	return calloc(1, sizeof(struct lp_profiles));
}

void
lp_profiles_free(struct lp_profiles *profiles)
{
	if (profiles == NULL)
		return;
	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++)
		for (unsigned int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++)
			lp_profile_free(profiles->profile[type][symbol]);
	free(profiles->sources);
	free(profiles);
}

bool
lp_profiles_stores(enum lp_type type, enum lp_symbol symbol)
{
	return symbol == LP_SYMBOL_BYTE ||
			(symbol == LP_SYMBOL_EXPONENT && lp_type_traits[type].exponent_bits > 0 &&
					lp_type_bytes(type) > 1);
}

struct lp_profile *
lp_profiles_make(struct lp_profiles *profiles, enum lp_type type, enum lp_symbol symbol)
{
	struct lp_profile **profile = &profiles->profile[type][symbol];

	if (*profile == NULL)
		*profile = lp_profile_create(type, symbol);
	return *profile;
}

int
lp_profiles_add(struct lp_profiles *profiles, enum lp_type type, const uint8_t *src, size_t len)
{
	int ret = 0;

	if (len < lp_type_bytes(type) || len > LP_REGION_MAX)
		return -EINVAL;
	for (int symbol = 0; symbol < LP_SYMBOL_COUNT && ret == 0; symbol++) {
		if (!lp_profiles_stores(type, (enum lp_symbol)symbol))
			continue;
		struct lp_profile *profile = lp_profiles_make(
				profiles, type, (enum lp_symbol)symbol);

		ret = profile == NULL ? -ENOMEM : lp_profile_add(profile, src, len);
	}
	return ret;
}

int
lp_profiles_add_source(struct lp_profiles *profiles, const char *text)
{
	const size_t held = profiles->sources != NULL ? strlen(profiles->sources) : 0;
	const size_t len = strlen(text);
	char *sources = realloc(profiles->sources, held + len + 2);

	if (sources == NULL)
		return -ENOMEM;
	profiles->sources = sources;
	for (size_t i = 0; i < len; i++)
		sources[held + i] = (char)(text[i] < ' ' || text[i] > '~' || text[i] == '#'
						? '?'
						: text[i]);
	memcpy(sources + held + len, "\n", 2);
	return 0;
}

const struct lp_profile *
lp_profiles_stored(const struct lp_profiles *profiles, enum lp_type type, enum lp_symbol symbol)
{
	return profiles->profile[type][symbol];
}

/* What a byte of a type of one byte is as a symbol. */
static unsigned int
symbol_of_byte(enum lp_type type, enum lp_symbol symbol, uint8_t byte)
{
	/* Between the sign and the other raw bits, those of the mantissa. */
	if (symbol == LP_SYMBOL_EXPONENT)
		return byte >> (lp_type_traits[type].raw_bits - 1) & (lp_type_exponents(type) - 1);
	return symbol == LP_SYMBOL_ROTATED ? lp_rotl8(byte) : byte;
}

struct lp_profile *
lp_profiles_copy(const struct lp_profiles *profiles, enum lp_type type, enum lp_symbol symbol)
{
	const bool stored = lp_profiles_stores(type, symbol);
	const struct lp_profile *from = profiles->profile[type][stored ? symbol : LP_SYMBOL_BYTE];
	struct lp_profile *copy;

	if (from == NULL || (symbol == LP_SYMBOL_EXPONENT && lp_type_exponents(type) == 1)) {
		errno = ENOENT;
		return NULL;
	}
	copy = lp_profile_create(type, symbol);
	for (size_t k = 0; copy != NULL && k < from->shards; k++) {
		const struct lp_symbol_count *pair = &from->pair[from->shard[k].first];
		uint16_t count[256] = { 0 };

		for (unsigned int i = 0; i < from->shard[k].distinct; i++)
			count[stored ? pair[i].symbol
				     : symbol_of_byte(type, symbol, pair[i].symbol)] +=
					pair[i].count;
		if (lp_profile_add_shard(copy, count, from->shard[k].weight) < 0) {
			lp_profile_free(copy);
			copy = NULL;
			errno = ENOMEM;
		}
	}
	return copy;
}

static uint64_t
shard_symbols(const struct lp_profile *p, const struct lp_shard *shard)
{
	uint64_t symbols = 0;

	for (unsigned int i = 0; i < shard->distinct; i++)
		symbols += p->pair[shard->first + i].count;
	return symbols;
}

static uint64_t
profile_symbols(const struct lp_profile *p, bool weighted)
{
	uint64_t symbols = 0;

	for (size_t k = 0; p != NULL && k < p->shards; k++)
		symbols += (weighted ? p->shard[k].weight : 1) * shard_symbols(p, &p->shard[k]);
	return symbols;
}

uint64_t
lp_profiles_symbols(const struct lp_profiles *profiles, bool weighted)
{
	uint64_t symbols = 0;

	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++)
		for (unsigned int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++)
			symbols += profile_symbols(profiles->profile[type][symbol], weighted);
	return symbols;
}

static uint32_t
common_divisor(uint32_t a, uint32_t b)
{
	while (b != 0) {
		const uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void
lp_profiles_reduce(struct lp_profiles *profiles)
{
	uint32_t divisor = 0;

	/* Twice over all shards: to find the divisor, then to divide. */
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int k = 0; k < LP_TYPE_COUNT * LP_SYMBOL_COUNT; k++) {
			const struct lp_profile *p =
					profiles->profile[k / LP_SYMBOL_COUNT][k % LP_SYMBOL_COUNT];

			for (size_t i = 0; p != NULL && i < p->shards; i++) {
				if (pass == 0)
					divisor = common_divisor(divisor, p->shard[i].weight);
				else
					p->shard[i].weight /= divisor;
			}
		}
	}
}

/* Keep shards 0, 2, 4 ... and move their pairs together. */
void
lp_profile_thin(struct lp_profile *p)
{
	size_t shards = 0, pairs = 0;

	for (size_t k = 0; k < p->shards; k += 2) {
		struct lp_shard *shard = &p->shard[shards++];

		*shard = p->shard[k];
		memmove(&p->pair[pairs], &p->pair[shard->first],
				shard->distinct * sizeof(*p->pair));
		shard->first = pairs;
		pairs += shard->distinct;
	}
	p->shards = shards;
	p->pairs = pairs;
}

void
lp_profiles_thin(struct lp_profiles *profiles, enum lp_type type)
{
	for (unsigned int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++)
		if (profiles->profile[type][symbol] != NULL)
			lp_profile_thin(profiles->profile[type][symbol]);
}

static int
append_weighted(struct lp_profile *into, const struct lp_profile *from, uint32_t weight)
{
	for (size_t k = 0; k < from->shards; k++) {
		const struct lp_shard *shard = &from->shard[k];
		const uint64_t product = (uint64_t)weight * shard->weight;
		uint16_t count[256];

		if (product > LP_PROFILE_WEIGHT_MAX)
			return -ERANGE;
		lp_profile_shard_counts(from, shard, count);
		if (lp_profile_add_shard(into, count, (uint32_t)product) < 0)
			return -ENOMEM;
	}
	return 0;
}

int
lp_profile_append(struct lp_profile *into, const struct lp_profile *from)
{
	if (into->type != from->type || into->symbol != from->symbol)
		return -EINVAL;
	return append_weighted(into, from, 1);
}

static int
merge_sources(struct lp_profiles *into, const struct lp_profiles *from)
{
	const char *line = from->sources;
	int ret = 0;

	while (line != NULL && *line != '\0' && ret == 0) {
		const size_t len = strcspn(line, "\n");
		char *copy = strndup(line, len);

		ret = copy == NULL ? -ENOMEM : lp_profiles_add_source(into, copy);
		free(copy);
		line += len + 1;
	}
	return ret;
}

int
lp_profiles_merge(struct lp_profiles *into, const struct lp_profiles *from, uint32_t weight)
{
	int ret = merge_sources(into, from);

	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++) {
		for (unsigned int symbol = 0; symbol < LP_SYMBOL_COUNT && ret == 0; symbol++) {
			const struct lp_profile *p = from->profile[type][symbol];

			if (p == NULL)
				continue;
			struct lp_profile *sum = lp_profiles_make(
					into, (enum lp_type)type, (enum lp_symbol)symbol);

			ret = sum == NULL ? -ENOMEM : append_weighted(sum, p, weight);
		}
	}
	return ret;
}

static void
print_profile(const struct lp_profile *p, FILE *out)
{
	fprintf(out, "tensors %s %s shards %zu symbols %llu\n", lp_type_name(p->type),
			lp_symbol_name(p->symbol), p->shards,
			(unsigned long long)profile_symbols(p, false));
	for (size_t k = 0; k < p->shards; k++) {
		const struct lp_shard *shard = &p->shard[k];

		fprintf(out, "shard %u", shard->weight);
		for (unsigned int i = 0; i < shard->distinct; i++)
			fprintf(out, " %02x:%u", p->pair[shard->first + i].symbol,
					p->pair[shard->first + i].count);
		fputc('\n', out);
	}
}

void
lp_profiles_print(const struct lp_profiles *profiles, FILE *out)
{
	const char *line = profiles->sources;

	fputs("linepress-profile 1\n", out);
	while (line != NULL && *line != '\0') {
		const size_t len = strcspn(line, "\n");

		fprintf(out, "source %.*s\n", (int)len, line);
		line += len + 1;
	}
	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++)
		for (unsigned int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++)
			if (profiles->profile[type][symbol] != NULL)
				print_profile(profiles->profile[type][symbol], out);
}
