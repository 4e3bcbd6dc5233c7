/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <string.h>

#include "book.h"
#include "kernel.h"
#include "sample.h"
#include "type.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

static bool
always(void)
{
	return true;
}

#ifdef LP_KERNEL_AVX2
/* AMD processors before Zen 3 (family 25) have pdep and pext in microcode: a hundred times slower.
 */
static bool
has_fast_pdep(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__builtin_cpu_is("amd"))
		return true;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	const unsigned int family = eax >> 8 & 15;

	return family == 15 && family + (eax >> 20 & 255) >= 25;
}

/* Not every compiler knows it by name. */
static bool
has_lzcnt(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT) != 0;
}

static bool
has_avx2(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
			__builtin_cpu_supports("bmi2") && has_lzcnt() && has_fast_pdep();
}

static bool
has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") &&
			__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
			__builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512vbmi") &&
			__builtin_cpu_supports("avx512vbmi2") &&
			__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni");
}
#endif

const struct lp_kernel lp_kernels[] = {
#ifdef LP_KERNEL_AVX2
	{
			.name = "avx512",
			.usable = has_avx512,
			.grouped_encode = lp_grouped_encode_avx512,
			.grouped_decode = lp_grouped_decode_avx512,
			.huffman_encode = lp_huffman_encode_avx512,
			.huffman_decode = lp_huffman_decode_avx2,
			.huffman_decode_burst = lp_huffman_decode_burst_avx2,
			.area_encode = lp_area_encode_avx512,
			.area_decode = lp_area_decode_avx512,
			.sample = &lp_sample_avx2,
	},
	{
			.name = "avx2",
			.usable = has_avx2,
			.grouped_encode = lp_grouped_encode_avx2,
			.grouped_decode = lp_grouped_decode_avx2,
			.huffman_encode = lp_huffman_encode_avx2,
			.huffman_decode = lp_huffman_decode_avx2,
			.huffman_decode_burst = lp_huffman_decode_burst_avx2,
			.area_encode = lp_area_encode_avx2,
			.area_decode = lp_area_decode_avx2,
			.sample = &lp_sample_avx2,
	},
#endif
	{
			.name = "portable",
			.usable = always,
			.grouped_encode = lp_grouped_encode_portable,
			.grouped_decode = lp_grouped_decode_portable,
			.huffman_encode = lp_huffman_encode_portable,
			.huffman_decode = lp_huffman_decode_portable,
			.huffman_decode_burst = lp_huffman_decode_burst_portable,
			.area_encode = lp_area_encode_portable,
			.area_decode = lp_area_decode_portable,
			.sample = &lp_sample_portable,
	},
};

const unsigned int lp_kernel_count = sizeof(lp_kernels) / sizeof(lp_kernels[0]);

#define TEST_BYTES 1277 /* full words of every type and a part of one, and a whole sample */
#define TEST_BODY (TEST_BYTES * 3)

/* A fixed noise, folded so that some values are common and some are rare, whatever the type. */
static void
make_test_region(uint8_t *region)
{
	uint32_t noise = 1;

	for (unsigned int i = 0; i < TEST_BYTES; i++) {
		noise = noise * 1664525 + 1013904223;
		region[i] = (uint8_t)((noise >> 24 & noise >> 16 & 0x7f) ^ 0x3c);
	}
}

/* More than any kernel decodes side by side. */
#define TEST_JOBS 37

static bool
burst_fits(const struct lp_kernel *kernel, const struct lp_codebook *cb, const uint8_t *body,
		size_t body_len, const uint8_t *region)
{
	uint8_t back[TEST_JOBS][TEST_BYTES];
	struct lp_decode_job job[TEST_JOBS], *jobs[TEST_JOBS];
	bool fits = true;

	for (unsigned int k = 0; k < TEST_JOBS; k++) {
		job[k] = (struct lp_decode_job){ .cb = cb,
			.body = body,
			.body_len = body_len,
			.dst = back[k],
			.len = TEST_BYTES };
		jobs[k] = &job[k];
	}
	kernel->huffman_decode_burst(jobs, TEST_JOBS);
	for (unsigned int k = 0; k < TEST_JOBS; k++)
		fits &= job[k].result == 0 && memcmp(region, back[k], TEST_BYTES) == 0;
	return fits;
}

