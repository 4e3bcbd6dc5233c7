/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "press_help.h"

#define POOL_MBUFS 2047
#define TENSOR_BYTES (1 << 18)
#define SIGMA 0.02

struct bench bench;

static uint8_t tensors[TENSOR_COUNT][TENSOR_BYTES];

/* Tensors */

static float
gaussian(void)
{
	const double u = (double)((test_random() >> 11) + 1) * 0x1p-53;
	const double v = (double)(test_random() >> 11) * 0x1p-53;

	return (float)(SIGMA * sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}

/* IEEE half, rounded towards zero; what is too small becomes zero, what is too large infinite. */
static uint16_t
half_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	const uint16_t sign = bits >> 16 & 0x8000;
	const int exponent = (int)(bits >> 23 & 255) - 127 + 15;

	if (exponent <= 0)
		return sign;
	if (exponent >= 31)
		return sign | 0x7c00;
	return (uint16_t)(sign | exponent << 10 | (bits >> 13 & 0x3ff));
}

static size_t
store_element(enum tensor tensor, uint8_t *p, float value)
{
	const uint16_t half = half_of(value);
	uint8_t bytes[sizeof(value)];

	switch (tensor) {
	case TENSOR_BF16:
		memcpy(bytes, &value, sizeof(value));
		memcpy(p, bytes + 2, 2);
		return 2;
	case TENSOR_FP16:
		memcpy(p, &half, sizeof(half));
		return sizeof(half);
	case TENSOR_FP32:
		memcpy(p, &value, sizeof(value));
		return sizeof(value);
	case TENSOR_E5M2:
		memcpy(bytes, &half, sizeof(half));
		*p = bytes[1];
		return 1;
	default:
		*p = (uint8_t)(int8_t)fmaxf(-127, fminf(127, roundf(value / (float)SIGMA * 25)));
		return 1;
	}
}

static void
make_tensors(void)
{
	test_random_bytes(tensors[TENSOR_NOISE], TENSOR_BYTES);
	for (unsigned int t = 0; t < TENSOR_NOISE; t++)
		for (size_t i = 0; i < TENSOR_BYTES;)
			i += store_element((enum tensor)t, tensors[t] + i, gaussian());
}

/* Bench */

static bool
eal_start(char *program)
{
	char prefix[64];
	char no_huge[] = "--no-huge", megabytes[] = "-m256", no_pci[] = "--no-pci";
	char no_shconf[] = "--no-shconf", no_telemetry[] = "--no-telemetry", lcores[] = "-l0";
	char log_level[] = "--log-level=lib.eal:error";
	char *argv[] = { program, no_huge, megabytes, no_pci, no_shconf, no_telemetry, lcores,
		log_level, prefix, NULL };

	snprintf(prefix, sizeof(prefix), "--file-prefix=lp-test-%d", (int)getpid());
	if (rte_eal_init((int)RTE_DIM(argv) - 1, argv) < 0) {
		fprintf(stderr, "cannot start the EAL: %s\n", rte_strerror(rte_errno));
		return false;
	}
	return true;
}

static void
eal_stop(void)
{
	char dir[256];

	/* The EAL leaves one empty directory behind for each prefix. */
	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	rmdir(dir);
}

struct rte_mempool *
pool_make(unsigned int count, uint16_t data_room)
{
	static unsigned int number;
	char name[32];

	snprintf(name, sizeof(name), "test-%u", number++);
	return rte_pktmbuf_pool_create(name, count, 0, 0, data_room, SOCKET_ID_ANY);
}

static bool
bench_make(void)
{
	struct lp_error error = { 0 };

	make_tensors();
	bench.pool = pool_make(POOL_MBUFS, RTE_MBUF_DEFAULT_BUF_SIZE);
	bench.small = pool_make(POOL_MBUFS, SMALL_DATA_ROOM);
	bench.books = lp_bookset_load(LP_CODEBOOK_DIR, &error);
	if (bench.books == NULL)
		fprintf(stderr, "%s\n", error.text);
	if (bench.pool == NULL || bench.small == NULL)
		fprintf(stderr, "no memory for mbufs\n");
	return bench.books != NULL && bench.pool != NULL && bench.small != NULL;
}

