/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CUnit/Basic.h>

#include "capture.h"
#include "suite.h"

#define MAGIC_MICROSECONDS 0xa1b2c3d4u
#define MAGIC_NANOSECONDS 0xa1b23c4du
#define LINK_ETHERNET 1
#define LINK_RAW 101
#define SNAPLEN 262144
#define FILE_HEADER_LEN 24
#define RECORD_HEADER_LEN 16
#define FRAME_LEN 60
#define SECOND 1700000000u

/* A capture file in the making. */
struct image {
	uint8_t bytes[1 << 18];
	size_t len;
	bool big_endian;
};

static struct image image;
static char path[] = "/tmp/linepress-capture-load.XXXXXX";
static struct capture_error error;

static void
put(uint32_t value, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		image.bytes[image.len + i] = value >> 8 * (image.big_endian ? bytes - 1 - i : i);
	image.len += bytes;
}

static void
put_file_header(bool big_endian, uint32_t magic, uint32_t link)
{
	image.len = 0;
	image.big_endian = big_endian;
	put(magic, 4);
	put(2, 2);
	put(4, 2);
	put(0, 4);
	put(0, 4);
	put(SNAPLEN, 4);
	put(link, 4);
}

static void
put_frame(uint32_t fraction, uint32_t caplen, uint32_t len, uint8_t fill)
{
	put(SECOND, 4);
	put(fraction, 4);
	put(caplen, 4);
	put(len, 4);
	memset(image.bytes + image.len, fill, caplen);
	image.len += caplen;
}

static struct capture *
load_image(bool skip_truncated)
{
	FILE *f = fopen(path, "wb");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(fwrite(image.bytes, 1, image.len, f), image.len);
	fclose(f);
	memset(&error, 0, sizeof(error));
	return capture_load(path, skip_truncated, &error);
}

/* The image is refused, and the message has these words in it. */
static void
check_refused(const char *words)
{
	struct capture *cap = load_image(false);

	CU_ASSERT_PTR_NULL(cap);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, words));
	if (strstr(error.text, words) == NULL)
		printf("\n    message is \"%s\", expected \"%s\"\n", error.text, words);
	capture_free(cap);
}

static void
check_frame(const struct capture *cap, size_t index, uint32_t nsec, uint8_t fill)
{
	const struct capture_frame *frame = &cap->frames[index];
	uint8_t expected[FRAME_LEN];

	memset(expected, fill, sizeof(expected));
	CU_ASSERT_EQUAL(frame->sec, SECOND);
	CU_ASSERT_EQUAL(frame->nsec, nsec);
	CU_ASSERT_EQUAL_FATAL(frame->len, FRAME_LEN);
	CU_ASSERT_EQUAL(memcmp(capture_data(cap, frame), expected, FRAME_LEN), 0);
}

static void
check_good(bool big_endian, uint32_t magic)
{
	const uint32_t unit_ns = magic == MAGIC_NANOSECONDS ? 1 : 1000;
	struct capture *cap;

	put_file_header(big_endian, magic, LINK_ETHERNET);
	put_frame(123456, FRAME_LEN, FRAME_LEN, 0xaa);
	put_frame(999999, FRAME_LEN, FRAME_LEN, 0x55);
	cap = load_image(false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cap);
	CU_ASSERT_EQUAL_FATAL(cap->count, 2);
	CU_ASSERT_EQUAL(cap->skipped, 0);
	CU_ASSERT_EQUAL(cap->bytes, 2 * FRAME_LEN);
	CU_ASSERT_EQUAL(cap->longest, FRAME_LEN);
	check_frame(cap, 0, 123456 * unit_ns, 0xaa);
	check_frame(cap, 1, 999999 * unit_ns, 0x55);
	capture_free(cap);
}

static void
all_four_kinds_of_pcap_are_read(void)
{
	check_good(false, MAGIC_MICROSECONDS);
	check_good(true, MAGIC_MICROSECONDS);
	check_good(false, MAGIC_NANOSECONDS);
	check_good(true, MAGIC_NANOSECONDS);
}

