/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <rte_common.h>

#include "mbuf_frame.h"

struct rte_mbuf *
mbuf_frame_fill(struct rte_mempool *pool, const uint8_t *data, uint32_t len)
{
	struct rte_mbuf *head = rte_pktmbuf_alloc(pool);
	struct rte_mbuf *tail = head;
	uint32_t done = 0;

	while (tail != NULL) {
		const uint16_t part = RTE_MIN(len - done, (uint32_t)rte_pktmbuf_tailroom(tail));

		if (part > 0)
			memcpy(rte_pktmbuf_mtod(tail, uint8_t *), data + done, part);
		tail->data_len = part;
		head->pkt_len += part;
		done += part;
		if (done == len)
			return head;
		tail->next = rte_pktmbuf_alloc(pool);
		if (tail->next != NULL)
			head->nb_segs++;
		tail = tail->next;
	}
	rte_pktmbuf_free(head);
	return NULL;
}

const uint8_t *
mbuf_frame_bytes(const struct rte_mbuf *pkt, uint8_t *scratch, uint32_t room)
{
	return rte_pktmbuf_read(pkt, 0, RTE_MIN(rte_pktmbuf_pkt_len(pkt), room), scratch);
}
