/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_FRAME_H
#define TEST_FRAME_H

/**
 * @file
 * Frames for tests: building them, checking them as a receiving host would, and what a box
 * does around lp_frame_seal() and lp_frame_unseal(). Written without the code under test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/wire.h"
#include "suite.h"

#define TEST_FRAME_MAX 65800

/** What to build; fields left 0 have a sensible default. */
struct frame_spec {
	uint16_t tpid[4]; /**< VLAN tags, up to the first 0 */
	uint8_t ip_version;
	uint8_t l4;	      /**< enum lp_l4 */
	uint8_t tcp_options;  /**< bytes, multiple of 4 */
	uint8_t opcode;	      /**< of RoCE */
	uint8_t roce_headers; /**< bytes from the BTH to the region, default 12 */
	uint8_t pad;	      /**< of RoCE */
	bool no_cksum;	      /**< UDP checksum 0 */
	uint16_t dst_port;    /**< of UDP, default random */
	uint16_t region_len;
	uint16_t trailer_len; /**< bytes after the IP packet */
};

/** A frame and where things are in it, as built. */
struct test_frame {
	size_t len;
	struct lp_frame at;
	uint8_t data[TEST_FRAME_MAX];
};

void frame_build(struct test_frame *frame, const struct frame_spec *spec);

/** A frame of random kind that is eligible; `ip_version` 4, 6 or 0 for either. */
void frame_build_random(struct test_frame *frame, uint8_t ip_version, uint16_t region_len);

void frame_copy(struct test_frame *to, const struct test_frame *from);

bool frame_equal(const struct test_frame *a, const struct test_frame *b);

uint16_t frame_get16(const struct test_frame *frame, size_t off);

void frame_put16(struct test_frame *frame, size_t off, uint16_t value);

/** Offset of the TCP or UDP checksum. */
size_t frame_l4_cksum_off(const struct test_frame *frame);

/** Compute the IPv4 header checksum anew, never 0xFFFF. */
void frame_fix_ip_cksum(struct test_frame *frame);

/** Compute the L4 checksum anew. */
void frame_fix_l4_cksum(struct test_frame *frame);

/** Would a host take this packet, by the checksums of IP and TCP or UDP? */
bool frame_host_accepts(const struct test_frame *frame);

/** lp_frame_parse() of a head that ends where its allocation ends. */
enum lp_ineligible frame_parse(const struct test_frame *frame, struct lp_frame *parsed);

/** Parse and lp_frame_open(); LP_OPEN_RAW also if not eligible. */
enum lp_open frame_open(const struct test_frame *frame, const struct lp_key *key,
		const uint64_t *digest, struct lp_shim *shim);

/** Seal an eligible frame; no byte of memory after the shim may be touched. */
void frame_seal(struct test_frame *wire, const struct test_frame *original, struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, const uint8_t *body, size_t body_len);

/** Unseal a frame and put the region back. Returns what lp_frame_unseal() did. */
int frame_unseal(struct test_frame *restored, const struct test_frame *wire,
		const struct lp_shim *shim, const uint8_t *region);

#endif /* TEST_FRAME_H */
