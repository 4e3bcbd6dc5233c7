/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Frames that look coded and are not, and coded frames that were hurt on the line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "press_help.h"
#include "shim.h"

#define TAG_OFF 10
#define BOOK_OFF 4

static struct test_frame original, wire, stored, twice, restored;

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

/* A coded frame of random kind in `wire`. */
static void
make_coded(struct lp_press *press)
{
	struct lp_shim shim;

	frame_tensor_random(&original, (uint16_t)test_random_in(300, 1400));
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	CU_ASSERT_FATAL(shim.type == LP_SHIM_CODED);
}

static void
make_coded_kind(struct lp_press *press, uint8_t l4, uint16_t region_len)
{
	frame_tensor(&original,
			&(struct frame_spec){ .ip_version = 4, .l4 = l4, .region_len = region_len },
			TENSOR_BF16);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(wire.len < original.len);
}

/* Escapes */

/* Is `escaped` the STORED form of `inner`? */
static bool
is_stored(const struct test_frame *escaped, const struct test_frame *inner)
{
	struct lp_shim shim;
	const size_t off = shim_off(inner);

	if (frame_shim(escaped, &shim) != LP_OPEN_SEALED || shim.type != LP_SHIM_STORED)
		return false;
	const size_t shim_len = lp_shim_len(shim.flags);

	return shim.book_id == 0 && shim.orig_len == inner->at.region_len &&
			escaped->len == inner->len + shim_len &&
			memcmp(escaped->data + off + shim_len, inner->data + off,
					inner->len - off) == 0;
}

/* Compressing `wire` must store it, restoring must give it back. */
static void
check_escape(struct lp_press *press)
{
	const uint64_t before = compress_stats(press)->stored_pkts;
	const uint64_t before_restore = restore_stats(press)->stored_pkts;

	CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
	CU_ASSERT(is_stored(&stored, &wire));
	CU_ASSERT_EQUAL(compress_stats(press)->stored_pkts, before + 1);
	CU_ASSERT_FATAL(restore_frame(press, &stored, &restored));
	CU_ASSERT(frame_equal(&restored, &wire));
	CU_ASSERT_EQUAL(restore_stats(press)->stored_pkts, before_restore + 1);
}

static void
coded_frame_from_a_host_is_stored_and_comes_back(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 300; k++) {
		make_coded(press);
		check_escape(press);
	}
	finish(press);
}

/* A stored frame is not taken for data by a host that gets it by mistake. */
static void
stored_frame_has_a_checksum_no_host_accepts(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 100; k++) {
		make_coded(press);
		CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
		if (frame_get16(&stored, frame_l4_cksum_off(&stored)) != 0)
			CU_ASSERT(!frame_host_accepts(&stored));
	}
	finish(press);
}

static void
twice_nested_frame_unwraps_one_layer_at_a_time(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 50; k++) {
		make_coded(press);
		CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
		CU_ASSERT_FATAL(compress_frame(press, &stored, &twice));
		CU_ASSERT(is_stored(&twice, &stored));
		CU_ASSERT_FATAL(restore_frame(press, &twice, &restored));
		CU_ASSERT(frame_equal(&restored, &stored));
		CU_ASSERT_FATAL(restore_frame(press, &restored, &twice));
		CU_ASSERT(frame_equal(&twice, &wire));
		CU_ASSERT_FATAL(restore_frame(press, &twice, &restored));
		CU_ASSERT(frame_equal(&restored, &original));
	}
	finish(press);
}

/* The far box may hold another key or other books than we do. */
static void
lookalike_with_a_bad_tag_is_stored_too(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_shim shim;

	for (unsigned int k = 0; k < 100; k++) {
		make_coded(press);
		wire.data[shim_off(&wire) + TAG_OFF + k % 2] ^= (uint8_t)(1 << k % 8);
		CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_BAD_TAG);
		check_escape(press);
	}
	finish(press);
}

static void
lookalike_of_a_book_we_do_not_have_is_stored_too(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_shim shim;

	make_coded(press);
	wire.data[shim_off(&wire) + BOOK_OFF] = 255;
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_UNKNOWN_BOOK);
	check_escape(press);
	finish(press);
}

