/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Values of keys: numbers, ranges, prefixes, lists of books. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "linepress/wire.h"
#include "rules.h"

#define NUMBER_MAX 65535

static const char *const proto_names[] = {
	[LP_L4_TCP] = "tcp",
	[LP_L4_UDP] = "udp",
	[LP_L4_ROCE] = "roce",
};

/* What may be the value of a key. */
struct range_key {
	const char *name;
	uint16_t low, high;
	const char *also; /* a word that may stand for a number */
	uint16_t also_value;
	bool is_range;
};

static const struct range_key range_keys[RULE_RANGES] = {
	[RULE_PORT] = { .name = "port", .high = RTE_MAX_ETHPORTS - 1 },
	[RULE_VLAN] = { .name = "vlan",
			.high = RULE_VLAN_NONE - 1,
			.also = "none",
			.also_value = RULE_VLAN_NONE },
	[RULE_PROTO] = { .name = "proto" },
	[RULE_SPORT] = { .name = "sport", .high = UINT16_MAX, .is_range = true },
	[RULE_DPORT] = { .name = "dport", .high = UINT16_MAX, .is_range = true },
	[RULE_DSCP] = { .name = "dscp", .high = 63 },
	[RULE_MIN_REGION] = { .name = "min-region", .low = 1, .high = LP_REGION_MAX },
};

static const char *const prefix_names[RULE_PREFIXES] = {
	[RULE_SRC] = "src",
	[RULE_DST] = "dst",
};

const char *
rule_range_name(enum rule_range_key key)
{
	return range_keys[key].name;
}

const char *
rule_prefix_name(enum rule_prefix_key key)
{
	return prefix_names[key];
}

const char *
rule_proto_name(unsigned int l4)
{
	return l4 < RTE_DIM(proto_names) ? proto_names[l4] : NULL;
}

/* The number that a text of `len` characters is, or -1 if it is none up to NUMBER_MAX. */
static int
number_of(const char *text, size_t len)
{
	int number = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		number = 10 * number + text[i] - '0';
		if (number > NUMBER_MAX)
			return -1;
	}
	return len > 0 ? number : -1;
}

static bool
read_proto(struct rule_reader *r, const char *word, struct rule_range *range)
{
	for (unsigned int l4 = 0; l4 < RTE_DIM(proto_names); l4++) {
		if (strcmp(word, proto_names[l4]) == 0) {
			*range = (struct rule_range){ true, (uint16_t)l4, (uint16_t)l4 };
			return true;
		}
	}
	return rule_refuse(r, word, "proto '%.40s': must be tcp, udp or roce", word);
}

static bool
refuse_range(struct rule_reader *r, const struct range_key *key, const char *word)
{
	if (key->is_range)
		return rule_refuse(r, word, "%s '%.40s': must be N or N-M with %u <= N <= M <= %u",
				key->name, word, key->low, key->high);
	return rule_refuse(r, word, "%s '%.40s': must be a number from %u to %u%s%s", key->name,
			word, key->low, key->high, key->also != NULL ? ", or " : "",
			key->also != NULL ? key->also : "");
}

bool
rule_read_range(struct rule_reader *r, enum rule_range_key k, char *word, struct rule_range *range)
{
	const struct range_key *key = &range_keys[k];
	const char *dash = key->is_range ? strchr(word, '-') : NULL;
	int low, high;

	if (k == RULE_PROTO)
		return read_proto(r, word, range);
	if (key->also != NULL && strcmp(word, key->also) == 0) {
		*range = (struct rule_range){ true, key->also_value, key->also_value };
		return true;
	}
	low = high = number_of(word, dash != NULL ? (size_t)(dash - word) : strlen(word));
	if (dash != NULL)
		high = number_of(dash + 1, strlen(dash + 1));
	if (low < key->low || high > key->high || low > high)
		return refuse_range(r, key, word);
	if (k == RULE_MIN_REGION)
		high = UINT16_MAX;
	*range = (struct rule_range){ true, (uint16_t)low, (uint16_t)high };
	return true;
}

/* Prefixes */

