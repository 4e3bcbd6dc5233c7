/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_RULES_FRAME_H
#define TEST_RULES_FRAME_H

/**
 * @file
 * One frame, and what becomes of it by rules.
 */

#include "rules_help.h"

/** The original, what travelled of it, and what came back. */
extern struct test_frame frame, wire, restored;

/** Let `frame` be one of bf16 elements. */
void build(uint8_t ip_version, uint8_t l4, uint16_t region_len);

/** Change bytes of `frame` and make its checksums right again. */
void put_bytes(size_t off, const void *bytes, size_t len);

/** Compress and restore `frame`; is it equal? What travelled is in `wire`. */
bool comes_back(struct lp_press *press);

/** Release both; all must add up, and all mbufs must be back. */
void finish(struct lp_press *press, struct lp_rules *rules);

#endif /* TEST_RULES_FRAME_H */
