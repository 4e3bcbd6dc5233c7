/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>

#include "collect.h"
#include "input.h"
#include "message.h"

bool
is_profile(const char *path)
{
	return input_ends_with(path, ".profile");
}

struct lp_profiles *
load_profiles(const char *path)
{
	struct lp_error error;
	struct lp_profiles *profiles = lp_profiles_load(path, &error);

	if (profiles == NULL && error.line > 0)
		complain("%s:%u: %s", path, error.line, error.text);
	else if (profiles == NULL)
		complain("%s: %s", path, error.text);
	return profiles;
}

int
walk_tensor(const char *path, enum lp_type type, size_t packet_bytes, region_fn *fn, void *arg)
{
	size_t len;
	uint8_t *tensor = input_read(path, lp_type_bytes(type), &len);
	int ret = 0;

	if (tensor == NULL)
		return -1;
	for (size_t off = 0; off < len && ret == 0; off += packet_bytes) {
		const size_t left = len - off;

		ret = fn(arg, tensor + off, left < packet_bytes ? left : packet_bytes);
	}
	free(tensor);
	return ret;
}
