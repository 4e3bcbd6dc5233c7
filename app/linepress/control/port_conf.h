/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_PORT_CONF_H
#define LINEPRESS_APP_PORT_CONF_H

/**
 * @file
 * Configuration of one port: ask the device, mask what it lacks, tell.
 */

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
 * Let a started port receive frames to any address, or to its own if it shall not be
 * promiscuous, as far as it can.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int port_receive_all(const struct port *port);

#endif /* LINEPRESS_APP_PORT_CONF_H */
