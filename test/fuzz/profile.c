/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The text of a profile: refused with a cause, or written again and read again it says the same. */

#include <string.h>

#include "fuzz.h"
#include "linepress/profiles.h"

static struct fuzz_edge edge;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	edge = fuzz_edge_map(1 << 17);
	return 0;
}

static char *
printed(const struct lp_profiles *profiles, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	FUZZ_CHECK(out != NULL);
	lp_profiles_print(profiles, out);
	FUZZ_CHECK(fclose(out) == 0);
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lp_error error = { 0 };
	size_t size_once, size_again;

	if (size > 1 << 17)
		return 0;
	const uint8_t *text = fuzz_edge_put(&edge, data, size);
	struct lp_profiles *profiles = lp_profiles_parse((const char *)text, size, &error);

	if (profiles == NULL) {
		FUZZ_CHECK(error.text[0] != '\0');
		FUZZ_CHECK(memchr(error.text, '\0', sizeof(error.text)) != NULL);
		return 0;
	}

	char *once = printed(profiles, &size_once);
	struct lp_profiles *again = lp_profiles_parse(once, size_once, &error);

	FUZZ_CHECK(again != NULL);

	char *twice = printed(again, &size_again);

	FUZZ_CHECK(size_again == size_once && memcmp(once, twice, size_once) == 0);
	lp_profiles_free(again);
	lp_profiles_free(profiles);
	free(once);
	free(twice);
	return 0;
}
