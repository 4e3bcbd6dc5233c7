/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CPUS_H
#define LINEPRESS_PERF_CPUS_H

/** @file CPUs that this program may use. */

/** How many. */
int cpus_allowed(void);

/** The number of one of them, counted from 0; they are counted again behind the last. */
int cpus_number(int index);

/** NUMA nodes of the machine. */
int cpus_nodes(void);

#endif /* LINEPRESS_PERF_CPUS_H */
