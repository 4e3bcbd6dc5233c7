/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Capture files, pcap and pcapng. */

#include <string.h>

#include "capture.h"
#include "fuzz.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static void
check(const struct capture *cap, size_t size)
{
	uint64_t bytes = 0;
	uint8_t sum = 0;

	FUZZ_CHECK(cap->count > 0 && cap->bytes <= size);
	for (size_t k = 0; k < cap->count; k++) {
		const struct capture_frame *frame = &cap->frames[k];

		FUZZ_CHECK(frame->offset == bytes && frame->len <= cap->longest);
		for (uint32_t at = 0; at < frame->len; at++)
			sum ^= capture_data(cap, frame)[at];
		bytes += frame->len;
	}
	FUZZ_CHECK(bytes == cap->bytes && cap->longest <= CAPTURE_FRAME_MAX);
	*(volatile uint8_t *)&sum = sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_error error = { 0 };
	struct capture *cap = capture_load(fuzz_file(data, size), size & 1, &error);

	if (cap == NULL) {
		FUZZ_CHECK(error.text[0] != '\0');
		return 0;
	}
	check(cap, size);
	capture_free(cap);
	return 0;
}
