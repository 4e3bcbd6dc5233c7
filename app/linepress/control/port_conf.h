/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_PORT_CONF_H
#define LINEPRESS_APP_PORT_CONF_H

/**
 * @file
 * Configuration of one port: ask the device, mask what it lacks, tell.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "options.h"

struct port;

/**
 * Configure a port and set up its queues.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int port_setup(const struct options *opts, const struct port *port, struct rte_mempool *pool);

/**
 * Let a started port receive frames to any address, or only those that it shall receive, as far
 * as it can.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int port_receive_all(const struct port *port);

/** Receive frames to any address, or not. Returns what ethdev returns. */
int port_set_promiscuous(uint16_t id, bool on);

/** Receive all multicast frames, or not. Returns what ethdev returns. */
int port_set_allmulticast(uint16_t id, bool on);

/** The MTUs that the device and options.max_pkt_len allow. */
void port_mtu_range(
		const struct options *opts, const struct port *port, uint32_t *min, uint32_t *max);

#endif /* LINEPRESS_APP_PORT_CONF_H */
