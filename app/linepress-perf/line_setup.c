/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_mbuf.h>

#include "cpus.h"
#include "line_setup.h"
#include "linepress/wire.h"
#include "message.h"

#define DESCRIPTORS 512	   /* of a queue, at most: net_pcap wants none */
#define CACHE_MBUFS 512	   /* of an lcore, at most */
#define BURSTS_OF_LCORE 4  /* received, written, restored and waiting */
#define MBUFS_MIN 1025	   /* of testpmd */
#define MBUF_SIZE_MIN 2176 /* as testpmd's default */
#define MBUF_OVERHEAD 256  /* struct rte_mbuf, header and padding of an object, places in rings */
#define OTHER_MBYTES 64	   /* of a program, besides mbufs */
#define MBYTE (1u << 20)

/* All frames stay in mbufs, a copy of each is forwarded. */
static uint64_t
mbufs_needed(const struct line_setup *setup)
{
	const uint64_t queues = (uint64_t)setup->nb_lcores * setup->nb_ports;
	uint64_t mbufs = MBUFS_MIN + 2 * DESCRIPTORS * queues;

	mbufs += (uint64_t)(setup->nb_lcores + 1) *
			(CACHE_MBUFS + BURSTS_OF_LCORE * (uint64_t)setup->opt->burst);
	for (unsigned int p = 0; p < setup->nb_ports; p++)
		mbufs += setup->traffic->frames[setup->side[p]]->count;
	return mbufs;
}

/* net_pcap does not take a frame that needs two mbufs; escaping makes one longer. */
static uint32_t
mbuf_size(const struct line_setup *setup)
{
	const uint32_t longest = setup->traffic->frames[SIDE_HOST]->longest + LP_SHIM_MAX;

	return RTE_MAX(RTE_ALIGN_CEIL(longest + RTE_PKTMBUF_HEADROOM, RTE_CACHE_LINE_SIZE),
			(uint32_t)MBUF_SIZE_MIN);
}

/* testpmd has a pool for each NUMA node. Memory that is not used costs nothing. */
static uint64_t
mbytes_needed(const struct line_setup *setup)
{
	const uint64_t pool = mbufs_needed(setup) * (mbuf_size(setup) + MBUF_OVERHEAD);

	return (pool / MBYTE + OTHER_MBYTES) * (uint64_t)cpus_nodes();
}

static int
check_memory(const struct line_setup *setup)
{
	const uint64_t mbytes = mbytes_needed(setup) / (uint64_t)cpus_nodes();
	const uint64_t there = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) /
			MBYTE;

	if (mbytes <= there)
		return 0;
	return complain("%s: its frames take %" PRIu64 " MB in mbufs, the machine has %" PRIu64
			" MB: take a "
			"shorter capture",
			setup->traffic->name, mbytes, there);
}

static void
add_lcores(struct child_command *command, const struct line_setup *setup)
{
	char list[512] = "0@";
	size_t len = strlen(list);

	len += (size_t)snprintf(list + len, sizeof(list) - len, "%d", cpus_number(0));
	for (unsigned int k = 1; k <= setup->nb_lcores; k++)
		len += (size_t)snprintf(
				list + len, sizeof(list) - len, ",%u@%d", k, cpus_number((int)k));
	child_command_add(command, "--lcores=%s", list);
}

static void
add_device(struct child_command *command, const struct line_setup *setup, unsigned int port)
{
	char *queues = NULL, path[PATH_MAX];
	size_t len = 0;
	FILE *text = open_memstream(&queues, &len);

	for (unsigned int q = 0; text != NULL && q < setup->nb_lcores; q++) {
		line_traffic_path(setup->traffic, setup->side[port], q, path);
		fprintf(text, ",rx_pcap=%s", path);
	}
	if (text == NULL || fclose(text) != 0)
		command->failed = true;
	else
		child_command_add(command, "--vdev=net_pcap%u%s,infinite_rx=1", port, queues);
	free(queues);
}

int
line_setup_add(struct child_command *command, const struct line_setup *setup)
{
	if (check_memory(setup) < 0)
		return -1;
	child_command_add(command, "--no-huge");
	child_command_add(command, "-m%" PRIu64, mbytes_needed(setup));
	child_command_add(command, "--no-pci");
	child_command_add(command, "--no-shconf");
	child_command_add(command, "--no-telemetry");
	child_command_add(command, "--log-level=*:error");
	child_command_add(command, "--file-prefix=linepress-line-%d", (int)getpid());
	add_lcores(command, setup);
	for (unsigned int port = 0; port < setup->nb_ports; port++)
		add_device(command, setup, port);
	child_command_add(command, "--");
	child_command_add(command, "--nb-cores=%u", setup->nb_lcores);
	child_command_add(command, "--rxq=%u", setup->nb_lcores);
	child_command_add(command, "--txq=%u", setup->nb_lcores);
	child_command_add(command, "--port-topology=%s", setup->nb_ports > 1 ? "paired" : "loop");
	child_command_add(command, "--burst=%ld", setup->opt->burst);
	child_command_add(command, "--mbuf-size=%u", mbuf_size(setup));
	child_command_add(command, "--total-num-mbufs=%" PRIu64, mbufs_needed(setup));
	child_command_add(command, "--no-mlockall");
	child_command_add(command, "--no-flush-rx");
	return 0;
}
