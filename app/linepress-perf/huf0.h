/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_HUF0_H
#define LINEPRESS_PERF_HUF0_H

/**
 * @file
 * Entry points of huf0 in the static library of zstd, from version 1.5.4 on. No header of
 * zstd's packages declares them: zstd itself only codes with a table of its own for each block.
 */

#include <stddef.h>
#include <stdint.h>

typedef size_t HUF_CElt;
typedef uint32_t HUF_DTable;

/** May use BMI2. */
#define HUF0_FLAG_BMI2 1

unsigned HUF_isError(size_t code);
size_t HUF_buildCTable_wksp(HUF_CElt *table, const unsigned *count, uint32_t max_symbol,
		uint32_t max_bits, void *work, size_t work_bytes);
size_t HUF_writeCTable_wksp(void *dst, size_t cap, const HUF_CElt *table, unsigned max_symbol,
		unsigned bits, void *work, size_t work_bytes);
size_t HUF_readDTableX1_wksp(HUF_DTable *table, const void *src, size_t len, void *work,
		size_t work_bytes, int flags);
size_t HUF_readDTableX2_wksp(HUF_DTable *table, const void *src, size_t len, void *work,
		size_t work_bytes, int flags);
size_t HUF_compress4X_usingCTable(void *dst, size_t cap, const void *src, size_t len,
		const HUF_CElt *table, int flags);
size_t HUF_decompress4X_usingDTable(void *dst, size_t len, const void *src, size_t src_len,
		const HUF_DTable *table, int flags);
size_t HUF_compress4X_repeat(void *dst, size_t cap, const void *src, size_t len,
		unsigned max_symbol, unsigned max_bits, void *work, size_t work_bytes,
		HUF_CElt *table, int *repeat, int flags);
size_t HUF_decompress4X_hufOnly_wksp(HUF_DTable *table, void *dst, size_t len, const void *src,
		size_t src_len, void *work, size_t work_bytes, int flags);

#endif /* LINEPRESS_PERF_HUF0_H */
