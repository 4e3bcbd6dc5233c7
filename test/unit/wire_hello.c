/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "frame.h"
#include "linepress/hello.h"

/* Offsets in a frame without VLAN tags. */
#define OFF_SOURCE 6
#define OFF_ETHER_TYPE 12
#define OFF_PAYLOAD 14
#define OFF_VERSION 18
#define OFF_LENGTH 20
#define OFF_STATE 24
#define OFF_CODING 25
#define OFF_INTERVAL 26
#define OFF_MTU 28
#define OFF_BOX_ID 30
#define OFF_NONCE 38
#define OFF_ECHO_NONCE 46
#define OFF_ECHO_SEQ 58
#define OFF_INSTALLED 94
#define OFF_FAILURE_TOTAL 126
#define OFF_NB_FAILURES 130
#define OFF_ZERO 131
#define SHORTEST 30 /* of any version */
#define OFF_LISTS 198
#define MAC_LEN 8

#define ROUNDS 200

static const struct lp_key key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
static const uint8_t source[6] = { 0x02, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5 };

static struct lp_hello hello, read_back;
static uint8_t frame[LP_HELLO_MAX + 64];
static size_t frame_len;

static void
put(size_t off, uint64_t value, unsigned int bytes)
{
	while (bytes-- > 0) {
		frame[off + bytes] = (uint8_t)value;
		value >>= 8;
	}
}

/* A hello of the peer, whatever is in it. */
static void
sign(void)
{
	put(frame_len - MAC_LEN, lp_siphash13(&key, frame, frame_len - MAC_LEN), MAC_LEN);
}

/* Read a frame that ends where its allocation ends. */
static enum lp_hello_verdict
read_first(size_t len)
{
	uint8_t *copy = malloc(len);
	enum lp_hello_verdict verdict;

	memcpy(copy, frame, len);
	verdict = lp_hello_read(copy, len, &key, &read_back);
	free(copy);
	return verdict;
}

static enum lp_hello_verdict
read_all(void)
{
	return read_first(frame_len);
}

static void
make_random(unsigned int books, unsigned int failures)
{
	hello = (struct lp_hello){
		.shim_version = (uint8_t)test_random(),
		.state = (uint8_t)test_random_in(LP_HELLO_INIT, LP_HELLO_BYPASS),
		.nb_failures = (uint8_t)failures,
		.parser_version = (uint16_t)test_random(),
		.interval_ms = (uint16_t)test_random_in(10, 1000),
		.host_mtu = (uint16_t)test_random_in(68, 65535),
		.seq = (uint32_t)test_random(),
		.echo_seq = (uint32_t)test_random(),
		.failure_total = test_random_in(16, UINT32_MAX),
		.box_id = test_random() | 1,
		.nonce = test_random() | 1,
		.echo_nonce = test_random() | 1,
		.coded = test_random(),
		.decoded = test_random(),
		.failed = test_random(),
		.books_digest = test_random(),
	};
	hello.coding = hello.state == LP_HELLO_READY && test_random() % 2;
	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++)
		hello.arrived[g] = (uint32_t)test_random();
	for (unsigned int k = 0; k < failures; k++)
		hello.failure[k] = (struct lp_hello_failure){
			.flow = (uint32_t)test_random(),
			.book = (uint8_t)test_random_in(1, 255),
		};
	while (lp_book_mask_count(&hello.installed) < books)
		lp_book_mask_add(&hello.installed, test_random_in(1, 255));
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		if (lp_book_mask_has(&hello.installed, id))
			hello.book_digest[id] = (uint32_t)test_random();
}

static void
write_hello(void)
{
	const int len = lp_hello_write(&hello, &key, source, frame, sizeof(frame));

	CU_ASSERT_FATAL(len >= LP_HELLO_MIN && len <= LP_HELLO_MAX);
	frame_len = (size_t)len;
}

static void
write_random(unsigned int books, unsigned int failures)
{
	make_random(books, failures);
	write_hello();
}

