/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "app_ports.h"
#include "log.h"
#include "port_conf.h"

static bool
is_forwarding(const struct app *app, const struct port *port)
{
	for (uint32_t i = 0; app->is_forwarding && i < app->map.nb_streams; i++) {
		const struct stream *stream = app->map.stream[i];

		if (stream->rx_port == port->id || stream->tx_port == port->id)
			return true;
	}
	return false;
}

/* ---- start, stop, close ---- */

int
app_ports_start(struct app *app, const struct port_set *set)
{
	int ret = 0;

	for (uint16_t i = 0; i < set->count && ret == 0; i++)
		ret = port_start(&app->opts, &app->pools, set->port[i]);
	if (ret == 0 && !app->opts.disable_link_check)
		ports_link_wait(&app->ports);
	return ret;
}

/* Whoever replays captures must know before the results are gone. */
static void
warn_of_reopened_files(const struct port *port)
{
	if (strcmp(port->info.driver_name, "net_pcap") == 0)
		printf("Port %u: at its next start net_pcap opens its files anew: it reads from the "
		       "first frame on, and empties what it has written\n",
				port->id);
}

int
app_ports_stop(struct app *app, const struct port_set *set)
{
	for (uint16_t i = 0; i < set->count; i++) {
		if (is_forwarding(app, set->port[i])) {
			app_error("port %u is forwarding: please stop forwarding first",
					set->port[i]->id);
			return -EBUSY;
		}
	}
	for (uint16_t i = 0; i < set->count; i++) {
		if (!set->port[i]->is_started)
			continue;
		port_stop(set->port[i]);
		warn_of_reopened_files(set->port[i]);
	}
	printf("Done\n");
	return 0;
}

/*
 * With a closed port in the list there is no plan, and nothing else could be configured: not even
 * the mode that the ports left over may need. A list of closed ports alone stays, since an empty
 * one stands for all ports, also those that were left out on purpose.
 */
static void
unlist_closed(struct app *app)
{
	struct options *opts = &app->opts;
	uint32_t open[RTE_MAX_ETHPORTS], count = 0;

	for (uint32_t i = 0; i < opts->nb_portlist; i++)
		if (!app->ports.port[ports_position(&app->ports, opts->portlist[i])].is_closed)
			open[count++] = opts->portlist[i];
	if (count == 0 || count == opts->nb_portlist)
		return;
	memcpy(opts->portlist, open, count * sizeof(open[0]));
	opts->nb_portlist = count;
	printf("Number of forwarding ports is now %u\n", count);
}

int
app_ports_close(struct app *app, const struct port_set *set)
{
	for (uint16_t i = 0; i < set->count; i++) {
		if (set->port[i]->is_started) {
			app_error("port %u is started: please stop it first", set->port[i]->id);
			return -EBUSY;
		}
	}
	for (uint16_t i = 0; i < set->count; i++)
		port_close(set->port[i]);
	unlist_closed(app);
	printf("Done\n");
	return 0;
}

/* ---- what a device is told while it runs ---- */

static int
complain(const struct port *port, const char *what, int ret)
{
	app_error("port %u: %s does not %s: %s", port->id, port->info.driver_name, what,
			rte_strerror(-ret));
	return ret;
}

int
app_ports_set_promiscuous(const struct port_set *set, bool on)
{
	int result = 0;

	for (uint16_t i = 0; i < set->count; i++) {
		const int ret = port_set_promiscuous(set->port[i]->id, on);

		if (ret < 0)
			result = complain(set->port[i],
					on ? "enable promiscuous mode" : "disable promiscuous mode",
					ret);
		else
			set->port[i]->is_promiscuous = on;
	}
	return result;
}

int
app_ports_set_allmulticast(const struct port_set *set, bool on)
{
	int result = 0;

	for (uint16_t i = 0; i < set->count; i++) {
		const int ret = port_set_allmulticast(set->port[i]->id, on);

		if (ret < 0)
			result = complain(set->port[i],
					on ? "enable all-multicast mode"
					   : "disable all-multicast mode",
					ret);
		else
			set->port[i]->is_allmulticast = on;
	}
	return result;
}

int
app_port_set_link(const struct port *port, bool up)
{
	const int ret = up ? rte_eth_dev_set_link_up(port->id)
			   : rte_eth_dev_set_link_down(port->id);

	return ret < 0 ? complain(port, up ? "set its link up" : "set its link down", ret) : 0;
}

int
app_port_set_mtu(const struct app *app, struct port *port, uint16_t mtu)
{
	if (is_forwarding(app, port)) {
		app_error("port %u is forwarding: please stop forwarding first", port->id);
		return -EBUSY;
	}
	const int ret = rte_eth_dev_set_mtu(port->id, mtu);

	if (ret == -EBUSY)
		app_error("port %u: %s changes its MTU only while stopped: `port stop %u` first",
				port->id, port->info.driver_name, port->id);
	else if (ret < 0)
		complain(port, "change its MTU", ret);
	else
		port->mtu = mtu;
	return ret;
}
