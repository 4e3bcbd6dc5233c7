/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "log.h"
#include "report_port.h"

/* Layout of testpmd 22.11, nic_stats_display() and nic_xstats_display(). */
#define HASHES "########################"

/** What was counted at some time. */
struct counters {
	double time_s; /**< CLOCK_MONOTONIC; 0: never */
	struct rte_eth_stats stats;
};

/** What is remembered of a port. */
static struct {
	struct rte_eth_stats cleared;
	struct counters shown;
	uint64_t *xstats_cleared; /**< by their numbers, NULL: never */
	unsigned int nb_xstats_cleared;
	double displayed_s; /**< when the chosen ones were shown */
	uint64_t displayed[XSTATS_DISPLAYED_MAX];
} memory[RTE_MAX_ETHPORTS];

/** Extended statistics that are printed in addition. */
static struct {
	unsigned int count;
	char name[XSTATS_DISPLAYED_MAX][RTE_ETH_XSTATS_NAME_SIZE];
} chosen;

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A device may begin anew by itself, for instance when it is started. */
static uint64_t
since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/* ---- statistics ---- */

static void
print_rates(const struct rte_eth_stats *now, const struct rte_eth_stats *before, double seconds)
{
	const double per_s = seconds > 0 ? 1 / seconds : 0;

	printf("\n  Throughput (since last show)\n");
	printf("  Rx-pps: %12" PRIu64 "          Rx-bps: %12" PRIu64 "\n"
	       "  Tx-pps: %12" PRIu64 "          Tx-bps: %12" PRIu64 "\n",
			(uint64_t)((double)since(now->ipackets, before->ipackets) * per_s),
			(uint64_t)((double)since(now->ibytes, before->ibytes) * per_s * 8),
			(uint64_t)((double)since(now->opackets, before->opackets) * per_s),
			(uint64_t)((double)since(now->obytes, before->obytes) * per_s * 8));
}

static uint64_t
xstat_since_clear(uint16_t port_id, uint64_t id, uint64_t value)
{
	if (id >= memory[port_id].nb_xstats_cleared)
		return value;
	return since(value, memory[port_id].xstats_cleared[id]);
}

static bool
read_chosen(uint16_t port_id, unsigned int i, uint64_t *value)
{
	uint64_t id;

	if (rte_eth_xstats_get_id_by_name(port_id, chosen.name[i], &id) < 0 ||
			rte_eth_xstats_get_by_id(port_id, &id, value, 1) != 1)
		return false;
	*value = xstat_since_clear(port_id, id, *value);
	return true;
}

static void
print_chosen(uint16_t port_id)
{
	const double now = now_s(), before = memory[port_id].displayed_s;

	if (chosen.count == 0)
		return;
	printf("\n%-31s%-17s%s\n", " ", "Value", "Rate (since last show)");
	for (unsigned int i = 0; i < chosen.count; i++) {
		uint64_t *last = &memory[port_id].displayed[i], value;

		if (!read_chosen(port_id, i, &value))
			continue;
		printf("  %-25s%12" PRIu64 " %15" PRIu64 "\n", chosen.name[i], value,
				before == 0 ? 0
					    : (uint64_t)((double)since(value, *last) /
							      (now - before)));
		*last = value;
	}
	memory[port_id].displayed_s = now;
}

void
report_port_stats(const struct port *port)
{
	struct counters *shown = &memory[port->id].shown;
	const struct rte_eth_stats *cleared = &memory[port->id].cleared;
	const struct counters last = *shown;
	struct rte_eth_stats *stats = &shown->stats;
	const int ret = rte_eth_stats_get(port->id, stats);

	if (ret < 0) {
		app_error("port %u: rte_eth_stats_get: %s", port->id, rte_strerror(-ret));
		return;
	}
	shown->time_s = now_s();
	printf("\n  %s NIC statistics for port %-2u %s\n", HASHES, port->id, HASHES);
	printf("  RX-packets: %-10" PRIu64 " RX-missed: %-10" PRIu64 " RX-bytes:  %-" PRIu64 "\n",
			since(stats->ipackets, cleared->ipackets),
			since(stats->imissed, cleared->imissed),
			since(stats->ibytes, cleared->ibytes));
	printf("  RX-errors: %-" PRIu64 "\n", since(stats->ierrors, cleared->ierrors));
	printf("  RX-nombuf:  %-10" PRIu64 "\n", since(stats->rx_nombuf, cleared->rx_nombuf));
	printf("  TX-packets: %-10" PRIu64 " TX-errors: %-10" PRIu64 " TX-bytes:  %-" PRIu64 "\n",
			since(stats->opackets, cleared->opackets),
			since(stats->oerrors, cleared->oerrors),
			since(stats->obytes, cleared->obytes));
	print_rates(stats, &last.stats, last.time_s == 0 ? 0 : shown->time_s - last.time_s);
	print_chosen(port->id);
	printf("  %s############################%s\n", HASHES, HASHES);
}

