/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Figures as SVG, drawn by gnuplot, which takes its orders from a pipe. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evaluation.h"
#include "message.h"

#define PMF_SHARDS 16 /* more lines than that nobody can tell apart */

static const char *const files[] = { "pmf.svg", "compressibility.svg" };

#define FILES (sizeof(files) / sizeof(files[0]))

struct figure_writer {
	const char *dir;
	pid_t pid;
	FILE *pipe;
};

static void
temporary_name(const struct figure_writer *w, size_t file, char *path)
{
	snprintf(path, PATH_MAX, "%s/%s.%d.tmp", w->dir, files[file], (int)getpid());
}

/* Its standard input is a pipe; 0 or an errno. */
static int
start_gnuplot(struct figure_writer *w)
{
	char program[] = "gnuplot";
	char *argv[] = { program, NULL };
	posix_spawn_file_actions_t actions;
	int end[2], ret;

	if (pipe2(end, O_CLOEXEC) < 0)
		return errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, end[0], STDIN_FILENO);
	ret = posix_spawnp(&w->pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(end[0]);
	w->pipe = ret == 0 ? fdopen(end[1], "w") : NULL;
	if (w->pipe == NULL)
		close(end[1]);
	return ret;
}

struct figure_writer *
figures_open(const char *dir)
{
	struct figure_writer *w = NULL;
	int ret;

	if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
		complain("%s: %s", dir, strerror(errno));
		return NULL;
	}
	if (access(dir, W_OK | X_OK) < 0 || (w = calloc(1, sizeof(*w))) == NULL) {
		complain("%s: %s", dir, strerror(errno));
		return NULL;
	}
	signal(SIGPIPE, SIG_IGN);
	w->dir = dir;
	ret = start_gnuplot(w);
	if (ret == 0)
		return w;
	complain("--figures needs gnuplot (Debian package gnuplot-nox): %s", strerror(ret));
	free(w);
	return NULL;
}

/* ---- drawing ---- */

static void
begin_figure(struct figure_writer *w, size_t file)
{
	char path[PATH_MAX];

	temporary_name(w, file, path);
	fputs("reset\nset terminal svg size 900,420 dynamic font 'sans,12' background 'white'\n"
	      "set output '",
			w->pipe);
	for (const char *c = path; *c != '\0'; c++)
		fprintf(w->pipe, *c == '\'' ? "''" : "%c", *c);
	fputs("'\nset grid\nset key outside right\n", w->pipe);
}

/* How likely each byte is, in some shards spread over all, and on average. */
static void
draw_pmf(struct figure_writer *w, const struct evaluation *ev)
{
	const size_t drawn = ev->shards < PMF_SHARDS ? ev->shards : PMF_SHARDS;
	double mean[256] = { 0 };

	fputs("$pmf << EOD\n", w->pipe);
	for (size_t k = 0; k < ev->shards; k++)
		for (unsigned int s = 0; s < 256; s++)
			mean[s] += ev->shard[k].count[s] / ev->total.bytes;
	for (unsigned int s = 0; s < 256; s++) {
		fprintf(w->pipe, "%u %.6f", s, mean[s]);
		for (size_t k = 0; k < drawn; k++) {
			const struct shard *shard = &ev->shard[k * ev->shards / drawn];

			fprintf(w->pipe, " %.6f", shard->count[s] / shard->figures.bytes);
		}
		fputc('\n', w->pipe);
	}
	fputs("EOD\n", w->pipe);
	begin_figure(w, 0);
	fprintf(w->pipe,
			"set title '%s: distribution of bytes in shards of 64 KiB'\n"
			"set xlabel 'byte'\nset ylabel 'probability'\nset xrange [0:255]\n"
			"plot for [k=3:%zu] $pmf using 1:k with lines lw 0.5 lc rgb '#9999cc' "
			"title (k == 3 ? '%zu of %zu shards' : ''), "
			"$pmf using 1:2 with lines lw 2 lc rgb 'black' title 'average of all'\n",
			lp_type_name(ev->measurement.type), drawn + 2, drawn, ev->shards);
}

