/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <rte_common.h>
#include <rte_cpuflags.h>
#include <rte_ip.h>

#include "cksum.h"

static uint32_t
add_portable(const uint8_t *p, size_t len, uint32_t sum)
{
	return __rte_raw_cksum(p, len, sum);
}

static uint32_t (*add)(const uint8_t *p, size_t len, uint32_t sum) = add_portable;

uint32_t
lp_cksum_add(const uint8_t *p, size_t len, uint32_t sum)
{
	return add(p, len, sum);
}

#ifdef RTE_ARCH_X86
RTE_INIT(lp_cksum_init)
{
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2))
		add = lp_cksum_add_avx2;
}
#endif