static void
check_read_back(void)
{
	CU_ASSERT(read_back.shim_version == hello.shim_version);
	CU_ASSERT(read_back.parser_version == hello.parser_version);
	CU_ASSERT(read_back.state == hello.state && read_back.coding == hello.coding);
	CU_ASSERT(read_back.interval_ms == hello.interval_ms);
	CU_ASSERT(read_back.host_mtu == hello.host_mtu);
	CU_ASSERT(read_back.seq == hello.seq && read_back.echo_seq == hello.echo_seq);
	CU_ASSERT(read_back.box_id == hello.box_id && read_back.nonce == hello.nonce);
	CU_ASSERT(read_back.echo_nonce == hello.echo_nonce);
	CU_ASSERT(read_back.coded == hello.coded && read_back.decoded == hello.decoded);
	CU_ASSERT(read_back.failed == hello.failed);
	CU_ASSERT(read_back.books_digest == hello.books_digest);
	CU_ASSERT(lp_book_mask_equal(&read_back.installed, &hello.installed));
	CU_ASSERT(memcmp(read_back.book_digest, hello.book_digest, sizeof(hello.book_digest)) == 0);
	CU_ASSERT(read_back.failure_total == hello.failure_total);
	CU_ASSERT_FATAL(read_back.nb_failures == hello.nb_failures);
	for (unsigned int k = 0; k < hello.nb_failures; k++) {
		CU_ASSERT(read_back.failure[k].flow == hello.failure[k].flow);
		CU_ASSERT(read_back.failure[k].book == hello.failure[k].book);
	}
}

static void
hello_comes_back(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		write_random(test_random_in(0, 255), test_random_in(0, LP_HELLO_FAILURES));
		CU_ASSERT_FATAL(read_all() == LP_HELLO_OK);
		check_read_back();
	}
}

static void
shortest_and_longest_hello_have_the_documented_sizes(void)
{
	write_random(0, 0);
	CU_ASSERT(frame_len == LP_HELLO_MIN);
	CU_ASSERT(read_all() == LP_HELLO_OK);
	write_random(255, LP_HELLO_FAILURES);
	_Static_assert(LP_HELLO_MAX <= 1514, "a hello fits in a frame of Ethernet");
	CU_ASSERT(frame_len == LP_HELLO_MAX);
	CU_ASSERT(read_all() == LP_HELLO_OK);
	check_read_back();
}

static void
hello_is_written_within_its_room_or_not_at_all(void)
{
	write_random(20, 3);
	for (size_t room = 0; room <= frame_len; room++) {
		uint8_t *const exact = malloc(room);
		const int len = lp_hello_write(&hello, &key, source, exact, room);

		CU_ASSERT(len == (room < frame_len ? -ENOSPC : (int)frame_len));
		free(exact);
	}
}

/* Lines of hexadecimal digits, and comments. */
static void
load_golden(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[128];

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	frame_len = 0;
	while (fgets(line, sizeof(line), file) != NULL) {
		for (const char *p = line; line[0] != '#' && isxdigit(p[0]); p += 2) {
			const char digits[] = { p[0], p[1], '\0' };

			frame[frame_len++] = (uint8_t)strtoul(digits, NULL, 16);
		}
	}
	fclose(file);
}

static void
golden_hello_is_read_and_written(void)
{
	static const struct {
		uint8_t id;
		uint64_t digest;
	} books[] = { { 1, 0x1122334455667788 }, { 7, 0x99aabbccddeeff00 },
		{ 63, 0x0f1e2d3c4b5a6978 }, { 64, 0x8000000000000001 }, { 128, 0x00000001ffffffff },
		{ 255, 0xfedcba9876543210 } };
	uint64_t digests[LP_BOOK_IDS] = { 0 };
	uint8_t written[LP_HELLO_MAX];

	hello = (struct lp_hello){
		.shim_version = 1,
		.state = LP_HELLO_READY,
		.coding = true,
		.nb_failures = 3,
		.parser_version = 1,
		.interval_ms = 50,
		.host_mtu = 9000,
		.seq = 0x01020304,
		.echo_seq = 0xf1f2f3f4,
		.failure_total = 5,
		.box_id = 0x02a1b2c3d4e5,
		.nonce = 0x0123456789abcdef,
		.echo_nonce = 0xfedcba9876543211,
		.coded = 0x1112131415161718,
		.decoded = 0x2122232425262728,
		.failed = 0x33,
		.arrived = { 1, 2, 3, 0xffffffff, [15] = 0x80000000 },
		.failure = { { 0xdeadbeef, 7 }, { 1, 255 }, { 0xffffffff, 64 } },
	};
	for (size_t k = 0; k < sizeof(books) / sizeof(books[0]); k++) {
		lp_book_mask_add(&hello.installed, books[k].id);
		digests[books[k].id] = books[k].digest;
		hello.book_digest[books[k].id] = lp_hello_book_digest(books[k].digest);
	}
	hello.books_digest = lp_hello_books_digest(&key, digests);

	load_golden(LP_TEST_DATA "/golden/hello-v2.hex");
	CU_ASSERT_FATAL(read_all() == LP_HELLO_OK);
	check_read_back();
	CU_ASSERT_FATAL(lp_hello_write(&hello, &key, source, written, sizeof(written)) ==
			(int)frame_len);
	CU_ASSERT(memcmp(written, frame, frame_len) == 0);
}

