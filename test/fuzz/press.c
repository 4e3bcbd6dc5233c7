/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * A whole press. Input: a byte of FLAG_*, the length of segments, a frame. Frames of a host must
 * come back as they were or be dropped; frames of the line must be dropped, passed as they are, or
 * give a frame that the check word is right of.
 */

#include <string.h>

#include "fuzz.h"
#include "linepress/flow.h"
#include "linepress/press.h"
#include "shim.h"

#define FLAG_FROM_LINE 0x01
#define FLAG_FIX_IP 0x02    /* make the IPv4 header checksum right */
#define FLAG_SEAL 0x04	    /* make the tag of a shim right: the decoder is to see it */
#define FLAG_OTHER_KEY 0x08 /* the host knows nothing of our key */
#define FLAG_VERIFY 0x10

#define FRAME_MAX 16384
#define POOL_MBUFS 1023

static struct rte_mempool *pool;
static struct lp_bookset *books;
static struct lp_press *press;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_eal_start();
	books = fuzz_books();
	pool = rte_pktmbuf_pool_create(
			"fuzz", POOL_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	const struct lp_press_conf conf = {
		.books = books,
		.pool = pool,
		.key = fuzz_key,
		.min_region = 64,
		.socket = SOCKET_ID_ANY,
	};

	press = pool == NULL ? NULL : lp_press_create(&conf);
	FUZZ_CHECK(press != NULL);
	return 0;
}

/* Give the shim of a lookalike a right tag, whatever its other fields say. */
static void
seal(uint8_t *frame, size_t len, const struct lp_key *key)
{
	struct lp_frame at;
	struct lp_shim shim;

	if (lp_frame_parse(frame, len, &at) != LP_ELIGIBLE)
		return;
	const enum lp_open open = lp_frame_open(frame, &at, key, books->digest, &shim);

	if (open != LP_OPEN_BAD_TAG && open != LP_OPEN_NO_CHECK)
		return;
	lp_shim_write(frame, &at, &shim, key,
			shim.type == LP_SHIM_STORED ? 0 : books->digest[shim.book_id],
			at.region_len);
}

/* A frame in segments of so many bytes. */
static struct rte_mbuf *
make_mbuf(const uint8_t *data, size_t len, uint16_t part)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool), *last = mbuf;

	FUZZ_CHECK(mbuf != NULL);
	for (size_t done = 0;;) {
		const size_t n = len - done < part ? len - done : part;

		memcpy(rte_pktmbuf_append(last, 0), data + done, n);
		last->data_len = (uint16_t)n;
		done += n;
		if (done == len)
			break;
		last = last->next = rte_pktmbuf_alloc(pool);
		FUZZ_CHECK(last != NULL);
		mbuf->nb_segs++;
	}
	mbuf->pkt_len = (uint32_t)len;
	return mbuf;
}

static bool
holds(const struct rte_mbuf *mbuf, const uint8_t *data, size_t len)
{
	static uint8_t scratch[1 << 17];
	const char *reason;

	FUZZ_CHECK(rte_mbuf_check(mbuf, 1, &reason) == 0);
	return mbuf->pkt_len == len &&
			memcmp(rte_pktmbuf_read(mbuf, 0, (uint32_t)len, scratch), data, len) == 0;
}

static void
from_host(struct rte_mbuf *mbuf, const uint8_t *data, size_t len)
{
	if (lp_press_compress(press, &mbuf, 1) == 0)
		return;
	FUZZ_CHECK(lp_press_restore(press, &mbuf, 1) == 1);
	FUZZ_CHECK(holds(mbuf, data, len));
	rte_pktmbuf_free(mbuf);
}

/* What has a check word is right by it. */
static void
check_restored(const struct rte_mbuf *mbuf, const uint8_t *data, size_t len)
{
	static uint8_t scratch[1 << 17];
	struct lp_frame at;
	struct lp_shim shim;
	const char *reason;

	FUZZ_CHECK(rte_mbuf_check(mbuf, 1, &reason) == 0);
	FUZZ_CHECK(lp_frame_parse(data, len, &at) == LP_ELIGIBLE);
	FUZZ_CHECK(lp_frame_open(data, &at, &fuzz_key, books->digest, &shim) == LP_OPEN_SEALED);
	FUZZ_CHECK(mbuf->pkt_len == len - at.region_len + shim.orig_len);
	FUZZ_CHECK((shim.flags & LP_SHIM_F_CHECK) != 0 || at.l4 == LP_L4_ROCE);
	if ((shim.flags & LP_SHIM_F_CHECK) == 0)
		return;
	const uint8_t *frame = rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, scratch);
	const uint64_t digest = shim.type == LP_SHIM_STORED ? 0 : books->digest[shim.book_id];

	FUZZ_CHECK(lp_region_check(frame + at.region_off, shim.orig_len, digest) == shim.check);
}

static void
from_line(struct rte_mbuf *mbuf, const uint8_t *data, size_t len)
{
	const struct rte_mbuf *given = mbuf;

	if (lp_press_restore(press, &mbuf, 1) == 0)
		return;
	if (mbuf == given)
		FUZZ_CHECK(holds(mbuf, data, len));
	else
		check_restored(mbuf, data, len);
	rte_pktmbuf_free(mbuf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[FRAME_MAX];
	struct fuzz_input in = { data, size };
	const uint8_t flags = fuzz_byte(&in);
	const uint8_t length = fuzz_byte(&in);
	const uint16_t part = length == 0 ? 2048 : (uint16_t)(length * 8);
	const size_t len = in.left;
	struct lp_key key = fuzz_key;

	if (len > sizeof(frame) || (size_t)part * 512 < len)
		return 0;
	memcpy(frame, in.p, len);
	if ((flags & FLAG_FIX_IP) != 0)
		fuzz_fix_ip_cksum(frame, len);
	key.k[0] ^= flags & FLAG_OTHER_KEY;
	if ((flags & FLAG_SEAL) != 0)
		seal(frame, len, &key);

	struct rte_mbuf *mbuf = make_mbuf(frame, len, part);

	lp_flow_hash(mbuf);
	if ((flags & FLAG_VERIFY) != 0) {
		FUZZ_CHECK(lp_press_verify(press, &mbuf, 1) == 0);
		FUZZ_CHECK(holds(mbuf, frame, len));
	}
	if ((flags & FLAG_FROM_LINE) != 0)
		from_line(mbuf, frame, len);
	else
		from_host(mbuf, frame, len);
	FUZZ_CHECK(rte_mempool_avail_count(pool) == POOL_MBUFS);
	return 0;
}
