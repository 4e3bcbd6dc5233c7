/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_SETUP_H
#define LINEPRESS_PERF_LINE_SETUP_H

/** @file Devices, lcores and memory: the same for linepress and testpmd. */

#include "child.h"
#include "line_counts.h"
#include "line_options.h"
#include "line_traffic.h"

/** What a program gets to forward. */
struct line_setup {
	const struct line_options *opt;
	const struct line_traffic *traffic;
	unsigned int nb_lcores; /**< that forward, each with a queue of each port */
	unsigned int nb_ports;
	enum line_side side[LINE_PORTS_MAX]; /**< what each port receives */
};

/**
 * Add the arguments of the EAL, "--", and those of forwarding that both programs have.
 *
 * @return
 *   0, or -1 having said why.
 */
int line_setup_add(struct child_command *command, const struct line_setup *setup);

#endif /* LINEPRESS_PERF_LINE_SETUP_H */
