/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_HUFFMAN_X86_H
#define LP_HUFFMAN_X86_H

/**
 * @file
 * Words in memory for kernels of little-endian processors. The functions of bits.h are at times
 * taken apart by the compiler where a word is shifted or masked at once.
 */

#include <stdint.h>
#include <string.h>

static inline uint64_t
lp_x86_load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void
lp_x86_store64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

#endif /* LP_HUFFMAN_X86_H */
