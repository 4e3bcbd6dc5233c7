/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_ANSWERS_H
#define LINEPRESS_APP_ANSWERS_H

/**
 * @file
 * What is answered to each telemetry command.
 */

#include <rte_telemetry.h>

#include "app.h"

/** A question, while the lock of the program is held. */
struct question {
	const struct app *app;
	const struct fwd_stats *stats; /**< NULL before the first start */
	bool has_id;
	uint32_t id; /**< the parameter, if there is one */
};

/**
 * Fill in an answer.
 *
 * @return
 *   0, or a negative errno if there is none.
 */
typedef int answer_fn(const struct question *question, struct rte_tel_data *data);

answer_fn answer_info;
answer_fn answer_stats;
answer_fn answer_drops;
answer_fn answer_codebooks;
answer_fn answer_rules;
answer_fn answer_latency;
answer_fn answer_lcore;
answer_fn answer_peer;
answer_fn answer_drift;

#endif /* LINEPRESS_APP_ANSWERS_H */
