/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Between mbufs and linear memory. */

#include <string.h>

#include "press.h"

enum lp_ineligible
lp_work_init(struct lp_work *work, struct rte_mbuf *mbuf)
{
	work->mbuf = mbuf;
	/* An IP packet of 64 KiB is half of this; the rest could only be trailer. */
	if (mbuf->pkt_len > LP_LINEAR_MAX - LP_SHIM_MAX)
		return LP_INELIGIBLE_IP_LENGTH;
	work->head = rte_pktmbuf_read(
			mbuf, 0, RTE_MIN(mbuf->pkt_len, (uint32_t)LP_HEAD_MAX), work->head_copy);
	return lp_frame_parse(work->head, mbuf->pkt_len, &work->frame);
}

/* Receive flags that say something of the packet on its way, not of its bytes or of its mbuf. */
#define KEPT_FLAGS                                                               \
	(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ | \
			RTE_MBUF_F_RX_QINQ_STRIPPED | RTE_MBUF_F_RX_RSS_HASH)

/* What belongs to the packet on its way, not to its bytes. */
static void
copy_metadata(struct rte_mbuf *new, const struct rte_mbuf *old)
{
	new->port = old->port;
	new->vlan_tci = old->vlan_tci;
	new->vlan_tci_outer = old->vlan_tci_outer;
	new->hash = old->hash;
	new->ol_flags |= old->ol_flags &KEPT_FLAGS;
	memcpy(new->dynfield1, old->dynfield1, sizeof(new->dynfield1));
}

bool
lp_output_init(struct lp_output *out, struct lp_press *press, const struct rte_mbuf *old,
		uint32_t room)
{
	out->mbuf = rte_pktmbuf_alloc(press->conf.pool);
	if (out->mbuf == NULL)
		return false;
	copy_metadata(out->mbuf, old);
	if (room <= rte_pktmbuf_tailroom(out->mbuf))
		out->bytes = rte_pktmbuf_mtod(out->mbuf, uint8_t *);
	else
		out->bytes = press->linear;
	return true;
}

/* Spread a frame in scratch memory over a chain of mbufs. */
static bool
fill_chain(struct lp_output *out, struct lp_press *press, uint32_t len)
{
	struct rte_mbuf *last = out->mbuf;

	for (uint32_t done = 0;;) {
		const uint16_t part = (uint16_t)RTE_MIN(
				len - done, (uint32_t)rte_pktmbuf_tailroom(last));

		memcpy(rte_pktmbuf_mtod(last, void *), out->bytes + done, part);
		last->data_len = part;
		done += part;
		if (done == len)
			break;
		last->next = rte_pktmbuf_alloc(press->conf.pool);
		if (last->next == NULL)
			return false;
		last = last->next;
		out->mbuf->nb_segs++;
	}
	out->mbuf->pkt_len = len;
	return true;
}

uint32_t
lp_output_tail(struct lp_output *out, const struct lp_work *work, uint32_t len)
{
	const uint32_t after = work->frame.region_off + work->frame.region_len;
	const uint32_t tail = work->mbuf->pkt_len - after;

	if (tail > 0) {
		const uint8_t *from = rte_pktmbuf_read(work->mbuf, after, tail, out->bytes + len);

		if (from != out->bytes + len)
			memcpy(out->bytes + len, from, tail);
	}
	return len + tail;
}

struct rte_mbuf *
lp_output_finish(struct lp_output *out, struct lp_press *press, uint32_t len)
{
	if (out->bytes != press->linear) {
		out->mbuf->data_len = (uint16_t)len;
		out->mbuf->pkt_len = len;
		return out->mbuf;
	}
	if (!fill_chain(out, press, len)) {
		rte_pktmbuf_free(out->mbuf);
		return NULL;
	}
	return out->mbuf;
}
