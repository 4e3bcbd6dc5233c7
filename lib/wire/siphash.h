/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_SIPHASH_H
#define LINEPRESS_WIRE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "linepress/wire.h"

/**
 * SipHash-c-d. The number of rounds is a parameter so that the published vectors, which are
 * those of SipHash-2-4, test the code that computes tags.
 */
uint64_t lp_siphash(const struct lp_key *key, const uint8_t *data, size_t len,
		unsigned int c_rounds, unsigned int d_rounds);

#endif /* LINEPRESS_WIRE_SIPHASH_H */
