/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>

#define ZSTD_STATIC_LINKING_ONLY /* for frames without magic */
#include <zstd.h>

#include "peer.h"

struct zstd {
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
};

static void
release(void *state)
{
	struct zstd *z = state;

	ZSTD_freeCCtx(z->compressor);
	ZSTD_freeDCtx(z->decompressor);
	free(z);
}

/* The shortest frame there is: what it leaves out is in our three bytes. */
static void *
create(int level)
{
	struct zstd *z = calloc(1, sizeof(*z));

	if (z == NULL)
		return NULL;
	z->compressor = ZSTD_createCCtx();
	z->decompressor = ZSTD_createDCtx();
	if (z->compressor == NULL || z->decompressor == NULL) {
		release(z);
		return NULL;
	}
	ZSTD_CCtx_setParameter(z->compressor, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(z->compressor, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(z->compressor, ZSTD_c_dictIDFlag, 0);
	ZSTD_CCtx_setParameter(z->compressor, ZSTD_c_format, ZSTD_f_zstd1_magicless);
	ZSTD_DCtx_setParameter(z->decompressor, ZSTD_d_format, ZSTD_f_zstd1_magicless);
	return z;
}

static void *
create_1(const struct packets *profile, const char **reason)
{
	(void)profile;
	(void)reason;
	return create(1);
}

static void *
create_fast_1(const struct packets *profile, const char **reason)
{
	(void)profile;
	(void)reason;
	return create(-1);
}

static size_t
encode(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	const struct zstd *z = state;
	const size_t coded = ZSTD_compress2(z->compressor, dst, cap, src, len);

	return ZSTD_isError(coded) ? 0 : coded;
}

static bool
decode(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	const struct zstd *z = state;

	return ZSTD_decompressDCtx(z->decompressor, dst, len, src, src_len) == len;
}

const struct peer peer_zstd_1 = {
	.name = "zstd-1",
	.header_bytes = PEER_HEADER_LENGTH,
	.create = create_1,
	.encode = encode,
	.decode = decode,
	.release = release,
};

const struct peer peer_zstd_fast_1 = {
	.name = "zstd--1",
	.header_bytes = PEER_HEADER_LENGTH,
	.create = create_fast_1,
	.encode = encode,
	.decode = decode,
	.release = release,
};
