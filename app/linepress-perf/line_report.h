/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_REPORT_H
#define LINEPRESS_PERF_LINE_REPORT_H

/** @file What `linepress-perf line` prints. */

#include <stdio.h>

#include "line_run.h"

/** Print a result for people. */
void line_report(FILE *out, const struct line_result *res);

/** Write it as JSON. 0, or -1 having said why. */
int line_report_json(const char *path, const struct line_result *res);

#endif /* LINEPRESS_PERF_LINE_REPORT_H */
