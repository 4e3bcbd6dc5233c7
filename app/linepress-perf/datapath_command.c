/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"
#include "commands.h"
#include "datapath_options.h"
#include "datapath_report.h"
#include "datapath_run.h"
#include "eal.h"
#include "json_file.h"
#include "message.h"

static volatile sig_atomic_t stop;

static void
on_signal(int signum)
{
	(void)signum;
	stop = 1;
}

/* So that the EAL's files are removed. A second signal has its usual effect. */
static void
catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* Index of the argument that separates the EAL's part, 0 if there is none. */
static int
find_separator(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

static int
measure(const struct datapath_options *opt, const struct capture *cap,
		const struct lp_bookset *books, struct datapath_result *res)
{
	res->kernel = books_kernel(books);
	if (datapath_run(opt, cap, books, &stop, res) < 0)
		return -1;
	datapath_report(stdout, res);
	return opt->json == NULL ? 0 : datapath_report_json(opt->json, res);
}

static int
load_and_measure(const struct datapath_options *opt, int eal_argc, char **eal_argv)
{
	struct datapath_result res = { .capture = opt->capture };
	struct capture_error capture_error;
	struct lp_error error = { .line = 0 };
	char beside[PATH_MAX], shipped[PATH_MAX];
	int ret = -1;

	/* Beside the codebooks of the source tree; an installed program has none. */
	if (opt->capture == NULL) {
		snprintf(beside, sizeof(beside), "%s/../test/data/training.pcap", codebook_dir());
		res.capture = realpath(beside, shipped) != NULL ? shipped : beside;
	}
	struct capture *cap = capture_load(res.capture, false, &capture_error);

	if (cap == NULL)
		return complain("%s: %s", res.capture, capture_error.text);
	struct lp_bookset *books = books_load(opt->codebooks, opt->kernel, &error);

	if (books == NULL) {
		complain("%s", error.text);
	} else if (eal_start(eal_argc, eal_argv) == 0) {
		catch_signals();
		ret = measure(opt, cap, books, &res);
		eal_stop();
	} else if (eal_argc > 1) {
		complain("see the messages of the EAL above. Without hugepages it needs --no-huge -m 512");
	}
	lp_bookset_free(books);
	capture_free(cap);
	return ret;
}

int
datapath_command(int argc, char **argv)
{
	const int separator = find_separator(argc, argv);
	struct datapath_options opt;

	switch (datapath_options_parse(&opt, argc - separator, argv + separator)) {
	case OPTIONS_DONE:
		return EXIT_SUCCESS;
	case OPTIONS_BAD:
		return EXIT_FAILURE;
	case OPTIONS_RUN:
		break;
	}
	if (json_file_check(opt.json) < 0 ||
			load_and_measure(&opt, separator == 0 ? 1 : separator, argv) < 0)
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
