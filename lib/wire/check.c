/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <rte_hash_crc.h>

#include "linepress/wire.h"

/*
 * The seed and the result are inverted as in iSCSI, so that digest 0 gives the CRC-32C of the
 * textbooks and leading zero bytes count. Words are loaded here because rte_hash_crc()
 * dereferences them where they are, and a region is seldom aligned.
 */
uint32_t
lp_region_check(const uint8_t *region, size_t len, uint64_t digest)
{
	uint32_t crc = ~(uint32_t)(digest ^ digest >> 32);
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		uint64_t word;

		memcpy(&word, region + i, 8);
		crc = rte_hash_crc_8byte(word, crc);
	}
	for (; i < len; i++)
		crc = rte_hash_crc_1byte(region[i], crc);
	return ~crc;
}
