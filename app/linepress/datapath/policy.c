/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>

#include <rte_debug.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "lanes.h"
#include "log.h"
#include "policy.h"

/* ---- control ---- */

int
policy_slot_open(struct policy_slot *slot)
{
	const size_t bytes = rte_rcu_qsbr_get_memsize(RTE_MAX_LCORE);

	slot->qsbr = rte_zmalloc("policy", bytes, RTE_CACHE_LINE_SIZE);
	if (slot->qsbr == NULL || rte_rcu_qsbr_init(slot->qsbr, RTE_MAX_LCORE) != 0) {
		app_error("out of memory for the states of lcores");
		policy_slot_close(slot);
		return -ENOMEM;
	}
	atomic_store(&slot->current, NULL);
	return 0;
}

void
policy_slot_close(struct policy_slot *slot)
{
	rte_free(slot->qsbr);
	slot->qsbr = NULL;
}

void
policy_publish(struct policy_slot *slot, struct policy *policy)
{
	policy->serial = ++slot->published;
	atomic_store_explicit(&slot->current, policy, memory_order_release);
}

void
policy_wait(struct policy_slot *slot)
{
	rte_rcu_qsbr_check(slot->qsbr, rte_rcu_qsbr_start(slot->qsbr), true);
}

/* ---- lcores ---- */

void
policy_enter(struct fwd_lcore *lcore)
{
	struct rte_rcu_qsbr *qsbr = lcore->policy_slot->qsbr;

	RTE_VERIFY(rte_rcu_qsbr_thread_register(qsbr, lcore->lcore_id) == 0);
	rte_rcu_qsbr_thread_online(qsbr, lcore->lcore_id);
}

void
policy_leave(struct fwd_lcore *lcore)
{
	struct rte_rcu_qsbr *qsbr = lcore->policy_slot->qsbr;

	rte_rcu_qsbr_thread_offline(qsbr, lcore->lcore_id);
	rte_rcu_qsbr_thread_unregister(qsbr, lcore->lcore_id);
}

/* It cannot be refused: rules are loaded for the books that they are published with. */
static void
give(struct lp_press *press, const struct policy *policy)
{
	if (press != NULL)
		RTE_VERIFY(lp_press_set_policy(press, &policy->press) == 0);
}

void
policy_take(struct fwd_lcore *lcore, const struct policy *policy)
{
	for (uint32_t i = 0; i < lcore->nb_streams; i++)
		give(lcore->stream[i]->press, policy);
	for (uint32_t i = 0; i < lcore->nb_lanes; i++)
		give(lcore->lane[i]->press, policy);
	lcore->policy_serial = policy->serial;
}
