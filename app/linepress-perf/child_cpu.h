/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CHILD_CPU_H
#define LINEPRESS_PERF_CHILD_CPU_H

#include <sys/types.h>

/**
 * Part of the time in which the worker lcores of a DPDK program wanted a CPU and had it, from 0 to
 * 1.
 *
 * @param otherwise
 *   The answer if there are no such lcores, or the kernel does not tell.
 */
double child_cpu_share(pid_t pid, double otherwise);

#endif /* LINEPRESS_PERF_CHILD_CPU_H */
