/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_LINKS_H
#define LINEPRESS_APP_LINKS_H

/**
 * @file
 * Links of pairs of ports: when the line is lost, the host must see it, or its bonds, routes and
 * BFD sessions would go on sending into a hole. So its link goes down with the line's, and up again
 * when that has been up for a while. In mode press, unless --no-link-propagation.
 */

#include "app.h"

/** Begin to look; forwarding begins. */
void links_begin(struct app *app);

/** Look at the links of all lines, if it is time to. */
void links_tick(struct app *app, double now_s);

/** Take no host's link down any more; forwarding has ended, or the user wants it no more. */
void links_release(struct app *app);

#endif /* LINEPRESS_APP_LINKS_H */
