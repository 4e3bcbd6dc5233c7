/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_RULES_H
#define LINEPRESS_RULES_H

/**
 * @file
 * linepress traffic rules: which frames to code, and with which books.
 *
 * Rules are text, one a line; the first that matches a frame decides. `#` starts a comment.
 *
 * ```
 * # keys ...                                  -> action
 * port 0 vlan 100 src 10.0.0.0/8 proto tcp dport 5201 -> books bf16-grouped,fp16-grouped
 * proto roce dscp 26 min-region 1024          -> books all
 * dst 2001:db8::/32 sport 1024-65535          -> pass
 *                                             -> dry-run
 * ```
 *
 * | key | value | matches |
 * |---|---|---|
 * | `port` | 0 to RTE_MAX_ETHPORTS - 1 | frames of this port, see struct lp_press_conf |
 * | `vlan` | 0 to 4095, or `none` | frames whose outermost tag has this VLAN, or without a tag |
 * | `src`, `dst` | IPv4 or IPv6 address, or address/length | frames from, or to, this prefix |
 * | `proto` | `tcp`, `udp`, `roce` | TCP; UDP without RoCEv2; RoCEv2 |
 * | `sport`, `dport` | N or N-M, 0 to 65535 | TCP or UDP source, or destination, port |
 * | `dscp` | 0 to 63 | frames with this DSCP |
 * | `min-region` | 1 to 65535 | regions of at least this many bytes |
 *
 * A rule may have each key once, in any order, and matches if all of them do; without keys it
 * matches everything. A rule with a prefix matches that version of IP only.
 *
 * | action | frames |
 * |---|---|
 * | `books all` | are coded with whatever book is best |
 * | `books A,B,...` | are coded with the best of these books, given by name or else by number |
 * | `pass` | are sent as they are |
 * | `dry-run`, `dry-run books ...` | are sent as they are, but what coding would save is counted |
 *
 * A frame that no rule matches is coded as by `books all`, so that a file without rules changes
 * nothing; end it with `-> pass` for the opposite. Only frames that could be coded are matched:
 * not those without a region, or with one below the minimum of the press, which always pass.
 * Frames that look coded are escaped whatever the rule. What comes from the line is decoded with
 * any book, never by rules.
 *
 * Loaded rules are compiled for one set of books, which must outlive them: if either is to be
 * replaced, load the rules again for the set that shall be used. They are read-only and may be
 * used by any number of lcores. Matching is that of librte_acl, so the EAL must have started.
 */

#include <stddef.h>
#include <stdint.h>

#include "linepress/bookset.h"
#include "linepress/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Rules in a file, at most; fewer if all of them have ranges and prefixes that overlap in all ways,
 * which the classifier refuses. They are numbered from 1; number 0 is that of no rule.
 */
#define LP_RULES_MAX 256

/** Characters of a line, at most: room for the names of all books there can be. */
#define LP_RULES_LINE_MAX 16383

/** Bytes of a file, at most. */
#define LP_RULES_FILE_MAX (1 << 20)

/** Loaded rules. */
struct lp_rules;

/** Where and why rules were refused. */
struct lp_rules_error {
	unsigned int line;   /**< from 1; 0 if no line is to blame */
	unsigned int column; /**< of the word to blame, in bytes from 1; 0 if no line is */
	char text[1024];     /**< cause with the offending word and what is allowed */
};

/**
 * Load rules from memory. Refused whole if anything in them is unknown, repeated, out of range or
 * contradictory, or a book is not in the set.
 *
 * @param text
 *   The text; need not be terminated.
 * @param len
 *   Its length in bytes.
 * @param books
 *   The books the rules refer to; must outlive the rules.
 * @param error
 *   Filled on failure; may be NULL.
 * @return
 *   The rules, to be released with lp_rules_free(), or NULL.
 */
struct lp_rules *lp_rules_parse(const char *text, size_t len, const struct lp_bookset *books,
		struct lp_rules_error *error);

/**
 * Load rules from a file. As lp_rules_parse(), also refusing files that cannot be read or are too
 * long; `error->text` begins with the path, line and column.
 */
struct lp_rules *lp_rules_load(
		const char *path, const struct lp_bookset *books, struct lp_rules_error *error);

/** Release rules; NULL is allowed. No lcore may be using them. */
void lp_rules_free(struct lp_rules *rules);

/** How many rules there are. */
unsigned int lp_rules_count(const struct lp_rules *rules);

/**
 * A rule as a line in normal form: one space between words, keys in the order of the table above,
 * names of books. Loaded again it gives the same rule.
 *
 * @param number
 *   From 1.
 * @return
 *   The line, owned by the rules, or NULL if there is no such rule.
 */
const char *lp_rules_text(const struct lp_rules *rules, unsigned int number);

/** Line of the file that has a rule, from 1; 0 if there is no such rule. */
unsigned int lp_rules_line(const struct lp_rules *rules, unsigned int number);

/** What rules say of a frame. */
struct lp_rules_answer {
	unsigned int number;		/**< of the rule, 0: none matches */
	bool passes;			/**< the frame is to be left alone */
	const struct lp_bookset *books; /**< to choose from; lives as long as the rules */
};

/**
 * Ask the rules about one frame that is in no mbuf, such as one of a capture.
 *
 * @param port
 *   The port it is taken to come from.
 * @param head
 *   As for lp_frame_parse().
 * @param frame
 *   What lp_frame_parse() found: LP_ELIGIBLE.
 */
struct lp_rules_answer lp_rules_ask(const struct lp_rules *rules, uint16_t port,
		const uint8_t *head, const struct lp_frame *frame);

/** The books the rules were loaded for. */
const struct lp_bookset *lp_rules_books(const struct lp_rules *rules);

/**
 * A number from 1 that no other rules loaded by this process have or had: tells what counters by
 * rule belong to.
 */
uint64_t lp_rules_generation(const struct lp_rules *rules);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_RULES_H */
