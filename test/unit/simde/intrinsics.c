/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What missing.h adds to SIMDe does what the processor does. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "book.h"
#include "probe.h"
#include "suite.h"

static void
missing_intrinsics_do_what_the_processor_does(void)
{
	static uint8_t in[PROBE_IN], out[2][PROBE_OUT_MAX];

	for (unsigned int round = 0; round < 3000; round++) {
		test_random_bytes(in, PROBE_IN);
		memset(out, 0xa5, sizeof(out));

		const size_t len = probe_processor(in, out[0]);

		CU_ASSERT_FATAL(probe_simde(in, out[1]) == len);
		CU_ASSERT_FATAL(memcmp(out[0], out[1], PROBE_OUT_MAX) == 0);
	}
}

static bool
has_avx512(void)
{
	for (unsigned int k = 0; k < lp_kernel_count; k++)
		if (strcmp(lp_kernels[k].name, "avx512") == 0)
			return lp_kernels[k].usable();
	return false;
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(missing_intrinsics_do_what_the_processor_does),
		CU_TEST_INFO_NULL,
	};

	if (!has_avx512()) {
		printf("skipped: this processor has no AVX-512 to compare with\n");
		exit(77);
	}
	test_seed(argc, argv);
	return test_run("simde_intrinsics", tests);
}
