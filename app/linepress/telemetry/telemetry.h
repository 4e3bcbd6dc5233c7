/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_TELEMETRY_H
#define LINEPRESS_APP_TELEMETRY_H

/**
 * @file
 * Statistics for DPDK's telemetry, such as dpdk-telemetry.py:
 *
 * ```
 * /linepress/info           version, mode of the last start, whether frames are forwarded
 *                           and for how long
 * /linepress/stats          counters by direction and by port
 * /linepress/drops          frames passed and dropped, by direction and reason
 * /linepress/codebooks      numbers and names of the codebooks
 * /linepress/codebooks,ID   what one is, and what it has coded
 * /linepress/latency        nanoseconds from receive to transmit
 * /linepress/drift          what was sampled, and alarms by codebook, see profile and drift
 * /linepress/drift,ID       how well one fits
 * /linepress/lcore          numbers of the forwarding lcores
 * /linepress/lcore,ID       cycles, rounds and latency of one forwarding lcore
 * ```
 *
 * Names are those of stats_json.h. Counters are those since forwarding began, whatever was cleared
 * on the prompt. The answer is null if the parameter is wrong, before forwarding first begins and
 * once the program ends.
 */

#include "app.h"

/**
 * Offer the commands. They are answered by a thread of the telemetry library for as long as the
 * process lives, so `app` must live as long.
 *
 * @return
 *   0 or a negative errno after one line on stderr.
 */
int telemetry_open(struct app *app);

#endif /* LINEPRESS_APP_TELEMETRY_H */
