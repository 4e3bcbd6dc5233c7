/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* How well frames were coded, by ratio and by type, agrees with the frames on the wire. */

#include <stdlib.h>
#include <string.h>

#include "press_help.h"

#define FRAMES 400

static struct test_frame original, wire;

static enum lp_type
type_of(const struct lp_bookset *books, unsigned int id)
{
	struct lp_codebook_info info;

	lp_codebook_describe(books->book[id], &info);
	return info.type;
}

/* What the far end of the wire can tell. */
struct tally {
	uint64_t ratio_pkts[LP_RATIO_CLASSES];
	uint64_t uncoded_pkts;
	struct lp_book_stats type[LP_TYPE_COUNT];
};

static void
count_frame(struct tally *tally)
{
	struct lp_shim shim;
	struct lp_book_stats *type;

	if (frame_shim(&wire, &shim) != LP_OPEN_SEALED || shim.type != LP_SHIM_CODED) {
		tally->uncoded_pkts += original.at.region_len >= LP_PRESS_MIN_REGION;
		return;
	}
	tally->ratio_pkts[wire.at.region_len * 100u / original.at.region_len / 5]++;
	type = &tally->type[type_of(bench.books, shim.book_id)];
	type->pkts++;
	type->region_bytes += original.at.region_len;
	type->line_bytes += wire.at.region_len;
}

/* Tensors, noise, regions of zeros, which become short, and frames that are escaped. */
static void
make_frame(unsigned int k)
{
	frame_build_random(&original, 0, (uint16_t)test_random_in(200, 2000));
	switch (k % 8) {
	case 6:
		memset(original.data + original.at.region_off, 0, original.at.region_len);
		frame_fix_l4_cksum(&original);
		break;
	case 7:
		frame_copy(&original, &wire);
		break;
	default:
		frame_fill(&original, (enum tensor)(k % 8));
	}
}

static void
send_frames(struct lp_press *press, struct tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	wire.len = 0;
	for (unsigned int k = 0; k < FRAMES; k++) {
		make_frame(k);
		CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
		count_frame(tally);
	}
}

static void
ratios_and_types_agree_with_the_frames_on_the_wire(void)
{
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *s = compress_stats(press);
	struct lp_book_stats type[LP_TYPE_COUNT];
	unsigned int classes = 0, types = 0;
	struct tally tally;

	send_frames(press, &tally);
	for (unsigned int k = 0; k < LP_RATIO_CLASSES; k++) {
		CU_ASSERT_EQUAL(s->ratio_pkts[k], tally.ratio_pkts[k]);
		classes += s->ratio_pkts[k] > 0;
	}
	CU_ASSERT_EQUAL(s->uncoded_pkts, tally.uncoded_pkts);
	CU_ASSERT(s->uncoded_pkts > 0 && s->stored_pkts > 0);
	CU_ASSERT(classes >= 5);

	lp_press_stats_by_type(s, bench.books, type);
	for (unsigned int t = 0; t < LP_TYPE_COUNT; t++) {
		CU_ASSERT_EQUAL(type[t].pkts, tally.type[t].pkts);
		CU_ASSERT_EQUAL(type[t].region_bytes, tally.type[t].region_bytes);
		CU_ASSERT_EQUAL(type[t].line_bytes, tally.type[t].line_bytes);
		types += type[t].pkts > 0;
	}
	CU_ASSERT(types >= 4);
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static void
frame_of_a_known_ratio_falls_into_its_class(void)
{
	struct lp_press *press = press_make(press_conf());

	frame_tensor_random(&original, 1000);
	CU_ASSERT_FATAL(compress_frame(press, &original, &wire));
	CU_ASSERT_EQUAL(compress_stats(press)->ratio_pkts[wire.at.region_len / 50], 1);
	CU_ASSERT_EQUAL(compress_stats(press)->uncoded_pkts, 0);
	CU_ASSERT_EQUAL(restore_stats(press)->uncoded_pkts, 0);
	lp_press_free(press);
}

static void
numbers_without_a_book_count_for_no_type(void)
{
	struct lp_bookset *one = lp_bookset_subset(bench.books, &bench.books->id[0], 1);
	struct lp_press_stats *s = calloc(1, sizeof(*s));
	struct lp_book_stats type[LP_TYPE_COUNT];
	uint64_t pkts = 0;

	CU_ASSERT_FATAL(one != NULL && s != NULL);
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		s->book[id].pkts = 1;
	s->book[one->id[0]].pkts = 7;
	lp_press_stats_by_type(s, one, type);
	for (unsigned int t = 0; t < LP_TYPE_COUNT; t++)
		pkts += type[t].pkts;
	CU_ASSERT_EQUAL(pkts, 7);
	CU_ASSERT_EQUAL(type[type_of(one, one->id[0])].pkts, 7);
	free(s);
	lp_bookset_free(one);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(ratios_and_types_agree_with_the_frames_on_the_wire),
		TEST(frame_of_a_known_ratio_falls_into_its_class),
		TEST(numbers_without_a_book_count_for_no_type),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_stats", tests);
}
