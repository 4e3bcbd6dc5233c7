/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "press.h"

struct lp_press *
lp_press_create(const struct lp_press_conf *conf)
{
	struct lp_press *press;

	if (conf->books == NULL || conf->pool == NULL ||
			rte_pktmbuf_data_room_size(conf->pool) <= RTE_PKTMBUF_HEADROOM ||
			(conf->min_saving != 0 && conf->min_saving < LP_SHIM_SAVING_MIN)) {
		rte_errno = EINVAL;
		return NULL;
	}
	press = rte_zmalloc_socket("lp_press", sizeof(*press), RTE_CACHE_LINE_SIZE, conf->socket);
	if (press == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	press->conf = *conf;
	if (conf->min_region == 0)
		press->conf.min_region = LP_PRESS_MIN_REGION;
	if (conf->min_saving == 0)
		press->conf.min_saving = LP_PRESS_MIN_SAVING;
	if (conf->max_frame == 0)
		press->conf.max_frame = UINT32_MAX;
	press->region = rte_malloc_socket(
			"lp_press", LP_REGION_MAX, RTE_CACHE_LINE_SIZE, conf->socket);
	press->linear = rte_malloc_socket(
			"lp_press", LP_LINEAR_MAX, RTE_CACHE_LINE_SIZE, conf->socket);
	if (press->region == NULL || press->linear == NULL) {
		lp_press_free(press);
		rte_errno = ENOMEM;
		return NULL;
	}
	return press;
}

void
lp_press_free(struct lp_press *press)
{
	if (press == NULL)
		return;
	rte_free(press->region);
	rte_free(press->linear);
	rte_free(press);
}

uint16_t
lp_press_compress(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint16_t kept = 0;

	for (uint16_t k = 0; k < nb_pkts; k++) {
		if (k + 1 < nb_pkts)
			rte_prefetch0(rte_pktmbuf_mtod(pkts[k + 1], const void *));
		struct rte_mbuf *mbuf = lp_compress_one(press, pkts[k]);

		if (mbuf != NULL)
			pkts[kept++] = mbuf;
	}
	return kept;
}

uint16_t
lp_press_restore(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint16_t kept = 0;

	for (uint32_t k = 0; k < nb_pkts; k += LP_RESTORE_BATCH)
		lp_restore_batch(press, pkts + k,
				(uint16_t)RTE_MIN(nb_pkts - k, (uint32_t)LP_RESTORE_BATCH));
	for (uint16_t k = 0; k < nb_pkts; k++)
		if (pkts[k] != NULL)
			pkts[kept++] = pkts[k];
	return kept;
}
