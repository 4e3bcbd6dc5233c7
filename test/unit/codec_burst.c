/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Bursts give what one call after the other gives: jobs of any books and lengths, in memory that
 * is allocated to the exact byte, so that a sanitizer sees what is touched outside.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "codec_help.h"
#include "random_book.h"

#define JOBS_MAX 150
#define RANDOM_BOOKS 24
#define PAIRS_MAX (TEST_BOOKS_MAX + RANDOM_BOOKS)
#define LEN_MAX 9000
#define BODY_MAX (3 * LEN_MAX)
#define RUN_JOBS 19
#define RUN_LEN 1000

/* A book with the kernel to test, and the same with the portable one. */
struct pair {
	struct lp_codebook *tested, *portable;
};

static struct pair pair[PAIRS_MAX];
static unsigned int pairs;

static void
add_pair(struct lp_codebook *cb, const char *text)
{
	struct pair *p = &pair[pairs++];

	p->tested = cb;
	p->portable = lp_codebook_parse(text, strlen(text), NULL);
	CU_ASSERT_FATAL(p->portable != NULL);
	CU_ASSERT_FATAL(lp_codebook_use_kernel(p->portable, "portable") == 0);
}

static void
load_pairs(void)
{
	static struct test_book book[TEST_BOOKS_MAX];
	const unsigned int books = test_books_load(LP_KIND_COUNT, book);
	char text[TEST_BOOK_TEXT_MAX];

	CU_ASSERT_FATAL(books > 0);
	for (unsigned int k = 0; k < books; k++)
		add_pair(book[k].cb, book[k].text);
	for (unsigned int k = 0; k < RANDOM_BOOKS; k++) {
		struct lp_codebook *cb = k % 3 == 0
				? random_area_book(text, test_random_in(1, 4))
				: random_huffman_book(text, test_random_in(2, 257));

		add_pair(cb, text);
	}
}

static void
free_pairs(void)
{
	for (unsigned int k = 0; k < pairs; k++) {
		lp_codebook_free(pair[k].tested);
		lp_codebook_free(pair[k].portable);
	}
	pairs = 0;
}

static uint8_t *
copy_of(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len);

	if (len > 0)
		memcpy(copy, bytes, len);
	return copy;
}

/* A random region for a random book, or for always the same. */
static const struct pair *
random_job(struct lp_encode_job *job, bool one_book, size_t len)
{
	static uint8_t region[LEN_MAX];
	const struct pair *p = &pair[one_book ? pairs - 1 : test_random_in(0, pairs - 1)];
	struct lp_codebook_info info;

	lp_codebook_describe(p->tested, &info);
	*job = (struct lp_encode_job){ .cb = p->tested, .len = len, .result = 1 };
	job->params.phase = (uint8_t)test_random_in(0, info.element_bytes - 1u);
	job->params.base = test_random_base(&info);
	data_region(info.type, (enum data_class)test_random_in(0, DATA_COUNT - 1),
			job->params.phase, region, len);
	job->src = copy_of(region, len);
	return p;
}

static size_t
random_len(void)
{
	return test_random_in(1, test_random() & 1 ? 300 : LEN_MAX);
}

/* The body as it is, or damaged. */
static size_t
damaged(uint8_t *body, size_t body_len)
{
	const size_t at = test_random_in(0, (uint32_t)body_len - 1);

	switch (test_random_in(0, 5)) {
	case 0:
		body[at] ^= (uint8_t)(1u << test_random_in(0, 7));
		return body_len;
	case 1:
		return at;
	case 2:
		for (size_t i = at; i < body_len; i++)
			body[i] = (uint8_t)test_random();
		return body_len;
	case 3:
		memset(body + at, test_random() & 1 ? 0xff : 0, body_len - at);
		return body_len;
	default:
		return body_len;
	}
}

