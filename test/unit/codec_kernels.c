/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * All kernels give the same bytes, and the same answer to bodies that are no bodies. What the
 * bytes are is the business of codec_grouped, codec_huffman and codec_area, which run once for each
 * kernel.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "book.h"
#include "codec_help.h"
#include "random_book.h"
#include "sample.h"

#ifdef LP_TEST_SIMDE
/* The kernel for AVX-512 as processors without it can run it. */
lp_encode_fn lp_grouped_encode_simde;
lp_decode_fn lp_grouped_decode_simde;
lp_encode_fn lp_huffman_encode_simde;
lp_encode_fn lp_area_encode_simde;
lp_decode_fn lp_area_decode_simde;

static bool
has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
			__builtin_cpu_supports("bmi2");
}

static const struct lp_kernel tested[] = { {
		.name = "avx512 by SIMDe",
		.usable = has_avx2,
		.grouped_encode = lp_grouped_encode_simde,
		.grouped_decode = lp_grouped_decode_simde,
		.huffman_encode = lp_huffman_encode_simde,
		.area_encode = lp_area_encode_simde,
		.area_decode = lp_area_decode_simde,
		.sample = &lp_sample_avx2,
		.huffman_decode = lp_huffman_decode_avx2,
		.huffman_decode_burst = lp_huffman_decode_burst_avx2,
} };
static const unsigned int tested_count = 1;
#else
static const struct lp_kernel *const tested = lp_kernels;
#define tested_count (lp_kernel_count - 1)
#endif

#define LEN_MAX 9000
#define BODY_MAX (3 * LEN_MAX)

static uint8_t src[LEN_MAX], body[2][BODY_MAX], back[2][LEN_MAX];

/* Encode with the portable kernel and another: the same result, whatever the room. */
static int
encode_both(struct lp_codebook *cb, const struct lp_kernel *kernel, const struct lp_params *params,
		size_t len, size_t cap)
{
	int result[2];

	memset(body, 0x55, sizeof(body));
	for (unsigned int k = 0; k < 2; k++) {
		cb->kernel = k == 0 ? &lp_kernels[lp_kernel_count - 1] : kernel;
		result[k] = lp_encode(cb, params, src, len, body[k], cap);
	}
	CU_ASSERT_FATAL(result[0] == result[1]);
	CU_ASSERT_FATAL(result[0] <= 0 || memcmp(body[0], body[1], (size_t)result[0]) == 0);
	return result[0];
}

/* Decode body[0] with both: the same answer, and the same bytes if it is yes. */
static void
decode_both(struct lp_codebook *cb, const struct lp_kernel *kernel, uint8_t phase, size_t body_len,
		size_t len)
{
	int result[2];

	for (unsigned int k = 0; k < 2; k++) {
		cb->kernel = k == 0 ? &lp_kernels[lp_kernel_count - 1] : kernel;
		result[k] = lp_decode(cb, phase, body[0], body_len, back[k], len);
	}
	CU_ASSERT_FATAL(result[0] == result[1]);
	CU_ASSERT_FATAL(result[0] < 0 || memcmp(back[0], back[1], len) == 0);
}

/* What a kernel chooses is what the portable one does. */
static void
choose_both(struct lp_codebook *cb, const struct lp_kernel *kernel, size_t len,
		struct lp_params *params)
{
	size_t bytes[2];
	struct lp_params chosen[2];

	for (unsigned int k = 0; k < 2; k++) {
		struct lp_sample sample;

		cb->kernel = k == 0 ? &lp_kernels[lp_kernel_count - 1] : kernel;
		lp_sample_init(&sample, src, len);
		bytes[k] = lp_codebook_choose(cb, &sample, SIZE_MAX, &chosen[k]);
	}
	CU_ASSERT_FATAL(bytes[0] == bytes[1]);
	CU_ASSERT_FATAL(chosen[0].phase == chosen[1].phase && chosen[0].base == chosen[1].base);
	*params = chosen[1];
}

/* One region, then its body cut, lengthened and with bits flipped. */
static void
compare_on(struct lp_codebook *cb, const struct lp_kernel *kernel, enum data_class data, size_t len)
{
	struct lp_codebook_info info;
	struct lp_params params;

	lp_codebook_describe(cb, &info);
	params.phase = (uint8_t)test_random_in(0, info.element_bytes - 1u);
	params.base = test_random_base(&info);
	data_region(info.type, data, params.phase, src, len);
	if (test_random() & 1)
		choose_both(cb, kernel, len, &params);

	const int body_len = encode_both(cb, kernel, &params, len, BODY_MAX);

	CU_ASSERT_FATAL(body_len > 0);
	decode_both(cb, kernel, params.phase, (size_t)body_len, len);
	for (unsigned int k = 0; k < 8; k++) {
		const size_t at = test_random_in(0, (uint32_t)body_len - 1);

		body[0][at] ^= (uint8_t)(1u << test_random_in(0, 7));
		decode_both(cb, kernel, params.phase, (size_t)body_len, len);
		if (test_random() & 1)
			decode_both(cb, kernel, params.phase, test_random_in(0, (uint32_t)body_len),
					len);
	}
	encode_both(cb, kernel, &params, len, (size_t)body_len - 1);
	encode_both(cb, kernel, &params, len, test_random_in(0, (uint32_t)body_len));
}

