/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_ROTATION_H
#define LINEPRESS_ROTATION_H

/**
 * @file
 * Changing books while traffic flows, without losing a frame.
 *
 * New book: load it under a free number (lp_rotation_install()), let lcores decode it, then name it
 * to the peer (lp_peer_set_books()); the peer does the same, and both begin to use it by
 * themselves. Old book: no longer name it (lp_rotation_retire() and lp_peer_set_books()); the peer
 * stops using it. Frames may be under way, and the peer may not have heard of it, for 3 intervals
 * of up to 1 s: lcores must be able to decode it for LP_ROTATION_DECODE_MS more, and its number
 * must not name another book for LP_ROTATION_REUSE_MS.
 *
 * This is the memory of these rules. It holds no books. For one control thread; `now_ms` is the
 * same monotonic time as in peer.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include "linepress/book_mask.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How long a book must stay decodable after it was last named to the peer. */
#define LP_ROTATION_DECODE_MS 10000

/** How long the number of a retired book is kept from others. */
#define LP_ROTATION_REUSE_MS 60000

/** State of all numbers; all zero is a box that has no books yet. Members are private. */
struct lp_rotation {
	uint64_t digest[LP_BOOK_IDS];	  /**< of the book, or of the last one; 0: never used */
	uint64_t retired_ms[LP_BOOK_IDS]; /**< since when, if not installed */
	struct lp_book_mask installed;	  /**< books that are named to the peer */
	struct lp_book_mask decodable;	  /**< and those that are still decoded */
};

/**
 * May a book be installed under this number?
 *
 * @param digest
 *   Its lp_codebook_digest64(), not 0.
 * @param at_ms
 *   Receives the time from which on it may; may be NULL.
 * @return
 *   - 0: yes, now
 *   - -EINVAL: number 0 or above 255, or digest 0
 *   - -EEXIST: the number has another book, which must be retired first
 *   - -EAGAIN: not yet; see `at_ms`
 */
int lp_rotation_may_install(const struct lp_rotation *rotation, unsigned int id, uint64_t digest,
		uint64_t now_ms, uint64_t *at_ms);

/**
 * Install a book: it is decodable now. The same book may be installed again.
 *
 * @return
 *   As lp_rotation_may_install(); nothing changes unless 0.
 */
int lp_rotation_install(
		struct lp_rotation *rotation, unsigned int id, uint64_t digest, uint64_t now_ms);

/**
 * Retire a book: it is no longer named to the peer, but decoded until lp_rotation_may_remove().
 *
 * @return
 *   - 0
 *   - -ENOENT: there is no book of this number
 */
int lp_rotation_retire(struct lp_rotation *rotation, unsigned int id, uint64_t now_ms);

/**
 * May lcores stop decoding this book?
 *
 * @param at_ms
 *   Receives the time from which on they may; may be NULL.
 * @return
 *   - 0: yes
 *   - -ENOENT: there is no book of this number
 *   - -EBUSY: it is installed, and must be retired first
 *   - -EAGAIN: not yet; see `at_ms`
 */
int lp_rotation_may_remove(const struct lp_rotation *rotation, unsigned int id, uint64_t now_ms,
		uint64_t *at_ms);

/**
 * A book is not decoded any more.
 *
 * @return
 *   As lp_rotation_may_remove(); nothing changes unless 0.
 */
int lp_rotation_remove(struct lp_rotation *rotation, unsigned int id, uint64_t now_ms);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_ROTATION_H */
