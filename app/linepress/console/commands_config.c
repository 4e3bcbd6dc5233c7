/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What forwarding does from its next start on. */

#include <stdio.h>
#include <string.h>

#include <rte_lcore.h>

#include "commands.h"
#include "log.h"
#include "numbers.h"

bool
command_adopt(const struct options *opts)
{
	struct app *app = console_app();

	if (app_change(app, opts) < 0)
		return false;
	if (app->is_forwarding)
		printf("Configuration changes only become active when forwarding is started/restarted\n");
	return true;
}

static void
set_fwd(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;

	if (options_set_mode("set fwd ", words->w[2], &opts) == 0 && command_adopt(&opts))
		printf("Set %s packet forwarding mode\n", words->w[2]);
}

static void
set_burst(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;

	if (!number_parse(words->w[2], 1, BURST_MAX, &opts.burst_pkts))
		app_error("set burst %s: must be 1 to %u", words->w[2], BURST_MAX);
	else if (command_adopt(&opts))
		printf("Number of packets per burst set to %u\n", opts.burst_pkts);
}

/* ---- lcores ---- */

static bool
is_stopped(void)
{
	if (console_app()->is_forwarding)
		app_error("please stop forwarding first");
	return !console_app()->is_forwarding;
}

static void
set_nbcore(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;
	const uint32_t max = opts.nb_corelist > 0 ? opts.nb_corelist
						  : RTE_MAX(rte_lcore_count() - 1, 1u);

	if (!is_stopped())
		return;
	if (!number_parse(words->w[2], 1, max, &opts.nb_cores))
		app_error("set nbcore %s: must be 1 to %u, the lcores that may forward",
				words->w[2], max);
	else if (command_adopt(&opts))
		printf("Number of forwarding cores set to %u\n", opts.nb_cores);
}

static void
set_cores(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	const bool is_mask = strcmp(words->w[1], "coremask") == 0;
	const uint32_t before = console_app()->opts.nb_cores;
	struct options opts = console_app()->opts;
	const int ret = is_mask ? options_set_coremask("set coremask ", words->w[2], &opts)
				: options_set_corelist("set corelist ", words->w[2], &opts);

	if (ret < 0 || !is_stopped() || !command_adopt(&opts))
		return;
	if (opts.nb_cores != before)
		printf("previous number of forwarding cores %u - changed to number of configured cores %u\n",
				before, opts.nb_cores);
}

static void
set_distribution(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;

	if (options_set_distribution("set distribution ", words->w[2], &opts) == 0 &&
			command_adopt(&opts))
		printf("Frames are distributed over lcores by %s\n", words->w[2]);
}

static void
set_peer(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;

	if (options_set_peer("set peer ", words->w[2], &opts) == 0 && command_adopt(&opts))
		printf("Set peer %s\n", words->w[2]);
}

/* ---- ports ---- */

static uint32_t
forwarding_ports(const struct app *app, const struct options *opts)
{
	uint32_t open = 0;

	for (uint16_t i = 0; i < app->ports.count; i++)
		open += !app->ports.port[i].is_closed;
	return opts->nb_portlist > 0 ? opts->nb_portlist : open;
}

static void
set_ports(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	const struct app *app = console_app();
	const bool is_mask = strcmp(words->w[1], "portmask") == 0;
	const uint32_t before = forwarding_ports(app, &app->opts);
	struct options opts = app->opts;
	const int ret = is_mask ? options_set_portmask("set portmask ", words->w[2], &opts)
				: options_set_portlist("set portlist ", words->w[2], &opts);

	if (ret < 0 || !command_adopt(&opts))
		return;
	if (opts.nb_portlist != before)
		printf("previous number of forwarding ports %u - changed to number of configured ports %u\n",
				before, opts.nb_portlist);
}

/* ---- what is not changed ---- */

static void
set_flush_rx(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;

	if (strcmp(words->w[2], "on") == 0)
		app_error("set flush_rx on: refused, frames that wait in receive queues at start are forwarded, never flushed");
}

static void
refuse_eth_peer(void *parsed __rte_unused, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	app_error("set eth-peer: refused, linepress is transparent and never rewrites MAC addresses");
}

COMMAND(cmd_set_nbcore, set_nbcore, "set nbcore N: set the number of forwarding lcores",
		WORD(0, "set"), WORD(1, "nbcore"), ANY(2));
COMMAND(cmd_set_cores, set_cores, "set corelist|coremask LIST|MASK: set the forwarding lcores",
		WORD(0, "set"), WORD(1, "corelist#coremask"), ANY(2));
COMMAND(cmd_set_ports, set_ports, "set portlist|portmask LIST|MASK: set the forwarding ports",
		WORD(0, "set"), WORD(1, "portlist#portmask"), ANY(2));
COMMAND(cmd_set_flush_rx, set_flush_rx,
		"set flush_rx off: always so, receive queues are never flushed", WORD(0, "set"),
		WORD(1, "flush_rx"), WORD(2, "on#off"));
COMMAND(cmd_set_eth_peer, refuse_eth_peer,
		"set eth-peer P MAC: refused, MAC addresses are never rewritten", WORD(0, "set"),
		WORD(1, "eth-peer"), ANY(2), ANY(3));
COMMAND(cmd_set_fwd, set_fwd, "set fwd press|compress|restore|io|verify: set the forwarding mode",
		WORD(0, "set"), WORD(1, "fwd"), ANY(2));
COMMAND(cmd_set_burst, set_burst, "set burst N: set the number of frames in a burst, 1 to 512",
		WORD(0, "set"), WORD(1, "burst"), ANY(2));
COMMAND(cmd_set_distribution, set_distribution,
		"set distribution queue|flow: deal frames out to lcores by queue or by flow",
		WORD(0, "set"), WORD(1, "distribution"), ANY(2));

COMMAND(cmd_set_peer, set_peer,
		"set peer hello|static: code what the far box says it can restore, or everything",
		WORD(0, "set"), WORD(1, "peer"), ANY(2));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_set_fwd,
	&cmd_set_burst,
	&cmd_set_nbcore,
	&cmd_set_cores,
	&cmd_set_ports,
	&cmd_set_flush_rx,
	&cmd_set_eth_peer,
	&cmd_set_distribution,
	&cmd_set_peer,
	NULL,
};

const struct command_section commands_config = { "config", "Configuration", commands };