static void
for_each_kernel(struct lp_codebook *cb, unsigned int rounds, size_t len_max)
{
	for (unsigned int k = 0; k < tested_count; k++) {
		if (!tested[k].usable())
			continue;
		/* A kernel that fails this would be passed over, and all others tested in vain. */
		CU_ASSERT_FATAL(lp_kernel_fits(&tested[k], cb));
		for (unsigned int round = 0; round < rounds; round++)
			compare_on(cb, &tested[k],
					(enum data_class)test_random_in(0, DATA_COUNT - 1),
					test_random_in(1, (uint32_t)len_max));
	}
}

static void
kernels_agree_on_the_shipped_books(void)
{
	for (int kind = 0; kind < LP_KIND_COUNT; kind++) {
		static struct test_book book[TEST_BOOKS_MAX];
		const unsigned int books = test_books_load((enum lp_kind)kind, book);

		CU_ASSERT_FATAL(books > 0);
		for (unsigned int k = 0; k < books; k++) {
			for_each_kernel(book[k].cb, 150, 700);
			for_each_kernel(book[k].cb, 40, LEN_MAX);
		}
		test_books_free(book, books);
	}
}

static void
kernels_agree_on_random_books(void)
{
	static const enum lp_type types[] = { LP_TYPE_BF16, LP_TYPE_FP16, LP_TYPE_FP32,
		LP_TYPE_E4M3, LP_TYPE_E5M2 };
	char text[TEST_BOOK_TEXT_MAX];

	for (unsigned int k = 0; k < 600; k++) {
		struct lp_codebook *cb = random_book(text, types[k % 5]);

		CU_ASSERT_FATAL(cb != NULL);
		for_each_kernel(cb, 12, 700);
		for_each_kernel(cb, 1, LEN_MAX);
		lp_codebook_free(cb);
	}
}

static void
kernels_agree_on_random_huffman_books(void)
{
	char text[TEST_BOOK_TEXT_MAX];

	for (unsigned int k = 0; k < 200; k++) {
		struct lp_codebook *cb = random_huffman_book(
				text, k < 10 ? 2 + k : test_random_in(2, 257));

		CU_ASSERT_FATAL(cb != NULL);
		for_each_kernel(cb, 12, 700);
		for_each_kernel(cb, 4, LEN_MAX);
		lp_codebook_free(cb);
	}
}

static void
kernels_agree_on_random_area_books(void)
{
	char text[TEST_BOOK_TEXT_MAX];

	for (unsigned int k = 0; k < 200; k++) {
		struct lp_codebook *cb = random_area_book(text, 1 + k % 4);

		CU_ASSERT_FATAL(cb != NULL);
		for_each_kernel(cb, 16, 700);
		for_each_kernel(cb, 4, LEN_MAX);
		lp_codebook_free(cb);
	}
}

static void
kernel_that_does_not_exist_is_refused(void)
{
	char text[TEST_BOOK_TEXT_MAX];
	struct lp_codebook *cb = random_book(text, LP_TYPE_BF16);

	CU_ASSERT_FATAL(cb != NULL);
	CU_ASSERT(lp_codebook_use_kernel(cb, "abacus") == -EINVAL);
	CU_ASSERT(lp_codebook_use_kernel(cb, "portable") == 0);
	CU_ASSERT_STRING_EQUAL(lp_codebook_kernel(cb), "portable");
	lp_codebook_free(cb);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(kernels_agree_on_the_shipped_books),
		TEST(kernels_agree_on_random_books),
		TEST(kernels_agree_on_random_huffman_books),
		TEST(kernels_agree_on_random_area_books),
		TEST(kernel_that_does_not_exist_is_refused),
		CU_TEST_INFO_NULL,
	};

#ifdef LP_TEST_SIMDE
	if (!tested[0].usable()) {
		printf("skipped: SIMDe is compiled for AVX2 here\n");
		exit(77);
	}
#endif
	test_seed(argc, argv);
	return test_run("codec_kernels", tests);
}
