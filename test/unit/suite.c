/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "suite.h"

#define SEED_DEFAULT 20261130

static uint64_t rng_state;

void
test_seed(int argc, char **argv)
{
	rng_state = argc > 1 ? strtoull(argv[1], NULL, 0) : SEED_DEFAULT;
	printf("seed %" PRIu64 "\n", rng_state);
}

/* splitmix64 */
uint64_t
test_random(void)
{
	uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t
test_random_in(uint32_t low, uint32_t high)
{
	return low + (uint32_t)(test_random() % ((uint64_t)high - low + 1));
}

void
test_random_bytes(uint8_t *p, size_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		word = test_random();
		memcpy(p, &word, sizeof(word));
	}
	word = test_random();
	memcpy(p, &word, len);
}

int
test_run(const char *name, CU_TestInfo *tests)
{
	CU_SuiteInfo suites[] = {
		{ .pName = name, .pTests = tests },
		CU_SUITE_INFO_NULL,
	};
	unsigned int failures;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
		fprintf(stderr, "%s: %s\n", name, CU_get_error_msg());
		return EXIT_FAILURE;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures();
	CU_cleanup_registry();
	return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