/* Below the minimum nothing is coded, but the far box restores regions of any length. */
static void
lookalike_below_the_minimum_region_is_stored_too(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press = press_make(conf);

	conf.min_region = 2000;
	struct lp_press *host_side = press_make(conf);

	make_coded(press);
	check_escape(host_side);
	CU_ASSERT_EQUAL(compress_stats(host_side)->eligible_pkts, 0);
	CU_ASSERT_EQUAL(compress_stats(host_side)->region_line_bytes, 0);
	finish(press);
	finish(host_side);
}

/* What a host could make of it: the body cannot be coded, the shim is ours. */
static void
lookalike_with_a_wrong_host_checksum_comes_back_with_it(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 1000);
	for (uint32_t cksum = 0; cksum <= UINT16_MAX; cksum += 257) {
		frame_put16(&wire, frame_l4_cksum_off(&wire), (uint16_t)cksum);
		check_escape(press);
	}
	finish(press);
}

static struct lp_press *
press_of_max_frame(uint32_t max_frame)
{
	struct lp_press_conf conf = press_conf();

	conf.max_frame = max_frame;
	return press_make(conf);
}

static void
escape_longer_than_the_line_takes_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 1000);
	struct lp_press *narrow = press_of_max_frame((uint32_t)wire.len + LP_SHIM_MAX - 1);

	CU_ASSERT(!compress_frame(narrow, &wire, &stored));
	CU_ASSERT_EQUAL(compress_stats(narrow)->dropped[LP_DROP_ESCAPE], 1);
	CU_ASSERT_STRING_EQUAL(lp_drop_name(LP_DROP_ESCAPE), "escape");
	finish(press);
	finish(narrow);
}

static void
escape_of_just_what_the_line_takes_is_sent(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_UDP, 1000);
	struct lp_press *narrow = press_of_max_frame((uint32_t)wire.len + LP_SHIM_MAX);

	check_escape(narrow);
	finish(press);
	finish(narrow);
}

/* The shim of RoCE has no check word: its escape is 12 bytes longer, not 16. */
static void
escape_of_just_what_the_line_takes_is_sent_for_roce(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_ROCE, 1000);
	struct lp_press *narrow = press_of_max_frame((uint32_t)wire.len + LP_SHIM_MIN);

	CU_ASSERT(compress_frame(narrow, &wire, &stored));
	CU_ASSERT_EQUAL(compress_stats(narrow)->stored_pkts, 1);
	finish(press);
	finish(narrow);
}

/* A port is not asked to send more than it was configured for: it might cut the frame. */
static void
original_longer_than_the_port_takes_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 1000);
	struct lp_press *narrow = press_of_max_frame((uint32_t)original.len - 1);
	struct lp_press *wide = press_of_max_frame((uint32_t)original.len);

	CU_ASSERT(!restore_frame(narrow, &wire, &restored));
	CU_ASSERT_EQUAL(restore_stats(narrow)->dropped[LP_DROP_LENGTH], 1);
	CU_ASSERT(restore_frame(wide, &wire, &restored));
	finish(press);
	finish(narrow);
	finish(wide);
}

static void
any_coded_frame_escapes_within_the_length_of_its_original(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 50; k++) {
		make_coded(press);
		struct lp_press *narrow = press_of_max_frame((uint32_t)original.len);

		check_escape(narrow);
		lp_press_free(narrow);
	}
	finish(press);
}

/* region_line_bytes is what travels, and nothing travels for a dropped frame. */
static void
dropped_lookalike_has_no_bytes_on_the_line(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 1000);
	struct lp_press *narrow = press_of_max_frame((uint32_t)wire.len);

	CU_ASSERT(!compress_frame(narrow, &wire, &stored));
	CU_ASSERT_EQUAL(compress_stats(narrow)->eligible_pkts, 1);
	CU_ASSERT_EQUAL(compress_stats(narrow)->region_line_bytes, 0);
	finish(press);
	finish(narrow);
}

