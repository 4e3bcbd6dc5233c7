/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_PROGRAMS_H
#define LINEPRESS_PERF_LINE_PROGRAMS_H

/** @file Runs of the programs that forward. All functions that can fail say why. */

#include "line_counts.h"
#include "line_options.h"
#include "line_setup.h"

/**
 * Forward with linepress.
 *
 * @param program
 *   Path of the program.
 * @return
 *   0 or -1.
 */
int line_run_linepress(const char *program, const struct line_setup *setup, enum line_mode mode,
		struct line_counts *counts);

/** Forward with testpmd in io mode. 0 or -1. */
int line_run_testpmd(
		const char *program, const struct line_setup *setup, struct line_counts *counts);

#endif /* LINEPRESS_PERF_LINE_PROGRAMS_H */
