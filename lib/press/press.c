/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#define ALLOW_EXPERIMENTAL_API /* rte_seqcount */

#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "press.h"

static bool
fit_together(const struct lp_bookset *books, const struct lp_rules *rules)
{
	return books != NULL && (rules == NULL || lp_rules_books(rules) == books);
}

static uint64_t
generation_of(const struct lp_rules *rules)
{
	return rules != NULL ? lp_rules_generation(rules) : 0;
}

struct lp_press *
lp_press_create(const struct lp_press_conf *conf)
{
	struct lp_press *press;

	if (!fit_together(conf->books, conf->rules) || conf->pool == NULL ||
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
	press->rules_stats.generation = generation_of(conf->rules);
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
	press->echo = rte_malloc_socket(
			"lp_press", LP_REGION_MAX, RTE_CACHE_LINE_SIZE, conf->socket);
	if (press->region == NULL || press->linear == NULL || press->echo == NULL ||
			!lp_failures_init(press) || !lp_samples_init(press)) {
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
	rte_free(press->echo);
	rte_free(press->failures);
	lp_samples_free(press);
	rte_free(press);
}

int
lp_press_set_policy(struct lp_press *press, const struct lp_policy *policy)
{
	struct lp_rules_stats *stats = &press->rules_stats;

	/* rules may be others where the old ones were: the generation tells */
	if (policy->books == press->conf.books && policy->rules == press->conf.rules &&
			policy->check_every == press->conf.check_every &&
			policy->sample_every == press->conf.sample_every &&
			generation_of(policy->rules) == stats->generation)
		return 0;
	if (!fit_together(policy->books, policy->rules))
		return -EINVAL;
	press->conf.check_every = policy->check_every;
	if (policy->sample_every != press->conf.sample_every)
		lp_samples_set_rate(press, policy->sample_every);
	press->conf.books = policy->books;
	press->conf.rules = policy->rules;
	lp_compress_forget_choices(press);
	if (generation_of(policy->rules) == stats->generation)
		return 0;
	rte_seqcount_write_begin(&press->rules_change);
	memset(stats, 0, sizeof(*stats));
	stats->generation = generation_of(policy->rules);
	rte_seqcount_write_end(&press->rules_change);
	return 0;
}

/* Close the gaps that dropped frames leave. */
static uint16_t
keep_frames(struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint16_t kept = 0;

	for (uint16_t k = 0; k < nb_pkts; k++)
		if (pkts[k] != NULL)
			pkts[kept++] = pkts[k];
	return kept;
}

uint16_t
lp_press_compress(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	lp_compress_frames(press, pkts, nb_pkts);
	return keep_frames(pkts, nb_pkts);
}

uint16_t
lp_press_restore(struct lp_press *press, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	for (uint32_t k = 0; k < nb_pkts; k += LP_RESTORE_BATCH)
		lp_restore_batch(press, pkts + k,
				(uint16_t)RTE_MIN(nb_pkts - k, (uint32_t)LP_RESTORE_BATCH));
	return keep_frames(pkts, nb_pkts);
}
