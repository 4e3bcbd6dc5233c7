/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_STATS_FIELDS_H
#define LINEPRESS_APP_STATS_FIELDS_H

/**
 * @file
 * Statistics under the names that programs read, in JSON and telemetry alike.
 */

#include "stats.h"

/** A counter of an object. */
struct stats_field {
	const char *name; /**< NULL ends a table */
	size_t offset;
};

/** A field of a struct, in a table. */
#define STATS_FIELD(type, name, member)             \
	{                                           \
		name, offsetof(struct type, member) \
	}

/** The end of a table. */
#define STATS_FIELDS_END \
	{                \
		NULL, 0  \
	}

extern const struct stats_field stats_port_fields[];	  /**< struct port_stats */
extern const struct stats_field stats_stream_fields[];	  /**< struct stream_counters */
extern const struct stats_field stats_lcore_fields[];	  /**< struct lcore_stats */
extern const struct stats_field stats_direction_fields[]; /**< struct direction_stats */
extern const struct stats_field stats_full_fields[];	  /**< struct direction_stats, drops */
extern const struct stats_field stats_regions_fields[];	  /**< struct lp_press_stats, compress */
extern const struct stats_field stats_book_fields[];	  /**< struct lp_book_stats */
extern const struct stats_field stats_rule_fields[];	  /**< struct lp_rule_stats */
extern const struct stats_field stats_latency_fields[];	  /**< struct latency_summary */

/** The counter that a field tells of. */
static inline uint64_t
stats_field_value(const void *object, const struct stats_field *field)
{
	return *(const uint64_t *)RTE_PTR_ADD(object, field->offset);
}

/**
 * What was done with the frames of all streams with one action:
 * `rx_pkts = tx_pkts + hello_rx_pkts + sum of dropped[] + tx_full_pkts + dist_full_pkts`.
 */
struct direction_stats {
	uint64_t rx_pkts;
	uint64_t rx_bytes; /**< without those of hellos */
	uint64_t hello_rx_pkts;
	uint64_t tx_pkts;
	uint64_t tx_bytes;
	uint64_t tx_retries;
	uint64_t tx_full_pkts;
	uint64_t dist_full_pkts;
	uint64_t coded_pkts;		    /**< verify: of the copies; as the next ones */
	uint64_t stored_pkts;		    /**< escaped, or unwrapped */
	uint64_t verified_pkts;		    /**< compress: decoded and compared */
	uint64_t differing_pkts;	    /**< verify: frames that did not come back equal */
	const struct lp_press_stats *press; /**< of what compresses, or restores; NULL for io */
	const uint64_t *passed;		    /**< by reason; NULL for io */
	const uint64_t *dropped; /**< by reason; NULL where the press drops no frames: io, verify */
};

/** Collect what was done in a direction; `direction` refers to `stats`. */
void stats_direction(const struct fwd_stats *stats, enum stream_action action,
		struct direction_stats *direction);

#endif /* LINEPRESS_APP_STATS_FIELDS_H */
