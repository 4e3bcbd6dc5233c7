/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_WORKSET_H
#define LINEPRESS_PERF_WORKSET_H

/**
 * @file
 * Working set: packets in slots as far apart as those of mbufs, and slots for what becomes of
 * them.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dataset.h"

/** A packet and what becomes of it. */
struct packet {
	const uint8_t *raw;
	uint8_t *coded;
	uint8_t *back;
	uint32_t coded_len; /**< that of the packet if it travels as it is */
	uint32_t index;	    /**< place in the working set */
};

/** A working set. */
struct workset {
	struct packet *packet;
	size_t count;
	size_t packet_bytes;
	uint8_t *memory;
};

/** Bytes there are for a coded packet: more than any codec makes of one that it cannot shorten. */
size_t workset_coded_room(size_t packet_bytes);

/** Lay out a working set. 0, or -1 having said why. */
int workset_init(struct workset *set, const struct packets *packets);

/** Release it. */
void workset_free(struct workset *set);

#endif /* LINEPRESS_PERF_WORKSET_H */
