/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What forwarding does from its next start on. */

#include <stdio.h>

#include "commands.h"
#include "log.h"
#include "numbers.h"

/* As testpmd: lcores that forward are not disturbed. */
static void
adopt(const struct options *opts)
{
	struct app *app = console_app();

	if (app_change(app, opts) == 0 && app->is_forwarding)
		printf("Configuration changes only become active when forwarding is started/restarted\n");
}

static void
set_fwd(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;

	if (options_set_mode("set fwd ", words->w[2], &opts) < 0)
		return;
	adopt(&opts);
}

static void
set_burst(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;

	if (!number_parse(words->w[2], 1, BURST_MAX, &opts.burst_pkts))
		app_error("set burst %s: must be 1 to %u", words->w[2], BURST_MAX);
	else
		adopt(&opts);
}

COMMAND(cmd_set_fwd, set_fwd, "set fwd press|compress|restore|io|verify: set the forwarding mode",
		WORD(0, "set"), WORD(1, "fwd"), ANY(2));
COMMAND(cmd_set_burst, set_burst, "set burst N: set the number of frames in a burst, 1 to 512",
		WORD(0, "set"), WORD(1, "burst"), ANY(2));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_set_fwd,
	&cmd_set_burst,
	NULL,
};

const struct command_section commands_config = { "config", "Configuration", commands };
