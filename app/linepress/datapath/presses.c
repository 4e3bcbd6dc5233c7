/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_ether.h>

#include "lanes.h"
#include "log.h"
#include "presses.h"

/* What all presses have in common. */
struct source {
	const struct options *opts;
	const struct policy *policy;
	const struct mbuf_pools *pools;
};

static int
press_create(const struct source *source, const struct fwd_lcore *lcore,
		const struct stream *stream, struct lp_press **press)
{
	const struct options *opts = source->opts;

	if (stream->action == STREAM_IO)
		return 0;
	const struct lp_press_conf conf = {
		.books = source->policy->press.books,
		.rules = source->policy->press.rules,
		.check_every = source->policy->press.check_every,
		.sample_every = source->policy->press.sample_every,
		.can_sample = stream->action != STREAM_RESTORE,
		.port = stream->rx_port,
		.gate = stream->gate,
		.pool = source->pools->of_socket[lcore->socket],
		.key = opts->key,
		.min_region = (uint16_t)opts->min_region,
		.max_frame = opts->max_pkt_len - RTE_ETHER_CRC_LEN,
		.socket = lcore->socket,
	};

	*press = lp_press_create(&conf);
	if (*press != NULL)
		return 0;
	const int err = rte_errno;

	app_error("lcore %u: lp_press_create: %s", lcore->lcore_id, rte_strerror(err));
	return err > 0 ? -err : -EINVAL;
}

static int
lcore_create(const struct source *source, const struct stream_map *map,
		const struct fwd_lcore *lcore)
{
	int ret = 0;

	for (uint32_t i = 0; lcore->role == LCORE_FORWARDS && i < lcore->nb_streams && ret == 0;
			i++)
		ret = press_create(source, lcore, lcore->stream[i], &lcore->stream[i]->press);
	for (uint32_t i = 0; i < lcore->nb_lanes && ret == 0; i++)
		ret = press_create(source, lcore, map->stream[i], &lcore->lane[i]->press);
	return ret;
}

int
presses_create(const struct options *opts, const struct policy *policy,
		const struct mbuf_pools *pools, struct stream_map *map)
{
	const struct source source = { opts, policy, pools };
	int ret = 0;

	for (uint32_t i = 0; i < map->nb_lcores && ret == 0; i++)
		ret = lcore_create(&source, map, map->lcore[i]);
	return ret;
}

void
presses_free(struct stream_map *map)
{
	for (uint32_t i = 0; i < map->nb_streams; i++) {
		struct stream *stream = map->stream[i];

		lp_press_free(stream->press);
		stream->press = NULL;
		for (uint32_t l = 0; l < stream->nb_lanes; l++) {
			lp_press_free(stream->lane[l]->press);
			stream->lane[l]->press = NULL;
		}
	}
}
