/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CODEC_RUN_H
#define LINEPRESS_PERF_CODEC_RUN_H

/** @file Codecs side by side on one working set. */

#include "codec_report.h"
#include "workset.h"

/** Room for the reason of a failure. */
#define CODEC_REASON_MAX 128

/**
 * Code and decode a working set with a codec and compare.
 *
 * @param size
 *   Receives coded by raw bytes, headers counted.
 * @param reason
 *   Receives which packet did not come back.
 * @return
 *   Whether all did.
 */
bool codec_verify(const struct codec *codec, struct workset *set, double *size,
		char reason[CODEC_REASON_MAX]);

/** Measure all codecs of a block in turns until the deadline, each at least once. */
void codec_measure(struct block *block, struct workset *set, double deadline);

#endif /* LINEPRESS_PERF_CODEC_RUN_H */
