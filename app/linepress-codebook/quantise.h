/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef QUANTISE_H
#define QUANTISE_H

/** @file Plain 8-bit quantisation, the lossy alternative that lossless codes are measured by. */

#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"

/**
 * Quantise a packet to integers from -127 to 127 and one scale in fp32, that of the largest value.
 *
 * @param signal
 *   The squares of all values are added to it.
 * @param noise
 *   The squares of all errors are added to it. Values that are not finite count for neither.
 * @return
 *   Bytes that travel: an integer for each element, and the scale. Types of one byte are left as
 *   they are.
 */
size_t quantise(enum lp_type type, const uint8_t *src, size_t len, double *signal, double *noise);

#endif /* QUANTISE_H */
