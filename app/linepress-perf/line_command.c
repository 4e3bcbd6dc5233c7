/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <signal.h>
#include <stdlib.h>

#include "books.h"
#include "commands.h"
#include "json_file.h"
#include "line_options.h"
#include "line_report.h"
#include "line_run.h"
#include "line_traffic.h"
#include "message.h"

static volatile sig_atomic_t stop;

static void
on_signal(int signum)
{
	(void)signum;
	stop = 1;
}

/* So that programs are ended and files removed. A second signal has its usual effect. */
static void
catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN); /* of a program that takes no more commands */
}

/* What the programs would refuse is better told by us. Returns the kernel's name, or NULL. */
static const char *
check_books(const struct line_options *opt)
{
	struct lp_error error = { .line = 0 };
	struct lp_bookset *books = books_load(opt->codebooks, opt->kernel, &error);
	const char *kernel = books == NULL ? NULL : books_kernel(books);

	if (books == NULL)
		complain("%s", error.text);
	lp_bookset_free(books);
	return kernel;
}

static int
measure(const struct line_options *opt, const struct line_traffic *traffic, const char *kernel)
{
	struct line_result res = { .opt = opt, .traffic = traffic, .kernel = kernel };
	int ret = line_run(&res);

	if (ret == 0) {
		line_report(stdout, &res);
		ret = opt->json == NULL ? 0 : line_report_json(opt->json, &res);
	}
	line_result_free(&res);
	return ret;
}

int
line_command(int argc, char **argv)
{
	struct line_traffic traffic = { .stop = &stop };
	struct line_options opt;
	int ret;

	switch (line_options_parse(&opt, argc, argv)) {
	case OPTIONS_DONE:
		return EXIT_SUCCESS;
	case OPTIONS_BAD:
		return EXIT_FAILURE;
	case OPTIONS_RUN:
		break;
	}
	const char *kernel = check_books(&opt);

	if (kernel == NULL || json_file_check(opt.json) < 0)
		return EXIT_FAILURE;
	catch_signals();
	ret = line_traffic_load(&traffic, &opt);
	if (ret == 0)
		ret = measure(&opt, &traffic, kernel);
	line_traffic_free(&traffic);
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
