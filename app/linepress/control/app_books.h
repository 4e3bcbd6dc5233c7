/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_APP_BOOKS_H
#define LINEPRESS_APP_APP_BOOKS_H

/**
 * @file
 * Codebooks that come and go while lcores forward, by the rules of linepress/rotation.h. As in
 * app.h.
 */

#include "app.h"

/** Take the books that were just loaded for installed. */
void app_books_begin(struct app *app);

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
 *   0, or a negative errno, also if the number is that of another book, or was a short time ago.
 */
int app_book_add(struct app *app, const char *path, unsigned int id);

/**
 * Retire a codebook: no longer code with it, nor tell far boxes of it; still restore with it for
 * LP_ROTATION_DECODE_MS. app_books_expire() then removes it.
 *
 * @return
 *   0, or a negative errno, also if it is the last one or rules cannot do without it.
 */
int app_book_retire(struct app *app, unsigned int id);

/** Remove books whose time has come; to be called now and then. */
void app_books_expire(struct app *app);

/**
 * Could the rules of a file do without the books that are retired?
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int app_books_check_rules(const struct app *app, const char *path);

/** Digests of the books that far boxes may code with: LP_BOOK_IDS, by number. */
const uint64_t *app_books_named(struct app *app);

#endif /* LINEPRESS_APP_APP_BOOKS_H */