/* Encode a burst and compare; the bodies go to `decode`, some of them damaged. */
static void
check_encode(unsigned int n, bool one_book, struct lp_decode_job *decode, const struct pair **of)
{
	struct lp_encode_job job[JOBS_MAX];
	static uint8_t body[JOBS_MAX][BODY_MAX];
	int want[JOBS_MAX];

	for (unsigned int k = 0; k < n; k++) {
		of[k] = random_job(&job[k], one_book, random_len());
		want[k] = lp_encode(of[k]->portable, &job[k].params, job[k].src, job[k].len,
				body[k], BODY_MAX);
		CU_ASSERT_FATAL(want[k] > 0);
		job[k].dst_cap = test_random_in(0, 3) > 0
				? (size_t)want[k]
				: test_random_in(0, (uint32_t)want[k] + 100);
		if (job[k].dst_cap < (size_t)want[k])
			want[k] = 0;
		job[k].dst = malloc(job[k].dst_cap);
	}
	lp_encode_burst(job, n);
	for (unsigned int k = 0; k < n; k++) {
		CU_ASSERT(job[k].result == want[k]);
		CU_ASSERT(want[k] == 0 || memcmp(job[k].dst, body[k], (size_t)want[k]) == 0);
		const size_t len = want[k] == 0 ? 0 : damaged(body[k], (size_t)want[k]);

		decode[k] = (struct lp_decode_job){ .cb = job[k].cb,
			.phase = job[k].params.phase,
			.body = copy_of(body[k], len),
			.body_len = len,
			.dst = malloc(job[k].len),
			.len = job[k].len,
			.result = 1 };
		free(job[k].dst);
		free((void *)(uintptr_t)job[k].src);
	}
}

static void
check_decode(unsigned int n, struct lp_decode_job *job, const struct pair **of)
{
	lp_decode_burst(job, n);
	for (unsigned int k = 0; k < n; k++) {
		uint8_t *region = malloc(job[k].len);

		CU_ASSERT(job[k].result ==
				lp_decode(of[k]->portable, job[k].phase, job[k].body,
						job[k].body_len, region, job[k].len));
		CU_ASSERT(job[k].result != 0 || memcmp(region, job[k].dst, job[k].len) == 0);
		free(region);
		free(job[k].dst);
		free((void *)(uintptr_t)job[k].body);
	}
}

static void
bursts_are_what_one_by_one_is(void)
{
	struct lp_decode_job decode[JOBS_MAX];
	const struct pair *of[JOBS_MAX];

	load_pairs();
	for (unsigned int round = 0; round < 120; round++) {
		const unsigned int n = round < 20 ? round : test_random_in(20, JOBS_MAX);

		check_encode(n, round % 4 == 3, decode, of);
		check_decode(n, decode, of);
	}
	free_pairs();
}

/* Bits of each byte's code, an escaped one's too: eight of a byte are as many bytes. */
static void
measure_codes(const struct lp_codebook *cb, unsigned int bits[256])
{
	const struct lp_params params = { 0, 0 };
	struct lp_codebook_info info;
	uint8_t region[8], body[8 * 4];

	lp_codebook_describe(cb, &info);
	for (unsigned int byte = 0; byte < 256; byte++) {
		memset(region, (int)byte, sizeof(region));
		const int n = lp_encode(cb, &params, region, sizeof(region), body, sizeof(body));

		CU_ASSERT_FATAL(n > 0);
		bits[byte] = (unsigned int)n - (info.symbol == LP_SYMBOL_ROTATED);
	}
}

/* The byte of the shortest code, and those of the longest up to 11 bits and of all. */
static void
extreme_bytes(const struct lp_codebook *cb, uint8_t byte[3])
{
	unsigned int bits[256];

	measure_codes(cb, bits);
	memset(byte, 0, 3);
	for (unsigned int b = 0; b < 256; b++) {
		if (bits[b] < bits[byte[0]])
			byte[0] = (uint8_t)b;
		if (bits[b] <= 11 && (bits[byte[1]] > 11 || bits[b] > bits[byte[1]]))
			byte[1] = (uint8_t)b;
		if (bits[b] > bits[byte[2]])
			byte[2] = (uint8_t)b;
	}
}