/* Two frames, of 14 and 20 bytes, at SECOND and SECOND + 1 and 123456789 ns. */
static const uint8_t pcapng[] = {
	/* section header, no options */
	0x0a,
	0x0d,
	0x0d,
	0x0a,
	0x1c,
	0x00,
	0x00,
	0x00,
	0x4d,
	0x3c,
	0x2b,
	0x1a,
	0x01,
	0x00,
	0x00,
	0x00,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0x1c,
	0x00,
	0x00,
	0x00,
	/* the rest as editcap 4.0.17 wrote it: interface, Ethernet, nanoseconds */
	0x01,
	0x00,
	0x00,
	0x00,
	0x20,
	0x00,
	0x00,
	0x00,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x04,
	0x00,
	0x09,
	0x00,
	0x01,
	0x00,
	0x09,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x20,
	0x00,
	0x00,
	0x00,
	/* enhanced packet */
	0x06,
	0x00,
	0x00,
	0x00,
	0x30,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0xfe,
	0x9c,
	0x97,
	0x17,
	0x15,
	0xcd,
	0x85,
	0x3d,
	0x0e,
	0x00,
	0x00,
	0x00,
	0x0e,
	0x00,
	0x00,
	0x00,
	0x01,
	0x02,
	0x03,
	0x04,
	0x05,
	0x06,
	0x07,
	0x08,
	0x09,
	0x0a,
	0x0b,
	0x0c,
	0x0d,
	0x0e,
	0x00,
	0x00,
	0x30,
	0x00,
	0x00,
	0x00,
	/* enhanced packet */
	0x06,
	0x00,
	0x00,
	0x00,
	0x34,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0xfe,
	0x9c,
	0x97,
	0x17,
	0x15,
	0x97,
	0x20,
	0x79,
	0x14,
	0x00,
	0x00,
	0x00,
	0x14,
	0x00,
	0x00,
	0x00,
	0x65,
	0x66,
	0x67,
	0x68,
	0x69,
	0x6a,
	0x6b,
	0x6c,
	0x6d,
	0x6e,
	0x6f,
	0x70,
	0x71,
	0x72,
	0x73,
	0x74,
	0x75,
	0x76,
	0x77,
	0x78,
	0x34,
	0x00,
	0x00,
	0x00,
};

static void
pcapng_is_read(void)
{
	struct capture *cap;

	memcpy(image.bytes, pcapng, sizeof(pcapng));
	image.len = sizeof(pcapng);
	cap = load_image(false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cap);
	CU_ASSERT_EQUAL_FATAL(cap->count, 2);
	CU_ASSERT_EQUAL(cap->frames[0].len, 14);
	CU_ASSERT_EQUAL(cap->frames[0].sec, SECOND);
	CU_ASSERT_EQUAL(cap->frames[0].nsec, 123456789);
	CU_ASSERT_EQUAL(cap->frames[1].len, 20);
	CU_ASSERT_EQUAL(cap->frames[1].sec, SECOND + 1);
	CU_ASSERT_EQUAL(capture_data(cap, &cap->frames[1])[19], 0x78);
	capture_free(cap);
}

/* 28 + 32 bytes of headers, frames of 48 and 52: cut anywhere but at the end of a block. */
static void
pcapng_cut_in_a_block_is_refused(void)
{
	memcpy(image.bytes, pcapng, sizeof(pcapng));
	image.len = sizeof(pcapng) - 1;
	check_refused("frame 2: truncated");
	image.len = 28 + 32 + 48 - 20;
	check_refused("frame 1: truncated");
	image.len = 20;
	check_refused("truncated");
}

static void
empty_file_is_refused(void)
{
	image.len = 0;
	check_refused("truncated dump file");
}

static void
cut_file_header_is_refused(void)
{
	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	image.len--;
	check_refused("truncated dump file");
}

static void
wrong_magic_is_refused(void)
{
	put_file_header(false, 0xdeadbeef, LINK_ETHERNET);
	put_frame(0, FRAME_LEN, FRAME_LEN, 0);
	check_refused("unknown file format");
}

static void
capture_without_frames_is_refused(void)
{
	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	check_refused("has no frames");
}

static void
link_type_other_than_ethernet_is_refused_by_name(void)
{
	put_file_header(false, MAGIC_MICROSECONDS, LINK_RAW);
	put_frame(0, FRAME_LEN, FRAME_LEN, 0);
	check_refused("link type is RAW");
}

static void
file_cut_within_a_record_is_refused_with_its_number(void)
{
	size_t cut;

	for (cut = 1; cut < RECORD_HEADER_LEN + FRAME_LEN; cut++) {
		put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
		put_frame(0, FRAME_LEN, FRAME_LEN, 0);
		put_frame(0, FRAME_LEN, FRAME_LEN, 0);
		image.len -= cut;
		check_refused("frame 2: truncated dump file");
	}
}

static void
put_one_truncated(void)
{
	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, FRAME_LEN, FRAME_LEN, 0x11);
	put_frame(0, FRAME_LEN, 1514, 0x22);
	put_frame(7, FRAME_LEN, FRAME_LEN, 0x33);
}