/* Turn `wire` into a lookalike whose IPv4 packet is as long as can be. */
static void
make_longest_lookalike(struct lp_press *press, uint16_t ip_len)
{
	const uint16_t region_len = (uint16_t)(ip_len - 40);
	static uint8_t shim[LP_SHIM_MAX];

	make_coded_kind(press, LP_L4_TCP, 1000);
	memcpy(shim, wire.data + shim_off(&wire), sizeof(shim));
	frame_build(&wire,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = LP_L4_TCP,
					.region_len = region_len });
	memcpy(wire.data + shim_off(&wire), shim, sizeof(shim));
	frame_put16(&wire, shim_off(&wire) + 6, UINT16_MAX);
}

static void
escape_longer_than_an_ip_packet_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int over = 1; over <= 4; over++) {
		make_longest_lookalike(press, (uint16_t)(UINT16_MAX - LP_SHIM_MAX + over));
		CU_ASSERT(!compress_frame(press, &wire, &stored));
		CU_ASSERT_EQUAL(compress_stats(press)->dropped[LP_DROP_ESCAPE], over);
	}
	finish(press);
}

static void
escape_as_long_as_an_ip_packet_can_be_comes_back(void)
{
	struct lp_press *press = press_make(press_conf());

	make_longest_lookalike(press, UINT16_MAX - LP_SHIM_MAX);
	CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
	CU_ASSERT_EQUAL(compress_stats(press)->stored_pkts, 1);
	CU_ASSERT_FATAL(restore_frame(press, &stored, &restored));
	CU_ASSERT(frame_equal(&restored, &wire));
	finish(press);
}

/* Its checksum would not come back, and raw it would be restored by mistake. */
static void
lookalike_with_ip_checksum_ffff_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 1000);
	const size_t ip = wire.at.l3_off;

	frame_put16(&wire, ip + 4, 0);
	frame_fix_ip_cksum(&wire);
	frame_put16(&wire, ip + 4, frame_get16(&wire, ip + 10));
	frame_put16(&wire, ip + 10, 0xffff);
	CU_ASSERT(!compress_frame(press, &wire, &stored));
	CU_ASSERT_EQUAL(compress_stats(press)->dropped[LP_DROP_ESCAPE], 1);
	finish(press);
}

#define LONGEST (1 << 17)

/* Does a frame longer than any real one come back? Dropped as impossible to escape does no harm. */
static bool
long_frame_comes_back(struct lp_press *press, const uint8_t *data, uint32_t len)
{
	struct rte_mbuf *mbuf = compress_mbuf(
			press, mbuf_split(bench.pool, data, len, UINT16_MAX, UINT16_MAX));

	if (mbuf != NULL)
		mbuf = restore_mbuf(press, mbuf);
	const bool equal = mbuf == NULL || mbuf_holds(mbuf, data, len);

	rte_pktmbuf_free(mbuf);
	return equal;
}

/* Whatever length of trailer a frame has: both boxes must agree on whether it is looked at. */
static void
lookalike_with_any_length_of_trailer_comes_back(void)
{
	struct lp_press *press = press_make(press_conf());
	static uint8_t long_frame[LONGEST + 64];
	uint32_t len = LONGEST - 64;

	make_coded_kind(press, LP_L4_TCP, 1000);
	test_random_bytes(long_frame, sizeof(long_frame));
	memcpy(long_frame, wire.data, wire.len);
	while (len < sizeof(long_frame) && long_frame_comes_back(press, long_frame, len))
		len++;
	CU_ASSERT_EQUAL(len, sizeof(long_frame));
	finish(press);
}

/* Boxes that do not fit together */

/* `press` must hand on `wire` as it is, for this reason. */
static void
check_untouched(struct lp_press *press, enum lp_pass reason)
{
	const uint64_t before = restore_stats(press)->passed[reason];

	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	CU_ASSERT(frame_equal(&restored, &wire));
	CU_ASSERT_EQUAL(restore_stats(press)->passed[reason], before + 1);
}

