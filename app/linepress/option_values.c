/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Values that arguments and prompt commands share. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "log.h"
#include "numbers.h"
#include "options.h"

#define NAMES_MAX 128 /* characters of all names of a table, joined */
#define PORT_MAX (RTE_MAX_ETHPORTS - 1)
#define LCORE_MAX (RTE_MAX_LCORE - 1)
#define MASK_PORT_MAX (PORT_MAX < 63 ? PORT_MAX : 63)
#define MASK_LCORE_MAX (LCORE_MAX < 63 ? LCORE_MAX : 63)

static const char *const mode_names[FWD_MODE_COUNT] = {
	[FWD_PRESS] = "press",
	[FWD_COMPRESS] = "compress",
	[FWD_RESTORE] = "restore",
	[FWD_IO] = "io",
	[FWD_VERIFY] = "verify",
};

static const char *const topology_names[TOPOLOGY_COUNT] = {
	[TOPOLOGY_PAIRED] = "paired",
	[TOPOLOGY_CHAINED] = "chained",
	[TOPOLOGY_LOOP] = "loop",
};

static const char *const distribution_names[DISTRIBUTION_COUNT] = {
	[DISTRIBUTION_QUEUE] = "queue",
	[DISTRIBUTION_FLOW] = "flow",
};

static const char *const peer_names[] = {
	[LP_PEER_HELLO] = "hello",
	[LP_PEER_STATIC] = "static",
};

const char *
fwd_mode_name(enum fwd_mode mode)
{
	return mode_names[mode];
}

const char *
port_topology_name(enum port_topology topology)
{
	return topology_names[topology];
}

const char *
distribution_name(enum distribution distribution)
{
	return distribution_names[distribution];
}

/* Place of a name in a table; a message with all names and a negative errno if it is not there. */
static int
read_name(const char *what, const char *value, const char *const *names, int count)
{
	char all[NAMES_MAX];
	int len = 0;

	for (int i = 0; i < count; i++) {
		if (strcmp(names[i], value) == 0)
			return i;
		const char *before = i == 0 ? "" : i == count - 1 ? " or " : ", ";

		len += snprintf(all + len, sizeof(all) - (size_t)len, "%s%s", before, names[i]);
	}
	app_error("%s%s: must be %s", what, value, all);
	return -EINVAL;
}

int
options_set_mode(const char *what, const char *value, struct options *opts)
{
	const int mode = read_name(what, value, mode_names, FWD_MODE_COUNT);

	if (mode >= 0)
		opts->mode = (enum fwd_mode)mode;
	return RTE_MIN(mode, 0);
}

int
options_set_topology(const char *what, const char *value, struct options *opts)
{
	const int topology = read_name(what, value, topology_names, TOPOLOGY_COUNT);

	if (topology >= 0)
		opts->topology = (enum port_topology)topology;
	return RTE_MIN(topology, 0);
}

int
options_set_distribution(const char *what, const char *value, struct options *opts)
{
	const int distribution = read_name(what, value, distribution_names, DISTRIBUTION_COUNT);

	if (distribution >= 0)
		opts->distribution = (enum distribution)distribution;
	return RTE_MIN(distribution, 0);
}

int
options_set_peer(const char *what, const char *value, struct options *opts)
{
	const int peer = read_name(what, value, peer_names, RTE_DIM(peer_names));

	if (peer >= 0)
		opts->peer = (enum lp_peer_mode)peer;
	return RTE_MIN(peer, 0);
}

/* ---- lists ---- */

static int
read_list(const char *what, const char *value, const char *noun, uint32_t max, uint32_t *ids,
		uint32_t *count)
{
	switch (list_parse(value, max, ids, count)) {
	case LIST_OK:
		return 0;
	case LIST_TWICE:
		app_error("%s%s: %s %u is listed twice", what, value, noun, ids[0]);
		return -EINVAL;
	default:
		app_error("%s%s: must be a list of %ss of 0 to %u such as 0,2 or 0-3", what, value,
				noun, max);
		return -EINVAL;
	}
}

static int
read_mask(const char *what, const char *value, const char *noun, uint32_t max, uint32_t *ids,
		uint32_t *count)
{
	if (mask_parse(value, max, ids, count))
		return 0;
	app_error("%s%s: must be a hexadecimal mask of %ss 0 to %u such as 0x3", what, value, noun,
			max);
	return -EINVAL;
}

static void
take_cores(const uint32_t *ids, uint32_t count, struct options *opts)
{
	memcpy(opts->corelist, ids, count * sizeof(ids[0]));
	opts->nb_corelist = count;
	opts->nb_cores = count;
}

int
options_set_corelist(const char *what, const char *value, struct options *opts)
{
	uint32_t ids[LCORE_MAX + 1], count;
	const int ret = read_list(what, value, "lcore", LCORE_MAX, ids, &count);

	if (ret == 0)
		take_cores(ids, count, opts);
	return ret;
}

int
options_set_coremask(const char *what, const char *value, struct options *opts)
{
	uint32_t ids[MASK_LCORE_MAX + 1], count;
	const int ret = read_mask(what, value, "lcore", MASK_LCORE_MAX, ids, &count);

	if (ret == 0)
		take_cores(ids, count, opts);
	return ret;
}

static void
take_ports(const uint32_t *ids, uint32_t count, struct options *opts)
{
	memcpy(opts->portlist, ids, count * sizeof(ids[0]));
	opts->nb_portlist = count;
}

int
options_set_portlist(const char *what, const char *value, struct options *opts)
{
	uint32_t ids[PORT_MAX + 1], count;
	const int ret = read_list(what, value, "port", PORT_MAX, ids, &count);

	if (ret == 0)
		take_ports(ids, count, opts);
	return ret;
}

int
options_set_portmask(const char *what, const char *value, struct options *opts)
{
	uint32_t ids[MASK_PORT_MAX + 1], count;
	const int ret = read_mask(what, value, "port", MASK_PORT_MAX, ids, &count);

	if (ret == 0)
		take_ports(ids, count, opts);
	return ret;
}

int
options_set_host_ports(const char *what, const char *value, struct options *opts)
{
	uint32_t ids[PORT_MAX + 1], count;
	const int ret = read_list(what, value, "port", PORT_MAX, ids, &count);

	if (ret < 0)
		return ret;
	memset(opts->host_port, 0, sizeof(opts->host_port));
	for (uint32_t i = 0; i < count; i++)
		opts->host_port[ids[i]] = true;
	opts->has_host_ports = true;
	return 0;
}
