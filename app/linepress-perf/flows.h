/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_FLOWS_H
#define LINEPRESS_PERF_FLOWS_H

/** @file Flows of a capture, and queues for them as an adapter with RSS would choose. */

#include "capture.h"

/** The flows of a capture. */
struct flows {
	uint32_t *of_frame; /**< flow of each frame, from 0 */
	uint64_t *bytes;    /**< of each flow */
	uint32_t count;	    /**< how many */
};

/**
 * Tell the frames of a capture apart by addresses, protocol and ports, or by MAC addresses and type
 * if they are not IP.
 *
 * @return
 *   0, or -1 having said why.
 */
int flows_find(struct flows *flows, const struct capture *cap);

/**
 * Spread the flows over queues so that all get about as many bytes.
 *
 * @param nb_queues
 *   At most as many as there are flows; then none stays empty.
 * @param queue
 *   Receives the queue of each flow.
 * @return
 *   0, or -1 having said why.
 */
int flows_spread(const struct flows *flows, unsigned int nb_queues, uint8_t *queue);

/** Release them. */
void flows_free(struct flows *flows);

#endif /* LINEPRESS_PERF_FLOWS_H */
