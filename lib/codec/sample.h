/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_SAMPLE_H
#define LP_SAMPLE_H

#include "linepress/codec.h"

/** Bytes below which no book over bytes, rotated or not, can code the sampled region. */
size_t lp_sample_byte_floor(const struct lp_codebook *cb, struct lp_sample *sample);

#endif /* LP_SAMPLE_H */