/* Clear the bits after the prefix; were there any? */
static bool
clear_host_bits(struct rule_prefix *prefix)
{
	bool found = false;

	for (unsigned int i = 0; i < sizeof(prefix->address); i++) {
		const unsigned int kept = RTE_MIN(8u, prefix->len - RTE_MIN(prefix->len, 8u * i));
		const uint8_t mask = (uint8_t)(0xff00u >> kept);

		found = found || (prefix->address[i] & ~mask) != 0;
		prefix->address[i] &= mask;
	}
	return found;
}

static int
family_of(const struct rule_prefix *prefix)
{
	return prefix->ip_version == 4 ? AF_INET : AF_INET6;
}

bool
rule_read_prefix(struct rule_reader *r, enum rule_prefix_key key, char *word,
		struct rule_prefix *prefix)
{
	const char *name = prefix_names[key];
	char *slash = strchr(word, '/');
	char text[INET6_ADDRSTRLEN];
	int bits, len;

	*prefix = (struct rule_prefix){ .ip_version = strchr(word, ':') != NULL ? 6 : 4 };
	bits = prefix->ip_version == 4 ? 32 : 128;
	if (slash != NULL)
		*slash = '\0';
	const bool is_address = inet_pton(family_of(prefix), word, prefix->address) == 1;

	if (slash != NULL)
		*slash = '/';
	if (!is_address)
		return rule_refuse(r, word,
				"%s '%.60s': must be an IPv4 or IPv6 address, or address/length",
				name, word);
	len = slash != NULL ? number_of(slash + 1, strlen(slash + 1)) : bits;
	if (len < 0 || len > bits)
		return rule_refuse(r, slash + 1,
				"%s '%.60s': the length must be a number from 0 to %d", name, word,
				bits);
	prefix->len = (uint8_t)len;
	if (clear_host_bits(prefix))
		return rule_refuse(r, word,
				"%s '%.60s': bits after the first %d must be 0, as in %s/%d", name,
				word, len,
				inet_ntop(family_of(prefix), prefix->address, text, sizeof(text)),
				len);
	return true;
}

/* Books */

static unsigned int
book_of(const struct lp_bookset *books, const char *word)
{
	struct lp_codebook_info info;
	int number;

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		if (books->book[id] == NULL)
			continue;
		lp_codebook_describe(books->book[id], &info);
		if (strcmp(word, info.name) == 0)
			return id;
	}
	number = number_of(word, strlen(word));
	return number > 0 && number < LP_BOOK_IDS && books->book[number] != NULL
			? (unsigned int)number
			: 0;
}

/* All books that may be named, as far as there is room. */
static bool
refuse_book(struct rule_reader *r, const char *word)
{
	char list[800];
	size_t len = 0;

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info;

		if (r->books->book[id] == NULL)
			continue;
		if (len > sizeof(list) - LP_NAME_MAX - 16) {
			snprintf(list + len, sizeof(list) - len, ", ...");
			break;
		}
		lp_codebook_describe(r->books->book[id], &info);
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s (%u)",
				len > 0 ? ", " : "", info.name, id);
	}
	return rule_refuse(r, word, "books '%.60s': must be all, or a loaded book: %s", word, list);
}

bool
rule_read_books(struct rule_reader *r, char *list, struct lp_bookset **books)
{
	bool chosen[LP_BOOK_IDS] = { false };
	uint8_t ids[LP_BOOK_IDS];
	unsigned int count = 0;

	*books = NULL;
	if (strcmp(list, "all") == 0)
		return true;
	for (char *word = list, *comma; word != NULL; word = comma != NULL ? comma + 1 : NULL) {
		comma = strchr(word, ',');
		if (comma != NULL)
			*comma = '\0';
		const unsigned int id = book_of(r->books, word);

		if (id == 0)
			return refuse_book(r, word);
		if (chosen[id])
			return rule_refuse(r, word,
					"books '%.60s': book %u is given twice, must be once", word,
					id);
		chosen[id] = true;
		ids[count++] = (uint8_t)id;
	}
	*books = lp_bookset_subset(r->books, ids, count);
	return *books != NULL || rule_refuse(r, NULL, "out of memory");
}
