/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_PEER_H
#define LINEPRESS_APP_REPORT_PEER_H

#include <stdbool.h>

#include <jansson.h>

#include "peers.h"

/**
 * Print all that is known of the far boxes.
 *
 * @param peers
 *   NULL: none, since forwarding has not begun yet.
 */
void report_peers(struct peers *peers, bool is_forwarding);

/**
 * The far boxes as a JSON array, see stats_json.h.
 *
 * @param peers
 *   NULL: none.
 * @return
 *   The array, NULL if out of memory.
 */
json_t *peers_json(struct peers *peers);

#endif /* LINEPRESS_APP_REPORT_PEER_H */
