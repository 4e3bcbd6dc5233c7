/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include "lanes.h"
#include "log.h"
#include "pools.h"
#include "ports.h"

#define BURSTS_LCORE 4 /* received, rewritten, compared and waiting to be sent */
#define MBUFS_MIN 1025
#define ROOM_MIN 2048u
#define ROOM_MULTIPLE 1024u /* some adapters use receive buffers in KiB only */

uint16_t
pools_data_room(const struct options *opts)
{
	if (opts->mbuf_size != 0)
		return (uint16_t)(opts->mbuf_size - RTE_PKTMBUF_HEADROOM);
	return (uint16_t)RTE_MAX(RTE_ALIGN_CEIL(opts->max_pkt_len, ROOM_MULTIPLE), ROOM_MIN);
}

uint64_t
pools_needed(const struct options *opts, const struct port_table *ports)
{
	const uint32_t available = RTE_MAX(rte_lcore_count() - 1, 1u);
	const uint32_t lcores = options_mode_may_change(opts) ? available : opts->nb_cores;
	uint64_t mbufs = 0;

	for (uint16_t i = 0; i < ports->count; i++) {
		const struct port *port = &ports->port[i];

		mbufs += (uint64_t)opts->rxq * port->nb_rx_desc +
				(uint64_t)opts->txq * port->nb_tx_desc;
	}
	/* a cache holds up to one and a half times its size; the main lcore has one too */
	mbufs += (uint64_t)(lcores + 1) * (opts->mbcache + opts->mbcache / 2);
	mbufs += (uint64_t)lcores * BURSTS_LCORE * opts->burst_pkts;
	if (opts->distribution == DISTRIBUTION_FLOW)
		mbufs += (uint64_t)opts->rxq * ports->count * (lcores - 1) * LANE_PKTS;
	return RTE_MAX(mbufs, (uint64_t)MBUFS_MIN);
}

static uint64_t
pool_mbytes(uint64_t mbufs, uint16_t buf_size)
{
	const uint32_t object_bytes = rte_mempool_calc_obj_size(
			(uint32_t)sizeof(struct rte_mbuf) + buf_size, 0, NULL);

	return RTE_ALIGN_CEIL(mbufs * object_bytes, 1u << 20) >> 20;
}

static int
pool_create(uint32_t mbufs, uint32_t cache, uint16_t buf_size, int socket,
		struct rte_mempool **pool)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "lp_mbufs_%d", socket);
	*pool = rte_pktmbuf_pool_create(name, mbufs, cache, 0, buf_size, socket);
	if (*pool == NULL) {
		const int err = rte_errno != 0 ? rte_errno : ENOMEM;

		app_error("cannot create a pool of %u mbufs of %u bytes on socket %d: %s; it takes %" PRIu64
			  " MB: give EAL more memory with -m (now %" PRIu64
			  " MB) or hugepages, or lower --total-num-mbufs, --rxd, --txd or --max-pkt-len",
				mbufs, buf_size, socket, rte_strerror(err),
				pool_mbytes(mbufs, buf_size), rte_eal_get_physmem_size() >> 20);
		return -err;
	}
	printf("linepress: mbuf pool %s: n=%u, size=%u, socket=%d\n", name, mbufs, buf_size,
			socket);
	return 0;
}

int
pools_create(const struct options *opts, const struct port_table *ports, struct mbuf_pools *pools)
{
	unsigned int lcore;
	const uint16_t buf_size = pools_data_room(opts) + RTE_PKTMBUF_HEADROOM;
	const uint64_t needed = pools_needed(opts, ports);
	const uint64_t mbufs = opts->total_num_mbufs != 0 ? opts->total_num_mbufs : needed;
	bool wanted[RTE_MAX_NUMA_NODES] = { 0 };

	if (mbufs > UINT32_MAX) {
		app_error("queues, caches and bursts need %" PRIu64
			  " mbufs: lower --rxq, --txq, --rxd or --txd",
				mbufs);
		return -EINVAL;
	}
	pools->mbufs = (uint32_t)mbufs;
	for (uint16_t i = 0; i < ports->count; i++)
		wanted[ports->port[i].socket] = true;
	RTE_LCORE_FOREACH(lcore)
	wanted[RTE_MIN(rte_lcore_to_socket_id(lcore), RTE_MAX_NUMA_NODES - 1u)] = true;
	for (int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++) {
		if (!wanted[socket])
			continue;
		const int ret = pool_create((uint32_t)mbufs, opts->mbcache, buf_size, socket,
				&pools->of_socket[socket]);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int
pools_check_leaks(const struct port_table *ports, const struct mbuf_pools *pools)
{
	int ret = 0;

	for (uint16_t i = 0; i < ports->count; i++)
		if (strcmp(ports->port[i].info.driver_name, "net_af_xdp") == 0)
			return 0;
	for (int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++) {
		const struct rte_mempool *pool = pools->of_socket[socket];
		const unsigned int missing = pool == NULL ? 0 : rte_mempool_in_use_count(pool);

		if (missing == 0)
			continue;
		app_error("leak of %u mbufs of %u of pool %s", missing, pool->size, pool->name);
		ret = -EIO;
	}
	return ret;
}

void
pools_free(struct mbuf_pools *pools)
{
	for (int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++) {
		rte_mempool_free(pools->of_socket[socket]);
		pools->of_socket[socket] = NULL;
	}
}
