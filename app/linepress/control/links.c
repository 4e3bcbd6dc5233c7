/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "links.h"
#include "log.h"

#define LOOK_PERIOD_S 0.1

/* A line that comes and goes must not take the host along: so many looks find it up before. */
#define LOOKS_UP 3

static double looked_s;

static bool
is_up(const struct port *port)
{
	struct rte_eth_link link;

	return rte_eth_link_get_nowait(port->id, &link) != 0 || link.link_status == RTE_ETH_LINK_UP;
}

/* Once is enough to know that a device cannot do it. */
static void
set_host(struct port *host, bool up)
{
	const int ret = up ? rte_eth_dev_set_link_up(host->id)
			   : rte_eth_dev_set_link_down(host->id);

	host->is_held_down = !up;
	if (ret < 0 && !host->cannot_set_link) {
		host->cannot_set_link = true;
		LOG(WARNING, "port %u: %s cannot set its link: the host does not see that the line is down: %s",
				host->id, host->info.driver_name, rte_strerror(-ret));
	}
}

static void
look(struct port *line, struct port *host)
{
	if (!is_up(line)) {
		line->looks_up = 0;
		if (host->is_held_down)
			return;
		line->link_losses++;
		set_host(host, false);
		LOG(WARNING, "port %u: the line is down; port %u goes down with it", line->id,
				host->id);
	} else if (host->is_held_down && ++line->looks_up == LOOKS_UP) {
		set_host(host, true);
		LOG(NOTICE, "port %u: the line is up again, and port %u with it", line->id,
				host->id);
	}
}

void
links_begin(struct app *app)
{
	for (uint16_t i = 0; i < app->ports.count; i++)
		app->ports.port[i].link_losses = 0;
	looked_s = 0;
}

void
links_tick(struct app *app, double now_s)
{
	if (app->opts.no_link_propagation || app->map.mode != FWD_PRESS ||
			now_s - looked_s < LOOK_PERIOD_S)
		return;
	looked_s = now_s;
	for (uint32_t i = 0; i < app->map.nb_streams; i++) {
		const struct stream *stream = app->map.stream[i];

		if (stream->action == STREAM_RESTORE && stream->rx_queue == 0)
			look(&app->ports.port[ports_position(&app->ports, stream->rx_port)],
					&app->ports.port[ports_position(
							&app->ports, stream->tx_port)]);
	}
}

void
links_release(struct app *app)
{
	for (uint16_t i = 0; i < app->ports.count; i++)
		if (app->ports.port[i].is_held_down)
			set_host(&app->ports.port[i], true);
}
