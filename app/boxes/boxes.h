/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_BOXES_H
#define LINEPRESS_BOXES_H

/**
 * @file
 * The pair of boxes: a compressing and a restoring pipeline, joined by a ring.
 */

#include <stdint.h>

#include <rte_mempool.h>
#include <rte_ring.h>

#include "linepress/press.h"

/** Who takes mbufs from which pool. */
enum boxes_pool {
	BOXES_POOL_HOST,     /**< frames of the capture */
	BOXES_POOL_COMPRESS, /**< results of the first box */
	BOXES_POOL_RESTORE,  /**< results of the second box */
	BOXES_POOL_COUNT,
};

/** What the boxes are made for. */
struct boxes_conf {
	const struct lp_bookset *books;
	struct lp_key key;
	uint32_t longest;    /**< bytes of the longest frame on either side */
	uint16_t burst;	     /**< frames */
	uint16_t mbuf_size;  /**< data room, with headroom */
	uint16_t min_region; /**< 0: default */
};

/** The boxes and what joins them. */
struct boxes {
	struct rte_mempool *pool[BOXES_POOL_COUNT];
	struct lp_press *press[LP_DIR_COUNT]; /**< the first compresses, the second restores */
	struct rte_ring *link;		      /**< the line */
};

/** Create both boxes. 0, or -1 having said why; then nothing is left. */
int boxes_create(struct boxes *boxes, const struct boxes_conf *conf);

/** Release what is there. */
void boxes_free(struct boxes *boxes);

/** mbufs that are not in their pool. */
unsigned int boxes_mbufs_in_use(const struct boxes *boxes);

/**
 * Carry a burst over the line.
 *
 * @return
 *   0, or -1 having said why if the line did not hand over what it took.
 */
int boxes_carry(struct boxes *boxes, struct rte_mbuf **pkts, uint16_t nb_pkts);

#endif /* LINEPRESS_BOXES_H */
