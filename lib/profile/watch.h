/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_WATCH_INTERNAL_H
#define LP_WATCH_INTERNAL_H

#include "linepress/book_mask.h"
#include "linepress/watch.h"
#include "profile.h"

/** A series for each book, and one for each type that regions seem to have which none codes. */
#define LP_WATCH_SERIES (LP_BOOK_IDS + LP_TYPE_COUNT)

/** What a shim takes at most, and what a press wants to gain at least: 16 and 32 bytes. */
#define LP_WATCH_UNCODED_BYTES 48

struct series {
	struct lp_watch_report report;
	uint64_t digest; /**< of the book */
	enum lp_symbol symbol;
	struct lp_profiles *window; /**< or NULL */
	struct lp_watch_sum of_window;
	uint64_t symbols;	 /**< in the window */
	uint64_t began;		 /**< regions of the watch when the window began */
	struct lp_profiles *odd; /**< of windows that speak for an alarm, or NULL */
	struct lp_watch_sum of_odd;
	unsigned int streak; /**< windows in a row that speak against the present state */
	bool told_alarm;
};

/** How many regions of a type are kept. */
struct kept {
	uint64_t seen;
	uint32_t every;
};

struct lp_watch {
	double threshold;
	struct series *series[LP_WATCH_SERIES]; /**< or NULL */
	struct lp_profiles *profiles;
	struct kept kept[LP_TYPE_COUNT];
	struct lp_watch_sum of_type[LP_TYPE_COUNT];
	uint64_t regions; /**< all */
	uint64_t noise;
};

/**
 * What a region that no book codes seems to be: the type whose symbols tell the least.
 *
 * @param start
 *   Receives where its elements begin.
 * @return
 *   An enum lp_type, or -1 if no code would save enough.
 */
int lp_watch_guess(const uint8_t *src, size_t len, size_t *start);

#endif /* LP_WATCH_INTERNAL_H */
