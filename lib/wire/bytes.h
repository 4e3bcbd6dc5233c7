/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_BYTES_H
#define LINEPRESS_WIRE_BYTES_H

/**
 * @file
 * Fields in network order, and bytes as words, at any alignment. Headers start at odd multiples of
 * two in a frame, so a pointer to a DPDK header struct is used for offsets only, never
 * dereferenced.
 */

#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

static inline uint16_t
load_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
load_be32(const uint8_t *p)
{
	return (uint32_t)load_be16(p) << 16 | load_be16(p + 2);
}

static inline uint64_t
load_be64(const uint8_t *p)
{
	return (uint64_t)load_be32(p) << 32 | load_be32(p + 4);
}

static inline uint64_t
load_le64(const uint8_t *p)
{
	rte_le64_t v;

	memcpy(&v, p, sizeof(v));
	return rte_le_to_cpu_64(v);
}

static inline void
store_le64(uint8_t *p, uint64_t v)
{
	const rte_le64_t le = rte_cpu_to_le_64(v);

	memcpy(p, &le, sizeof(le));
}

static inline void
store_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void
store_be32(uint8_t *p, uint32_t v)
{
	store_be16(p, (uint16_t)(v >> 16));
	store_be16(p + 2, (uint16_t)v);
}

static inline void
store_be64(uint8_t *p, uint64_t v)
{
	store_be32(p, (uint32_t)(v >> 32));
	store_be32(p + 4, (uint32_t)v);
}

#endif /* LINEPRESS_WIRE_BYTES_H */
