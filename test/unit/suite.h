/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_SUITE_H
#define TEST_SUITE_H

/**
 * @file
 * What all unit test programs share: a suite of CUnit, and random numbers that can be repeated.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <CUnit/CUnit.h>

#ifdef __clang_analyzer__
/* It does not see that these do not return, and goes on with what they have ruled out. */
#undef CU_ASSERT_FATAL
#define CU_ASSERT_FATAL(condition) ((condition) ? (void)0 : abort())
#undef CU_ASSERT_PTR_NOT_NULL_FATAL
#define CU_ASSERT_PTR_NOT_NULL_FATAL(pointer) CU_ASSERT_FATAL((pointer) != NULL)
#endif

/** An entry of a CUnit suite whose name is that of its function. */
#define TEST(function)              \
	{                           \
#function, function \
	}

/** Set and print the seed: the first argument of the program or a fixed number. */
void test_seed(int argc, char **argv);

uint64_t test_random(void);

/** A number in [low, high]. */
uint32_t test_random_in(uint32_t low, uint32_t high);

void test_random_bytes(uint8_t *p, size_t len);

/** Run the suite, print CUnit's summary; exit status of the program. */
int test_run(const char *name, CU_TestInfo *tests);

#endif /* TEST_SUITE_H */
