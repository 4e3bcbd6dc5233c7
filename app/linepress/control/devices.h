/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_DEVICES_H
#define LINEPRESS_APP_DEVICES_H

/**
 * @file
 * Are the devices there that the EAL arguments ask for? EAL only logs a device that fails to
 * probe and goes on without it, which would renumber the ports behind it.
 */

/**
 * Check that each device of --vdev and -a has a driver and that there is a port at all.
 *
 * @return
 *   0, or a negative errno after one line on stderr for each missing device.
 */
int devices_check(void);

#endif /* LINEPRESS_APP_DEVICES_H */
