/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Ports: start, stop, configure. */

#include <stdio.h>
#include <string.h>

#include "app_ports.h"
#include "commands.h"
#include "log.h"
#include "numbers.h"
#include "port_conf.h"

/* ---- start, stop, close ---- */

static void
change_state(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	static const struct {
		const char *name;
		int (*change)(struct app *app, const struct port_set *set);
	} changes[] = {
		{ "start", app_ports_start },
		{ "stop", app_ports_stop },
		{ "close", app_ports_close },
	};
	const struct words *words = parsed;
	struct app *app = console_app();
	struct port_set set;
	char what[STR_TOKEN_SIZE + 16];

	snprintf(what, sizeof(what), "port %s ", words->w[1]);
	if (ports_select(what, words->w[2], &app->ports, &set) < 0)
		return;
	for (size_t i = 0; i < RTE_DIM(changes); i++)
		if (strcmp(words->w[1], changes[i].name) == 0)
			changes[i].change(app, &set);
}

/* ---- what a device is told while it runs ---- */

static void
set_promisc(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct port_set set;

	if (ports_select("set promisc ", words->w[2], &console_app()->ports, &set) == 0)
		app_ports_set_promiscuous(&set, strcmp(words->w[3], "on") == 0);
}

static void
set_allmulti(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct port_set set;

	if (ports_select("set allmulti ", words->w[2], &console_app()->ports, &set) == 0)
		app_ports_set_allmulticast(&set, strcmp(words->w[3], "on") == 0);
}

static void
set_link(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	const bool up = strcmp(words->w[1], "link-up") == 0;
	struct port_set set;

	if (ports_select(up ? "set link-up port " : "set link-down port ", words->w[3],
			    &console_app()->ports, &set) < 0)
		return;
	for (uint16_t i = 0; i < set.count; i++)
		app_port_set_link(set.port[i], up);
}

static void
config_mtu(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct app *app = console_app();
	struct port_set set;

	if (ports_select("port config mtu ", words->w[3], &app->ports, &set) < 0)
		return;
	for (uint16_t i = 0; i < set.count; i++) {
		struct port *port = set.port[i];
		uint32_t min, max, mtu;

		port_mtu_range(&app->opts, port, &min, &max);
		if (number_parse(words->w[4], min, max, &mtu))
			app_port_set_mtu(app, port, (uint16_t)mtu);
		else
			app_error("port config mtu %u %s: must be %u to %u, which %s and max-pkt-len %u allow",
					port->id, words->w[4], min, max, port->info.driver_name,
					app->opts.max_pkt_len);
	}
}

/* ---- what ports are set up with ---- */

static void
config_all(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;
	const struct {
		const char *name;
		uint32_t *value;
		uint32_t max;
	} fields[] = {
		{ "rxq", &opts.rxq, RTE_MAX_QUEUES_PER_PORT },
		{ "txq", &opts.txq, RTE_MAX_QUEUES_PER_PORT },
		{ "rxd", &opts.rxd, UINT16_MAX },
		{ "txd", &opts.txd, UINT16_MAX },
	};

	for (size_t i = 0; i < RTE_DIM(fields); i++) {
		if (strcmp(words->w[3], fields[i].name) != 0)
			continue;
		if (!number_parse(words->w[4], 1, fields[i].max, fields[i].value))
			app_error("port config all %s %s: must be 1 to %u", words->w[3],
					words->w[4], fields[i].max);
		else
			app_change_ports(console_app(), &opts);
	}
}

static void
config_max_pkt_len(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *words = parsed;
	struct options opts = console_app()->opts;
	const uint32_t room = pools_data_room(&opts);
	/* --mbuf-size may have asked for chains of mbufs */
	const uint32_t max = opts.max_pkt_len > room ? MAX_PKT_LEN_MAX : room;

	if (!number_parse(words->w[4], MAX_PKT_LEN_MIN, max, &opts.max_pkt_len))
		app_error("port config all max-pkt-len %s: must be %u to %u%s", words->w[4],
				MAX_PKT_LEN_MIN, max,
				max == room ? ", what an mbuf holds; see --max-pkt-len and --mbuf-size"
					    : "");
	else
		app_change_ports(console_app(), &opts);
}

COMMAND(cmd_port, change_state,
		"port start|stop|close P|all: start, stop or close ports; net_pcap then begins its files anew",
		WORD(0, "port"), WORD(1, "start#stop#close"), ANY(2));
COMMAND(cmd_config_mtu, config_mtu, "port config mtu P|all N: set the MTU of a port",
		WORD(0, "port"), WORD(1, "config"), WORD(2, "mtu"), ANY(3), ANY(4));
COMMAND(cmd_config_all, config_all,
		"port config all rxq|txq|rxd|txd N: set queues or descriptors, with all ports stopped",
		WORD(0, "port"), WORD(1, "config"), WORD(2, "all"), WORD(3, "rxq#txq#rxd#txd"),
		ANY(4));
COMMAND(cmd_config_max_pkt_len, config_max_pkt_len,
		"port config all max-pkt-len N: set the longest frame, with all ports stopped",
		WORD(0, "port"), WORD(1, "config"), WORD(2, "all"), WORD(3, "max-pkt-len"), ANY(4));
COMMAND(cmd_set_promisc, set_promisc,
		"set promisc P|all on|off: receive frames to any address, or not", WORD(0, "set"),
		WORD(1, "promisc"), ANY(2), WORD(3, "on#off"));
COMMAND(cmd_set_allmulti, set_allmulti,
		"set allmulti P|all on|off: receive all multicast frames, or not", WORD(0, "set"),
		WORD(1, "allmulti"), ANY(2), WORD(3, "on#off"));
COMMAND(cmd_set_link, set_link, "set link-up|link-down port P|all: set a link up or down",
		WORD(0, "set"), WORD(1, "link-up#link-down"), WORD(2, "port"), ANY(3));

static cmdline_parse_inst_t *const commands[] = {
	&cmd_port,
	&cmd_config_mtu,
	&cmd_config_all,
	&cmd_config_max_pkt_len,
	&cmd_set_promisc,
	&cmd_set_allmulti,
	&cmd_set_link,
	NULL,
};

const struct command_section commands_ports = { "ports", "Ports", commands };