static void
frame_of_a_book_the_far_box_has_not_is_untouched(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press = press_make(conf);
	static struct lp_bookset none;

	none = *bench.books;
	memset(none.digest, 0, sizeof(none.digest));
	memset(none.book, 0, sizeof(none.book));
	none.count = 0;
	conf.books = &none;
	struct lp_press *far = press_make(conf);

	for (unsigned int k = 0; k < 100; k++) {
		make_coded(press);
		check_untouched(far, LP_PASS_UNKNOWN_BOOK);
	}
	finish(press);
	finish(far);
}

static void
box_without_books_passes_everything(void)
{
	struct lp_press_conf conf = press_conf();
	static struct lp_bookset none;

	conf.books = &none;
	struct lp_press *press = press_make(conf);

	for (unsigned int k = 0; k < 100; k++) {
		frame_tensor_random(&original, (uint16_t)test_random_in(300, 1400));
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
		CU_ASSERT(frame_equal(&wire, &original));
	}
	CU_ASSERT_EQUAL(compress_stats(press)->passed[LP_PASS_NO_GAIN], 100);
	finish(press);
}

static void
frame_of_another_key_is_untouched(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press = press_make(conf);

	for (unsigned int bit = 0; bit < 128; bit++) {
		conf = press_conf();
		conf.key.k[bit / 64] ^= UINT64_C(1) << bit % 64;
		struct lp_press *far = press_make(conf);

		make_coded(press);
		check_untouched(far, LP_PASS_BAD_TAG);
		finish(far);
	}
	finish(press);
}

/* The text of a book of LP_CODEBOOK_DIR. */
static char *
read_book(const char *name, size_t *len)
{
	char path[512];
	char *text = malloc(1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.book", LP_CODEBOOK_DIR, name);
	file = fopen(path, "re");
	CU_ASSERT_FATAL(text != NULL && file != NULL);
	*len = fread(text, 1, (1 << 20) - 1, file);
	text[*len] = '\0';
	fclose(file);
	return text;
}

/* A book of the same number and type with the first two ranks exchanged. */
static struct lp_codebook *
other_book(const char *name)
{
	struct lp_error error = { 0 };
	struct lp_codebook *cb;
	char first[8], second[8], swapped[sizeof(first) + sizeof(second)];
	char *ranks;
	int swapped_len;
	size_t len;
	char *const text = read_book(name, &len);

	ranks = strstr(text, "\nranks ");
	CU_ASSERT_FATAL(ranks != NULL);
	ranks += strlen("\nranks ");
	CU_ASSERT_FATAL(sscanf(ranks, "%7s %7s", first, second) == 2);
	swapped_len = snprintf(swapped, sizeof(swapped), "%s %s", second, first);
	memcpy(ranks, swapped, (size_t)swapped_len);
	cb = lp_codebook_parse(text, len, &error);
	if (cb == NULL)
		printf("\n  line %u: %s", error.line, error.text);
	free(text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cb);
	return cb;
}

/* The bench's books with one of them replaced. */
static void
replace_book(struct lp_bookset *set, uint8_t id, struct lp_codebook *cb)
{
	*set = *bench.books;
	set->book[id] = cb;
	set->digest[id] = lp_codebook_digest64(cb);
	CU_ASSERT_NOT_EQUAL(set->digest[id], bench.books->digest[id]);
}

static void
frame_of_another_book_with_that_number_is_untouched(void)
{
	struct lp_press_conf conf = press_conf();
	struct lp_press *press = press_make(conf);
	struct lp_codebook_info info;
	static struct lp_bookset far_books;
	struct lp_shim shim;

	make_coded_kind(press, LP_L4_TCP, 1400);
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	lp_codebook_describe(bench.books->book[shim.book_id], &info);
	CU_ASSERT_FATAL(info.kind == LP_KIND_GROUPED);
	struct lp_codebook *const cb = other_book(info.name);

	replace_book(&far_books, shim.book_id, cb);
	conf.books = &far_books;
	struct lp_press *far = press_make(conf);

	for (unsigned int k = 0; k < 50; k++) {
		make_coded_kind(press, (uint8_t)(k % 3), 1400);
		check_untouched(far, LP_PASS_BAD_TAG);
	}
	finish(press);
	finish(far);
	lp_codebook_free(cb);
}

/* Bodies hurt on the line */

static uint64_t
spoilt(const struct lp_press *press)
{
	return restore_stats(press)->dropped[LP_DROP_DECODE] +
			restore_stats(press)->dropped[LP_DROP_CHECK];
}

/* Flip bits of one byte of the body; the frame must be dropped or come back as it was. */
static void
check_flip(struct lp_press *press, size_t at, uint8_t bits)
{
	const uint64_t before = spoilt(press);

	wire.data[at] ^= bits;
	if (restore_frame(press, &wire, &restored)) {
		CU_ASSERT(frame_equal(&restored, &original));
	} else {
		CU_ASSERT_EQUAL(spoilt(press), before + 1);
	}
	wire.data[at] ^= bits;
}

static void
check_all_flips(struct lp_press *press)
{
	const size_t body = shim_off(&wire) + LP_SHIM_MAX;

	for (size_t at = body; at < wire.len; at++) {
		check_flip(press, at, 0xff);
		check_flip(press, at, (uint8_t)(1 << at % 8));
	}
	CU_ASSERT_EQUAL(spoilt(press), 2 * (wire.len - body));
}

static void
flipped_body_of_tcp_is_dropped_and_never_restored_different(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 1400);
	check_all_flips(press);
	CU_ASSERT(restore_stats(press)->dropped[LP_DROP_CHECK] > 0);
	finish(press);
}

