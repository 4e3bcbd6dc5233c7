/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>

#include "app_policy.h"
#include "appliance.h"
#include "fuzz.h"
#include "log.h"
#include "options.h"

static struct app app = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct app_error_place *place;
static unsigned int complaints;
static char complaint[8192];
int lp_app_log;

/* ---- instead of log.c ---- */

void
app_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	const int n = vsnprintf(complaint, sizeof(complaint), fmt, args);

	va_end(args);
	FUZZ_CHECK(n > 0 && (size_t)n < sizeof(complaint));
	complaints++;
}

unsigned int
app_error_count(void)
{
	return complaints;
}

const struct app_error_place *
app_error_set_place(const struct app_error_place *new)
{
	const struct app_error_place *before = place;

	place = new;
	return before;
}

unsigned int
fuzz_complaints(void)
{
	return complaints;
}

const char *
fuzz_complaint(void)
{
	return complaint;
}

/* ---- begin and end ---- */

static void
need(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %d, %s\n", what, ret, complaint);
	exit(EXIT_FAILURE);
}

/* Telemetry leaves its files behind. */
static void
stop(void)
{
	char dir[PATH_MAX], path[PATH_MAX + NAME_MAX + 1];
	const struct dirent *entry;

	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	app_close(&app);
	rte_eal_cleanup();

	DIR *files = opendir(dir);

	while (files != NULL && (entry = readdir(files)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		unlink(path);
	}
	if (files != NULL)
		closedir(files);
	rmdir(dir);
}

/* The second lcore forwards for a moment only, so that it can share the CPU. */
static void
start_eal(void)
{
	static char lcores[32], prefix[64];
	char *argv[] = { (char[]){ "fuzz" }, (char[]){ "--no-huge" }, (char[]){ "-m512" },
		(char[]){ "--no-pci" }, (char[]){ "--log-level=*:emergency" },
		(char[]){ "--vdev=net_ring0" }, (char[]){ "--vdev=net_ring1" }, lcores, prefix,
		NULL };

	snprintf(lcores, sizeof(lcores), "--lcores=(0,1)@%d", sched_getcpu());
	snprintf(prefix, sizeof(prefix), "--file-prefix=fuzz-%d", (int)getpid());
	need(rte_eal_init((int)RTE_DIM(argv) - 1, argv), "EAL");
	atexit(stop);
}

struct app *
fuzz_appliance(void)
{
	char *argv[] = { (char[]){ "linepress" }, (char[]){ "--no-mlockall" },
		(char[]){ "--peer=static" }, (char[]){ "--codebooks=" LP_CODEBOOK_DIR },
		(char[]){ "--total-num-mbufs=2048" }, NULL };
	static const char rules[] = "proto tcp dport 5201 -> dry-run\nvlan 7 -> pass\n";

	FUZZ_CHECK(freopen("/dev/null", "w", stdout) != NULL);
	start_eal();
	need(options_parse((int)RTE_DIM(argv) - 1, argv, &app.opts), "options");
	need(app_open(&app), "appliance");
	need(app_rules_set(&app, fuzz_file((const uint8_t *)rules, sizeof(rules) - 1)), "rules");
	need(profiling_set(&app, 1), "profile");
	need(app_forward_start(&app), "start");
	need(app_forward_stop(&app), "stop");
	return &app;
}
