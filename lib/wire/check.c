/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <isa-l/crc.h>

#include "linepress/wire.h"

/*
 * The seed and the result are inverted as in iSCSI, so that digest 0 gives the CRC-32C of the
 * textbooks and leading zero bytes count; crc32_iscsi() leaves that to its callers. It does not
 * write, although its argument is not const.
 */
uint32_t
lp_region_check(const uint8_t *region, size_t len, uint64_t digest)
{
	const uint32_t seed = ~(uint32_t)(digest ^ digest >> 32);

	return ~crc32_iscsi((unsigned char *)(uintptr_t)region, (int)len, seed);
}
