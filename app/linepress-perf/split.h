/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_SPLIT_H
#define LINEPRESS_PERF_SPLIT_H

/**
 * @file
 * Elements apart into the byte that has the exponent, aligned, and the other bytes: what a coder
 * of bytes needs around it to be given the same chance as ours.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"

/** Bytes of an element that split() knows how to take apart; 0 if it does not. */
size_t split_bytes(enum lp_type type);

/**
 * Take elements apart.
 *
 * @param n
 *   Elements, at least 1.
 * @param exponent
 *   Receives n bytes: after a rotation by one (sign last) the top byte, minus the base.
 * @param rest
 *   Receives the other bytes.
 * @return
 *   The base: the mean exponent, so that tensors of any scale look alike.
 */
uint8_t split(enum lp_type type, const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *rest);

/** Is every exponent one of the `width` (1 to 255) from `low` on, modulo 256? */
bool split_is_within(const uint8_t *exponent, size_t n, uint8_t low, uint8_t width);

/** Undo split(). */
void merge(enum lp_type type, uint8_t base, const uint8_t *exponent, const uint8_t *rest, size_t n,
		uint8_t *dst);

#endif /* LINEPRESS_PERF_SPLIT_H */
