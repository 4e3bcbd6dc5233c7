/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Numbers, lists and masks of arguments and commands. */

#include <string.h>

#include "fuzz.h"
#include "numbers.h"

#define TEXT_MAX 255
#define LIST_MAX 63

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static void
check_set(const uint32_t *ids, uint32_t count)
{
	uint64_t seen = 0;

	FUZZ_CHECK(count >= 1 && count <= LIST_MAX + 1);
	for (uint32_t k = 0; k < count; k++) {
		FUZZ_CHECK(ids[k] <= LIST_MAX && (seen >> ids[k] & 1) == 0);
		seen |= UINT64_C(1) << ids[k];
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t ids[LIST_MAX + 1], count, number;
	char text[TEXT_MAX + 1], again[16];

	if (size > TEXT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (number_parse(text, 3, 4000000000, &number)) {
		FUZZ_CHECK(number >= 3 && number <= 4000000000);
		snprintf(again, sizeof(again), "%u", number);
		FUZZ_CHECK(strcmp(again, text + strspn(text, "0")) == 0);
	}
	if (list_parse(text, LIST_MAX, ids, &count) == LIST_OK)
		check_set(ids, count);
	if (mask_parse(text, LIST_MAX, ids, &count))
		check_set(ids, count);
	return 0;
}