static bool
sample_fits(const struct lp_kernel *kernel, const struct lp_codebook *cb, const uint8_t *region)
{
	const struct lp_sample_kernel *const judge = &lp_sample_portable, *const k = kernel->sample;
	const enum lp_type type = cb->info.type;
	uint8_t symbol[LP_SAMPLE_SYMBOLS], expected_symbol[LP_SAMPLE_SYMBOLS];
	uint32_t saved[LP_SAMPLE_TRIES], expected[LP_SAMPLE_TRIES];

	if (cb->info.kind != LP_KIND_GROUPED) {
		const uint8_t *const code_len = lp_book_code_len(cb);
		uint8_t count[256];

		for (unsigned int s = 0; s < 256; s++)
			count[s] = region[s] & 1;
		k->bits(count, code_len, 3, 5, LP_SAMPLE_TRIES, saved);
		judge->bits(count, code_len, 3, 5, LP_SAMPLE_TRIES, expected);
		return memcmp(saved, expected, sizeof(saved)) == 0;
	}

	const unsigned int range = lp_type_exponents(type) - 1;
	const size_t count = TEST_BYTES / lp_type_traits[type].bytes;

	k->exponents(type, region, count, 0, LP_SAMPLE_RUNS, symbol);
	judge->exponents(type, region, count, 0, LP_SAMPLE_RUNS, expected_symbol);
	k->savings(&cb->grouped, range, symbol, LP_SAMPLE_SYMBOLS, 1, 3, LP_SAMPLE_TRIES, saved);
	judge->savings(&cb->grouped, range, symbol, LP_SAMPLE_SYMBOLS, 1, 3, LP_SAMPLE_TRIES,
			expected);
	if (memcmp(symbol, expected_symbol, sizeof(symbol)) != 0 ||
			memcmp(saved, expected, sizeof(saved)) != 0)
		return false;
	k->neighbours(&cb->grouped, type, region, count, 1, saved);
	judge->neighbours(&cb->grouped, type, region, count, 1, expected);
	return memcmp(saved, expected, LP_ADJUST_BASES * sizeof(*saved)) == 0 &&
			k->mean(symbol, LP_SAMPLE_QUICK) == judge->mean(symbol, LP_SAMPLE_QUICK);
}

bool
lp_kernel_fits(const struct lp_kernel *kernel, const struct lp_codebook *cb)
{
	const struct lp_kernel *portable = &lp_kernels[lp_kernel_count - 1];
	const enum lp_kind kind = cb->info.kind;
	lp_encode_fn *const encode = lp_kernel_encode(kernel, kind);
	lp_decode_fn *const decode = lp_kernel_decode(kernel, kind);
	lp_encode_fn *const judge = lp_kernel_encode(portable, kind);
	struct lp_params params;
	struct lp_sample sample;
	uint8_t region[TEST_BYTES], back[TEST_BYTES], body[TEST_BODY], expected[TEST_BODY];

	if (!kernel->usable())
		return false;
	make_test_region(region);
	lp_sample_init(&sample, region, TEST_BYTES);
	lp_codebook_choose(cb, &sample, SIZE_MAX, &params);

	const int len = judge(cb, &params, region, TEST_BYTES, expected, TEST_BODY);

	return len > 0 && encode(cb, &params, region, TEST_BYTES, body, TEST_BODY) == len &&
			memcmp(body, expected, (size_t)len) == 0 &&
			decode(cb, params.phase, body, (size_t)len, back, TEST_BYTES) == 0 &&
			memcmp(region, back, TEST_BYTES) == 0 && sample_fits(kernel, cb, region) &&
			(kind != LP_KIND_HUFFMAN ||
					burst_fits(kernel, cb, body, (size_t)len, region));
}

const char *
lp_kernel_name(unsigned int index)
{
	return index < lp_kernel_count ? lp_kernels[index].name : NULL;
}

bool
lp_kernel_is_usable(unsigned int index)
{
	return index < lp_kernel_count && lp_kernels[index].usable();
}

const char *
lp_codebook_kernel(const struct lp_codebook *cb)
{
	return lp_book_kernel(cb)->name;
}

int
lp_codebook_use_kernel(struct lp_codebook *cb, const char *name)
{
	for (unsigned int k = 0; k < lp_kernel_count; k++) {
		if (strcmp(name, lp_kernels[k].name) != 0)
			continue;
		if (!lp_kernel_fits(&lp_kernels[k], cb))
			return -ENOTSUP;
		__atomic_store_n(&cb->kernel, &lp_kernels[k], __ATOMIC_RELAXED);
		return 0;
	}
	return -EINVAL;
}