static void
bench_free(void)
{
	rte_mempool_free(bench.pool);
	rte_mempool_free(bench.small);
	lp_bookset_free(bench.books);
}

int
press_main(int argc, char **argv, const char *suite, CU_TestInfo *tests)
{
	int status = EXIT_FAILURE;

	test_seed(argc, argv);
	if (!eal_start(argv[0]))
		return EXIT_FAILURE;
	if (bench_make())
		status = test_run(suite, tests);
	bench_free();
	eal_stop();
	return status;
}

bool
pools_full(void)
{
	const unsigned int pool = rte_mempool_avail_count(bench.pool);
	const unsigned int small = rte_mempool_avail_count(bench.small);

	if (pool == bench.pool->size && small == bench.small->size)
		return true;
	printf("\n  %u and %u of %u mbufs in the pools", pool, small, bench.pool->size);
	return false;
}

struct lp_press_conf
press_conf(void)
{
	return (struct lp_press_conf){
		.books = bench.books,
		.pool = bench.pool,
		.key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } },
		.socket = SOCKET_ID_ANY,
	};
}

struct lp_press *
press_make(struct lp_press_conf conf)
{
	struct lp_press *press = lp_press_create(&conf);

	CU_ASSERT_PTR_NOT_NULL_FATAL(press);
	return press;
}

/* Frames */

void
frame_fill(struct test_frame *frame, enum tensor tensor)
{
	const bool no_cksum = frame->at.l4 != LP_L4_TCP &&
			frame_get16(frame, frame_l4_cksum_off(frame)) == 0;
	const uint32_t from = test_random_in(0, TENSOR_BYTES - UINT16_MAX - 1);

	memcpy(frame->data + frame->at.region_off, tensors[tensor] + from, frame->at.region_len);
	if (!no_cksum)
		frame_fix_l4_cksum(frame);
}

void
frame_tensor(struct test_frame *frame, const struct frame_spec *spec, enum tensor tensor)
{
	frame_build(frame, spec);
	frame_fill(frame, tensor);
}

void
frame_tensor_random(struct test_frame *frame, uint16_t region_len)
{
	frame_build_random(frame, 0, region_len);
	frame_fill(frame, TENSOR_BF16);
}

enum lp_open
frame_shim(const struct test_frame *frame, struct lp_shim *shim)
{
	const struct lp_press_conf conf = press_conf();

	return frame_open(frame, &conf.key, bench.books->digest, shim);
}

/* Mbufs */

static struct rte_mbuf *
mbuf_alloc(struct rte_mempool *pool)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

	CU_ASSERT_PTR_NOT_NULL_FATAL(mbuf);
	return mbuf;
}

struct rte_mbuf *
mbuf_split(struct rte_mempool *pool, const uint8_t *data, size_t len, uint16_t first, uint16_t part)
{
	struct rte_mbuf *mbuf = mbuf_alloc(pool), *last = mbuf;
	uint16_t want = first;

	for (size_t done = 0;;) {
		const uint16_t room = RTE_MIN(want, rte_pktmbuf_tailroom(last));

		last->data_len = (uint16_t)RTE_MIN(len - done, (size_t)room);
		if (last->data_len > 0)
			memcpy(rte_pktmbuf_mtod(last, void *), data + done, last->data_len);
		done += last->data_len;
		if (done == len)
			break;
		last = last->next = mbuf_alloc(pool);
		mbuf->nb_segs++;
		want = part;
	}
	mbuf->pkt_len = (uint32_t)len;
	return mbuf;
}

struct rte_mbuf *
mbuf_from(const struct test_frame *frame)
{
	return mbuf_split(bench.pool, frame->data, frame->len, UINT16_MAX, UINT16_MAX);
}

static bool
mbuf_well_formed(const struct rte_mbuf *mbuf)
{
	const char *reason = "there is none";

	if (mbuf != NULL && rte_mbuf_check(mbuf, 1, &reason) == 0)
		return true;
	printf("\n  mbuf: %s", reason);
	return false;
}

