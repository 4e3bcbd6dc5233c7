/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_SIMDE_PROBE_H
#define TEST_SIMDE_PROBE_H

/**
 * @file
 * Results of intrinsics of AVX-512, one after the other, from the processor and from
 * missing.h.
 */

#include <stddef.h>
#include <stdint.h>

#define PROBE_IN 200 /* three vectors and a mask */
#define PROBE_OUT_MAX 16384

/** Returns the bytes written; the rest of `out` is left as it is. */
typedef size_t probe_fn(const uint8_t in[PROBE_IN], uint8_t out[PROBE_OUT_MAX]);

probe_fn probe_processor;
probe_fn probe_simde;

#endif /* TEST_SIMDE_PROBE_H */
