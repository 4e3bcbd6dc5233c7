/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_CAPTURE_H
#define LINEPRESS_CAPTURE_H

/**
 * @file
 * Capture files: pcap (either byte order, micro- or nanoseconds) and pcapng, held whole in
 * memory. Ethernet only. A file is refused whole if any frame of it cannot be had entire.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longest frame: two VLAN tags around the longest IPv6 packet without jumbo option. */
#define CAPTURE_FRAME_MAX (14 + 2 * 4 + 40 + 65535)

/** One frame of a capture. */
struct capture_frame {
	uint64_t offset; /**< where its bytes start in the arena */
	uint64_t number; /**< its place in the file, from 1 */
	int64_t sec;	 /**< timestamp, seconds */
	uint32_t nsec;	 /**< and nanoseconds */
	uint32_t len;	 /**< bytes, without FCS */
};

/** A loaded capture. Read-only for users. */
struct capture {
	struct capture_frame *frames; /**< in the order of the file */
	size_t count;		      /**< how many, at least 1 */
	size_t skipped;		      /**< truncated frames left out */
	uint64_t bytes;		      /**< sum of the frames' lengths */
	uint32_t longest;	      /**< bytes of the longest frame */
	uint8_t *arena;		      /**< bytes of all frames */
};

/** Why a capture was refused; the text does not repeat the path. */
struct capture_error {
	char text[384];
};

/**
 * Load a capture.
 *
 * @param path
 *   Path of the file.
 * @param skip_truncated
 *   Leave out and count frames of which the file has only the first bytes, instead of
 *   refusing the file.
 * @param error
 *   Filled on failure.
 * @return
 *   The capture, to be released with capture_free(), or NULL.
 */
struct capture *capture_load(const char *path, bool skip_truncated, struct capture_error *error);

/** Release a capture; NULL is allowed. */
void capture_free(struct capture *cap);

/** First byte of a frame of the capture. */
static inline const uint8_t *
capture_data(const struct capture *cap, const struct capture_frame *frame)
{
	return cap->arena + frame->offset;
}

#endif /* LINEPRESS_CAPTURE_H */
