/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_FUZZ_APPLIANCE_H
#define TEST_FUZZ_APPLIANCE_H

/**
 * @file
 * The whole appliance between two devices that forward nothing: with codebooks, and with statistics
 * of a run that has ended.
 */

#include "app.h"

/** Start the EAL and the appliance, or exit. What it prints is lost, but for FUZZ_CHECK(). */
struct app *fuzz_appliance(void);

/** How often app_error() was called. */
unsigned int fuzz_complaints(void);

/** What it was called with last, without a place. */
const char *fuzz_complaint(void);

#endif /* TEST_FUZZ_APPLIANCE_H */
