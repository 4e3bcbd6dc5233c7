/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A rule in normal form. */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules.h"

static void
write_range(FILE *out, const struct rule *rule, enum rule_range_key key)
{
	const struct rule_range *range = &rule->range[key];

	if (!range->given)
		return;
	fprintf(out, "%s ", rule_range_name(key));
	if (key == RULE_PROTO)
		fprintf(out, "%s ", rule_proto_name(range->low));
	else if (key == RULE_VLAN && range->low == RULE_VLAN_NONE)
		fprintf(out, "none ");
	else if (key == RULE_MIN_REGION || range->low == range->high)
		fprintf(out, "%u ", range->low);
	else
		fprintf(out, "%u-%u ", range->low, range->high);
}

static void
write_prefix(FILE *out, const struct rule *rule, enum rule_prefix_key key)
{
	const struct rule_prefix *prefix = &rule->prefix[key];
	char text[INET6_ADDRSTRLEN];

	if (prefix->ip_version == 0)
		return;
	inet_ntop(prefix->ip_version == 4 ? AF_INET : AF_INET6, prefix->address, text,
			sizeof(text));
	fprintf(out, "%s %s/%u ", rule_prefix_name(key), text, prefix->len);
}

static void
write_books(FILE *out, const struct lp_bookset *books)
{
	const char *separator = " books ";

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info;

		if (books->book[id] == NULL)
			continue;
		lp_codebook_describe(books->book[id], &info);
		fprintf(out, "%s%s", separator, info.name);
		separator = ",";
	}
}

static void
write_action(FILE *out, const struct rule_action *action)
{
	switch (action->type) {
	case RULE_PASS:
		fprintf(out, "-> pass");
		return;
	case RULE_DRY_RUN:
		fprintf(out, "-> dry-run");
		break;
	case RULE_BOOKS:
		fprintf(out, action->books == NULL ? "-> books all" : "->");
		break;
	}
	if (action->books != NULL)
		write_books(out, action->books);
}

bool
rule_write_text(struct rule *rule)
{
	size_t len;
	FILE *out = open_memstream(&rule->text, &len);

	if (out == NULL)
		return false;
	write_range(out, rule, RULE_PORT);
	write_range(out, rule, RULE_VLAN);
	write_prefix(out, rule, RULE_SRC);
	write_prefix(out, rule, RULE_DST);
	for (unsigned int key = RULE_PROTO; key < RULE_RANGES; key++)
		write_range(out, rule, (enum rule_range_key)key);
	write_action(out, &rule->action);
	return fclose(out) == 0;
}
