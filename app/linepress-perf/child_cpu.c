/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "child_cpu.h"

#define WORKER "-worker" /* part of how any EAL names their threads */

/* First line of a file of a thread. */
static bool
read_line(pid_t pid, const char *thread, const char *file, char line[128])
{
	char path[512];
	bool good = false;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/%s", (int)pid, thread, file);
	FILE *f = fopen(path, "re");

	if (f != NULL) {
		good = fgets(line, 128, f) != NULL;
		fclose(f);
	}
	return good;
}

double
child_cpu_share(pid_t pid, double otherwise)
{
	uint64_t had_ns = 0, waited_ns = 0;
	char path[64], line[128];
	struct dirent *thread;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);

	while (threads != NULL && (thread = readdir(threads)) != NULL) {
		uint64_t had, waited;

		if (!read_line(pid, thread->d_name, "comm", line) || strstr(line, WORKER) == NULL ||
				!read_line(pid, thread->d_name, "schedstat", line) ||
				sscanf(line, "%" SCNu64 " %" SCNu64, &had, &waited) != 2)
			continue;
		had_ns += had;
		waited_ns += waited;
	}
	if (threads != NULL)
		closedir(threads);
	return had_ns > 0 ? (double)had_ns / (double)(had_ns + waited_ns) : otherwise;
}
