/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Frames made to be mistaken for coded ones: by hosts, and on the line. LP_FORGED_FRAMES in the
 * environment asks for more of them than the few that fit in a test run.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "press_help.h"
#include "shim.h"

#define FRAMES_DEFAULT 40000
#define TEMPLATES 192
#define BURST 32
#define MTU_FRAME 1514 /* bytes of a frame at the MTU of the hosts */

/* Whose key the tag was made with. */
enum forger {
	FORGER_HAS_KEY,
	FORGER_HAS_OTHER_KEY,
	FORGER_GUESSES,
	FORGER_COUNT,
};

static struct test_frame template[TEMPLATES], frame[BURST];
static bool is_lookalike[BURST];

static unsigned int
bursts(void)
{
	const char *asked = getenv("LP_FORGED_FRAMES");
	const unsigned long frames = asked == NULL ? FRAMES_DEFAULT : strtoul(asked, NULL, 10);

	return (unsigned int)(frames / BURST) + 1;
}

static void
finish(struct lp_press *press)
{
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static struct lp_press *
press_of_max_frame(uint32_t max_frame)
{
	struct lp_press_conf conf = press_conf();

	conf.max_frame = max_frame;
	return press_make(conf);
}

/* Templates: frames of hosts and coded ones, a third each at the MTU and 16 bytes below. */

static uint16_t
region_at(const struct frame_spec *spec, size_t frame_len)
{
	struct frame_spec longer = *spec;

	longer.region_len = 1000;
	frame_build(&frame[0], &longer);
	return (uint16_t)(1000 + frame_len - frame[0].len);
}

static void
make_template(struct lp_press *press, unsigned int k)
{
	struct frame_spec spec = {
		.ip_version = k & 1 ? 6 : 4,
		.l4 = (uint8_t)(k / 2 % 3),
		.region_len = (uint16_t)test_random_in(300, 900),
	};
	const enum tensor tensor = (enum tensor)test_random_in(0, TENSOR_COUNT - 1);

	if (k % 3 != 0)
		spec.region_len = region_at(&spec, k % 3 == 1 ? MTU_FRAME : MTU_FRAME - 16);
	frame_tensor(&template[k], &spec, tensor);
	if (k % 4 != 0)
		return;
	frame_copy(&frame[0], &template[k]);
	CU_ASSERT_FATAL(compress_frame(press, &frame[0], &template[k]));
}

static void
make_templates(void)
{
	struct lp_press *press = press_make(press_conf());

	for (unsigned int k = 0; k < TEMPLATES; k++)
		make_template(press, k);
	finish(press);
}

/* Forging */

static uint8_t
some_book(void)
{
	return test_random() % 8 ? bench.books->id[test_random_in(0, bench.books->count - 1u)]
				 : (uint8_t)test_random();
}

static uint16_t
some_length(const struct test_frame *f, const struct lp_shim *shim)
{
	const uint16_t region_len = f->at.region_len;

	if (test_random() % 8 == 0)
		return (uint16_t)test_random();
	if (shim->type == LP_SHIM_STORED)
		return (uint16_t)(region_len - lp_shim_len(shim->flags));
	return (uint16_t)(region_len + 16 + test_random_in(0, test_random() % 2 ? 3 : 900));
}

static struct lp_shim
some_shim(const struct test_frame *f)
{
	struct lp_shim shim = {
		.type = test_random() % 2 ? LP_SHIM_CODED : LP_SHIM_STORED,
		.flags = lp_shim_flags(f->data, &f->at),
		.orig_cksum = (uint16_t)test_random(),
		.check = (uint32_t)test_random(),
	};

	if (test_random() % 4 == 0)
		shim.flags ^= LP_SHIM_F_CHECK;
	if (shim.type == LP_SHIM_CODED) {
		shim.book_id = some_book();
		if (bench.books->book[shim.book_id] != NULL)
			shim.element_log2 = (uint8_t)lp_codebook_element_log2(
					bench.books->book[shim.book_id]);
		shim.phase = (uint8_t)test_random_in(0, (1u << shim.element_log2) - 1);
	}
	shim.orig_len = some_length(f, &shim);
	return shim;
}

static struct lp_key
key_of(enum forger forger)
{
	struct lp_key key = press_conf().key;

	if (forger != FORGER_HAS_KEY)
		key.k[test_random() % 2] ^= UINT64_C(1) << test_random() % 64;
	return key;
}

/* A frame with the shim of a forger, now and then before a second shim, before whatever was there.
 */
static void
forge(struct test_frame *f, enum forger forger)
{
	frame_copy(f, &template[test_random_in(0, TEMPLATES - 1)]);

	uint8_t *const region = f->data + f->at.region_off;
	const struct lp_shim shim = some_shim(f);
	const struct lp_key key = key_of(forger);
	const uint64_t digest = shim.type == LP_SHIM_STORED ? 0 : bench.books->digest[shim.book_id];

	if (test_random() % 4 == 0)
		memcpy(region + lp_shim_len(shim.flags),
				template[0].data + template[0].at.region_off, LP_SHIM_MAX);
	if (test_random() % 16 != 0) /* else it stays what it was */
		lp_shim_write(f->data, &f->at, &shim, &key, digest, f->at.region_len);
	if (forger == FORGER_GUESSES)
		test_random_bytes(region + 10, 2);
}

static void
forge_burst(enum forger forger, struct rte_mbuf **pkts)
{
	for (unsigned int k = 0; k < BURST; k++) {
		struct lp_shim shim;

		forge(&frame[k], forger);
		is_lookalike[k] = frame_shim(&frame[k], &shim) != LP_OPEN_RAW;
		pkts[k] = mbuf_from(&frame[k]);
	}
}

/* Of hosts */

/* As mbuf_is(), without a word if it is not. */
static bool
is_same(const struct rte_mbuf *mbuf, const struct test_frame *f)
{
	static uint8_t scratch[TEST_FRAME_MAX];

	return mbuf->pkt_len == f->len &&
			memcmp(rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, scratch), f->data,
					f->len) == 0;
}

