/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A line of a rules file: words, keys, the action. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules.h"

#define ARROW "->"
#define BLANKS " \t\r"
#define KEYS "port, vlan, src, dst, proto, sport, dport, dscp, min-region"

bool
rule_refuse(const struct rule_reader *r, const char *at, const char *format, ...)
{
	va_list ap;

	if (r->error == NULL)
		return false;
	r->error->line = r->line;
	r->error->column = at != NULL ? (unsigned int)(at - r->text) + 1 : 0;
	va_start(ap, format);
	vsnprintf(r->error->text, sizeof(r->error->text), format, ap);
	va_end(ap);
	return false;
}

char *
rule_next_word(struct rule_reader *r)
{
	char *word = r->next + strspn(r->next, BLANKS);
	char *end = word + strcspn(word, BLANKS);

	r->next = *end != '\0' ? end + 1 : end;
	*end = '\0';
	return *word != '\0' ? word : NULL;
}

/* The word after `before`, which must be there. */
static char *
need_word(struct rule_reader *r, const char *before, const char *allowed)
{
	char *word = rule_next_word(r);

	if (word == NULL)
		rule_refuse(r, before, "nothing after '%s': must be %s", before, allowed);
	return word;
}

static bool
read_books(struct rule_reader *r, const char *before, struct rule_action *action)
{
	char *list = need_word(r, before, "all, or books by name or number, with commas between");

	return list != NULL && rule_read_books(r, list, &action->books);
}

/* What may follow dry-run: which books it is about. */
static bool
read_dry_run(struct rule_reader *r, struct rule_action *action)
{
	const char *word = rule_next_word(r);

	if (word == NULL)
		return true;
	if (strcmp(word, "books") != 0)
		return rule_refuse(
				r, word, "'%.40s' after dry-run: must be books, or nothing", word);
	return read_books(r, word, action);
}

static bool
read_action(struct rule_reader *r, const char *arrow, struct rule_action *action)
{
	static const char allowed[] = "books, pass or dry-run";
	const char *word = need_word(r, arrow, allowed);
	bool ok = true;

	if (word == NULL)
		return false;
	if (strcmp(word, "books") == 0) {
		action->type = RULE_BOOKS;
		ok = read_books(r, word, action);
	} else if (strcmp(word, "pass") == 0) {
		action->type = RULE_PASS;
	} else if (strcmp(word, "dry-run") == 0) {
		action->type = RULE_DRY_RUN;
		ok = read_dry_run(r, action);
	} else {
		return rule_refuse(r, word, "action '%.40s': must be %s", word, allowed);
	}
	word = ok ? rule_next_word(r) : NULL;
	return word == NULL
			? ok
			: rule_refuse(r, word,
					  "'%.40s' after the action: must be the end of the line",
					  word);
}

static bool
refuse_second(struct rule_reader *r, const char *key)
{
	return rule_refuse(r, key, "'%s' is given twice: must be once in a rule", key);
}

static bool
read_key(struct rule_reader *r, const char *key, struct rule *rule)
{
	char *value;

	for (unsigned int k = 0; k < RULE_RANGES; k++) {
		if (strcmp(key, rule_range_name((enum rule_range_key)k)) != 0)
			continue;
		if (rule->range[k].given)
			return refuse_second(r, key);
		value = need_word(r, key, "a value");
		return value != NULL &&
				rule_read_range(r, (enum rule_range_key)k, value, &rule->range[k]);
	}
	for (unsigned int k = 0; k < RULE_PREFIXES; k++) {
		const struct rule_prefix *other = &rule->prefix[1 - k];

		if (strcmp(key, rule_prefix_name((enum rule_prefix_key)k)) != 0)
			continue;
		if (rule->prefix[k].ip_version != 0)
			return refuse_second(r, key);
		value = need_word(r, key, "a prefix");
		if (value == NULL ||
				!rule_read_prefix(r, (enum rule_prefix_key)k, value,
						&rule->prefix[k]))
			return false;
		if (other->ip_version != 0 && other->ip_version != rule->prefix[k].ip_version)
			return rule_refuse(r, value,
					"%s '%s': must be IPv%u, as the other prefix of the rule",
					key, value, other->ip_version);
		return true;
	}
	return rule_refuse(r, key, "'%.40s': must be a key (" KEYS ") or " ARROW, key);
}

bool
rule_read_line(struct rule_reader *r, struct rule *rule, bool *is_rule)
{
	const char *word;

	r->text[strcspn(r->text, "#")] = '\0';
	for (const char *c = r->text; *c != '\0'; c++)
		if ((*c < ' ' && *c != '\t' && *c != '\r') || *c > '~')
			return rule_refuse(r, c,
					"byte 0x%02x: must be printable ASCII, except in comments",
					(unsigned char)*c);
	*rule = (struct rule){ .line = r->line };
	for (unsigned int k = 0; k < RULE_RANGES; k++)
		rule->range[k].high = UINT16_MAX;
	r->next = r->text;
	word = rule_next_word(r);
	*is_rule = word != NULL;
	for (; word != NULL; word = rule_next_word(r)) {
		if (strcmp(word, ARROW) == 0)
			return read_action(r, word, &rule->action);
		if (!read_key(r, word, rule))
			return false;
	}
	return !*is_rule ||
			rule_refuse(r, r->next,
					"no action: must be " ARROW " and books, pass or dry-run");
}
