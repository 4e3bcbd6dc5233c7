/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_PEER_H
#define LINEPRESS_APP_REPORT_PEER_H

#include <jansson.h>

#include "peers.h"

/** Print all that is known of the far boxes. */
void report_peers(struct peers *peers);

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
