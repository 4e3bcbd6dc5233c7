/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "message.h"
#include "input.h"
#include "linepress/wire.h"

bool
input_ends_with(const char *name, const char *end)
{
	const size_t name_len = strlen(name), end_len = strlen(end);

	return name_len >= end_len && strcmp(name + name_len - end_len, end) == 0;
}

bool
input_is_capture(const char *path)
{
	return input_ends_with(path, ".pcap") || input_ends_with(path, ".pcapng") ||
			input_ends_with(path, ".cap");
}

static uint8_t *
read_all(FILE *f, size_t *len)
{
	size_t room = 1 << 20;
	uint8_t *bytes = malloc(room);

	*len = 0;
	while (bytes != NULL) {
		*len += fread(bytes + *len, 1, room - *len, f);
		if (*len < room)
			break;
		room *= 2;
		uint8_t *more = realloc(bytes, room);

		if (more == NULL)
			free(bytes);
		bytes = more;
	}
	if (bytes != NULL && ferror(f)) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

uint8_t *
input_read(const char *path, size_t element_bytes, size_t *len)
{
	FILE *f = fopen(path, "re");
	uint8_t *bytes = f != NULL ? read_all(f, len) : NULL;

	if (bytes == NULL) {
		complain("%s: %s", path, strerror(errno));
	} else if (*len == 0 || *len % element_bytes != 0) {
		complain("%s: %zu bytes: must be a multiple of %zu, and not empty", path, *len,
				element_bytes);
		free(bytes);
		bytes = NULL;
	}
	if (f != NULL)
		fclose(f);
	return bytes;
}

long
input_regions(const char *path, size_t min_region, input_region_fn *fn, void *arg)
{
	struct capture_error error;
	struct capture *cap = capture_load(path, false, &error);
	long regions = 0;

	if (cap == NULL)
		return complain("%s: %s", path, error.text);
	for (size_t k = 0; k < cap->count && regions >= 0; k++) {
		const uint8_t *data = capture_data(cap, &cap->frames[k]);
		struct lp_frame frame;

		if (lp_frame_parse(data, cap->frames[k].len, &frame) != LP_ELIGIBLE ||
				frame.region_len < min_region)
			continue;
		regions = fn(arg, data + frame.region_off, frame.region_len) < 0 ? -1 : regions + 1;
	}
	capture_free(cap);
	if (regions == 0)
		return complain("%s: no frame has a payload that could be coded", path);
	return regions;
}
