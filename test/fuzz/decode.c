/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Bodies of one kind of book (FUZZ_KIND), given to all kernels, which must agree with the portable
 * one. Input: book, phase, length of the region (2 bytes), body.
 */

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "fuzz.h"

#define BOOKS_MAX 32
#define KERNELS_MAX 4

static struct lp_codebook *book[BOOKS_MAX][KERNELS_MAX];
static unsigned int books, kernels;
static struct fuzz_edge body_edge, region_edge[KERNELS_MAX];
static uint8_t again[LP_REGION_MAX * 3];

/* One book for each kernel that can run here, the portable one first. */
static void
add_book(const char *path)
{
	struct lp_codebook **const of_kernel = book[books];
	struct lp_codebook_info info;
	unsigned int n = 0;
	const char *name;

	for (unsigned int k = 0; (name = lp_kernel_name(k)) != NULL; k++) {
		struct lp_codebook *cb = lp_codebook_load(path, NULL);

		FUZZ_CHECK(cb != NULL);
		lp_codebook_describe(cb, &info);
		if (info.kind == FUZZ_KIND && lp_codebook_use_kernel(cb, name) == 0)
			of_kernel[n++] = cb;
		else
			lp_codebook_free(cb);
	}
	if (n == 0)
		return;
	struct lp_codebook *const portable = of_kernel[n - 1];

	FUZZ_CHECK(strcmp(lp_codebook_kernel(portable), "portable") == 0);
	memmove(&of_kernel[1], &of_kernel[0], (n - 1) * sizeof(portable));
	of_kernel[0] = portable;
	kernels = n;
	books++;
}

static void
add_books(const char *dir)
{
	struct dirent **entries;
	const int n = scandir(dir, &entries, NULL, alphasort);

	for (int k = 0; k < n; k++) {
		const size_t len = strlen(entries[k]->d_name);
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", dir, entries[k]->d_name);
		if (len > 5 && strcmp(entries[k]->d_name + len - 5, ".book") == 0 &&
				books < BOOKS_MAX)
			add_book(path);
		free(entries[k]);
	}
	free(entries);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	add_books(LP_CODEBOOK_DIR);
	add_books(LP_CODEBOOK_DIR "/area");
	add_books(LP_CODEBOOK_DIR "/papers");
	FUZZ_CHECK(books > 0);
	body_edge = fuzz_edge_map(1 << 17);
	for (unsigned int k = 0; k < kernels; k++)
		region_edge[k] = fuzz_edge_map(LP_REGION_MAX);
	return 0;
}

/* What was decoded can be coded again: the decoder gives regions, not something else. */
static void
check_region(struct lp_codebook *cb, uint8_t phase, uint8_t base, const uint8_t *region, size_t len)
{
	static uint8_t back[LP_REGION_MAX];
	const struct lp_params params = { phase, base };
	const int n = lp_encode(cb, &params, region, len, again, sizeof(again));

	FUZZ_CHECK(n > 0 && lp_decode(cb, phase, again, (size_t)n, back, len) == 0);
	FUZZ_CHECK(memcmp(back, region, len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct lp_codebook *const *const cb = book[fuzz_byte(&in) % books];
	const uint8_t phase = fuzz_byte(&in) & 3;
	const size_t len = fuzz_half(&in);
	const uint8_t *body = fuzz_edge_put(&body_edge, in.p, in.left);
	const uint8_t *region = region_edge[0].end - len;
	int first = 0;

	for (unsigned int k = 0; k < kernels; k++) {
		uint8_t *dst = region_edge[k].end - len;
		const int ret = lp_decode(cb[k], phase, body, in.left, dst, len);

		FUZZ_CHECK(ret == 0 || ret == -EBADMSG || ret == -EINVAL);
		if (k == 0)
			first = ret;
		FUZZ_CHECK(ret == first);
		FUZZ_CHECK(ret != 0 || memcmp(dst, region, len) == 0);
	}
	if (first == 0)
		check_region(cb[0], phase, body[0], region, len);
	return 0;
}
