/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_PORTS_H
#define LINEPRESS_APP_PORTS_H

/**
 * @file
 * The Ethernet ports: what they can do, how they are configured, start and stop.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>

#include "options.h"
#include "pools.h"

/** One port. */
struct port {
	uint16_t id;
	bool faces_host; /**< the other side of a pair faces the line */
	bool is_started;
	uint16_t nb_rx_desc; /**< of each receive queue, as the device allows */
	uint16_t nb_tx_desc; /**< of each transmit queue, as the device allows */
	int socket; /**< of the device, or of the lcore that polls it if the device has none */
	struct rte_eth_dev_info info;
};

/** All ports, in the order of their numbers. */
struct port_table {
	uint16_t count;
	struct port port[RTE_MAX_ETHPORTS];
};

/**
 * Find all ports and check the arguments against them. Configures nothing.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int ports_discover(const struct options *opts, struct port_table *ports);

/** A port by its number, or NULL. */
const struct port *ports_find(const struct port_table *ports, uint16_t port_id);

/**
 * Configure and start all ports.
 *
 * @return
 *   0, or a negative errno after one line on stderr; ports_stop() is then still due.
 */
int ports_start(const struct options *opts, const struct mbuf_pools *pools,
		struct port_table *ports);

/** Wait until all links are up, a bounded time or the program is asked to stop. */
void ports_link_wait(const struct port_table *ports);

/** Stop the ports that were started. All lcores must have returned. */
void ports_stop(const struct options *opts, struct port_table *ports);

/** Close all ports. */
void ports_close(const struct port_table *ports);

#endif /* LINEPRESS_APP_PORTS_H */
