/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_POLICY_H
#define LINEPRESS_APP_POLICY_H

/**
 * @file
 * What frames are pressed by, replaced while lcores forward: they take up another policy between
 * two rounds, and tell by rte_rcu_qsbr when they have no more use for the old one.
 */

#include <stdint.h>

#include <rte_rcu_qsbr.h>

#include "linepress/press.h"
#include "streams.h"

/** A policy; nothing of it changes once it is published. */
struct policy {
	uint64_t serial; /**< from 1, set when it is published; no two are the same */
	struct lp_policy press;
};

/** The policy in use, and who uses it. */
struct policy_slot {
	_Atomic(const struct policy *) current; /**< NULL while no mode needs one */
	struct rte_rcu_qsbr *qsbr;		/**< its threads are numbered as the lcores */
	uint64_t published;			/**< policies so far */
};

/**
 * Prepare a slot without a policy.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int policy_slot_open(struct policy_slot *slot);

/** Release a slot. All lcores must have returned. The policy in use stays with the caller. */
void policy_slot_close(struct policy_slot *slot);

/**
 * Let lcores use another policy. Its books and rules stay with the caller; the old ones are in use
 * until policy_wait() has returned.
 */
void policy_publish(struct policy_slot *slot, struct policy *policy);

/**
 * Wait until no lcore uses a policy that was published before the last one. Takes as long as a
 * round; lcores that do not forward, or sleep, are not waited for.
 */
void policy_wait(struct policy_slot *slot);

/*
 * For forwarding lcores.
 */

/** Begin to forward. */
void policy_enter(struct fwd_lcore *lcore);

/** End forwarding. */
void policy_leave(struct fwd_lcore *lcore);

/** Give all presses of the lcore another policy. */
void policy_take(struct fwd_lcore *lcore, const struct policy *policy);

/** Between two rounds: nothing of the old policy is in use, so take up the new one, if any. */
static inline void
policy_pass(struct fwd_lcore *lcore)
{
	struct policy_slot *slot = lcore->policy_slot;
	const struct policy *policy;

	rte_rcu_qsbr_quiescent(slot->qsbr, lcore->lcore_id);
	policy = atomic_load_explicit(&slot->current, memory_order_acquire);
	if (policy != NULL && policy->serial != lcore->policy_serial)
		policy_take(lcore, policy);
}

/** Nobody need wait for this lcore until policy_awake(). */
static inline void
policy_asleep(struct fwd_lcore *lcore)
{
	rte_rcu_qsbr_thread_offline(lcore->policy_slot->qsbr, lcore->lcore_id);
}

/** To be followed by policy_pass() before anything is pressed. */
static inline void
policy_awake(struct fwd_lcore *lcore)
{
	rte_rcu_qsbr_thread_online(lcore->policy_slot->qsbr, lcore->lcore_id);
}

#endif /* LINEPRESS_APP_POLICY_H */
