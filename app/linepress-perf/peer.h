/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_PEER_H
#define LINEPRESS_PERF_PEER_H

/**
 * @file
 * Codecs of others. Each packet is coded on its own, as a box in the wire must.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataset.h"

/** Mode or codebook, and the length of the packet. */
#define PEER_HEADER_LENGTH 3

/** Mode: the body carries the length or tells its end. */
#define PEER_HEADER_MODE 1

/** A codec of others. */
struct peer {
	const char *name;
	unsigned int header_bytes; /**< what the body lacks to be decoded: PEER_HEADER_* or 0 */
	bool (*fits)(enum lp_type type); /**< NULL: fits all types */

	/**
	 * Make tables from a profile. Without this function there is no state.
	 *
	 * @param reason
	 *   Is "out of memory"; set if there is another reason to return NULL.
	 */
	void *(*create)(const struct packets *profile, const char **reason);

	/** Bytes written, 0 if the body is not worth it. */
	size_t (*encode)(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap);

	/** Did exactly `len` bytes come out? */
	bool (*decode)(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len);

	void (*release)(void *state);
};

/** Name of a peer and the peer itself, NULL if this build has it not. */
struct peer_entry {
	const char *name;
	const struct peer *peer;
};

/** All peers there are, in the order in which they are reported. */
extern const struct peer_entry peer_table[];
extern const size_t peer_count;

extern const struct peer peer_huf0_fixed;
extern const struct peer peer_huf0_aligned;
extern const struct peer peer_huf0_three_stage;
extern const struct peer peer_isal_static;
extern const struct peer peer_lz4;
extern const struct peer peer_zstd_1;
extern const struct peer peer_zstd_fast_1;
extern const struct peer peer_libdeflate_1;

#endif /* LINEPRESS_PERF_PEER_H */
