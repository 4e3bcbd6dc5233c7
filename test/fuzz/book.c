/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The text of a codebook: refused with a place, or a book that restores what it codes. */

#include <string.h>

#include "fuzz.h"

#define REGION 300

static struct fuzz_edge text_edge;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	text_edge = fuzz_edge_map(1 << 17);
	return 0;
}

/* Bytes of the text are a region as good as any. */
static void
check_round_trip(const struct lp_codebook *cb, const uint8_t *data, size_t size)
{
	static uint8_t body[8 * REGION], region[REGION];
	const size_t len = size < REGION ? size : REGION;
	const size_t bound = lp_encode_bound(cb, len);
	struct lp_params params = { 0 };
	struct lp_sample sample;

	FUZZ_CHECK(bound <= sizeof(body));
	lp_sample_init(&sample, data, len);
	lp_codebook_choose(cb, &sample, SIZE_MAX, &params);
	const int n = lp_encode(cb, &params, data, len, body, bound);

	FUZZ_CHECK(n > 0 && (size_t)n <= bound);
	FUZZ_CHECK(lp_decode(cb, params.phase, body, (size_t)n, region, len) == 0);
	FUZZ_CHECK(memcmp(region, data, len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lp_error error = { 0 };
	struct lp_codebook_info info;
	const uint8_t *text = fuzz_edge_put(&text_edge, data, size);
	struct lp_codebook *cb = lp_codebook_parse((const char *)text, size, &error);

	if (cb == NULL) {
		FUZZ_CHECK(error.text[0] != '\0');
		FUZZ_CHECK(memchr(error.text, '\0', sizeof(error.text)) != NULL);
		return 0;
	}
	lp_codebook_describe(cb, &info);
	FUZZ_CHECK(info.type < LP_TYPE_COUNT && info.kind < LP_KIND_COUNT);
	FUZZ_CHECK(info.symbol < LP_SYMBOL_COUNT && info.codes <= 256);
	FUZZ_CHECK(strlen(info.name) <= LP_NAME_MAX);
	check_round_trip(cb, data, size);
	lp_codebook_free(cb);
	return 0;
}
