/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>

#include <libdeflate.h>

#include "peer.h"

struct deflate {
	struct libdeflate_compressor *compressor;
	struct libdeflate_decompressor *decompressor;
};

static void
release(void *state)
{
	struct deflate *d = state;

	libdeflate_free_compressor(d->compressor);
	libdeflate_free_decompressor(d->decompressor);
	free(d);
}

static void *
create(const struct packets *profile, const char **reason)
{
	struct deflate *d = calloc(1, sizeof(*d));

	(void)profile;
	(void)reason;
	if (d == NULL)
		return NULL;
	d->compressor = libdeflate_alloc_compressor(1);
	d->decompressor = libdeflate_alloc_decompressor();
	if (d->compressor != NULL && d->decompressor != NULL)
		return d;
	release(d);
	return NULL;
}

static size_t
encode(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	const struct deflate *d = state;

	return libdeflate_deflate_compress(d->compressor, src, len, dst, cap);
}

static bool
decode(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	const struct deflate *d = state;

	return libdeflate_deflate_decompress(d->decompressor, src, src_len, dst, len, NULL) ==
			LIBDEFLATE_SUCCESS;
}

const struct peer peer_libdeflate_1 = {
	.name = "libdeflate-1",
	.header_bytes = PEER_HEADER_MODE,
	.create = create,
	.encode = encode,
	.decode = decode,
	.release = release,
};
