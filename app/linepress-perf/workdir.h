/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_WORKDIR_H
#define LINEPRESS_PERF_WORKDIR_H

/** @file A directory for the files of one run, in $TMPDIR or /tmp. */

#include <limits.h>

/** Room for its path; file names of up to 255 characters can follow in PATH_MAX. */
#define WORKDIR_MAX (PATH_MAX - 256)

/** Create it. 0, or -1 having said why. */
int workdir_create(char dir[WORKDIR_MAX]);

/** Remove it with all that is in it. */
void workdir_remove(const char *dir);

#endif /* LINEPRESS_PERF_WORKDIR_H */
