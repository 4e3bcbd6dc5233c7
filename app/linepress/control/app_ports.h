/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_APP_PORTS_H
#define LINEPRESS_APP_APP_PORTS_H

/**
 * @file
 * Changes of single ports while the program runs, guarded by its state. As in app.h, each function
 * that fails has said why; one that is given a set of ports goes on with the others if a device
 * refuses.
 */

#include "app.h"

/**
 * Start ports and wait for their links, unless links are not checked. Ports whose configuration
 * has changed are configured before.
 */
int app_ports_start(struct app *app, const struct port_set *set);

/** Stop ports. Refused, for all of them, if one is forwarding. */
int app_ports_stop(struct app *app, const struct port_set *set);

/** Close ports, which cannot be used again. Refused, for all of them, if one is started. */
int app_ports_close(struct app *app, const struct port_set *set);

/** Receive frames to any address, or not; now, and whenever the port starts again. */
int app_ports_set_promiscuous(const struct port_set *set, bool on);

/** As app_ports_set_promiscuous(), for multicast addresses. */
int app_ports_set_allmulticast(const struct port_set *set, bool on);

/** Set a link up or down. */
int app_port_set_link(const struct port *port, bool up);

/**
 * Set the MTU of a port, within port_mtu_range(); also kept when it is configured anew. Refused if
 * it is forwarding.
 */
int app_port_set_mtu(const struct app *app, struct port *port, uint16_t mtu);

#endif /* LINEPRESS_APP_APP_PORTS_H */
