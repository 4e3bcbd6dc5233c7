/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <string.h>

#include "line_counts.h"

void
line_reasons_add(struct line_reasons *reasons, const char *name, uint64_t packets)
{
	int k = 0;

	if (packets == 0)
		return;
	while (k < reasons->count && strcmp(reasons->reason[k].name, name) != 0)
		k++;
	if (k == LINE_REASONS_MAX)
		k--; /* the last one takes what has no place */
	if (k == reasons->count) {
		snprintf(reasons->reason[k].name, sizeof(reasons->reason[k].name), "%s", name);
		reasons->reason[k].packets = 0;
		reasons->count++;
	}
	reasons->reason[k].packets += packets;
}

uint64_t
line_reasons_sum(const struct line_reasons *reasons)
{
	uint64_t sum = 0;

	for (int k = 0; k < reasons->count; k++)
		sum += reasons->reason[k].packets;
	return sum;
}
