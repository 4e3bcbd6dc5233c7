/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stddef.h>

#include "linepress/rotation.h"

static int
not_before(uint64_t when_ms, uint64_t now_ms, uint64_t *at_ms)
{
	if (at_ms != NULL)
		*at_ms = when_ms;
	return now_ms >= when_ms ? 0 : -EAGAIN;
}

int
lp_rotation_may_install(const struct lp_rotation *rotation, unsigned int id, uint64_t digest,
		uint64_t now_ms, uint64_t *at_ms)
{
	if (id == 0 || id >= LP_BOOK_IDS || digest == 0)
		return -EINVAL;
	if (rotation->digest[id] == 0 || rotation->digest[id] == digest)
		return not_before(now_ms, now_ms, at_ms);
	if (lp_book_mask_has(&rotation->installed, id))
		return -EEXIST;
	return not_before(rotation->retired_ms[id] + LP_ROTATION_REUSE_MS, now_ms, at_ms);
}

int
lp_rotation_install(struct lp_rotation *rotation, unsigned int id, uint64_t digest, uint64_t now_ms)
{
	const int ret = lp_rotation_may_install(rotation, id, digest, now_ms, NULL);

	if (ret != 0)
		return ret;
	rotation->digest[id] = digest;
	lp_book_mask_add(&rotation->installed, id);
	lp_book_mask_add(&rotation->decodable, id);
	return 0;
}

int
lp_rotation_retire(struct lp_rotation *rotation, unsigned int id, uint64_t now_ms)
{
	if (id >= LP_BOOK_IDS || !lp_book_mask_has(&rotation->installed, id))
		return -ENOENT;
	lp_book_mask_remove(&rotation->installed, id);
	rotation->retired_ms[id] = now_ms;
	return 0;
}

int
lp_rotation_may_remove(const struct lp_rotation *rotation, unsigned int id, uint64_t now_ms,
		uint64_t *at_ms)
{
	if (id >= LP_BOOK_IDS || !lp_book_mask_has(&rotation->decodable, id))
		return -ENOENT;
	if (lp_book_mask_has(&rotation->installed, id))
		return -EBUSY;
	return not_before(rotation->retired_ms[id] + LP_ROTATION_DECODE_MS, now_ms, at_ms);
}

int
lp_rotation_remove(struct lp_rotation *rotation, unsigned int id, uint64_t now_ms)
{
	const int ret = lp_rotation_may_remove(rotation, id, now_ms, NULL);

	if (ret != 0)
		return ret;
	lp_book_mask_remove(&rotation->decodable, id);
	return 0;
}
