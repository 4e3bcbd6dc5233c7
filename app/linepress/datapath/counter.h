/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_COUNTER_H
#define LINEPRESS_APP_COUNTER_H

/**
 * @file
 * 64-bit counters with one writer that other threads read at any time. No locked
 * instruction: a store and a load that cannot be torn.
 */

#include <stdint.h>

/** Add to a counter; only the lcore it belongs to may. */
static inline void
counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/** Read a counter from any thread. */
static inline uint64_t
counter_read(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif /* LINEPRESS_APP_COUNTER_H */
