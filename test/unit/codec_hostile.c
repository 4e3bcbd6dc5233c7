/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Bodies that were cut, extended or put together from others: success or -EBADMSG, the same
 * wherever the body lies, and nothing touched outside.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "codec_help.h"

#define REGION_MAX 700
#define BODY_MAX 4096
#define SPLICES 300

static struct test_book book[2 * TEST_BOOKS_MAX];
static unsigned int books;
static struct guarded in, out;

/* A body of random data. */
struct body {
	struct lp_params params;
	size_t len;   /* of the region */
	size_t coded; /* bytes of the body */
	uint8_t bytes[BODY_MAX];
};

static void
make_body(const struct test_book *b, struct body *body)
{
	uint8_t region[REGION_MAX];
	struct lp_sample sample;
	int n;

	body->len = test_random_in(1, REGION_MAX);
	body->params = (struct lp_params){ 0 };
	data_region(b->info.type, (enum data_class)test_random_in(0, DATA_COUNT - 1), 0, region,
			body->len);
	lp_sample_init(&sample, region, body->len);
	lp_codebook_choose(b->cb, &sample, SIZE_MAX, &body->params);
	n = lp_encode(b->cb, &body->params, region, body->len, body->bytes, BODY_MAX / 2);
	CU_ASSERT_FATAL(n > 0);
	body->coded = (size_t)n;
}

static int
decode(const struct test_book *b, const struct body *body, size_t coded, size_t len)
{
	const int ret = decode_at_edges(
			b->cb, body->params.phase, body->bytes, coded, len, &in, &out);

	if (ret != 0 && ret != -EBADMSG)
		printf("\n  book %s, %zu bytes as region of %zu: %d", b->info.name, coded, len,
				ret);
	return ret;
}

static bool
is_refused(const struct test_book *b, const struct body *body, size_t coded, size_t len)
{
	return decode(b, body, coded, len) == -EBADMSG;
}

static bool
is_handled(const struct test_book *b, const struct body *body, size_t coded, size_t len)
{
	const int ret = decode(b, body, coded, len);

	return ret == 0 || ret == -EBADMSG;
}

static void
body_cut_at_any_byte_is_refused(void)
{
	static struct body body;
	unsigned int wrong = 0;

	for (unsigned int k = 0; k < books; k++) {
		make_body(&book[k], &body);
		for (size_t coded = 0; coded < body.coded; coded++)
			wrong += !is_refused(&book[k], &body, coded, body.len);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* What stands behind a body is not read, and a body with something behind it is none. */
static void
body_with_anything_behind_it_is_refused(void)
{
	static struct body body;
	unsigned int wrong = 0;

	for (unsigned int k = 0; k < books; k++) {
		make_body(&book[k], &body);
		for (size_t more = 1; more <= 80; more++) {
			test_random_bytes(body.bytes + body.coded, more);
			if (test_random() % 2)
				memset(body.bytes + body.coded, 0, more);
			wrong += !is_refused(&book[k], &body, body.coded + more, body.len);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/*
 * A region of another length than the body was made for; near the right one the body may by chance
 * be one of it.
 */
static void
body_is_of_no_other_length(void)
{
	static struct body body;
	unsigned int wrong = 0;

	for (unsigned int k = 0; k < books; k++) {
		make_body(&book[k], &body);
		for (size_t len = 1; len <= REGION_MAX; len++)
			wrong += !is_handled(&book[k], &body, body.coded, len);
		CU_ASSERT_EQUAL(decode(&book[k], &body, body.coded, body.len), 0);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* The front of one body and the back of another, which may be of another book. */
static void
splice(struct body *to, const struct body *from)
{
	const size_t at = test_random_in(0, (uint32_t)to->coded);
	const size_t start = test_random_in(0, (uint32_t)from->coded);

	to->coded = test_random() % 2 ? at + from->coded - start : to->coded;
	if (to->coded > at)
		memcpy(to->bytes + at, from->bytes + start,
				to->coded - at < from->coded - start ? to->coded - at
								     : from->coded - start);
}

static void
spliced_bodies_are_refused_or_give_a_region(void)
{
	static struct body body, other;
	unsigned int wrong = 0, accepted = 0;

	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int n = 0; n < SPLICES; n++) {
			make_body(&book[k], &body);
			make_body(&book[n % 4 ? k : test_random_in(0, books - 1)], &other);
			splice(&body, &other);
			const int ret = decode(&book[k], &body, body.coded, body.len);

			wrong += ret != 0 && ret != -EBADMSG;
			accepted += ret == 0;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(accepted > 0);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(body_cut_at_any_byte_is_refused),
		TEST(body_with_anything_behind_it_is_refused),
		TEST(body_is_of_no_other_length),
		TEST(spliced_bodies_are_refused_or_give_a_region),
		CU_TEST_INFO_NULL,
	};
	int status;

	test_seed(argc, argv);
	books = test_books_load(LP_KIND_COUNT, book);
	books += test_books_load(LP_KIND_AREA, book + books);
	if (books == 0)
		return EXIT_FAILURE;
	in = guarded_map(BODY_MAX);
	out = guarded_map(REGION_MAX + 32);
	status = test_run("codec_hostile", tests);
	guarded_unmap(&in);
	guarded_unmap(&out);
	test_books_free(book, books);
	return status;
}
