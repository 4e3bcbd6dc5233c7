/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <glob.h>
#include <sched.h>

#include "cpus.h"

int
cpus_allowed(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

int
cpus_number(int index)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 0;
	index %= CPU_COUNT(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && index-- == 0)
			return cpu;
	return 0;
}

int
cpus_nodes(void)
{
	glob_t nodes;
	int count = 1;

	if (glob("/sys/devices/system/node/node[0-9]*", GLOB_NOSORT, NULL, &nodes) == 0) {
		count = (int)nodes.gl_pathc;
		globfree(&nodes);
	}
	return count;
}
