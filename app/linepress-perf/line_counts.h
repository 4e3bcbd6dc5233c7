/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_COUNTS_H
#define LINEPRESS_PERF_LINE_COUNTS_H

/** @file What a program counted while it forwarded. */

#include <stdint.h>

/** Most ports, and most reasons of one kind. */
#define LINE_PORTS_MAX 2
#define LINE_REASONS_MAX 32

/** Counters of a port between two readings. */
struct line_port_counts {
	uint64_t rx_packets;
	uint64_t rx_bytes; /**< without FCS, as all bytes here */
	uint64_t tx_packets;
	uint64_t tx_bytes;
};

/** Frames by reason. */
struct line_reasons {
	struct {
		char name[32];
		uint64_t packets;
	} reason[LINE_REASONS_MAX];
	int count;
};

/** All counters. */
struct line_counts {
	double seconds; /**< between the readings */
	struct line_port_counts port[LINE_PORTS_MAX];
	uint64_t received;	    /**< frames of the whole run */
	uint64_t sent;		    /**< of them */
	struct line_reasons lost;   /**< of the whole run: not sent, and lost by devices */
	struct line_reasons passed; /**< of the whole run: sent untouched */
	double cpu_share;	    /**< of child_wait() */
};

/** Add frames to a reason, if there are any. */
void line_reasons_add(struct line_reasons *reasons, const char *name, uint64_t packets);

/** Sum over all reasons. */
uint64_t line_reasons_sum(const struct line_reasons *reasons);

#endif /* LINEPRESS_PERF_LINE_COUNTS_H */
