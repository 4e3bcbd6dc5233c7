/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_CHOICE_COUNT_H
#define TEST_CHOICE_COUNT_H

/**
 * @file
 * Counts the choices of books that are made; needs the linker to wrap both functions.
 */

extern unsigned int choices_in_full; /**< lp_bookset_choose_usable() */
extern unsigned int choices_alike;   /**< lp_bookset_choose_like(), among the books of a type */

#endif /* TEST_CHOICE_COUNT_H */
