/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CODEC_REPORT_H
#define LINEPRESS_PERF_CODEC_REPORT_H

/** @file What `linepress-perf codec` prints. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "codec.h"
#include "measure.h"

/** Most parts of a working set that are timed apart. */
#define PARTS_MAX 32

/** What was measured of one codec. */
struct figures {
	struct timing encode[PARTS_MAX]; /**< of each part of the working set */
	struct timing decode[PARTS_MAX]; /**< the same */
	struct timing latency;		 /**< of one packet */
	double size;			 /**< coded by raw bytes */
};

/** What was measured side by side: one type, one size. */
struct block {
	enum lp_type type;
	size_t packet_bytes;
	size_t packets;
	bool streamed;
	size_t parts; /**< of the working set */
	const struct codecs *codecs;
	struct figures figures[CODEC_MAX];
};

/** Print the head of a report, for people. */
void codec_report_head(FILE *out);

/** Print a block for people. */
void codec_report_block(FILE *out, const struct block *block);

/** Append the rows of a block to a list. */
void codec_report_rows(json_t *rows, const struct block *block);

/** Append the codecs that were left out of a block to a list. */
void codec_report_left_out(json_t *list, const struct block *block);

/** Samples and quiet ones of a block. */
void codec_report_samples(const struct block *block, uint64_t *samples, uint64_t *quiet);

/** Write the report. 0, or -1 having said why. */
int codec_report_json(
		const char *path, json_t *rows, json_t *left_out, uint64_t samples, uint64_t quiet);

#endif /* LINEPRESS_PERF_CODEC_REPORT_H */