/* It comes from the peer, which speaks a language that is no longer understood. */
static void
golden_hello_of_an_old_version_is_known_as_one(void)
{
	load_golden(LP_TEST_DATA "/golden/hello-v1.hex");
	CU_ASSERT(read_all() == LP_HELLO_BAD_VERSION);
	CU_ASSERT(lp_hello_is_ours(LP_HELLO_BAD_VERSION));
}

static void
every_flipped_byte_is_refused(void)
{
	write_random(12, 4);
	for (size_t off = 0; off < frame_len; off++) {
		for (unsigned int flip = 1; flip < 256; flip++) {
			enum lp_hello_verdict verdict;

			frame[off] ^= (uint8_t)flip;
			verdict = read_all();
			CU_ASSERT(verdict == LP_HELLO_FOREIGN || verdict == LP_HELLO_LENGTH ||
					verdict == LP_HELLO_MAC);
			CU_ASSERT(!lp_hello_is_ours(verdict));
			frame[off] ^= (uint8_t)flip;
		}
	}
	CU_ASSERT(read_all() == LP_HELLO_OK);
}

static void
every_truncated_hello_is_refused(void)
{
	write_random(12, 4);
	for (size_t len = 0; len < frame_len; len++) {
		const enum lp_hello_verdict verdict = read_first(len);

		CU_ASSERT(verdict == (len < SHORTEST ? LP_HELLO_FOREIGN : LP_HELLO_LENGTH));
	}
}

static void
trailer_is_ignored(void)
{
	write_random(3, 0);
	for (unsigned int trailer = 0; trailer < 64; trailer++) {
		test_random_bytes(frame + frame_len, trailer);
		CU_ASSERT(read_first(frame_len + trailer) == LP_HELLO_OK);
		check_read_back();
	}
}

static void
hello_behind_vlan_tags_of_the_line_is_read(void)
{
	static const uint16_t tpid[] = { 0x8100, 0x88a8, 0x9100, 0x8100, 0x8100 };

	write_random(255, LP_HELLO_FAILURES);
	for (unsigned int tags = 1; tags <= 5; tags++) {
		memmove(frame + OFF_ETHER_TYPE + 4, frame + OFF_ETHER_TYPE,
				frame_len - OFF_ETHER_TYPE);
		put(OFF_ETHER_TYPE, tpid[tags - 1], 2);
		put(OFF_ETHER_TYPE + 2, test_random(), 2);
		frame_len += 4;
		CU_ASSERT(read_all() == (tags <= 4 ? LP_HELLO_OK : LP_HELLO_FOREIGN));
	}
}

static void
hello_with_another_key_is_a_frame_of_a_host(void)
{
	for (unsigned int bit = 0; bit < 128; bit++) {
		struct lp_key other = key;

		write_random(4, 1);
		other.k[bit / 64] ^= UINT64_C(1) << bit % 64;
		CU_ASSERT(lp_hello_read(frame, frame_len, &other, &read_back) == LP_HELLO_MAC);
	}
	CU_ASSERT(!lp_hello_is_ours(LP_HELLO_MAC));
}

static void
frames_of_hosts_are_not_ours(void)
{
	static const uint8_t begin[] = { 'L', 'P', 'H', 'O', 2 };

	/* The EtherType is theirs as well, and random bytes may follow. */
	for (unsigned int i = 0; i < 20000; i++) {
		enum lp_hello_verdict verdict;

		frame_len = test_random_in(14, LP_HELLO_MAX);
		test_random_bytes(frame, frame_len);
		put(OFF_ETHER_TYPE, LP_HELLO_ETHER_TYPE, 2);
		CU_ASSERT(!lp_hello_is_likely(frame));
		CU_ASSERT(read_all() == LP_HELLO_FOREIGN);

		put(0, 0x034c50000001, 6);
		CU_ASSERT(lp_hello_is_likely(frame));
		CU_ASSERT(read_all() == LP_HELLO_FOREIGN);

		if (frame_len < LP_HELLO_MIN)
			continue;
		memcpy(frame + OFF_PAYLOAD, begin, sizeof(begin));
		verdict = read_all();
		CU_ASSERT(verdict == LP_HELLO_LENGTH || verdict == LP_HELLO_MAC);
		put(OFF_LENGTH, frame_len - OFF_PAYLOAD, 2);
		CU_ASSERT(read_all() == LP_HELLO_MAC);
	}
}