static void
flipped_body_of_a_huffman_book_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());

	frame_tensor(&original,
			&(struct frame_spec){
					.ip_version = 6, .l4 = LP_L4_UDP, .region_len = 1400 },
			TENSOR_INT8);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_FATAL(wire.len < original.len);
	check_all_flips(press);
	finish(press);
}

static void
flipped_body_of_a_stored_frame_is_dropped_by_its_check(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 600);
	CU_ASSERT_FATAL(compress_frame(press, &wire, &stored));
	frame_copy(&original, &wire);
	frame_copy(&wire, &stored);
	check_all_flips(press);
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_DECODE], 0);
	finish(press);
}

/* Only the check can tell; it is covered by the tag, so the frame is not accepted at all. */
static void
flipped_shim_is_not_accepted(void)
{
	struct lp_press *press = press_make(press_conf());
	uint64_t passed = 0;

	make_coded_kind(press, LP_L4_TCP, 600);
	for (size_t at = shim_off(&wire); at < shim_off(&wire) + LP_SHIM_MAX; at++)
		for (unsigned int bit = 0; bit < 8; bit++, passed++) {
			wire.data[at] ^= (uint8_t)(1 << bit);
			CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
			CU_ASSERT(frame_equal(&restored, &wire));
			wire.data[at] ^= (uint8_t)(1 << bit);
		}
	CU_ASSERT_EQUAL(restore_stats(press)->tx_pkts, passed);
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, 0);
	finish(press);
}

/* The adapter will refuse it: ICRC and headers are those of the original, whatever the region. */
static void
check_roce_ends(void)
{
	const size_t icrc = original.len - 4;

	CU_ASSERT_FATAL(restored.len == original.len);
	CU_ASSERT(memcmp(restored.data, original.data, original.at.region_off) == 0);
	CU_ASSERT(memcmp(restored.data + icrc, original.data + icrc, 4) == 0);
}

static void
flipped_body_of_roce_is_dropped_or_keeps_its_icrc(void)
{
	struct lp_press *press = press_make(press_conf());
	unsigned int kept = 0;

	make_coded_kind(press, LP_L4_ROCE, 1024);
	for (size_t at = shim_off(&wire) + LP_SHIM_MIN; at < wire.len - 4; at++) {
		wire.data[at] ^= 0xff;
		if (restore_frame(press, &wire, &restored)) {
			check_roce_ends();
			kept++;
		}
		wire.data[at] ^= 0xff;
	}
	CU_ASSERT(kept > 0);
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_CHECK], 0);
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, kept);
	finish(press);
}

