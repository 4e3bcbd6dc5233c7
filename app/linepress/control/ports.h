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
	bool is_closed;
	bool needs_setup;     /**< configure it, and its queues, before it starts */
	bool is_promiscuous;  /**< as wished */
	bool is_allmulticast; /**< as wished */
	bool is_held_down;    /**< its link is, since that of the line is; see links.h */
	bool cannot_set_link; /**< as it has turned out */
	uint8_t looks_up;     /**< of a line: times it was found up again */
	uint64_t link_losses; /**< of a line: times it was found down */
	uint16_t mtu;	      /**< as wished, 0: what options.max_pkt_len means */
	uint16_t nb_rx_desc;  /**< of each receive queue, as the device allows */
	uint16_t nb_tx_desc;  /**< of each transmit queue, as the device allows */
	uint16_t nb_rxq;      /**< receive queues that are set up */
	uint16_t nb_txq;      /**< transmit queues that are set up */
	int socket; /**< of the device, or of the lcore that polls it if the device has none */
	struct rte_eth_dev_info info;
};

/** Bytes that hold any ports_list(). */
#define PORTS_LIST_MAX (6 * RTE_MAX_ETHPORTS)

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

/**
 * Check queues and descriptors against what all ports can; sets the latter. Touches no device.
 *
 * @return
 *   0, or a negative errno after one line on stderr; the ports are unchanged then.
 */
int ports_check(const struct options *opts, struct port_table *ports);

/** Place of a port in the table by its number, or -1. */
int ports_position(const struct port_table *ports, unsigned int port_id);

/** Ports that someone named. */
struct port_set {
	uint16_t count;
	struct port *port[RTE_MAX_ETHPORTS];
};

/**
 * Find the ports that a user names.
 *
 * @param what
 *   What they are named for, such as "port stop "; begins the message of a failure.
 * @param name
 *   A number, or "all", which leaves out closed ports.
 * @param ports
 *   The ports.
 * @param set
 *   Receives them, at least one.
 * @return
 *   0, or a negative errno after one line on stderr, which tells the ports there are.
 */
int ports_select(
		const char *what, const char *name, struct port_table *ports, struct port_set *set);

/** Write a list of the ports that are not closed, such as "0,1,4". Returns `text`. */
const char *ports_list(const struct port_table *ports, char *text, size_t size);

/**
 * Start a port; configure it before if that is due.
 *
 * @return
 *   0, also if it is started already, or a negative errno after one line on stderr.
 */
int port_start(const struct options *opts, const struct mbuf_pools *pools, struct port *port);

/** Stop a port, unless it is stopped. No lcore may be using it. */
void port_stop(struct port *port);

/** Close a stopped port, unless it is closed; it cannot be used again. */
void port_close(struct port *port);

/** port_start() for all ports. */
int ports_start(const struct options *opts, const struct mbuf_pools *pools,
		struct port_table *ports);

/** Wait until the links of all started ports are up, a bounded time or a request to stop. */
void ports_link_wait(const struct port_table *ports);

/** Stop and close all ports. All lcores must have returned. */
void ports_close(struct port_table *ports);

#endif /* LINEPRESS_APP_PORTS_H */
