/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_REPLAY_REPORT_H
#define LINEPRESS_REPLAY_REPORT_H

/** @file Printing what a replay gave. */

#include <stdio.h>

#include "linepress/bookset.h"

#include "result.h"

/** Print one capture for people. */
void report_capture(FILE *out, const struct replay_result *res, const struct lp_bookset *books);

/**
 * Print the last line of a run, "OK: ..." or "FAILED: ...".
 *
 * @return
 *   0 if all captures are good, else -1.
 */
int report_verdict(FILE *out, const struct replay_result *res, unsigned int nb_captures);

/**
 * Print a run as a JSON object: that of the capture, or with several captures one whose
 * member "captures" lists them.
 *
 * @return
 *   0, or -1 having said why.
 */
int report_json(FILE *out, const struct replay_result *res, unsigned int nb_captures,
		const struct lp_bookset *books);

#endif /* LINEPRESS_REPLAY_REPORT_H */
