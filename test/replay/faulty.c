/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* All kernels but the portable one flip a bit of each body. */

#include <string.h>

#include "linepress/codec.h"

int __real_lp_encode(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *body, size_t body_cap);
int __wrap_lp_encode(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *body, size_t body_cap);

int
__wrap_lp_encode(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, uint8_t *body, size_t body_cap)
{
	const int body_len = __real_lp_encode(cb, params, src, len, body, body_cap);

	if (body_len > 0 && strcmp(lp_codebook_kernel(cb), "portable") != 0)
		body[body_len / 2] ^= 0x10;
	return body_len;
}
