/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "planes.h"
#include "profile.h"
#include "type.h"

struct lp_profile *
lp_profile_create(enum lp_type type, enum lp_symbol symbol)
{
	struct lp_profile *profile;

	if ((unsigned int)type >= LP_TYPE_COUNT || (unsigned int)symbol >= LP_SYMBOL_COUNT ||
			(symbol == LP_SYMBOL_EXPONENT && lp_type_traits[type].exponent_bits == 0)) {
		errno = EINVAL;
		return NULL;
	}
	profile = calloc(1, sizeof(*profile));
	if (profile != NULL) {
		profile->type = type;
		profile->symbol = symbol;
	}
	return profile;
}

void
lp_profile_free(struct lp_profile *profile)
{
	if (profile == NULL)
		return;
	free(profile->shard);
	free(profile->pair);
	free(profile);
}

static int
make_room(struct lp_profile *p)
{
	if (p->shards == p->shards_room) {
		const size_t room = p->shards_room * 2 + 64;
		void *shard = realloc(p->shard, room * sizeof(*p->shard));

		if (shard == NULL)
			return -ENOMEM;
		p->shard = shard;
		p->shards_room = room;
	}
	if (p->pairs_room - p->pairs < 256) {
		const size_t room = p->pairs_room * 2 + 4096;
		void *pair = realloc(p->pair, room * sizeof(*p->pair));

		if (pair == NULL)
			return -ENOMEM;
		p->pair = pair;
		p->pairs_room = room;
	}
	return 0;
}

unsigned int
lp_profile_symbols(const struct lp_profile *profile)
{
	return 1u << lp_profile_symbol_bits(profile);
}

unsigned int
lp_profile_symbol_bits(const struct lp_profile *profile)
{
	return profile->symbol == LP_SYMBOL_EXPONENT ? lp_type_traits[profile->type].exponent_bits
						     : 8;
}

unsigned int
lp_profile_raw_bits(const struct lp_profile *profile)
{
	return profile->symbol == LP_SYMBOL_EXPONENT ? lp_type_traits[profile->type].raw_bits : 0;
}

int
lp_profile_add_shard(struct lp_profile *profile, const uint16_t *count, uint32_t weight)
{
	if (make_room(profile) < 0)
		return -ENOMEM;

	struct lp_shard *shard = &profile->shard[profile->shards++];

	*shard = (struct lp_shard){ .weight = weight, .first = profile->pairs };
	for (unsigned int s = 0; s < 256; s++) {
		if (count[s] == 0)
			continue;
		profile->pair[profile->pairs++] = (struct lp_symbol_count){ (uint8_t)s, count[s] };
		shard->distinct++;
	}
	return 0;
}

void
lp_profile_shard_counts(
		const struct lp_profile *profile, const struct lp_shard *shard, uint16_t *count)
{
	const struct lp_symbol_count *pair = &profile->pair[shard->first];

	memset(count, 0, 256 * sizeof(*count));
	for (unsigned int i = 0; i < shard->distinct; i++)
		count[pair[i].symbol] = pair[i].count;
}

int
lp_profile_add(struct lp_profile *profile, const uint8_t *src, size_t len)
{
	const bool exponent = profile->symbol == LP_SYMBOL_EXPONENT;
	const size_t bytes = exponent ? lp_type_bytes(profile->type) : 1;
	uint16_t count[256] = { 0 };

	if (len < bytes || len > LP_REGION_MAX)
		return -EINVAL;
	for (size_t i = 0; i + bytes <= len; i += bytes) {
		if (exponent)
			count[lp_exponent_at(profile->type, src + i)]++;
		else if (profile->symbol == LP_SYMBOL_ROTATED)
			count[lp_rotl8(src[i])]++;
		else
			count[src[i]]++;
	}
	return lp_profile_add_shard(profile, count, 1);
}

size_t
lp_profile_start(const uint8_t *region, size_t len, enum lp_type type)
{
	const size_t bytes = lp_type_bytes(type);
	double least = 1e9;
	size_t best = 0;

	for (size_t start = 0; start < bytes; start++) {
		uint64_t count[256] = { 0 };

		for (size_t i = start; i + bytes <= len; i += bytes) {
			const uint8_t *top = region + i + bytes - 1;

			count[(uint8_t)(top[0] << 1 | (bytes > 1 ? top[-1] >> 7 : 0))]++;
		}
		const double entropy = lp_entropy(count, 256);

		if (entropy < least) {
			least = entropy;
			best = start;
		}
	}
	return best;
}

size_t
lp_profile_shards(const struct lp_profile *profile)
{
	return profile->shards;
}

double
lp_entropy(const uint64_t *count, unsigned int symbols)
{
	double total = 0, sum = 0;

	for (unsigned int s = 0; s < symbols; s++) {
		if (count[s] == 0)
			continue;
		total += (double)count[s];
		sum += (double)count[s] * log2((double)count[s]);
	}
	return total > 0 ? log2(total) - sum / total : 0;
}
