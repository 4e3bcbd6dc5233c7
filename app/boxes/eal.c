/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "eal.h"
#include "message.h"

/* The EAL numbers lcores below 128, CPUs may have larger numbers: hence --lcores. */
static unsigned int
first_allowed_cpu(void)
{
	cpu_set_t set;
	unsigned int cpu;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			return cpu;
	return 0;
}

static int
start_with_defaults(char *program)
{
	static char lcores[32], prefix[64];
	char no_huge[] = "--no-huge", megabytes[] = "-m512", no_pci[] = "--no-pci";
	char no_shconf[] = "--no-shconf", no_telemetry[] = "--no-telemetry";
	char log_level[] = "--log-level=*:error";
	char *argv[] = { program, no_huge, megabytes, no_pci, no_shconf, no_telemetry, lcores,
		prefix, log_level, NULL };

	snprintf(lcores, sizeof(lcores), "--lcores=0@%u", first_allowed_cpu());
	snprintf(prefix, sizeof(prefix), "--file-prefix=%s-%d", program_invocation_short_name,
			(int)getpid());
	return rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv);
}

int
eal_start(int argc, char **argv)
{
	const int ret = argc > 1 ? rte_eal_init(argc, argv) : start_with_defaults(argv[0]);

	if (ret < 0)
		return complain("cannot start the EAL: %s", rte_strerror(rte_errno));
	return 0;
}

void
eal_stop(void)
{
	char dir[PATH_MAX];

	/* The EAL leaves one empty directory behind for each prefix. */
	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	rmdir(dir);
}
