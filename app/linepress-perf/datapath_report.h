/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_DATAPATH_REPORT_H
#define LINEPRESS_PERF_DATAPATH_REPORT_H

/** @file What `linepress-perf datapath` prints. */

#include <stdio.h>

#include "datapath_run.h"

/** Print a result for people. */
void datapath_report(FILE *out, const struct datapath_result *res);

/** Write it as JSON. 0, or -1 having said why. */
int datapath_report_json(const char *path, const struct datapath_result *res);

#endif /* LINEPRESS_PERF_DATAPATH_REPORT_H */
