/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_AF_PACKET_H
#define LINEPRESS_APP_AF_PACKET_H

/**
 * @file
 * Checks of ports of driver net_af_packet, which cuts what its ring cannot hold, in silence.
 */

#include <stdbool.h>

#include "options.h"

struct port;

/** Is this a port of driver net_af_packet? */
bool af_packet_drives(const struct port *port);

/**
 * Check that the ring of a port of net_af_packet holds the longest frame, and an mbuf what
 * the ring holds.
 *
 * @return
 *   0, or a negative errno after one line on stderr. 0 for ports of other drivers.
 */
int af_packet_check(const struct options *opts, const struct port *port);

#endif /* LINEPRESS_APP_AF_PACKET_H */