bool
mbuf_holds(const struct rte_mbuf *mbuf, const uint8_t *data, size_t len)
{
	size_t done = 0;

	if (!mbuf_well_formed(mbuf))
		return false;
	if (mbuf->pkt_len != len) {
		printf("\n  %u bytes instead of %zu", mbuf->pkt_len, len);
		return false;
	}
	for (; mbuf != NULL; done += mbuf->data_len, mbuf = mbuf->next) {
		const uint8_t *p = rte_pktmbuf_mtod(mbuf, const uint8_t *);
		size_t i = 0;

		if (memcmp(p, data + done, mbuf->data_len) == 0)
			continue;
		while (p[i] == data[done + i])
			i++;
		printf("\n  byte %zu of %zu: %02x, not %02x", done + i, len, p[i], data[done + i]);
		return false;
	}
	return true;
}

bool
mbuf_is(const struct rte_mbuf *mbuf, const struct test_frame *frame)
{
	return mbuf_holds(mbuf, frame->data, frame->len);
}

bool
mbuf_take(struct rte_mbuf *mbuf, struct test_frame *frame)
{
	const uint8_t *data;

	if (mbuf == NULL)
		return false;
	CU_ASSERT_FATAL(mbuf_well_formed(mbuf) && mbuf->pkt_len <= TEST_FRAME_MAX);
	data = rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, frame->data);
	if (data != frame->data)
		memcpy(frame->data, data, mbuf->pkt_len);
	frame->len = mbuf->pkt_len;
	rte_pktmbuf_free(mbuf);
	if (frame_parse(frame, &frame->at) != LP_ELIGIBLE)
		memset(&frame->at, 0, sizeof(frame->at));
	return true;
}

struct rte_mbuf *
compress_mbuf(struct lp_press *press, struct rte_mbuf *mbuf)
{
	return lp_press_compress(press, &mbuf, 1) == 1 ? mbuf : NULL;
}

struct rte_mbuf *
restore_mbuf(struct lp_press *press, struct rte_mbuf *mbuf)
{
	return lp_press_restore(press, &mbuf, 1) == 1 ? mbuf : NULL;
}

bool
compress_frame(struct lp_press *press, const struct test_frame *in, struct test_frame *out)
{
	return mbuf_take(compress_mbuf(press, mbuf_from(in)), out);
}

bool
restore_frame(struct lp_press *press, const struct test_frame *in, struct test_frame *out)
{
	return mbuf_take(restore_mbuf(press, mbuf_from(in)), out);
}

/* Counters */

const struct lp_press_stats *
compress_stats(const struct lp_press *press)
{
	return lp_press_stats(press, LP_DIR_COMPRESS);
}

const struct lp_press_stats *
restore_stats(const struct lp_press *press)
{
	return lp_press_stats(press, LP_DIR_RESTORE);
}

static uint64_t
sum(const uint64_t *counters, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += counters[i];
	return total;
}

static bool
direction_adds_up(const struct lp_press_stats *s)
{
	const uint64_t passed = sum(s->passed, LP_PASS_COUNT);
	const uint64_t dropped = sum(s->dropped, LP_DROP_COUNT);
	const uint64_t ratios = sum(s->ratio_pkts, LP_RATIO_CLASSES);
	uint64_t coded = 0;

	if (ratios + s->uncoded_pkts != s->eligible_pkts ||
			(s->eligible_pkts > 0 && ratios != s->coded_pkts)) {
		printf("\n  eligible %" PRIu64 " coded %" PRIu64 " by ratio %" PRIu64
		       " uncoded %" PRIu64,
				s->eligible_pkts, s->coded_pkts, ratios, s->uncoded_pkts);
		return false;
	}
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		coded += s->book[id].pkts;
	if (s->rx_pkts == s->tx_pkts + dropped && coded == s->coded_pkts &&
			s->tx_pkts == s->coded_pkts + s->stored_pkts + passed &&
			s->passed[LP_ELIGIBLE] == 0 && s->book[0].pkts == 0)
		return true;
	printf("\n  rx %" PRIu64 " tx %" PRIu64 " dropped %" PRIu64 " coded %" PRIu64
	       " by book %" PRIu64 " stored %" PRIu64 " passed %" PRIu64,
			s->rx_pkts, s->tx_pkts, dropped, s->coded_pkts, coded, s->stored_pkts,
			passed);
	return false;
}

bool
stats_add_up(const struct lp_press *press)
{
	return direction_adds_up(compress_stats(press)) && direction_adds_up(restore_stats(press));
}
