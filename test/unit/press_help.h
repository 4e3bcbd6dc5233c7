/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_PRESS_HELP_H
#define TEST_PRESS_HELP_H

/**
 * @file
 * What the tests of the press share: EAL, pools and books, tensors, frames in and out of mbufs,
 * and the sums that must hold for any counters.
 */

#include <stdbool.h>
#include <stdint.h>

#include <CUnit/Basic.h>

#include <rte_mbuf.h>

#include "frame.h"
#include "linepress/press.h"

/** Data room of the mbufs of the small pool: an output of any length is a chain. */
#define SMALL_DATA_ROOM 256

/** What a region is made of. */
enum tensor {
	TENSOR_BF16,
	TENSOR_FP16,
	TENSOR_FP32,
	TENSOR_E5M2,
	TENSOR_INT8,
	TENSOR_NOISE, /**< cannot be coded */
	TENSOR_COUNT,
};

/** Made once for all tests of a program. */
struct bench {
	struct rte_mempool *pool;  /**< mbufs of the usual size */
	struct rte_mempool *small; /**< mbufs of SMALL_DATA_ROOM */
	struct lp_bookset *books;  /**< those of LP_CODEBOOK_DIR */
};

extern struct bench bench;

/** Prepare the bench, run the suite; exit status of the program. */
int press_main(int argc, char **argv, const char *suite, CU_TestInfo *tests);

/** Defaults: the bench's books and pool, some key. */
struct lp_press_conf press_conf(void);

/** A press of this configuration. */
struct lp_press *press_make(struct lp_press_conf conf);

/** A pool without cache, so that its last mbuf can be had. */
struct rte_mempool *pool_make(unsigned int count, uint16_t data_room);

/** Are all mbufs back in their pools? */
bool pools_full(void);

/** Fill the region of a frame with tensor bytes of random phase and correct the checksum. */
void frame_fill(struct test_frame *frame, enum tensor tensor);

/** frame_build() and frame_fill(). */
void frame_tensor(struct test_frame *frame, const struct frame_spec *spec, enum tensor tensor);

/** A frame of random kind with a region of bf16. */
void frame_tensor_random(struct test_frame *frame, uint16_t region_len);

/**
 * Put bytes into a chain of mbufs: `first` bytes, then `part` in each segment, or as many as
 * there is room for.
 */
struct rte_mbuf *mbuf_split(struct rte_mempool *pool, const uint8_t *data, size_t len,
		uint16_t first, uint16_t part);

/** A frame in as few mbufs of the bench's pool as possible. */
struct rte_mbuf *mbuf_from(const struct test_frame *frame);

/** Is this a well-formed mbuf with exactly these bytes? Prints what is wrong. */
bool mbuf_holds(const struct rte_mbuf *mbuf, const uint8_t *data, size_t len);

bool mbuf_is(const struct rte_mbuf *mbuf, const struct test_frame *frame);

/** Read a frame out of an mbuf and free it; false if there is none. */
bool mbuf_take(struct rte_mbuf *mbuf, struct test_frame *frame);

/** Compress a burst of one; NULL if it was dropped. */
struct rte_mbuf *compress_mbuf(struct lp_press *press, struct rte_mbuf *mbuf);

/** Restore a burst of one; NULL if it was dropped. */
struct rte_mbuf *restore_mbuf(struct lp_press *press, struct rte_mbuf *mbuf);

/** Compress a frame; false if it was dropped. */
bool compress_frame(struct lp_press *press, const struct test_frame *in, struct test_frame *out);

/** Restore a frame; false if it was dropped. */
bool restore_frame(struct lp_press *press, const struct test_frame *in, struct test_frame *out);

/** Shim of a frame as the far box sees it. */
enum lp_open frame_shim(const struct test_frame *frame, struct lp_shim *shim);

/** Offset of the shim, which is where the region was. */
static inline size_t
shim_off(const struct test_frame *original)
{
	return original->at.region_off;
}

const struct lp_press_stats *compress_stats(const struct lp_press *press);

const struct lp_press_stats *restore_stats(const struct lp_press *press);

/** rx = tx + dropped, tx = coded + stored + passed, books add up; in both directions. */
bool stats_add_up(const struct lp_press *press);

#endif /* TEST_PRESS_HELP_H */
