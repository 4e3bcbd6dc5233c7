/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_MBUF_FRAME_H
#define LINEPRESS_MBUF_FRAME_H

/** @file Frames in memory to mbufs and back. */

#include <stdint.h>

#include <rte_mbuf.h>

/**
 * Copy a frame to a new mbuf, a chain of them if it is longer than the data room.
 *
 * @return
 *   The mbuf, or NULL if the pool is exhausted.
 */
struct rte_mbuf *mbuf_frame_fill(struct rte_mempool *pool, const uint8_t *data, uint32_t len);

/**
 * Bytes of a frame in one piece.
 *
 * @param pkt
 *   The frame; must stay as long as the result is used.
 * @param scratch
 *   Used if the frame is in several mbufs.
 * @param room
 *   Bytes of scratch; what is beyond is cut.
 */
const uint8_t *mbuf_frame_bytes(const struct rte_mbuf *pkt, uint8_t *scratch, uint32_t room);

#endif /* LINEPRESS_MBUF_FRAME_H */
