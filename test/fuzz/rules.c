/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The text of rules: refused with a place, or rules whose normal form means the same. */

#include <string.h>

#include "fuzz.h"
#include "linepress/rules.h"

static struct lp_bookset *books;
static struct fuzz_edge edge;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_eal_start();
	books = fuzz_books();
	edge = fuzz_edge_map(1 << 17);
	return 0;
}

static void
check_text(const struct lp_rules *rules)
{
	for (unsigned int n = 1; n <= lp_rules_count(rules) && n <= 3; n++) {
		const char *text = lp_rules_text(rules, n);
		struct lp_rules *again = lp_rules_parse(text, strlen(text), books, NULL);

		FUZZ_CHECK(again != NULL && lp_rules_count(again) == 1);
		FUZZ_CHECK(strcmp(lp_rules_text(again, 1), text) == 0);
		lp_rules_free(again);
	}
	FUZZ_CHECK(lp_rules_text(rules, lp_rules_count(rules) + 1) == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lp_rules_error error = { 0 };
	const uint8_t *text = fuzz_edge_put(&edge, data, size);
	struct lp_rules *rules = lp_rules_parse((const char *)text, size, books, &error);

	if (rules == NULL) {
		FUZZ_CHECK(error.text[0] != '\0');
		FUZZ_CHECK(memchr(error.text, '\0', sizeof(error.text)) != NULL);
		return 0;
	}
	FUZZ_CHECK(lp_rules_count(rules) <= LP_RULES_MAX);
	check_text(rules);
	lp_rules_free(rules);
	return 0;
}
