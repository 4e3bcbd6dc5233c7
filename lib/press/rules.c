/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Loading rules, and telling what was loaded. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static bool
add_rule(struct rule_reader *r, struct lp_rules *rules, const char *line)
{
	struct rule *rule;
	bool is_rule;

	if (rules->count < LP_RULES_MAX) {
		rule = &rules->rule[rules->count + 1];
		if (!rule_read_line(r, rule, &is_rule)) {
			lp_bookset_free(rule->action.books);
			return false;
		}
		if (!is_rule)
			return true;
		rules->count++;
		return rule_write_text(rule) || rule_refuse(r, NULL, "out of memory");
	}
	line += strspn(line, " \t\r");
	return *line == '\0' || *line == '#' ||
			rule_refuse(r, line, "one rule too many: must be at most %d", LP_RULES_MAX);
}

static bool
read_rules(struct rule_reader *r, struct lp_rules *rules, const char *text, size_t len)
{
	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		const size_t line_len = newline != NULL ? (size_t)(newline - text) : len;
		const size_t step = newline != NULL ? line_len + 1 : len;

		r->line++;
		if (line_len > LP_RULES_LINE_MAX)
			return rule_refuse(r, r->text + LP_RULES_LINE_MAX,
					"line of %zu characters: must be at most %d", line_len,
					LP_RULES_LINE_MAX);
		memcpy(r->text, text, line_len);
		r->text[line_len] = '\0';
		if (strlen(r->text) != line_len)
			return rule_refuse(r, r->text + strlen(r->text),
					"byte 0x00: must be printable ASCII, except in comments");
		if (!add_rule(r, rules, r->text))
			return false;
		text += step;
		len -= step;
	}
	return true;
}

static bool
build(struct rule_reader *r, struct lp_rules *rules)
{
	static uint64_t generations;
	int ret;

	rules->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
	ret = rules_build(rules);
	r->line = 0;
	return ret == 0 ||
			rule_refuse(r, NULL,
					"%u rules are too many for the classifier, being so diverse, or "
					"for the memory (%s): must be fewer, or fewer different ranges "
					"and prefixes",
					rules->count, strerror(-ret));
}

struct lp_rules *
lp_rules_parse(const char *text, size_t len, const struct lp_bookset *books,
		struct lp_rules_error *error)
{
	struct rule_reader *r = calloc(1, sizeof(*r));
	struct lp_rules *rules = calloc(1, sizeof(*rules));
	bool ok = false;

	if (rules != NULL)
		rules->rule = calloc(LP_RULES_MAX + 1, sizeof(*rules->rule));
	if (r != NULL && rules != NULL && rules->rule != NULL) {
		r->books = rules->books = books;
		r->error = error;
		ok = read_rules(r, rules, text, len) && build(r, rules);
	} else if (error != NULL) {
		*error = (struct lp_rules_error){ .text = "out of memory" };
	}
	free(r);
	if (ok)
		return rules;
	lp_rules_free(rules);
	return NULL;
}

static void
name_place(struct lp_rules_error *error, const char *path)
{
	char cause[sizeof(error->text)];
	int len;

	memcpy(cause, error->text, sizeof(cause));
	if (error->column > 0)
		len = snprintf(error->text, sizeof(error->text), "%.250s:%u:%u: ", path,
				error->line, error->column);
	else
		len = snprintf(error->text, sizeof(error->text), "%.250s: ", path);
	snprintf(error->text + len, sizeof(error->text) - (size_t)len, "%s", cause);
}

/* The text of a file, or NULL having told why not. */
static char *
read_file(const char *path, size_t *len, struct lp_rules_error *error)
{
	char *text = malloc(LP_RULES_FILE_MAX + 1);
	FILE *file = text != NULL ? fopen(path, "re") : NULL;

	*error = (struct lp_rules_error){ 0 };
	if (file == NULL) {
		snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
	} else {
		*len = fread(text, 1, LP_RULES_FILE_MAX + 1, file);
		if (ferror(file))
			snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
		else if (*len > LP_RULES_FILE_MAX)
			snprintf(error->text, sizeof(error->text),
					"too long: must be at most %d bytes", LP_RULES_FILE_MAX);
		fclose(file);
	}
	if (error->text[0] == '\0')
		return text;
	free(text);
	return NULL;
}

struct lp_rules *
lp_rules_load(const char *path, const struct lp_bookset *books, struct lp_rules_error *error)
{
	struct lp_rules_error ignored;
	struct lp_rules_error *cause = error != NULL ? error : &ignored;
	struct lp_rules *rules = NULL;
	size_t len = 0;
	char *text = read_file(path, &len, cause);

	if (text != NULL)
		rules = lp_rules_parse(text, len, books, cause);
	free(text);
	if (rules == NULL)
		name_place(cause, path);
	return rules;
}

void
lp_rules_free(struct lp_rules *rules)
{
	if (rules == NULL)
		return;
	for (unsigned int family = 0; family < RULE_FAMILIES; family++)
		rte_acl_free(rules->acl[family]);
	for (unsigned int k = 1; k <= rules->count; k++) {
		lp_bookset_free(rules->rule[k].action.books);
		free(rules->rule[k].text);
	}
	free(rules->rule);
	free(rules);
}

unsigned int
lp_rules_count(const struct lp_rules *rules)
{
	return rules->count;
}

static bool
is_rule_number(const struct lp_rules *rules, unsigned int number)
{
	return number > 0 && number <= rules->count;
}

const char *
lp_rules_text(const struct lp_rules *rules, unsigned int number)
{
	return is_rule_number(rules, number) ? rules->rule[number].text : NULL;
}

unsigned int
lp_rules_line(const struct lp_rules *rules, unsigned int number)
{
	return is_rule_number(rules, number) ? rules->rule[number].line : 0;
}

const struct lp_bookset *
lp_rules_books(const struct lp_rules *rules)
{
	return rules->books;
}

uint64_t
lp_rules_generation(const struct lp_rules *rules)
{
	return rules->generation;
}
