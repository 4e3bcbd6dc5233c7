/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_PLANES_AVX2_H
#define LP_PLANES_AVX2_H

/**
 * @file
 * planes.h with AVX2 and BMI2. The types without an exponent have no planes.
 */

#include "type.h"

/** As lp_planes_split() from element 0 on. */
void lp_planes_split_avx2(
		enum lp_type type, const uint8_t *src, size_t n, uint8_t *exponent, uint8_t *raw);

/** As lp_planes_merge() from element 0 on. */
int lp_planes_merge_avx2(enum lp_type type, const uint8_t *exponent, const uint8_t *raw, size_t n,
		uint8_t *dst);

#endif /* LP_PLANES_AVX2_H */
