/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Frames that could not be restored, on their way from the lcore to the control thread. */

#include <rte_malloc.h>

#include "linepress/flow.h"
#include "press.h"

/* An entry is a number in place of a pointer: flow, then book. */
#define BOOK_BITS 8

bool
lp_failures_init(struct lp_press *press)
{
	const ssize_t bytes = rte_ring_get_memsize(LP_PRESS_FAILURES + 1);

	RTE_BUILD_BUG_ON(sizeof(void *) < sizeof(uint32_t) + sizeof(uint8_t));
	press->failures = rte_zmalloc_socket(
			"lp_press", (size_t)bytes, RTE_CACHE_LINE_SIZE, press->conf.socket);
	return press->failures != NULL &&
			rte_ring_init(press->failures, "lp_press", LP_PRESS_FAILURES + 1,
					RING_F_SP_ENQ | RING_F_SC_DEQ) == 0;
}

void
lp_failure_add(struct lp_press *press, const struct rte_mbuf *mbuf, uint8_t book)
{
	const uintptr_t entry = (uintptr_t)lp_flow_hash(mbuf) << BOOK_BITS | book;

	/* If it is full, there is enough to do. */
	(void)rte_ring_sp_enqueue(press->failures, (void *)entry);
}

unsigned int
lp_press_failures(struct lp_press *press, struct lp_hello_failure *failures, unsigned int count)
{
	unsigned int n = 0;
	void *entry;

	for (; n < count && rte_ring_sc_dequeue(press->failures, &entry) == 0; n++)
		failures[n] = (struct lp_hello_failure){
			.flow = (uint32_t)((uintptr_t)entry >> BOOK_BITS),
			.book = (uint8_t)(uintptr_t)entry,
		};
	return n;
}
