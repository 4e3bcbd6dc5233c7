/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_SHIM_H
#define LINEPRESS_WIRE_SHIM_H

#include <stdint.h>

#include "linepress/wire.h"

/**
 * Write a shim and its tag to where the region of a frame begins.
 *
 * @param region_len
 *   Bytes of the region on the wire: shim and body.
 */
void lp_shim_write(uint8_t *head, const struct lp_frame *frame, const struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, uint16_t region_len);

#endif /* LINEPRESS_WIRE_SHIM_H */
