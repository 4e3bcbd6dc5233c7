/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_DATASET_H
#define LINEPRESS_PERF_DATASET_H

/**
 * @file
 * Tensors to measure on, and others that tables are made from. All functions that can fail say
 * why.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/codec.h"

/** What tensors are for. */
enum dataset_split {
	DATASET_PROFILE, /**< tables of other codecs are made from these */
	DATASET_EVAL,	 /**< packets are cut from these */
	DATASET_SPLITS,
};

/** One tensor, or the half of one. */
struct tensor {
	uint8_t *bytes;
	size_t len; /**< whole elements */
};

/** Tensors of one type and split. */
struct tensors {
	struct tensor *tensor;
	size_t count;
};

/** Tensors by type and split. */
struct dataset {
	struct tensors set[LP_TYPE_COUNT][DATASET_SPLITS];
};

/** Packets of one size, one behind the other. */
struct packets {
	uint8_t *bytes;
	size_t count;
	size_t packet_bytes;
	enum lp_type type;
};

/** Add a file: its first half to the profile, its second to what is measured. 0 or -1. */
int dataset_add_file(struct dataset *data, const char *path, enum lp_type type);

/** Add a directory with a manifest.tsv that tells type and split of each file. 0 or -1. */
int dataset_add_corpus(struct dataset *data, const char *dir);

/** Add a directory of files named TYPE-ANYTHING.bin as dataset_add_file() does. 0 or -1. */
int dataset_add_named(struct dataset *data, const char *dir);

/** Release all tensors. */
void dataset_free(struct dataset *data);

/** Has a type tensors of both splits? */
bool dataset_has(const struct dataset *data, enum lp_type type);

/** Bytes of the shortest tensor of a type, that is of the longest packet that can be cut. */
size_t dataset_shortest(const struct dataset *data, enum lp_type type);

/**
 * Cut packets, spread evenly over all tensors of a type and split; they overlap if there is
 * less data than they need, so that few are the same.
 *
 * @return
 *   0, or -1 if out of memory. No tensor may be shorter than a packet.
 */
int dataset_cut(const struct dataset *data, enum lp_type type, enum dataset_split split,
		size_t packet_bytes, size_t count, struct packets *packets);

#endif /* LINEPRESS_PERF_DATASET_H */
