/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "line_programs.h"
#include "line_rates.h"
#include "line_run.h"
#include "message.h"

#define TESTPMD "dpdk-testpmd"
#define DATAPATH_TIMEOUT_S 3600

static void
show_progress(const struct line_result *res, const char *what, unsigned int nb_lcores, long round)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s, %u lcore%s, round %ld of %ld ... ", what, nb_lcores,
				nb_lcores == 1 ? "" : "s", round + 1, res->opt->rounds);
}

static void
end_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- the codec without devices ---- */

static int
add_datapath_arguments(
		struct child_command *command, const struct line_result *res, const char *report)
{
	char program[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (len < 0)
		return complain("/proc/self/exe: cannot be read");
	program[len] = '\0';
	child_command_add(command, "%s", program);
	child_command_add(command, "datapath");
	child_command_add(command, "--seconds=%ld", res->opt->seconds);
	child_command_add(command, "--burst=%ld", res->opt->burst);
	child_command_add(command, "--codebooks=%s", res->opt->codebooks);
	if (res->opt->kernel != NULL)
		child_command_add(command, "--kernel=%s", res->opt->kernel);
	child_command_add(command, "--json=%s", report);
	child_command_add(command, "%s", res->traffic->path);
	return 0;
}

/* In a process of its own, so that the EAL binds none of ours to a CPU. */
static int
run_datapath(struct line_result *res)
{
	struct child_command command = { 0 };
	struct child child = CHILD(res->traffic->stop);
	char report[PATH_MAX];
	json_error_t error;
	int ret;

	show_progress(res, "codec and data path", 1, 0);
	snprintf(report, sizeof(report), "%s/datapath.json", res->traffic->dir);
	ret = add_datapath_arguments(&command, res, report);
	if (ret == 0)
		ret = child_start(&child, &command, res->traffic->dir, false);
	if (ret == 0)
		ret = child_wait(&child, DATAPATH_TIMEOUT_S);
	child_end(&child);
	child_command_free(&command);
	if (ret < 0)
		return -1;
	res->datapath = json_load_file(report, 0, &error);
	return res->datapath == NULL ? complain("%s: %s", report, error.text) : 0;
}

/* ---- rows ---- */

/* A port receives originals, unless there is only something to restore, or another port does. */
static void
set_up(const struct line_result *res, const struct line_row *row, struct line_setup *setup)
{
	*setup = (struct line_setup){
		.opt = res->opt,
		.traffic = res->traffic,
		.nb_lcores = row->nb_lcores,
		.nb_ports = row->mode == LINE_PRESS ? 2 : 1,
		.side = { row->mode == LINE_RESTORE ? SIDE_LINE : SIDE_HOST, SIDE_LINE },
	};
}

static int
run_row(const struct line_result *res, struct line_row *row, long round)
{
	struct line_setup setup;
	struct line_counts counts;
	int ret;

	set_up(res, row, &setup);
	show_progress(res, row->is_testpmd ? TESTPMD " io" : line_mode_name(row->mode),
			row->nb_lcores, round);
	if (row->is_testpmd)
		ret = line_run_testpmd(res->testpmd, &setup, &counts);
	else
		ret = line_run_linepress(res->linepress, &setup, row->mode, &counts);
	if (ret < 0)
		return -1;
	row->mpps[round] = line_mpps(&counts);
	row->cycles[round] = line_cycles(&counts, row->nb_lcores);
	if (row->cycles[round] < row->least_cycles || round == 0)
		row->least_cycles = row->cycles[round];
	if (round == 0 || row->mpps[round] > line_mpps(&row->best))
		row->best = counts;
	return 0;
}

/* Rows of one number of lcores are neighbours. */
static int
run_group(struct line_result *res, int first, int end)
{
	if (line_traffic_spread(res->traffic, res->row[first].nb_lcores) < 0)
		return -1;
	for (long round = 0; round < res->opt->rounds; round++)
		for (int k = first; k < end; k++)
			if (run_row(res, &res->row[k], round) < 0)
				return -1;
	return 0;
}

static int
add_row(struct line_result *res, bool is_testpmd, enum line_mode mode, unsigned int nb_lcores)
{
	struct line_row *row = &res->row[res->nb_rows];

	*row = (struct line_row){
		.is_testpmd = is_testpmd,
		.mode = mode,
		.nb_lcores = nb_lcores,
		.mpps = calloc((size_t)res->opt->rounds, sizeof(*row->mpps)),
		.cycles = calloc((size_t)res->opt->rounds, sizeof(*row->cycles)),
	};
	res->nb_rows++;
	return row->mpps == NULL || row->cycles == NULL ? complain("out of memory") : 0;
}

static int
plan(struct line_result *res)
{
	const struct line_options *opt = res->opt;

	res->row = calloc((size_t)opt->nb_lcores * (LINE_MODES + 1), sizeof(*res->row));
	if (res->row == NULL)
		return complain("out of memory");
	for (int k = 0; k < opt->nb_lcores; k++) {
		const unsigned int nb_lcores = (unsigned int)opt->lcores[k];

		if (res->testpmd[0] != '\0' && add_row(res, true, LINE_IO, nb_lcores) < 0)
			return -1;
		for (int mode = 0; mode < LINE_MODES; mode++)
			if (opt->mode[mode] &&
					add_row(res, false, (enum line_mode)mode, nb_lcores) < 0)
				return -1;
	}
	return 0;
}

int
line_run(struct line_result *res)
{
	const struct line_options *opt = res->opt;
	int ret = 0;

	if (!child_find("linepress", res->linepress))
		return complain("linepress is neither beside this program nor in PATH");
	if (!child_find(TESTPMD, res->testpmd))
		res->testpmd[0] = '\0';
	if (plan(res) < 0)
		return -1;
	if (opt->mode[LINE_COMPRESS] || opt->mode[LINE_RESTORE])
		ret = run_datapath(res);
	for (int first = 0, end; ret == 0 && first < res->nb_rows; first = end) {
		for (end = first; end < res->nb_rows &&
				res->row[end].nb_lcores == res->row[first].nb_lcores;)
			end++;
		ret = run_group(res, first, end);
	}
	end_progress();
	return ret;
}

const struct line_row *
line_row_find(const struct line_result *res, bool is_testpmd, enum line_mode mode,
		unsigned int nb_lcores)
{
	for (int k = 0; k < res->nb_rows; k++)
		if (res->row[k].is_testpmd == is_testpmd && res->row[k].mode == mode &&
				res->row[k].nb_lcores == nb_lcores)
			return &res->row[k];
	return NULL;
}

void
line_result_free(struct line_result *res)
{
	for (int k = 0; k < res->nb_rows; k++) {
		free(res->row[k].mpps);
		free(res->row[k].cycles);
	}
	free(res->row);
	json_decref(res->datapath);
}