void
report_port_stats_clear(const struct port *port)
{
	const int ret = rte_eth_stats_get(port->id, &memory[port->id].cleared);

	if (ret < 0)
		app_error("port %u: rte_eth_stats_get: %s", port->id, rte_strerror(-ret));
	else
		printf("\n  NIC statistics for port %u cleared\n", port->id);
}

/* ---- extended statistics ---- */

/** All extended statistics of a port. */
struct xstats {
	unsigned int count;
	struct rte_eth_xstat_name *name;
	struct rte_eth_xstat *value;
};

static void
xstats_free(struct xstats *xstats)
{
	free(xstats->name);
	free(xstats->value);
}

/* Returns true if all were read; xstats_free() is due in any case. */
static bool
xstats_read(uint16_t port_id, struct xstats *xstats)
{
	const int count = rte_eth_xstats_get_names(port_id, NULL, 0);

	*xstats = (struct xstats){ 0 };
	if (count > 0) {
		xstats->count = (unsigned int)count;
		xstats->name = calloc(xstats->count, sizeof(*xstats->name));
		xstats->value = calloc(xstats->count, sizeof(*xstats->value));
	}
	if (xstats->name != NULL && xstats->value != NULL &&
			rte_eth_xstats_get_names(port_id, xstats->name, xstats->count) == count &&
			rte_eth_xstats_get(port_id, xstats->value, xstats->count) == count)
		return true;
	app_error("port %u: cannot read its extended statistics", port_id);
	return false;
}

void
report_port_xstats(const struct port *port)
{
	struct xstats xstats;

	printf("###### NIC extended statistics for port %-2u\n", port->id);
	if (xstats_read(port->id, &xstats))
		for (unsigned int i = 0; i < xstats.count; i++)
			printf("%s: %" PRIu64 "\n", xstats.name[i].name,
					xstat_since_clear(port->id, i, xstats.value[i].value));
	xstats_free(&xstats);
}

void
report_port_xstats_clear(const struct port *port)
{
	uint64_t *cleared;
	struct xstats xstats;

	if (xstats_read(port->id, &xstats)) {
		cleared = calloc(xstats.count, sizeof(*cleared));
		for (unsigned int i = 0; cleared != NULL && i < xstats.count; i++)
			cleared[i] = xstats.value[i].value;
		free(memory[port->id].xstats_cleared);
		memory[port->id].xstats_cleared = cleared;
		memory[port->id].nb_xstats_cleared = cleared == NULL ? 0 : xstats.count;
	}
	xstats_free(&xstats);
	rte_eth_stats_get(port->id, &memory[port->id].cleared);
}

/* ---- --display-xstats ---- */

static int
choose(const char *name, size_t len, const struct port_table *ports)
{
	char *chosen_name = chosen.name[chosen.count];
	uint64_t id;

	if (len == 0 || len >= RTE_ETH_XSTATS_NAME_SIZE || chosen.count == XSTATS_DISPLAYED_MAX) {
		app_error("--display-xstats=%s: must be 1 to %u names of at most %u characters, separated by commas",
				chosen.count == XSTATS_DISPLAYED_MAX ? "..." : name,
				XSTATS_DISPLAYED_MAX, RTE_ETH_XSTATS_NAME_SIZE - 1);
		return -EINVAL;
	}
	memcpy(chosen_name, name, len);
	chosen_name[len] = '\0';
	for (uint16_t i = 0; i < ports->count; i++) {
		if (rte_eth_xstats_get_id_by_name(ports->port[i].id, chosen_name, &id) == 0) {
			chosen.count++;
			return 0;
		}
	}
	app_error("--display-xstats: no port has an extended statistic %s; `show port xstats all` lists them",
			chosen_name);
	return -ENOENT;
}

int
report_xstats_choose(const char *names, const struct port_table *ports)
{
	int ret = 0;

	chosen.count = 0;
	while (names != NULL && ret == 0) {
		const size_t len = strcspn(names, ",");

		ret = choose(names, len, ports);
		names = names[len] == ',' ? names + len + 1 : NULL;
	}
	return ret;
}

void
report_xstats_progress(const struct port_table *ports, double elapsed_s)
{
	for (uint16_t i = 0; chosen.count > 0 && i < ports->count; i++) {
		const uint16_t id = ports->port[i].id;
		uint64_t value;

		if (ports->port[i].is_closed)
			continue;
		printf("%8.1f s  port %u:", elapsed_s, id);
		for (unsigned int k = 0; k < chosen.count; k++)
			if (read_chosen(id, k, &value))
				printf(" %s: %" PRIu64, chosen.name[k], value);
		printf("\n");
	}
	fflush(stdout);
}

void
report_xstats_final(const struct port_table *ports)
{
	for (uint16_t i = 0; chosen.count > 0 && i < ports->count; i++) {
		const uint16_t id = ports->port[i].id;
		uint64_t value;

		if (ports->port[i].is_closed)
			continue;
		printf("\n###### NIC extended statistics for port %-2u\n", id);
		for (unsigned int k = 0; k < chosen.count; k++)
			if (read_chosen(id, k, &value))
				printf("%s: %" PRIu64 "\n", chosen.name[k], value);
	}
}