static void
truncated_frame_is_refused_with_number_and_lengths(void)
{
	put_one_truncated();
	check_refused("frame 2: truncated, only 60 of its 1514 bytes");
}

static void
truncated_frame_is_skipped_and_counted_on_request(void)
{
	struct capture *cap;

	put_one_truncated();
	cap = load_image(true);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cap);
	CU_ASSERT_EQUAL_FATAL(cap->count, 2);
	CU_ASSERT_EQUAL(cap->skipped, 1);
	check_frame(cap, 0, 0, 0x11);
	check_frame(cap, 1, 7000, 0x33);
	CU_ASSERT_EQUAL(cap->frames[1].number, 3);
	capture_free(cap);
}

static void
capture_of_truncated_frames_only_is_refused(void)
{
	struct capture *cap;

	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, FRAME_LEN, 1514, 0);
	cap = load_image(true);
	CU_ASSERT_PTR_NULL(cap);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "no whole frame, all 1 are truncated"));
	capture_free(cap);
}

static void
frame_longer_in_the_file_than_it_was_is_refused(void)
{
	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, FRAME_LEN, FRAME_LEN - 1, 0);
	check_refused("frame 1: has 60 bytes in the file, more than its length of 59");
}

static void
longest_frame_is_read_and_a_longer_one_refused(void)
{
	struct capture *cap;

	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, CAPTURE_FRAME_MAX, CAPTURE_FRAME_MAX, 0);
	cap = load_image(false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cap);
	CU_ASSERT_EQUAL(cap->longest, CAPTURE_FRAME_MAX);
	capture_free(cap);
	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, CAPTURE_FRAME_MAX + 1, CAPTURE_FRAME_MAX + 1, 0);
	check_refused("frame 1: 65598 bytes, more than the 65597");
}

/* A length that no capture has must not become an allocation or a read of that size. */
static void
absurd_record_length_is_refused(void)
{
	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, FRAME_LEN, FRAME_LEN, 0);
	memset(image.bytes + FILE_HEADER_LEN + 8, 0xff, 8);
	check_refused("frame 1: ");
}

static void
frame_without_bytes_is_read(void)
{
	struct capture *cap;

	put_file_header(false, MAGIC_MICROSECONDS, LINK_ETHERNET);
	put_frame(0, 0, 0, 0);
	cap = load_image(false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cap);
	CU_ASSERT_EQUAL(cap->count, 1);
	CU_ASSERT_EQUAL(cap->frames[0].len, 0);
	capture_free(cap);
}

/* More frames than the index has at first. */
static void
index_grows(void)
{
	struct capture *cap;
	uint32_t i;

	put_file_header(false, MAGIC_NANOSECONDS, LINK_ETHERNET);
	for (i = 0; i < 3000; i++)
		put_frame(i, FRAME_LEN, FRAME_LEN, i);
	cap = load_image(false);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cap);
	CU_ASSERT_EQUAL_FATAL(cap->count, 3000);
	for (i = 0; i < 3000; i++)
		check_frame(cap, i, i, i);
	capture_free(cap);
}

static void
missing_file_and_directory_are_refused(void)
{
	CU_ASSERT_PTR_NULL(capture_load("/nonexistent/x.pcap", false, &error));
	CU_ASSERT_STRING_EQUAL(error.text, "No such file or directory");
	CU_ASSERT_PTR_NULL(capture_load("/", false, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Is a directory"));
}

int
main(void)
{
	CU_TestInfo tests[] = {
		TEST(all_four_kinds_of_pcap_are_read),
		TEST(pcapng_is_read),
		TEST(pcapng_cut_in_a_block_is_refused),
		TEST(empty_file_is_refused),
		TEST(cut_file_header_is_refused),
		TEST(wrong_magic_is_refused),
		TEST(capture_without_frames_is_refused),
		TEST(link_type_other_than_ethernet_is_refused_by_name),
		TEST(file_cut_within_a_record_is_refused_with_its_number),
		TEST(truncated_frame_is_refused_with_number_and_lengths),
		TEST(truncated_frame_is_skipped_and_counted_on_request),
		TEST(capture_of_truncated_frames_only_is_refused),
		TEST(frame_longer_in_the_file_than_it_was_is_refused),
		TEST(longest_frame_is_read_and_a_longer_one_refused),
		TEST(absurd_record_length_is_refused),
		TEST(frame_without_bytes_is_read),
		TEST(index_grows),
		TEST(missing_file_and_directory_are_refused),
		CU_TEST_INFO_NULL,
	};
	const int fd = mkstemp(path);
	int status;

	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	status = test_run("capture_load", tests);
	unlink(path);
	return status;
}
