/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "linepress/press.h"

static const char *const pass_names[LP_PASS_COUNT] = {
	[LP_PASS_SHORT_REGION] = "short_region",
	[LP_PASS_LONG_FRAME] = "long_frame",
	[LP_PASS_NO_GAIN] = "no_gain",
	[LP_PASS_IP_CHECKSUM_FFFF] = "ip_checksum_ffff",
	[LP_PASS_RULE] = "rule",
	[LP_PASS_DRY_RUN] = "dry_run",
	[LP_PASS_MISCODED] = "miscoded",
	[LP_PASS_NO_PEER] = "no_peer",
	[LP_PASS_PEER_BOOK] = "peer_book",
	[LP_PASS_PEER_FLOW] = "peer_flow",
	[LP_PASS_PEER_GROUP] = "peer_group",
	[LP_PASS_NO_MBUF] = "no_mbuf",
	[LP_PASS_NOT_CODED] = "not_coded",
	[LP_PASS_NO_CHECK] = "no_check",
	[LP_PASS_UNKNOWN_BOOK] = "unknown_book",
	[LP_PASS_BAD_TAG] = "bad_tag",
};

static const char *const drop_names[LP_DROP_COUNT] = {
	[LP_DROP_NO_MBUF] = "no_mbuf",
	[LP_DROP_DECODE] = "decode",
	[LP_DROP_CHECK] = "check",
	[LP_DROP_LENGTH] = "length",
	[LP_DROP_ESCAPE] = "escape",
};

const char *
lp_pass_name(unsigned int reason)
{
	if (reason < LP_INELIGIBLE_COUNT)
		return lp_ineligible_name((enum lp_ineligible)reason);
	return reason < LP_PASS_COUNT ? pass_names[reason] : NULL;
}

const char *
lp_drop_name(unsigned int reason)
{
	return reason < LP_DROP_COUNT ? drop_names[reason] : NULL;
}