/* May it be dropped? Not if it is no lookalike, or its escape fits. */
static bool
may_be_dropped(unsigned int k, uint32_t max_frame)
{
	const uint8_t flags = lp_shim_flags(frame[k].data, &frame[k].at);

	return is_lookalike[k] && frame[k].len + lp_shim_len(flags) > max_frame;
}

/* What a box may not do: change a frame, or send one that is too long. Returns how often it did. */
static unsigned int
wrong_of_hosts(struct lp_press *press, enum forger forger, uint32_t max_frame)
{
	struct rte_mbuf *pkts[BURST];
	unsigned int sent = 0, wrong = 0;

	forge_burst(forger, pkts);
	const uint16_t n = lp_press_compress(press, pkts, BURST);

	for (uint16_t k = 0; k < n; k++)
		wrong += pkts[k]->pkt_len > max_frame;
	CU_ASSERT_FATAL(lp_press_restore(press, pkts, n) == n);
	for (unsigned int k = 0; k < BURST; k++) {
		if (sent < n && is_same(pkts[sent], &frame[k]))
			sent++;
		else
			wrong += !may_be_dropped(k, max_frame);
	}
	rte_pktmbuf_free_bulk(pkts, n);
	return wrong + n - sent;
}

static void
check_hosts(uint32_t max_frame)
{
	struct lp_press *press = press_of_max_frame(max_frame);
	unsigned int wrong = 0;

	for (unsigned int k = bursts(); k > 0; k--)
		wrong += wrong_of_hosts(press, (enum forger)(k % FORGER_COUNT), max_frame);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(compress_stats(press)->stored_pkts > compress_stats(press)->rx_pkts / 8);
	if (max_frame < MTU_FRAME + LP_SHIM_MAX) {
		CU_ASSERT(compress_stats(press)->dropped[LP_DROP_ESCAPE] > 0);
	} else {
		CU_ASSERT_EQUAL(compress_stats(press)->dropped[LP_DROP_ESCAPE], 0);
	}
	printf("\n  line of %u bytes: %" PRIu64 " frames, %" PRIu64 " escaped, %" PRIu64
	       " dropped, %u wrong",
			max_frame, compress_stats(press)->rx_pkts,
			compress_stats(press)->stored_pkts,
			compress_stats(press)->dropped[LP_DROP_ESCAPE], wrong);
	finish(press);
}