static void
changed_icrc_travels_as_it_is(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_ROCE, 1024);
	for (unsigned int byte = 0; byte < 4; byte++) {
		wire.data[wire.len - 4 + byte] ^= 0xa5;
		original.data[original.len - 4 + byte] ^= 0xa5;
	}
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	CU_ASSERT(frame_equal(&restored, &original));
	finish(press);
}

static void
frame_cut_at_every_byte_is_untouched(void)
{
	struct lp_press *press = press_make(press_conf());
	const uint16_t region_len = 400;

	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++) {
		make_coded_kind(press, l4, region_len);
		for (const size_t whole = wire.len--; wire.len < whole; wire.len--) {
			CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
			CU_ASSERT(frame_equal(&restored, &wire));
		}
	}
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, 0);
	finish(press);
}

/* What a switch that trims packets makes of a frame: the lengths agree with what is left. */
static void
trim(size_t by)
{
	const size_t length = wire.at.l3_off + 2u;

	wire.len -= by;
	frame_put16(&wire, length, (uint16_t)(frame_get16(&wire, length) - by));
	frame_fix_ip_cksum(&wire);
}

static void
trimmed_frame_is_untouched(void)
{
	struct lp_press *press = press_make(press_conf());

	make_coded_kind(press, LP_L4_TCP, 400);
	frame_copy(&stored, &wire);
	for (size_t by = 1; by < stored.len - 54; by++) {
		frame_copy(&wire, &stored);
		trim(by);
		CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
		CU_ASSERT(frame_equal(&restored, &wire));
	}
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, 0);
	finish(press);
}

/* TTL, DSCP and ECN belong to the line; the rest comes back. */
static void
marks_made_on_the_line_stay(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < 200; k++) {
		make_coded_kind(press, (uint8_t)(k % 3), 600);
		for (unsigned int f = 0; f < 2; f++) {
			struct test_frame *const frame = f == 0 ? &wire : &original;

			frame->data[frame->at.l3_off + 8]--;
			frame->data[frame->at.l3_off + 1] |= 3;
			frame_fix_ip_cksum(frame);
		}
		CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
		CU_ASSERT(frame_equal(&restored, &original));
	}
	CU_ASSERT_EQUAL(restore_stats(press)->coded_pkts, 200);
	finish(press);
}

/* Shims nobody made: the key is known, the rest is not. */

static void
reseal(const struct lp_shim *shim)
{
	const struct lp_press_conf conf = press_conf();

	lp_shim_write(wire.data, &wire.at, shim, &conf.key,
			shim->type == LP_SHIM_STORED ? 0 : bench.books->digest[shim->book_id],
			wire.at.region_len);
}

static void
original_longer_than_an_ip_packet_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_shim shim;

	make_coded_kind(press, LP_L4_TCP, 600);
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	for (uint32_t orig_len = UINT16_MAX - 39; orig_len <= UINT16_MAX; orig_len++) {
		shim.orig_len = (uint16_t)orig_len;
		reseal(&shim);
		CU_ASSERT(!restore_frame(press, &wire, &restored));
	}
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_LENGTH], 40);
	shim.orig_len = UINT16_MAX - 40;
	reseal(&shim);
	CU_ASSERT(!restore_frame(press, &wire, &restored));
	CU_ASSERT_EQUAL(spoilt(press), 1);
	finish(press);
}

/* A region and a trailer of 64 KiB each: more than there is memory for. */
static void
original_longer_than_any_frame_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());
	static uint8_t long_frame[LONGEST];
	struct lp_shim shim;

	make_coded_kind(press, LP_L4_TCP, 600);
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	shim.orig_len = 60000;
	reseal(&shim);
	memcpy(long_frame, wire.data, wire.len);
	struct rte_mbuf *mbuf = mbuf_split(bench.pool, long_frame, 100000, UINT16_MAX, UINT16_MAX);

	CU_ASSERT_PTR_NULL(restore_mbuf(press, mbuf));
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_LENGTH], 1);
	finish(press);
}

