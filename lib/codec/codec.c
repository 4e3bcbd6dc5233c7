/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>

#include "area.h"
#include "book.h"
#include "grouped.h"
#include "planes.h"

static int
check_arguments(const struct lp_codebook *cb, unsigned int phase, unsigned int base, size_t len)
{
	if (len == 0 || len > LP_REGION_MAX || phase >= cb->info.element_bytes)
		return -EINVAL;
	if (cb->info.kind == LP_KIND_GROUPED && base >= lp_type_exponents(cb->info.type))
		return -EINVAL;
	return 0;
}

int
lp_encode(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, uint8_t *dst, size_t dst_cap)
{
	if (check_arguments(cb, params->phase, params->base, len) < 0)
		return -EINVAL;
	return lp_kernel_encode(lp_book_kernel(cb), cb->info.kind)(
			cb, params, src, len, dst, dst_cap);
}

int
lp_decode(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body, size_t body_len,
		uint8_t *dst, size_t len)
{
	if (check_arguments(cb, phase, 0, len) < 0)
		return -EINVAL;
	return lp_kernel_decode(lp_book_kernel(cb), cb->info.kind)(
			cb, phase, body, body_len, dst, len);
}

void
lp_encode_burst(struct lp_encode_job *jobs, unsigned int n)
{
	for (struct lp_encode_job *job = jobs; job < jobs + n; job++)
		job->result = lp_encode(
				job->cb, &job->params, job->src, job->len, job->dst, job->dst_cap);
}

/* Jobs that are handed to a kernel at once. */
#define BATCH 64

void
lp_decode_burst(struct lp_decode_job *jobs, unsigned int n)
{
	struct lp_decode_job *batch[BATCH];
	const struct lp_kernel *kernel = NULL;
	unsigned int count = 0;

	for (struct lp_decode_job *job = jobs; job < jobs + n; job++) {
		const struct lp_codebook *cb = job->cb;

		job->result = check_arguments(cb, job->phase, 0, job->len);
		if (job->result < 0)
			continue;
		if (cb->info.kind != LP_KIND_HUFFMAN) {
			job->result = lp_kernel_decode(lp_book_kernel(cb), cb->info.kind)(cb,
					job->phase, job->body, job->body_len, job->dst, job->len);
			continue;
		}
		if (count == BATCH || (count > 0 && kernel != lp_book_kernel(cb))) {
			kernel->huffman_decode_burst(batch, count);
			count = 0;
		}
		kernel = lp_book_kernel(cb);
		batch[count++] = job;
	}
	if (count > 0)
		kernel->huffman_decode_burst(batch, count);
}

size_t
lp_encode_bound(const struct lp_codebook *cb, size_t len)
{
	if (cb->info.kind == LP_KIND_HUFFMAN)
		return 1 + (len * (LP_HUFFMAN_BITS_MAX + 8) + 7) / 8;
	if (cb->info.kind == LP_KIND_AREA)
		return 1 + lp_area_prefix_bytes(cb->area.prefix_bits, len) +
				(len * LP_AREA_SUFFIX_MAX + 7) / 8;

	const struct lp_grouped *g = &cb->grouped;
	const size_t n = len / cb->info.element_bytes;
	const size_t planes = lp_grouped_levels(g) + g->suffix_bits_max;
	/* Each plane, and the raw fields, may end in an unfilled byte in every chunk. */
	const size_t chunks = n / LP_GROUPED_CHUNK + 1;

	return 1 + 2 * cb->info.element_bytes + lp_raw_bytes(cb->info.type, n) + planes * (n / 8) +
			n + chunks * (planes + 2);
}
