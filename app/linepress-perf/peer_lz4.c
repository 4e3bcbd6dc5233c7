/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <lz4.h>

#include "peer.h"

static size_t
encode(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	(void)state;
	return (size_t)LZ4_compress_default((const char *)src, (char *)dst, (int)len, (int)cap);
}

static bool
decode(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	(void)state;
	return LZ4_decompress_safe((const char *)src, (char *)dst, (int)src_len, (int)len) ==
			(int)len;
}

const struct peer peer_lz4 = {
	.name = "lz4",
	.header_bytes = PEER_HEADER_LENGTH,
	.encode = encode,
	.decode = decode,
};