/* Fields of a hello that is signed, from a peer that is out of its mind. */
static void
check_field(size_t off, uint64_t value, unsigned int bytes, enum lp_hello_verdict expected)
{
	uint8_t before[8];

	memcpy(before, frame + off, bytes);
	put(off, value, bytes);
	sign();
	CU_ASSERT(read_all() == expected);
	CU_ASSERT(lp_hello_is_ours(expected));
	memcpy(frame + off, before, bytes);
	sign();
	CU_ASSERT(read_all() == LP_HELLO_OK);
}

static void
every_field_is_validated(void)
{
	make_random(8, 2);
	hello.state = LP_HELLO_DRAIN;
	hello.coding = false;
	lp_book_mask_remove(&hello.installed, 255);
	write_hello();
	check_field(OFF_VERSION, 1, 1, LP_HELLO_BAD_VERSION);
	check_field(OFF_VERSION, 3, 1, LP_HELLO_BAD_VERSION);
	check_field(OFF_STATE, LP_HELLO_STATE_COUNT, 1, LP_HELLO_BAD_STATE);
	check_field(OFF_STATE, 255, 1, LP_HELLO_BAD_STATE);
	check_field(OFF_CODING, 1, 1, LP_HELLO_BAD_STATE);
	check_field(OFF_CODING, 2, 1, LP_HELLO_BAD_LAYOUT);
	check_field(OFF_INTERVAL, 9, 2, LP_HELLO_BAD_INTERVAL);
	check_field(OFF_INTERVAL, 10, 2, LP_HELLO_OK);
	check_field(OFF_INTERVAL, 1000, 2, LP_HELLO_OK);
	check_field(OFF_INTERVAL, 1001, 2, LP_HELLO_BAD_INTERVAL);
	check_field(OFF_MTU, 67, 2, LP_HELLO_BAD_MTU);
	check_field(OFF_MTU, 68, 2, LP_HELLO_OK);
	check_field(OFF_BOX_ID, 0, 8, LP_HELLO_BAD_ID);
	check_field(OFF_NONCE, 0, 8, LP_HELLO_BAD_ID);
	check_field(OFF_ECHO_NONCE, 0, 8, LP_HELLO_BAD_ID);
	check_field(OFF_INSTALLED, frame[OFF_INSTALLED] | 0x80, 1, LP_HELLO_BAD_LAYOUT);
	check_field(OFF_INSTALLED + 31, frame[OFF_INSTALLED + 31] | 1, 1, LP_HELLO_BAD_LAYOUT);
	check_field(OFF_FAILURE_TOTAL, 1, 4, LP_HELLO_BAD_FAILURES);
	check_field(OFF_FAILURE_TOTAL, 2, 4, LP_HELLO_OK);
	check_field(OFF_NB_FAILURES, 1, 1, LP_HELLO_BAD_LAYOUT);
	check_field(OFF_NB_FAILURES, 3, 1, LP_HELLO_BAD_LAYOUT);
	check_field(OFF_NB_FAILURES, LP_HELLO_FAILURES + 1, 1, LP_HELLO_BAD_FAILURES);
	check_field(OFF_LISTS + 4, 0, 1, LP_HELLO_BAD_BOOK);
	for (size_t k = 0; k < 3; k++) {
		check_field(OFF_ZERO + k, 1, 1, LP_HELLO_BAD_LAYOUT);
		check_field(OFF_LISTS + 5 + k, 0x80, 1, LP_HELLO_BAD_LAYOUT);
	}
	put(OFF_ECHO_SEQ, 0, 4);
	check_field(OFF_ECHO_NONCE, 0, 8, LP_HELLO_OK);
}

/* Book 0, with a digest in the list that its bit asks for. */
static void
book_0_is_refused(void)
{
	write_random(0, 0);
	frame_len += 4;
	put(OFF_LENGTH, frame_len - OFF_PAYLOAD, 2);
	frame[OFF_INSTALLED] = 0x80;
	sign();
	CU_ASSERT(read_all() == LP_HELLO_BAD_BOOK);
}

