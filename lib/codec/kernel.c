/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "kernel.h"

const struct lp_kernel lp_kernel_portable = {
	.name = "portable",
	.grouped_encode = lp_grouped_encode_portable,
	.grouped_decode = lp_grouped_decode_portable,
	.huffman_encode = lp_huffman_encode_portable,
	.huffman_decode = lp_huffman_decode_portable,
};
