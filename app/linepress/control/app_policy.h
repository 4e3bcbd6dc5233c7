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

/**
 * Let lcores use these books and rules from their next round on, and release the old ones when none
 * does any more. Other threads look at them under the lock only.
 *
 * @return
 *   0, or -ENOMEM after one line on stderr; books and rules then still belong to the caller.
 */
int app_policy_replace(struct app *app, struct lp_bookset *books, struct lp_rules *rules);

/** Load the codebooks and the rules that the options name, unless that is done. */
int app_books_load(struct app *app);

/** Release codebooks, rules and policy. No lcore may forward. */
void app_policy_free(struct app *app);

/**
 * Replace the rules.
 *
 * @param app
 *   The program.
 * @param path
 *   File of the rules, or NULL: code everything.
 * @return
 *   0 or a negative errno.
 */
int app_rules_set(struct app *app, const char *path);

/** Check one in so many coded frames before it is sent, 0: none; see struct lp_policy. */
int app_set_checks(struct app *app, uint32_t every);

/** Sample one in so many regions, 0: none; see struct lp_policy. As app_set_checks(). */
int app_set_sampling(struct app *app, uint32_t every);

/** A kernel has erred: use the portable one from now on. */
void app_kernel_disable(struct app *app);

#endif /* LINEPRESS_APP_APP_POLICY_H */