static void
signed_hello_of_any_length_stays_within_the_frame(void)
{
	for (unsigned int i = 0; i < 20000; i++) {
		make_random(test_random_in(0, 255), 0);
		write_hello();
		test_random_bytes(frame + OFF_INSTALLED, frame_len - OFF_INSTALLED);
		frame_len = test_random_in(LP_HELLO_MIN, (uint32_t)frame_len);
		put(OFF_LENGTH, frame_len - OFF_PAYLOAD, 2);
		if (test_random() % 2)
			frame[OFF_NB_FAILURES] = (uint8_t)test_random_in(0, LP_HELLO_FAILURES);
		sign();
		CU_ASSERT(lp_hello_is_ours(read_all()));
	}
}

#define CHECK_NOT_WRITTEN(change)                                                                 \
	do {                                                                                      \
		make_random(3, 1);                                                                \
		change;                                                                           \
		CU_ASSERT(lp_hello_write(&hello, &key, source, frame, sizeof(frame)) == -EINVAL); \
	} while (0)

static void
what_would_be_refused_is_not_written(void)
{
	CHECK_NOT_WRITTEN(hello.box_id = 0);
	CHECK_NOT_WRITTEN(hello.nonce = 0);
	CHECK_NOT_WRITTEN((hello.echo_nonce = 0, hello.echo_seq = 1));
	CHECK_NOT_WRITTEN(hello.state = LP_HELLO_STATE_COUNT);
	CHECK_NOT_WRITTEN((hello.state = LP_HELLO_BYPASS, hello.coding = true));
	CHECK_NOT_WRITTEN(hello.interval_ms = 9);
	CHECK_NOT_WRITTEN(hello.interval_ms = 1001);
	CHECK_NOT_WRITTEN(hello.host_mtu = 67);
	CHECK_NOT_WRITTEN(lp_book_mask_add(&hello.installed, 0));
	CHECK_NOT_WRITTEN(hello.nb_failures = LP_HELLO_FAILURES + 1);
	CHECK_NOT_WRITTEN(hello.failure_total = 0);
	CHECK_NOT_WRITTEN(hello.failure[0].book = 0);
}

static void
digest_of_all_books_depends_on_each(void)
{
	uint64_t digests[LP_BOOK_IDS] = { 0 }, all;

	for (unsigned int id = 1; id < LP_BOOK_IDS; id += 7)
		digests[id] = test_random() | 1;
	all = lp_hello_books_digest(&key, digests);
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		const uint64_t digest = digests[id];

		digests[id] ^= UINT64_C(1) << test_random_in(0, 63);
		CU_ASSERT(lp_hello_books_digest(&key, digests) != all);
		digests[id] = digest;
	}
	/* The same digests under other numbers. */
	digests[2] = digests[1];
	digests[1] = 0;
	CU_ASSERT(lp_hello_books_digest(&key, digests) != all);
}

static void
verdicts_and_states_have_names(void)
{
	for (unsigned int k = 0; k < LP_HELLO_VERDICT_COUNT; k++)
		CU_ASSERT_PTR_NOT_NULL(lp_hello_verdict_name(k));
	CU_ASSERT_PTR_NULL(lp_hello_verdict_name(LP_HELLO_VERDICT_COUNT));
	for (unsigned int k = 0; k < LP_HELLO_STATE_COUNT; k++)
		CU_ASSERT_PTR_NOT_NULL(lp_hello_state_name(k));
	CU_ASSERT_PTR_NULL(lp_hello_state_name(LP_HELLO_STATE_COUNT));
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(hello_comes_back),
		TEST(shortest_and_longest_hello_have_the_documented_sizes),
		TEST(hello_is_written_within_its_room_or_not_at_all),
		TEST(golden_hello_is_read_and_written),
		TEST(golden_hello_of_an_old_version_is_known_as_one),
		TEST(every_flipped_byte_is_refused),
		TEST(every_truncated_hello_is_refused),
		TEST(trailer_is_ignored),
		TEST(hello_behind_vlan_tags_of_the_line_is_read),
		TEST(hello_with_another_key_is_a_frame_of_a_host),
		TEST(frames_of_hosts_are_not_ours),
		TEST(every_field_is_validated),
		TEST(book_0_is_refused),
		TEST(signed_hello_of_any_length_stays_within_the_frame),
		TEST(what_would_be_refused_is_not_written),
		TEST(digest_of_all_books_depends_on_each),
		TEST(verdicts_and_states_have_names),
		CU_TEST_INFO_NULL,
	};

	test_seed(argc, argv);
	return test_run("wire_hello", tests);
}
