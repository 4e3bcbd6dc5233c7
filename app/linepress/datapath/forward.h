/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_FORWARD_H
#define LINEPRESS_APP_FORWARD_H

/**
 * @file
 * The forwarding loop: receive a burst, process it, transmit it, until asked to stop.
 */

#include "linepress/bookset.h"
#include "options.h"
#include "pools.h"
#include "streams.h"

/**
 * Give each forwarding lcore its press; without books none gets one.
 *
 * @return
 *   0, or a negative errno after one line on stderr; forward_release() is then still due.
 */
int forward_prepare(const struct options *opts, const struct lp_bookset *books,
		const struct mbuf_pools *pools, struct stream_map *map);

/** Release the presses. All lcores must have returned. */
void forward_release(struct stream_map *map);

/** Launch all forwarding lcores but the main one. Returns 0 or a negative errno. */
int forward_launch(const struct stream_map *map);

/** Does the main lcore forward, too? */
bool forward_is_on_main(const struct stream_map *map);

/** Forward on the calling lcore, a `struct fwd_lcore`, until asked to stop. Returns 0. */
int forward_run(void *lcore);

#endif /* LINEPRESS_APP_FORWARD_H */
