/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include "line_programs.h"
#include "line_stats.h"
#include "linepress/wire.h"

#define START_AND_END_S 60 /* at most: it loads the capture first */
#define FRAME_LEN_DEFAULT 9042
#define FCS_LEN 4

static void
add_arguments(struct child_command *arguments, const struct line_setup *setup, enum line_mode mode)
{
	const struct line_options *opt = setup->opt;
	const uint32_t longest = setup->traffic->frames[SIDE_HOST]->longest + LP_SHIM_MAX + FCS_LEN;

	child_command_add(arguments, "--forward-mode=%s", line_mode_name(mode));
	child_command_add(arguments, "--duration=%ld", opt->seconds);
	if (mode == LINE_PRESS)
		child_command_add(arguments, "--peer=static");
	if (longest > FRAME_LEN_DEFAULT)
		child_command_add(arguments, "--max-pkt-len=%u", longest);
	if (mode == LINE_IO)
		return;
	child_command_add(arguments, "--codebooks=%s", opt->codebooks);
	if (opt->kernel != NULL)
		child_command_add(arguments, "--kernel=%s", opt->kernel);
}

int
line_run_linepress(const char *program, const struct line_setup *setup, enum line_mode mode,
		struct line_counts *counts)
{
	struct child_command arguments = { 0 };
	struct child child = CHILD(setup->traffic->stop);
	char stats[PATH_MAX];
	int ret;

	*counts = (struct line_counts){ 0 };
	child_command_add(&arguments, "%s", program);
	ret = line_setup_add(&arguments, setup);
	add_arguments(&arguments, setup, mode);
	snprintf(stats, sizeof(stats), "%s/stats.json", setup->traffic->dir);
	child_command_add(&arguments, "--stats-json=%s", stats);
	remove(stats); /* of the run before */
	if (ret == 0)
		ret = child_start(&child, &arguments, setup->traffic->dir, false);
	if (ret == 0)
		ret = child_wait(&child, (double)setup->opt->seconds + START_AND_END_S);
	child_end(&child);
	child_command_free(&arguments);
	if (ret < 0)
		return ret;
	counts->cpu_share = child.cpu_share;
	return line_stats_read(stats, counts);
}
