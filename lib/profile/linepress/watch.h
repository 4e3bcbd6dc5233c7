/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WATCH_H
#define LINEPRESS_WATCH_H

/**
 * @file
 * Watches sampled regions: what they are, and whether the books still fit them.
 *
 * Regions are gathered in a window for each book, and for each type that regions seem to have which
 * no book could code. A full window is judged: what is lost is the share of its bytes that a code
 * fitted to it would save beyond what was saved. An alarm is raised when two windows in a row lose
 * more than the threshold, and ends when two in a row lose less than half of it, or when less than
 * one region in 64 belongs there.
 *
 * One thread at a time may use a watch. Functions allocate and take milliseconds.
 */

#include "linepress/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a window may lose by default, in percent of its bytes. */
#define LP_WATCH_THRESHOLD 5

/** A window is full with so many regions, and so many symbols. */
#define LP_WATCH_REGIONS 128
#define LP_WATCH_SYMBOLS 65536

/** Regions that are kept of each type, at most; beyond, every other is let go. */
#define LP_WATCH_KEPT 2048

/** Regions that a new book is made from, at most, so that a fit takes a second or two. */
#define LP_WATCH_FITTED 512

struct lp_watch;

/** A region that was sampled. */
struct lp_watch_region {
	uint8_t id;		      /**< number of the book, 0 if it was not coded */
	const struct lp_codebook *cb; /**< the book, NULL if it was not coded */
	uint8_t phase;		      /**< it was coded with */
	const uint8_t *src;
	size_t len;	 /**< its bytes, up to LP_REGION_MAX */
	size_t body_len; /**< those of the body, 0 if it was not coded */
};

/** Regions and their bytes. */
struct lp_watch_sum {
	uint64_t regions;
	uint64_t bytes;
	uint64_t body_bytes; /**< as coded, without shims; all bytes of those not coded */
};

/** How the regions of a book, or of a type that no book codes, were doing. */
struct lp_watch_report {
	uint8_t id;		    /**< number of the book, 0 if there is none */
	char name[LP_NAME_MAX + 1]; /**< of the book, or "none" */
	enum lp_type type;
	struct lp_watch_sum all; /**< since the watch began */
	uint64_t windows;	 /**< judged; without, what follows is 0 */
	double code_bits;	 /**< of the last: coded bits a symbol, uncoded: all bits */
	double entropy;		 /**< bits a symbol, each region with its best base */
	/**
	 * Kullback-Leibler divergence, bits a symbol, from what the book was made for, as its code
	 * lengths tell; uncoded: 0.
	 */
	double divergence;
	double loss_percent; /**< of its bytes: what a code for them would save more */
	bool is_alarm;
	uint64_t alarms; /**< raised so far */
};

/** Begin; NULL if memory ran out. */
struct lp_watch *lp_watch_create(void);

/** Release a watch; NULL is allowed. */
void lp_watch_free(struct lp_watch *watch);

/** Set what a window may lose, in percent of its bytes; judged by from now on. */
void lp_watch_set_threshold(struct lp_watch *watch, double percent);

/** What a window may lose, in percent of its bytes. */
double lp_watch_threshold(const struct lp_watch *watch);

/**
 * Look at a region.
 *
 * @return
 *   0, -EINVAL if the length is out of range, or -ENOMEM: it was left out.
 */
int lp_watch_add(struct lp_watch *watch, const struct lp_watch_region *region);

/**
 * News: an alarm that was raised or has ended.
 *
 * @return
 *   False if there is none that has not been told.
 */
bool lp_watch_news(struct lp_watch *watch, struct lp_watch_report *report);

/** Report number `index` from 0, books by number, then types; false past the last. */
bool lp_watch_report(
		const struct lp_watch *watch, unsigned int index, struct lp_watch_report *report);

/** Alarms that are on. */
unsigned int lp_watch_alarms(const struct lp_watch *watch);

/** Profiles of the regions of all types that are known, a fair choice of LP_WATCH_KEPT of each. */
const struct lp_profiles *lp_watch_profiles(const struct lp_watch *watch);

/** Regions of a type, coded or not. */
struct lp_watch_sum lp_watch_type(const struct lp_watch *watch, enum lp_type type);

/** Regions that no code would save enough on. */
uint64_t lp_watch_noise(const struct lp_watch *watch);

/** What a new book would be made from. */
struct lp_watch_basis {
	struct lp_profile *profile; /**< to be released with lp_profile_free() */
	enum lp_type type;
	bool is_alarm;	      /**< only regions that do not fit; else all of the type */
	size_t regions;	      /**< in the profile */
	double saved_percent; /**< of the bytes of those regions at present, without shims */
};

/**
 * What a new book would be made from: the regions of a type that do not fit, if there is an alarm,
 * else all that are kept.
 *
 * @param type
 *   An enum lp_type, or -1: that of the alarm with the greatest loss.
 * @return
 *   0; -ENOENT: no alarm, or no region of this type; -ENOMEM.
 */
int lp_watch_basis(const struct lp_watch *watch, int type, struct lp_watch_basis *basis);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_WATCH_H */
