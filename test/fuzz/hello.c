/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Hellos: as they are, and with the MAC made right, since no mutation ever guesses it. */

#include <string.h>

#include "fuzz.h"
#include "linepress/hello.h"

#define ETHER_LEN 14
#define OFF_LENGTH 6
#define MAC_LEN 8

static struct fuzz_edge edge;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	edge = fuzz_edge_map(1 << 16);
	return 0;
}

/* What was read can be written, and is the same again. */
static void
check_written(const uint8_t *frame, const struct lp_hello *hello)
{
	uint8_t written[LP_HELLO_MAX];
	const int n = lp_hello_write(hello, &fuzz_key, frame + 6, written, sizeof(written));

	FUZZ_CHECK(n >= LP_HELLO_MIN);
	FUZZ_CHECK(memcmp(written, frame, (size_t)n) == 0);
}

static enum lp_hello_verdict
read_hello(const uint8_t *data, size_t size, struct lp_hello *hello)
{
	const uint8_t *frame = fuzz_edge_put(&edge, data, size);
	const enum lp_hello_verdict verdict = lp_hello_read(frame, size, &fuzz_key, hello);

	FUZZ_CHECK(verdict < LP_HELLO_VERDICT_COUNT);
	return verdict;
}

/* Make the MAC right if there is room for one. */
static bool
sign(uint8_t *frame, size_t size)
{
	if (size < LP_HELLO_MIN)
		return false;
	const size_t length = (size_t)frame[ETHER_LEN + OFF_LENGTH] << 8 |
			frame[ETHER_LEN + OFF_LENGTH + 1];

	if (length < MAC_LEN || ETHER_LEN + length > size)
		return false;
	uint8_t *mac = frame + ETHER_LEN + length - MAC_LEN;
	const uint64_t sum = lp_siphash13(&fuzz_key, frame, (size_t)(mac - frame));

	for (unsigned int k = 0; k < MAC_LEN; k++)
		mac[k] = (uint8_t)(sum >> (8 * (MAC_LEN - 1 - k)));
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[1 << 11];
	struct lp_hello hello;

	if (size > sizeof(frame))
		return 0;
	read_hello(data, size, &hello);
	memcpy(frame, data, size);
	if (!sign(frame, size))
		return 0;
	if (read_hello(frame, size, &hello) == LP_HELLO_OK && frame[12] == 0x88)
		check_written(frame, &hello);
	return 0;
}
