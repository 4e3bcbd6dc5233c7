/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"
#include "capture.h"
#include "eal.h"
#include "key_file.h"
#include "message.h"
#include "options.h"
#include "outfile.h"
#include "pcap_out.h"
#include "replay.h"
#include "report.h"

static volatile sig_atomic_t stop;

static void
on_signal(int signum)
{
	(void)signum;
	stop = 1;
}

/* A second signal has its usual effect. */
static void
catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN); /* writing fails instead, and is told */
}

/* Index of the argument that separates the EAL's part, 0 if there is none. */
static int
find_separator(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

static int
replay_file(const struct replay *replay, const char *path, struct replay_result *res)
{
	struct capture_error error;
	struct capture *cap = capture_load(path, replay->opt->skip_truncated, &error);
	int ret;

	if (cap == NULL)
		return complain("%s: %s", path, error.text);
	res->capture = path;
	ret = replay_capture(replay, cap, res);
	capture_free(cap);
	if (ret == 0)
		report_capture(stdout, res, replay->books);
	return ret;
}

static int
replay_files(const struct replay *replay, struct replay_result *res)
{
	int i;

	for (i = 0; i < replay->opt->nb_captures; i++)
		if (replay_file(replay, replay->opt->captures[i], &res[i]) < 0)
			return -1;
	return 0;
}

static int
write_json(struct replay *replay, const struct replay_result *res)
{
	if (replay->opt->json == NULL)
		return 0;
	replay->json = outfile_open(replay->opt->json);
	if (replay->json == NULL)
		return -1;
	return report_json(
			outfile_stream(replay->json), res, replay->opt->nb_captures, replay->books);
}

static int
open_outputs(struct replay *replay)
{
	if (replay->opt->line != NULL) {
		replay->line = pcap_out_open(replay->opt->line);
		if (replay->line == NULL)
			return -1;
	}
	if (replay->opt->restored != NULL) {
		replay->restored = pcap_out_open(replay->opt->restored);
		if (replay->restored == NULL)
			return -1;
	}
	return 0;
}

/* All are written out before any gets its name, so that a full disk leaves none behind. */
static int
seal_outputs(struct replay *replay, int bad)
{
	if (!bad && replay->line != NULL && pcap_out_seal(replay->line) < 0)
		return -1;
	if (!bad && replay->restored != NULL && pcap_out_seal(replay->restored) < 0)
		return -1;
	return replay->json != NULL ? outfile_seal(replay->json) : 0;
}

static int
close_capture(struct pcap_out *out, int keep)
{
	if (out != NULL && keep)
		return pcap_out_commit(out);
	pcap_out_abort(out);
	return 0;
}

/* The JSON report tells of frames that did not come back, too; the other files do not. */
static int
close_outputs(struct replay *replay, int failed, int bad)
{
	int ret = close_capture(replay->line, !failed && !bad);

	if (close_capture(replay->restored, !failed && !bad) < 0)
		ret = -1;
	if (replay->json == NULL)
		return ret;
	if (!failed)
		return outfile_commit(replay->json) < 0 ? -1 : ret;
	outfile_abort(replay->json);
	return ret;
}

static int
run(struct replay *replay)
{
	struct replay_result *res = calloc(replay->opt->nb_captures, sizeof(*res));
	int failed, bad = 0;

	if (res == NULL)
		return complain("out of memory");
	failed = open_outputs(replay) < 0 || replay_files(replay, res) < 0;
	for (int i = 0; !failed && i < replay->opt->nb_captures; i++)
		bad |= !result_is_good(&res[i]);
	failed = failed || write_json(replay, res) < 0 || seal_outputs(replay, bad) < 0;
	if (!failed)
		report_verdict(stdout, res, replay->opt->nb_captures);
	if (fflush(stdout) != 0)
		failed = complain("standard output: %s", strerror(errno));
	if (close_outputs(replay, failed, bad) < 0)
		failed = 1;
	free(res);
	return failed || bad ? -1 : 0;
}

static void
warn_of_kernel(const char *kernel, const char *book, const char *used)
{
	complain("warning: kernel %s fails its self-test with codebook %s, which uses %s instead",
			kernel, book, used);
}

static struct lp_bookset *
load_books(const struct options *opt)
{
	struct lp_error error = { .line = 0 };
	struct lp_bookset *books = books_load(opt->codebooks, opt->kernel, &error);

	if (books == NULL)
		complain("%s", error.text);
	else if (opt->kernel == NULL)
		books_failures(books, warn_of_kernel);
	return books;
}

int
main(int argc, char **argv)
{
	const int split = find_separator(argc, argv);
	struct options opt;
	struct replay replay = { .opt = &opt, .stop = &stop };
	char error[KEY_FILE_ERROR_MAX];
	struct lp_bookset *books;
	int ret = EXIT_FAILURE;

	switch (options_parse(&opt, argc - split, argv + split)) {
	case OPTIONS_DONE:
		return EXIT_SUCCESS;
	case OPTIONS_BAD:
		return EXIT_FAILURE;
	case OPTIONS_RUN:
		break;
	}
	if (opt.key_file != NULL && key_file_read(opt.key_file, &replay.key, error) < 0) {
		complain("--key-file: %s: %s", opt.key_file, error);
		return EXIT_FAILURE;
	}
	books = load_books(&opt);
	if (books == NULL)
		return EXIT_FAILURE;
	replay.books = books;
	if (eal_start(split == 0 ? 1 : split, argv) < 0)
		goto free_books;
	catch_signals();
	if (run(&replay) == 0)
		ret = EXIT_SUCCESS;
	eal_stop();
free_books:
	lp_bookset_free(books);
	return ret;
}
