/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include <rte_common.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ether.h>
#include <rte_kvargs.h>
#include <rte_mbuf.h>

#include "af_packet.h"
#include "log.h"
#include "pools.h"
#include "ports.h"

#define DEFAULT_FRAMESZ 2048u
#define FRAMES_OF_BLOCK 4u /* with FRAMESZ_MULTIPLE makes a block of whole pages */
#define FRAMESZ_MULTIPLE 1024u

/*
 * Bytes of a ring's frame before the Ethernet header, as tpacket_rcv() of the kernel lays it
 * out: the network header is aligned and there is room for a MAC header of at least 16.
 */
#define RX_OVERHEAD (TPACKET_ALIGN(TPACKET2_HDRLEN + 16) - ETH_HLEN)
/* What the driver itself takes away when it compares a ring's frame with an mbuf. */
#define MBUF_OVERHEAD (TPACKET2_HDRLEN - sizeof(struct sockaddr_ll))

struct ring {
	uint32_t framesz;
	uint32_t blocksz;
};

bool
af_packet_drives(const struct port *port)
{
	return strcmp(port->info.driver_name, "net_af_packet") == 0;
}

/* The driver reads the number with atoi() and has refused those that are not positive. */
static int
take_number(const char *key __rte_unused, const char *value, void *number)
{
	if (value != NULL)
		*(uint32_t *)number = (uint32_t)strtoul(value, NULL, 10);
	return 0;
}

static struct ring
ring_of(const struct port *port)
{
	struct ring ring = { DEFAULT_FRAMESZ, (uint32_t)getpagesize() };
	const struct rte_devargs *devargs = rte_dev_devargs(port->info.device);
	struct rte_kvargs *args;

	if (devargs == NULL || devargs->args == NULL)
		return ring;
	args = rte_kvargs_parse(devargs->args, NULL);
	if (args == NULL)
		return ring;
	rte_kvargs_process(args, "framesz", take_number, &ring.framesz);
	rte_kvargs_process(args, "blocksz", take_number, &ring.blocksz);
	rte_kvargs_free(args);
	return ring;
}

/* What holds frames of `length`: arguments of the device and, if needed, the mbuf size. */
static void
remedy(const struct options *opts, uint32_t length, char *text, size_t size)
{
	const uint32_t framesz = RTE_ALIGN_CEIL(length + (uint32_t)RX_OVERHEAD, FRAMESZ_MULTIPLE);
	const uint32_t room = framesz - (uint32_t)MBUF_OVERHEAD;
	int used;

	used = snprintf(text, size, "give the device framesz=%u,blocksz=%u", framesz,
			FRAMES_OF_BLOCK * framesz);
	if (room > pools_data_room(opts))
		snprintf(text + used, size - (size_t)used, " and us --mbuf-size=%u",
				room + RTE_PKTMBUF_HEADROOM);
}

int
af_packet_check(const struct options *opts, const struct port *port)
{
	const uint32_t length = opts->max_pkt_len - RTE_ETHER_CRC_LEN;
	char text[96];

	if (!af_packet_drives(port))
		return 0;
	const struct ring ring = ring_of(port);
	const uint32_t held = ring.framesz - RTE_MIN(ring.framesz, (uint32_t)RX_OVERHEAD);

	if (held < length) {
		remedy(opts, length, text, sizeof(text));
		app_error("port %u: net_af_packet with framesz=%u holds frames of up to %u bytes and cuts longer ones, but --max-pkt-len=%u means %u: %s, or lower --max-pkt-len to %u",
				port->id, ring.framesz, held, opts->max_pkt_len, length, text,
				held + RTE_ETHER_CRC_LEN);
		return -EINVAL;
	}
	if (ring.framesz - MBUF_OVERHEAD > pools_data_room(opts)) {
		app_error("port %u: net_af_packet with framesz=%u needs --mbuf-size=%u at least, now %u",
				port->id, ring.framesz,
				(uint32_t)(ring.framesz - MBUF_OVERHEAD + RTE_PKTMBUF_HEADROOM),
				pools_data_room(opts) + RTE_PKTMBUF_HEADROOM);
		return -EINVAL;
	}
	/* the driver expects no gap between the last frame of a block and the next block */
	if (ring.blocksz % ring.framesz != 0) {
		app_error("port %u: net_af_packet with framesz=%u,blocksz=%u mixes frames up: blocksz must be a multiple of framesz",
				port->id, ring.framesz, ring.blocksz);
		return -EINVAL;
	}
	return 0;
}
