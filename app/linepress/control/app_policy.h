/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_APP_POLICY_H
#define LINEPRESS_APP_APP_POLICY_H

/**
 * @file
 * The codebooks and how they are used. As in app.h; all of it may change while lcores forward,
 * which they do without a pause and without losing a frame.
 */

#include "app.h"

/** Load the codebooks that the options name, unless that is done. */
int app_books_load(struct app *app);

/** Release codebooks and policy. No lcore may forward. */
void app_policy_free(struct app *app);

#endif /* LINEPRESS_APP_APP_POLICY_H */
