/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Which values the fields of a hello may have, and what the reasons to refuse one are called. */

#include "linepress/hello.h"

static const char *const verdict_names[LP_HELLO_VERDICT_COUNT] = {
	[LP_HELLO_OK] = "ok",
	[LP_HELLO_FOREIGN] = "foreign",
	[LP_HELLO_LENGTH] = "length",
	[LP_HELLO_MAC] = "mac",
	[LP_HELLO_BAD_VERSION] = "bad_version",
	[LP_HELLO_BAD_LAYOUT] = "bad_layout",
	[LP_HELLO_BAD_ID] = "bad_id",
	[LP_HELLO_BAD_STATE] = "bad_state",
	[LP_HELLO_BAD_INTERVAL] = "bad_interval",
	[LP_HELLO_BAD_MTU] = "bad_mtu",
	[LP_HELLO_BAD_BOOK] = "bad_book",
	[LP_HELLO_BAD_FAILURES] = "bad_failures",
};

static const char *const state_names[LP_HELLO_STATE_COUNT] = {
	[LP_HELLO_INIT] = "init",
	[LP_HELLO_READY] = "ready",
	[LP_HELLO_DRAIN] = "drain",
	[LP_HELLO_BYPASS] = "bypass",
};

const char *
lp_hello_verdict_name(unsigned int verdict)
{
	return verdict < LP_HELLO_VERDICT_COUNT ? verdict_names[verdict] : NULL;
}

const char *
lp_hello_state_name(unsigned int state)
{
	return state < LP_HELLO_STATE_COUNT ? state_names[state] : NULL;
}

enum lp_hello_verdict
lp_hello_check(const struct lp_hello *hello)
{
	if (hello->box_id == 0 || hello->nonce == 0 ||
			(hello->echo_nonce == 0 && hello->echo_seq != 0))
		return LP_HELLO_BAD_ID;
	if (hello->state >= LP_HELLO_STATE_COUNT ||
			(hello->coding && hello->state != LP_HELLO_READY))
		return LP_HELLO_BAD_STATE;
	if (hello->interval_ms < LP_HELLO_INTERVAL_MIN ||
			hello->interval_ms > LP_HELLO_INTERVAL_MAX)
		return LP_HELLO_BAD_INTERVAL;
	if (hello->host_mtu < LP_HELLO_MTU_MIN)
		return LP_HELLO_BAD_MTU;
	if (lp_book_mask_has(&hello->installed, 0))
		return LP_HELLO_BAD_BOOK;
	if (hello->nb_failures > LP_HELLO_FAILURES || hello->nb_failures > hello->failure_total)
		return LP_HELLO_BAD_FAILURES;
	for (unsigned int k = 0; k < hello->nb_failures; k++)
		if (hello->failure[k].book == 0)
			return LP_HELLO_BAD_BOOK;
	return LP_HELLO_OK;
}
