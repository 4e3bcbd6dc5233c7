/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_GLANCE_H
#define LINEPRESS_GLANCE_H

/**
 * @file
 * What a glance at a region tells: whether a choice that was right for the
 * regions before may be wrong for this one although the length of the body would not show it.
 *
 * The same answer on any processor, whatever the kernel.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Do the bytes look random, so that no book would shorten them? Tensors of any type are seldom
 * taken for random; what is not random need not be worth coding.
 *
 * @param src
 *   The region.
 * @param len
 *   Its length in bytes; short ones are never found random.
 */
bool lp_glance_is_random(const uint8_t *src, size_t len);

/**
 * May the elements be pairs of elements of half the size? The upper half of an fp32 element is a
 * bf16 element, that of an fp16 element an e5m2 element. So a book codes pairs as well as
 * elements of its own type, but saves only half of what could be saved.
 *
 * @param cb
 *   A book that codes the region. Never true of books of other types than fp32 and fp16.
 * @param phase
 *   How many bytes into an element the region starts.
 * @param src
 *   The region.
 * @param len
 *   Its length in bytes.
 */
bool lp_glance_finds_pairs(
		const struct lp_codebook *cb, unsigned int phase, const uint8_t *src, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_GLANCE_H */