/* Regions of short codes but for `run` long ones or escapes, which start at different places. */
static void
check_runs(unsigned int n, unsigned int run, bool one_book, size_t first)
{
	struct lp_decode_job job[RUN_JOBS];
	static uint8_t region[RUN_JOBS][RUN_LEN], body[RUN_JOBS][3 * RUN_LEN];
	static uint8_t back[RUN_JOBS][RUN_LEN];
	const struct lp_params params = { 0, 0 };

	for (unsigned int k = 0; k < n; k++) {
		const struct lp_codebook *cb = pair[one_book ? 0 : k % pairs].tested;
		const size_t at = first + (one_book ? k : 3 * k) % 24;
		uint8_t byte[3];

		extreme_bytes(cb, byte);
		memset(region[k], byte[0], RUN_LEN);
		memset(region[k] + at, byte[1 + k % 2], run);
		memset(back[k], 0x5a, RUN_LEN);
		const int len = lp_encode(
				cb, &params, region[k], RUN_LEN, body[k], sizeof(body[k]));

		CU_ASSERT_FATAL(len > 0);
		job[k] = (struct lp_decode_job){ .cb = cb,
			.body = body[k],
			.body_len = (size_t)len,
			.dst = back[k],
			.len = RUN_LEN };
	}
	lp_decode_burst(job, n);
	for (unsigned int k = 0; k < n; k++) {
		CU_ASSERT(job[k].result == 0);
		CU_ASSERT(memcmp(back[k], region[k], RUN_LEN) == 0);
	}
}

/* A kernel that takes a word for several symbols may run out of it at any of them, in any lane. */
static void
long_codes_and_escapes_at_any_place_are_restored(void)
{
	static const size_t first[] = { 0, 430, 446, RUN_LEN - 40 };
	static const unsigned int lanes[] = { 1, 2, 4, 8, RUN_JOBS };
	char text[TEST_BOOK_TEXT_MAX];

	for (unsigned int k = 0; k < 4; k++) {
		struct lp_codebook *cb = random_huffman_book(text, k == 0 ? 257 : 30 + 50 * k);

		CU_ASSERT_FATAL(cb != NULL);
		add_pair(cb, text);
	}
	for (unsigned int run = 1; run <= 16; run++)
		for (unsigned int f = 0; f < 4; f++)
			for (unsigned int l = 0; l < 5; l++)
				for (unsigned int one_book = 0; one_book < 2; one_book++)
					check_runs(lanes[l], run, one_book == 1, first[f]);
	free_pairs();
}

static void
jobs_out_of_range_are_refused_and_the_others_done(void)
{
	char text[TEST_BOOK_TEXT_MAX];
	struct lp_codebook *cb = random_huffman_book(text, 100);
	static const uint8_t src[100];
	uint8_t body[3][300], back[3][100];
	struct lp_encode_job encode[3];
	struct lp_decode_job decode[3];

	CU_ASSERT_FATAL(cb != NULL);
	for (unsigned int k = 0; k < 3; k++)
		encode[k] = (struct lp_encode_job){ .cb = cb,
			.src = src,
			.len = k == 1 ? 0 : 100,
			.dst = body[k],
			.dst_cap = sizeof(body[k]) };
	lp_encode_burst(encode, 3);
	CU_ASSERT(encode[0].result > 0 && encode[2].result == encode[0].result);
	CU_ASSERT(encode[1].result == -EINVAL);
	for (unsigned int k = 0; k < 3; k++)
		decode[k] = (struct lp_decode_job){ .cb = cb,
			.phase = k == 1,
			.body = body[k],
			.body_len = (size_t)encode[0].result,
			.dst = back[k],
			.len = 100 };
	lp_decode_burst(decode, 3);
	CU_ASSERT(decode[0].result == 0 && decode[2].result == 0);
	CU_ASSERT(memcmp(back[0], src, 100) == 0 && memcmp(back[2], src, 100) == 0);
	CU_ASSERT(decode[1].result == -EINVAL);
	lp_codebook_free(cb);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(bursts_are_what_one_by_one_is),
		TEST(long_codes_and_escapes_at_any_place_are_restored),
		TEST(jobs_out_of_range_are_refused_and_the_others_done),
		CU_TEST_INFO_NULL,
	};

	test_seed(argc, argv);
	return test_run("codec_burst", tests);
}
