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

/**
 * Install one more codebook. Does nothing if that very book has the number already.
 *
 * @param app
 *   The program.
 * @param path
 *   File of the codebook.
 * @param id
 *   Its number, 1 to LP_BOOK_IDS - 1.
 * @return
 *   0, or a negative errno, also if the number is that of another book.
 */
int app_book_add(struct app *app, const char *path, unsigned int id);

/** Check coded frames before they are sent, or no longer; see struct lp_policy. */
int app_set_checks(struct app *app, bool checks);

#endif /* LINEPRESS_APP_APP_POLICY_H */
