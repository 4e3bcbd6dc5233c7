/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_FORWARD_H
#define LINEPRESS_APP_FORWARD_H

/**
 * @file
 * The forwarding loop: receive a burst, process it, transmit it, until asked to stop.
 */

#include "options.h"
#include "policy.h"
#include "pools.h"
#include "streams.h"

/**
 * Give each stream that compresses, restores or verifies its press, which uses the policy of the
 * slot, also if that is replaced later.
 *
 * @return
 *   0, or a negative errno after one line on stderr; forward_release() is then still due.
 */
int forward_prepare(const struct options *opts, struct policy_slot *slot,
		const struct mbuf_pools *pools, struct stream_map *map);

/** Release the presses. All lcores must have returned. */
void forward_release(struct stream_map *map);

/**
 * Let all lcores of the plan forward.
 *
 * @return
 *   0, or a negative errno after one line on stderr; forward_stop() is then still due.
 */
int forward_launch(struct stream_map *map);

/** Let all lcores return, each after its round, and wait for them. */
void forward_stop(struct stream_map *map);

/*
 * With a single lcore the main one forwards, and what controls it runs in another thread.
 */

/** Does the main lcore forward, since there is no other? */
bool forward_is_on_main(void);

/** Forward on the main lcore whenever launched; returns after forward_serve_end(). */
void forward_serve(void);

/** End forward_serve(); forwarding must be stopped. */
void forward_serve_end(void);

#endif /* LINEPRESS_APP_FORWARD_H */