static void
frames_of_hosts_come_back_if_the_line_has_room_for_a_shim(void)
{
	check_hosts(MTU_FRAME + LP_SHIM_MAX);
}

static void
frames_of_hosts_come_back_or_are_dropped_if_it_has_not(void)
{
	check_hosts(MTU_FRAME);
}

/* A layer for each box on the way, and each box takes off its own. */
static void
nested_escapes_come_back(void)
{
	struct lp_press *press = press_make(press_conf());
	struct rte_mbuf *pkts[BURST];
	unsigned int wrong = 0;

	for (unsigned int round = bursts() / 8; round > 0; round--) {
		const unsigned int layers = test_random_in(2, 5);

		forge_burst((enum forger)(round % FORGER_COUNT), pkts);
		for (unsigned int k = 0; k < layers; k++)
			CU_ASSERT_FATAL(lp_press_compress(press, pkts, BURST) == BURST);
		for (unsigned int k = 0; k < layers; k++)
			CU_ASSERT_FATAL(lp_press_restore(press, pkts, BURST) == BURST);
		for (unsigned int k = 0; k < BURST; k++)
			wrong += !mbuf_is(pkts[k], &frame[k]);
		rte_pktmbuf_free_bulk(pkts, BURST);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	finish(press);
}

/* On the line */

/* May this become of a frame of the line? */
static bool
is_right(const struct test_frame *f, const struct test_frame *out)
{
	struct lp_shim shim;

	if (frame_shim(f, &shim) != LP_OPEN_SEALED)
		return frame_equal(f, out);
	if ((shim.flags & LP_SHIM_F_CHECK) == 0)
		return f->at.l4 == LP_L4_ROCE &&
				out->len == f->len - f->at.region_len + shim.orig_len;
	return lp_region_check(out->data + f->at.region_off, shim.orig_len,
			       shim.type == LP_SHIM_STORED
					       ? 0
					       : bench.books->digest[shim.book_id]) == shim.check;
}

static unsigned int
wrong_of_line(struct lp_press *press, enum forger forger)
{
	static struct test_frame out;
	struct rte_mbuf *pkts[BURST];
	unsigned int wrong = 0;

	forge_burst(forger, pkts);
	for (unsigned int k = 0; k < BURST; k++)
		if (mbuf_take(restore_mbuf(press, pkts[k]), &out))
			wrong += !is_right(&frame[k], &out);
	return wrong;
}

static void
check_line(enum forger forger)
{
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *s = restore_stats(press);
	unsigned int wrong = 0;

	for (unsigned int k = bursts(); k > 0; k--)
		wrong += wrong_of_line(press, forger);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(s->passed[LP_PASS_BAD_TAG] > 0);
	CU_ASSERT(s->passed[LP_PASS_NO_CHECK] > 0);
	if (forger == FORGER_HAS_KEY) {
		CU_ASSERT(s->dropped[LP_DROP_CHECK] > 0);
		CU_ASSERT(s->dropped[LP_DROP_DECODE] > 0);
	}
	printf("\n  %" PRIu64 " frames, %" PRIu64 " and %" PRIu64
	       " untouched for tag and lack of a check, %" PRIu64 " and %" PRIu64
	       " dropped by decoder and check, %" PRIu64 " restored, %u wrong",
			s->rx_pkts, s->passed[LP_PASS_BAD_TAG], s->passed[LP_PASS_NO_CHECK],
			s->dropped[LP_DROP_DECODE], s->dropped[LP_DROP_CHECK],
			s->coded_pkts + s->stored_pkts, wrong);
	finish(press);
}

static void
forger_on_the_line_who_has_the_key(void)
{
	check_line(FORGER_HAS_KEY);
}

static void
forger_on_the_line_who_guesses_tags(void)
{
	check_line(FORGER_GUESSES);
}

static void
make_templates_first(void)
{
	make_templates();
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(make_templates_first),
		TEST(frames_of_hosts_come_back_if_the_line_has_room_for_a_shim),
		TEST(frames_of_hosts_come_back_or_are_dropped_if_it_has_not),
		TEST(nested_escapes_come_back),
		TEST(forger_on_the_line_who_has_the_key),
		TEST(forger_on_the_line_who_guesses_tags),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_forged", tests);
}