static int
by_shannon(const void *a, const void *b)
{
	const struct shard *const *x = a, *const *y = b;
	const double p = figures_saved(&(*x)->figures, METHOD_BYTE_SHANNON);
	const double q = figures_saved(&(*y)->figures, METHOD_BYTE_SHANNON);

	return p < q ? -1 : p > q;
}

static const struct {
	enum method method;
	const char *title;
} curves[] = {
	{ METHOD_SHANNON, "Shannon, exponents" },
	{ METHOD_BOOKS, "linepress, all books" },
	{ METHOD_BYTE_SHANNON, "Shannon, bytes" },
	{ METHOD_BYTE_HUFFMAN, "Huffman for each shard" },
	{ METHOD_SCHEME + SCHEME_FIXED, "fixed Huffman" },
	{ METHOD_SCHEME + SCHEME_QUAD, "Quad Length" },
	{ METHOD_SCHEME + SCHEME_DUAL, "Dual Length" },
};

#define CURVES (sizeof(curves) / sizeof(curves[0]))

/* What is saved of each shard, these in the order of their Shannon limit. */
static int
draw_compressibility(struct figure_writer *w, const struct evaluation *ev)
{
	const struct shard **sorted = calloc(ev->shards, sizeof(*sorted));

	if (sorted == NULL)
		return complain("out of memory");
	for (size_t k = 0; k < ev->shards; k++)
		sorted[k] = &ev->shard[k];
	qsort(sorted, ev->shards, sizeof(*sorted), by_shannon);
	fputs("$saved << EOD\n", w->pipe);
	for (size_t k = 0; k < ev->shards; k++) {
		fprintf(w->pipe, "%zu", k + 1);
		for (size_t i = 0; i < CURVES; i++)
			fprintf(w->pipe, " %.3f",
					figures_saved(&sorted[k]->figures, curves[i].method));
		fputc('\n', w->pipe);
	}
	fputs("EOD\n", w->pipe);
	begin_figure(w, 1);
	fprintf(w->pipe,
			"set title '%s: saved of each shard of 64 KiB'\n"
			"set xlabel 'shard, by the Shannon limit of its bytes'\nset ylabel 'percent'\n",
			lp_type_name(ev->measurement.type));
	for (size_t i = 0; i < CURVES; i++)
		if (method_is_there(&ev->measurement, curves[i].method))
			fprintf(w->pipe, "%s $saved using 1:%zu with lines lw 2 title '%s'",
					i == 0 ? "plot" : ",", i + 2, curves[i].title);
	fputc('\n', w->pipe);
	free(sorted);
	return 0;
}

int
figures_draw(struct figure_writer *w, const struct evaluation *ev)
{
	draw_pmf(w, ev);
	return draw_compressibility(w, ev);
}

/* ---- the end ---- */

static int
settle_file(const struct figure_writer *w, size_t file, bool keep)
{
	char temporary[PATH_MAX], path[PATH_MAX];

	temporary_name(w, file, temporary);
	snprintf(path, sizeof(path), "%s/%s", w->dir, files[file]);
	if (keep && rename(temporary, path) == 0)
		return 0;
	if (keep)
		complain("%s: %s", path, strerror(errno));
	unlink(temporary);
	return keep ? -1 : 0;
}

int
figures_close(struct figure_writer *w, bool keep)
{
	int status = 0, ret = 0;

	if (fclose(w->pipe) != 0 && keep)
		ret = complain("gnuplot: %s", strerror(errno));
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ret == 0 && keep && status != 0)
		ret = complain("gnuplot failed with status %d", WEXITSTATUS(status));
	for (size_t k = 0; k < FILES; k++)
		if (settle_file(w, k, keep && ret == 0) < 0)
			ret = -1;
	free(w);
	return ret;
}
