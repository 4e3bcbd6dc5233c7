/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PRESS_RULES_INTERNAL_H
#define LP_PRESS_RULES_INTERNAL_H

/**
 * @file
 * Rules once they are read, and the way from their text to the classifier.
 */

#include <stdbool.h>

#include <rte_acl.h>

#include "linepress/rules.h"

/** Keys whose value is a number or a range of numbers, and how many there are. */
enum rule_range_key {
	RULE_PORT,
	RULE_VLAN,
	RULE_PROTO, /**< enum lp_l4 */
	RULE_SPORT,
	RULE_DPORT,
	RULE_DSCP,
	RULE_MIN_REGION, /**< the upper end is always UINT16_MAX */
	RULE_RANGES,
};

/** Keys whose value is a prefix. */
enum rule_prefix_key {
	RULE_SRC,
	RULE_DST,
	RULE_PREFIXES,
};

/** The VLAN of a frame without tags. */
#define RULE_VLAN_NONE 4096

/** Bounds included. */
struct rule_range {
	bool given;
	uint16_t low;
	uint16_t high;
};

struct rule_prefix {
	uint8_t ip_version; /**< 4 or 6; 0: not given */
	uint8_t len;	    /**< bits */
	uint8_t address[16];
};

enum rule_action_type {
	RULE_BOOKS,
	RULE_PASS,
	RULE_DRY_RUN,
};

/** What becomes of frames. */
struct rule_action {
	enum rule_action_type type;
	struct lp_bookset *books; /**< a subset, owned by the rule; NULL: all */
};

struct rule {
	unsigned int line;
	struct rule_range range[RULE_RANGES];
	struct rule_prefix prefix[RULE_PREFIXES];
	struct rule_action action;
	char *text;
};

/** Index of a version of IP. */
enum rule_family {
	RULE_IPV4,
	RULE_IPV6,
	RULE_FAMILIES,
};

struct lp_rules {
	struct rte_acl_ctx *acl[RULE_FAMILIES]; /**< NULL if no rule is for it */
	struct rule *rule;			/**< [0] is what applies where no rule matches */
	unsigned int count;			/**< of the others */
	uint64_t generation;
	const struct lp_bookset *books;
};

/** Where the text of rules is being read. */
struct rule_reader {
	const struct lp_bookset *books;
	struct lp_rules_error *error; /**< may be NULL */
	unsigned int line;
	char *next; /**< rest of the line */
	char text[LP_RULES_LINE_MAX + 1];
};

/** Tell why rules are refused; `at` is in the line being read, or NULL. Returns false. */
bool rule_refuse(const struct rule_reader *r, const char *at, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/** Next word of the line, terminated, or NULL at its end. */
char *rule_next_word(struct rule_reader *r);

/** Read the value of a key into a rule; false having told why it is refused. */
bool rule_read_range(struct rule_reader *r, enum rule_range_key key, char *word,
		struct rule_range *range);
bool rule_read_prefix(struct rule_reader *r, enum rule_prefix_key key, char *word,
		struct rule_prefix *prefix);

/** Read a list of books; `*books` becomes a subset, or NULL if they are all. */
bool rule_read_books(struct rule_reader *r, char *list, struct lp_bookset **books);

/** Name of a key. */
const char *rule_range_name(enum rule_range_key key);
const char *rule_prefix_name(enum rule_prefix_key key);

/** Name of a transport protocol, enum lp_l4; NULL if out of range. */
const char *rule_proto_name(unsigned int l4);

/** Read a line that is in `r->text` up to its end; `*rule` is filled if there is one. */
bool rule_read_line(struct rule_reader *r, struct rule *rule, bool *is_rule);

/** Write `rule->text`; false if memory ran out. */
bool rule_write_text(struct rule *rule);

/** Build the classifiers; 0 or a negative errno. */
int rules_build(struct lp_rules *rules);

struct lp_work;

/** Frames that are matched at once. */
#define RULES_BATCH 32

/**
 * Find the first rule that matches, for each of up to RULES_BATCH parsed frames.
 *
 * @param port
 *   The port they came from.
 * @param number
 *   Receives the number of the rule of each, 0 if none.
 */
void rules_match(const struct lp_rules *rules, uint16_t port, const struct lp_work *const *work,
		unsigned int count, uint32_t *number);

#endif /* LP_PRESS_RULES_INTERNAL_H */