static void
element_size_of_another_book_is_dropped(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_shim shim;

	make_coded_kind(press, LP_L4_TCP, 600);
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	shim.element_log2 = shim.element_log2 == 2 ? 1 : 2;
	reseal(&shim);
	CU_ASSERT(!restore_frame(press, &wire, &restored));
	CU_ASSERT_EQUAL(restore_stats(press)->dropped[LP_DROP_DECODE], 1);
	finish(press);
}

/* Shims with a right tag and random members: only the original may come back from a check. */
static void
random_shims_of_a_known_key_are_dropped(void)
{
	struct lp_press *press = press_make(press_conf());
	struct lp_shim shim;

	make_coded_kind(press, LP_L4_UDP, 1400);
	CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	for (unsigned int k = 0; k < 5000; k++) {
		const struct lp_codebook *cb;

		shim.book_id = bench.books->id[test_random_in(0, bench.books->count - 1u)];
		cb = bench.books->book[shim.book_id];
		shim.element_log2 = (uint8_t)lp_codebook_element_log2(cb);
		shim.phase = (uint8_t)test_random_in(0, (1u << shim.element_log2) - 1);
		shim.orig_len = (uint16_t)test_random_in(wire.at.region_len + 16u, 65000);
		reseal(&shim);
		test_random_bytes(wire.data + shim_off(&wire) + LP_SHIM_MAX,
				test_random_in(0, wire.at.region_len - LP_SHIM_MAX));
		CU_ASSERT(!restore_frame(press, &wire, &restored));
	}
	CU_ASSERT_EQUAL(spoilt(press), 5000);
	finish(press);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(coded_frame_from_a_host_is_stored_and_comes_back),
		TEST(stored_frame_has_a_checksum_no_host_accepts),
		TEST(twice_nested_frame_unwraps_one_layer_at_a_time),
		TEST(lookalike_with_a_bad_tag_is_stored_too),
		TEST(lookalike_of_a_book_we_do_not_have_is_stored_too),
		TEST(lookalike_below_the_minimum_region_is_stored_too),
		TEST(lookalike_with_a_wrong_host_checksum_comes_back_with_it),
		TEST(escape_longer_than_the_line_takes_is_dropped),
		TEST(escape_of_just_what_the_line_takes_is_sent),
		TEST(escape_of_just_what_the_line_takes_is_sent_for_roce),
		TEST(original_longer_than_the_port_takes_is_dropped),
		TEST(any_coded_frame_escapes_within_the_length_of_its_original),
		TEST(dropped_lookalike_has_no_bytes_on_the_line),
		TEST(escape_longer_than_an_ip_packet_is_dropped),
		TEST(escape_as_long_as_an_ip_packet_can_be_comes_back),
		TEST(lookalike_with_ip_checksum_ffff_is_dropped),
		TEST(lookalike_with_any_length_of_trailer_comes_back),
		TEST(frame_of_a_book_the_far_box_has_not_is_untouched),
		TEST(box_without_books_passes_everything),
		TEST(frame_of_another_key_is_untouched),
		TEST(frame_of_another_book_with_that_number_is_untouched),
		TEST(flipped_body_of_tcp_is_dropped_and_never_restored_different),
		TEST(flipped_body_of_a_huffman_book_is_dropped),
		TEST(flipped_body_of_a_stored_frame_is_dropped_by_its_check),
		TEST(flipped_shim_is_not_accepted),
		TEST(flipped_body_of_roce_is_dropped_or_keeps_its_icrc),
		TEST(changed_icrc_travels_as_it_is),
		TEST(frame_cut_at_every_byte_is_untouched),
		TEST(trimmed_frame_is_untouched),
		TEST(marks_made_on_the_line_stay),
		TEST(original_longer_than_an_ip_packet_is_dropped),
		TEST(original_longer_than_any_frame_is_dropped),
		TEST(element_size_of_another_book_is_dropped),
		TEST(random_shims_of_a_known_key_are_dropped),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_escape", tests);
}
