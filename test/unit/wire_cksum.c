/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Sums for checksums, against those of DPDK. */

#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>
#include <rte_cpuflags.h>
#include <rte_ip.h>

#include "cksum.h"
#include "suite.h"

#define BYTES UINT16_MAX
#define ALIGNMENTS 64

static uint8_t bytes[BYTES + ALIGNMENTS];

static bool
has_avx2(void)
{
#ifdef RTE_ARCH_X86
	return rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0;
#else
	return false;
#endif
}

static bool
agrees(const uint8_t *p, size_t len, uint32_t sum)
{
	const uint16_t expected = __rte_raw_cksum_reduce(__rte_raw_cksum(p, len, sum));

#ifdef RTE_ARCH_X86
	if (has_avx2() && __rte_raw_cksum_reduce(lp_cksum_add_avx2(p, len, sum)) != expected)
		return false;
#endif
	return __rte_raw_cksum_reduce(lp_cksum_add(p, len, sum)) == expected;
}

static void
sums_of_any_length_and_alignment_are_those_of_dpdk(void)
{
	test_random_bytes(bytes, sizeof(bytes));
	for (size_t len = 0; len < 300; len++)
		for (size_t at = 0; at < ALIGNMENTS; at++)
			CU_ASSERT_FATAL(agrees(bytes + at, len, (uint32_t)test_random() >> 14));
	for (unsigned int k = 0; k < 2000; k++)
		CU_ASSERT_FATAL(agrees(bytes + test_random_in(0, ALIGNMENTS - 1),
				test_random_in(0, BYTES), (uint32_t)test_random() >> 14));
}

/* One word that is not what the rest is, so that carries run in all sums or in one. */
static void
carries_are_kept(void)
{
	static const uint8_t fill[] = { 0x00, 0xff };

	for (unsigned int k = 0; k < 4000; k++) {
		const size_t len = k < 1000 ? k : test_random_in(1, BYTES);

		memset(bytes, fill[k % 2], sizeof(bytes));
		CU_ASSERT_FATAL(agrees(bytes, len, k % 4 < 2 ? 0 : UINT16_MAX));
		bytes[test_random_in(0, (uint32_t)len)] ^= (uint8_t)(1u << k % 8);
		CU_ASSERT_FATAL(agrees(bytes, len, k % 4 < 2 ? 0 : UINT16_MAX));
	}
}

static void
processors_with_avx2_use_it(void)
{
	test_random_bytes(bytes, sizeof(bytes));
	if (has_avx2())
		/* its sums are folded, those of DPDK are not */
		CU_ASSERT(lp_cksum_add(bytes, BYTES, 0) < UINT32_C(1) << 22);
}

static CU_TestInfo tests[] = {
	TEST(sums_of_any_length_and_alignment_are_those_of_dpdk),
	TEST(carries_are_kept),
	TEST(processors_with_avx2_use_it),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("wire_cksum", tests);
}
