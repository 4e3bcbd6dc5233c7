/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "boxes.h"
#include "message.h"

#define POOL_MIN_MBUFS 1023
#define POOL_CACHE_MBUFS 256
#define MIB (1024 * 1024)

static const char *const pool_names[BOXES_POOL_COUNT] = {
	[BOXES_POOL_HOST] = "replay_host",
	[BOXES_POOL_COMPRESS] = "replay_compress",
	[BOXES_POOL_RESTORE] = "replay_restore",
};

/* A burst of the longest frames, twice: a box may hold its results before it frees its input. */
static unsigned int
mbufs_needed(const struct boxes_conf *conf)
{
	const uint32_t room = conf->mbuf_size - RTE_PKTMBUF_HEADROOM;
	const uint32_t segments = (conf->longest + room - 1) / room + 1;
	const uint32_t n = 2 * conf->burst * segments + POOL_CACHE_MBUFS;

	return RTE_MAX(n, (uint32_t)POOL_MIN_MBUFS);
}

static int
create_pools(struct boxes *boxes, const struct boxes_conf *conf)
{
	const unsigned int n = mbufs_needed(conf);
	const uint64_t bytes = (uint64_t)n * (conf->mbuf_size + sizeof(struct rte_mbuf) + 64);
	unsigned int i;

	for (i = 0; i < BOXES_POOL_COUNT; i++) {
		boxes->pool[i] = rte_pktmbuf_pool_create(pool_names[i], n, POOL_CACHE_MBUFS, 0,
				conf->mbuf_size, SOCKET_ID_ANY);
		if (boxes->pool[i] == NULL)
			return complain("cannot create %d pools of %u mbufs of %u bytes: %s; they "
					"need %" PRIu64 " MiB, see the EAL option -m, or take a "
					"smaller --burst",
					BOXES_POOL_COUNT, n, conf->mbuf_size,
					rte_strerror(rte_errno),
					BOXES_POOL_COUNT * bytes / MIB + 1);
	}
	return 0;
}

static int
create_presses(struct boxes *boxes, const struct boxes_conf *conf)
{
	const enum boxes_pool pool[LP_DIR_COUNT] = {
		[LP_DIR_COMPRESS] = BOXES_POOL_COMPRESS,
		[LP_DIR_RESTORE] = BOXES_POOL_RESTORE,
	};
	unsigned int dir;

	for (dir = 0; dir < LP_DIR_COUNT; dir++) {
		const struct lp_press_conf press = {
			.books = conf->books,
			.pool = boxes->pool[pool[dir]],
			.key = conf->key,
			.min_region = conf->min_region,
			.socket = SOCKET_ID_ANY,
		};

		boxes->press[dir] = lp_press_create(&press);
		if (boxes->press[dir] == NULL)
			return complain("cannot create a box: %s", rte_strerror(rte_errno));
	}
	return 0;
}

static int
create_link(struct boxes *boxes, const struct boxes_conf *conf)
{
	boxes->link = rte_ring_create("replay_line", conf->burst, SOCKET_ID_ANY,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
	if (boxes->link == NULL)
		return complain("cannot create the line: %s", rte_strerror(rte_errno));
	return 0;
}

int
boxes_create(struct boxes *boxes, const struct boxes_conf *conf)
{
	memset(boxes, 0, sizeof(*boxes));
	if (create_pools(boxes, conf) == 0 && create_presses(boxes, conf) == 0 &&
			create_link(boxes, conf) == 0)
		return 0;
	boxes_free(boxes);
	return -1;
}

void
boxes_free(struct boxes *boxes)
{
	unsigned int i;

	rte_ring_free(boxes->link);
	for (i = 0; i < LP_DIR_COUNT; i++)
		lp_press_free(boxes->press[i]);
	for (i = 0; i < BOXES_POOL_COUNT; i++)
		rte_mempool_free(boxes->pool[i]);
	memset(boxes, 0, sizeof(*boxes));
}

unsigned int
boxes_mbufs_in_use(const struct boxes *boxes)
{
	unsigned int i, n = 0;

	for (i = 0; i < BOXES_POOL_COUNT; i++)
		n += rte_mempool_in_use_count(boxes->pool[i]);
	return n;
}

int
boxes_carry(struct boxes *boxes, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	if (nb_pkts == 0)
		return 0;
	if (rte_ring_enqueue_bulk(boxes->link, (void **)pkts, nb_pkts, NULL) == nb_pkts &&
			rte_ring_dequeue_bulk(boxes->link, (void **)pkts, nb_pkts, NULL) == nb_pkts)
		return 0;
	return complain("the line between the boxes lost a burst of %u frames", nb_pkts);
}
