/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <rte_hash_crc.h>

#include "bytes.h"
#include "fields.h"
#include "linepress/wire.h"

uint32_t
lp_frame_flow(const uint8_t *head, const struct lp_frame *frame)
{
	const uint8_t *const l4 = head + frame->l4_off;
	const bool is_roce = frame->l4 == LP_L4_ROCE;
	const uint32_t id = load_be32(is_roce ? l4 + UDP_HDR_LEN + BTH_QP_OFF - 1 : l4);
	size_t len;
	const uint8_t *addresses = field_addresses(head, frame, &len);
	uint32_t hash = rte_hash_crc_4byte(is_roce ? id & 0xffffff : id, frame->l4);

	for (size_t k = 0; k < len; k += sizeof(uint64_t))
		hash = rte_hash_crc_8byte(load_be64(addresses + k), hash);
	return hash;
}
