/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_POOLS_H
#define LINEPRESS_APP_POOLS_H

/**
 * @file
 * Pools of mbufs, one for each NUMA socket with a port or an lcore.
 */

#include <stdint.h>

#include <rte_mempool.h>

#include "options.h"

struct port_table;

/** Pools by socket; NULL where there is none. */
struct mbuf_pools {
	uint32_t mbufs; /**< of each */
	struct rte_mempool *of_socket[RTE_MAX_NUMA_NODES];
};

/** Bytes of frame that one mbuf can hold. */
uint16_t pools_data_room(const struct options *opts);

/**
 * Create the pools.
 *
 * @return
 *   0, or a negative errno after one line on stderr; pools_free() is then still due.
 */
int pools_create(const struct options *opts, const struct port_table *ports,
		struct mbuf_pools *pools);

/**
 * Mbufs that queues, lanes, caches and bursts can hold at one time. If the program takes commands,
 * which can set more lcores to work, all count that may forward.
 */
uint64_t pools_needed(const struct options *opts, const struct port_table *ports);

/**
 * Check that all mbufs are back in their pools. All ports must be closed, all presses released.
 * With a port of net_af_xdp, which closes without giving back its mbufs, nothing is checked.
 *
 * @return
 *   0, or a negative errno after one line on stderr for each pool that lacks some.
 */
int pools_check_leaks(const struct port_table *ports, const struct mbuf_pools *pools);

/** Release the pools. All ports must be closed. */
void pools_free(struct mbuf_pools *pools);

#endif /* LINEPRESS_APP_POOLS_H */
