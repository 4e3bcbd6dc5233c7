/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A base moved to a neighbour, while all else of the coding of a region is known. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "book.h"
#include "codec_help.h"
#include "sample.h"
#include "type.h"

#define FRAME_BYTES 4096
#define TRIALS 200

static uint8_t src[LP_REGION_MAX], body[3 * LP_REGION_MAX];
static struct test_book book[TEST_BOOKS_MAX];
static unsigned int books;

static uint8_t
moved(const struct lp_codebook *cb, uint8_t base, int by)
{
	return (uint8_t)((base + by) & (int)(lp_type_exponents(cb->info.type) - 1));
}

static double
encoded(const struct lp_codebook *cb, const struct lp_params *params)
{
	const int len = lp_encode(cb, params, src, FRAME_BYTES, body, sizeof(body));

	CU_ASSERT_FATAL(len > 0);
	return len;
}

/* Bytes of many bodies: with the best base, with a neighbour, and with that adjusted. */
static void
base_that_is_off_by_one_comes_back(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct lp_codebook *cb = book[k].cb;
		double best = 0, off = 0, adjusted = 0, estimated = 0;

		for (unsigned int trial = 0; trial < TRIALS; trial++) {
			struct lp_params params;
			struct lp_sample sample;
			const unsigned int phase = test_random_in(0, cb->info.element_bytes - 1u);

			data_region(cb->info.type, DATA_GAUSS, phase, src, FRAME_BYTES);
			lp_sample_init(&sample, src, FRAME_BYTES);
			lp_codebook_choose(cb, &sample, SIZE_MAX, &params);
			best += encoded(cb, &params);
			params.base = moved(cb, params.base, trial % 2 == 0 ? 1 : -1);
			off += encoded(cb, &params);
			estimated += (double)lp_codebook_adjust(cb, src, FRAME_BYTES, &params);
			adjusted += encoded(cb, &params);
		}
		CU_ASSERT(off > best);
		CU_ASSERT(adjusted - best < (off - best) / 4);
		CU_ASSERT(fabs(estimated - adjusted) < adjusted / 50);
	}
}

/* Were it moved at each whim of a sample, it would be away from the best half of the time. */
static void
base_that_is_the_best_stays(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct lp_codebook *cb = book[k].cb;
		double best = 0, adjusted = 0;

		for (unsigned int trial = 0; trial < TRIALS; trial++) {
			struct lp_params params = { 0, 0 };
			double least = INFINITY;

			data_region(cb->info.type, DATA_GAUSS, 0, src, FRAME_BYTES);
			for (unsigned int base = 0; base < lp_type_exponents(cb->info.type);
					base++) {
				const struct lp_params other = { 0, (uint8_t)base };
				const double bytes = encoded(cb, &other);

				if (bytes < least)
					params = other;
				least = bytes < least ? bytes : least;
			}
			best += least;
			lp_codebook_adjust(cb, src, FRAME_BYTES, &params);
			adjusted += encoded(cb, &params);
		}
		CU_ASSERT(adjusted - best < best / 200);
	}
}

/* All kernels, any base, any length, data of any kind; and nothing is read beyond the region. */
static void
kernels_move_it_alike(void)
{
	struct guarded g = guarded_map(LP_REGION_MAX);

	for (unsigned int trial = 0; trial < 20000; trial++) {
		struct lp_codebook *cb = book[test_random_in(0, books - 1)].cb;
		const size_t len = test_random_in(1, 9000);
		const struct lp_params from = {
			.phase = (uint8_t)test_random_in(0, cb->info.element_bytes - 1u),
			.base = test_random_base(&cb->info),
		};
		uint8_t *const region = g.end - len;
		size_t bytes[2];
		struct lp_params to[2] = { from, from };

		if (trial % 2 == 0)
			test_random_bytes(region, len);
		else
			data_region(cb->info.type,
					(enum data_class)test_random_in(0, DATA_COUNT - 1),
					from.phase, region, len);
		const struct lp_kernel *const before = cb->kernel;

		cb->kernel = &lp_kernels[lp_kernel_count - 1];
		bytes[0] = lp_codebook_adjust(cb, region, len, &to[0]);
		cb->kernel = before;
		bytes[1] = lp_codebook_adjust(cb, region, len, &to[1]);
		CU_ASSERT_FATAL(bytes[0] == bytes[1] && to[0].base == to[1].base);
		CU_ASSERT_FATAL(to[0].phase == from.phase);
		CU_ASSERT_FATAL(to[0].base == from.base || to[0].base == moved(cb, from.base, 1) ||
				to[0].base == moved(cb, from.base, -1));
	}
	guarded_unmap(&g);
}

static void
nothing_is_told_of_short_regions_and_other_books(void)
{
	for (int kind = 0; kind < LP_KIND_COUNT; kind++) {
		static struct test_book other[TEST_BOOKS_MAX];
		const unsigned int others = test_books_load((enum lp_kind)kind, other);

		for (unsigned int k = 0; k < others; k++) {
			const size_t least = LP_SAMPLE_SYMBOLS * other[k].info.element_bytes;
			struct lp_params params = { 0, 42 };

			data_region(other[k].info.type, DATA_GAUSS, 0, src, FRAME_BYTES);
			CU_ASSERT((lp_codebook_adjust(other[k].cb, src, least, &params) != 0) ==
					(kind == LP_KIND_GROUPED));
			params.base = 42;
			CU_ASSERT(lp_codebook_adjust(other[k].cb, src, least - 1, &params) == 0);
			CU_ASSERT(params.base == 42);
		}
		test_books_free(other, others);
	}
}

static CU_TestInfo tests[] = {
	TEST(base_that_is_off_by_one_comes_back),
	TEST(base_that_is_the_best_stays),
	TEST(kernels_move_it_alike),
	TEST(nothing_is_told_of_short_regions_and_other_books),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	books = test_books_load(LP_KIND_GROUPED, book);

	const int status = books > 0 ? test_run("codec_adjust", tests) : EXIT_FAILURE;

	test_books_free(book, books);
	return status;
}
