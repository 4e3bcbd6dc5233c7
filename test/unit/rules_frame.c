/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include "rules_frame.h"

struct test_frame frame, wire, restored;

void
finish(struct lp_press *press, struct lp_rules *rules)
{
	CU_ASSERT(stats_add_up(press));
	CU_ASSERT(rules_add_up(press));
	lp_press_free(press);
	lp_rules_free(rules);
	CU_ASSERT(pools_full());
}

bool
comes_back(struct lp_press *press)
{
	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	return frame_equal(&restored, &frame);
}

void
put_bytes(size_t off, const void *bytes, size_t len)
{
	memcpy(frame.data + off, bytes, len);
	frame_fix_ip_cksum(&frame);
	frame_fix_l4_cksum(&frame);
}

void
build(uint8_t ip_version, uint8_t l4, uint16_t region_len)
{
	const struct frame_spec spec = {
		.ip_version = ip_version, .l4 = l4, .region_len = region_len
	};

	frame_tensor(&frame, &spec, TENSOR_BF16);
}
