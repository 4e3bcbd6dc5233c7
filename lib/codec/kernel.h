/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_KERNEL_H
#define LP_KERNEL_H

/**
 * @file
 * Kernels: implementations of the codes for one class of processor. All produce the same
 * bytes and accept the same bodies; the portable one is the reference.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"

struct lp_codebook;
struct lp_decode_job;
struct lp_params;

/** Encode a region, arguments checked; as lp_encode(). */
typedef int lp_encode_fn(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap);

/** Decode a body, arguments checked; as lp_decode(). */
typedef int lp_decode_fn(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len);

/** Decode bodies of Huffman books, arguments checked; as lp_decode_burst(); their order may change.
 */
typedef void lp_decode_burst_fn(struct lp_decode_job **jobs, unsigned int n);

/** A kernel. */
struct lp_kernel {
	const char *name;
	bool (*usable)(void); /**< on this processor? */
	lp_encode_fn *grouped_encode;
	lp_decode_fn *grouped_decode;
	lp_encode_fn *huffman_encode;
	lp_decode_fn *huffman_decode;
	lp_decode_burst_fn *huffman_decode_burst;
	lp_encode_fn *area_encode;
	lp_decode_fn *area_decode;
	const struct lp_sample_kernel *sample;
};

/** The encoder of a kernel for books of a kind. */
static inline lp_encode_fn *
lp_kernel_encode(const struct lp_kernel *kernel, enum lp_kind kind)
{
	return kind == LP_KIND_GROUPED	       ? kernel->grouped_encode
			: kind == LP_KIND_AREA ? kernel->area_encode
					       : kernel->huffman_encode;
}

/** The decoder of a kernel for books of a kind. */
static inline lp_decode_fn *
lp_kernel_decode(const struct lp_kernel *kernel, enum lp_kind kind)
{
	return kind == LP_KIND_GROUPED	       ? kernel->grouped_decode
			: kind == LP_KIND_AREA ? kernel->area_decode
					       : kernel->huffman_decode;
}

lp_encode_fn lp_grouped_encode_portable;
lp_decode_fn lp_grouped_decode_portable;
lp_encode_fn lp_huffman_encode_portable;
lp_decode_fn lp_huffman_decode_portable;
lp_decode_burst_fn lp_huffman_decode_burst_portable;
lp_encode_fn lp_area_encode_portable;
lp_decode_fn lp_area_decode_portable;

lp_encode_fn lp_grouped_encode_avx2;
lp_decode_fn lp_grouped_decode_avx2;
lp_encode_fn lp_huffman_encode_avx2;
lp_decode_fn lp_huffman_decode_avx2;
lp_decode_burst_fn lp_huffman_decode_burst_avx2;
lp_encode_fn lp_area_encode_avx2;
lp_decode_fn lp_area_decode_avx2;

lp_encode_fn lp_grouped_encode_avx512;
lp_decode_fn lp_grouped_decode_avx512;
lp_encode_fn lp_huffman_encode_avx512;
lp_encode_fn lp_area_encode_avx512;
lp_decode_fn lp_area_decode_avx512;

/** Kernels of this build, fastest first; the last one, the portable, is always usable. */
extern const struct lp_kernel lp_kernels[];
extern const unsigned int lp_kernel_count;

/** Can this processor run a kernel, and does it agree with the portable one on this book? */
bool lp_kernel_fits(const struct lp_kernel *kernel, const struct lp_codebook *cb);

#endif /* LP_KERNEL_H */
