/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_NUMBERS_H
#define LINEPRESS_APP_NUMBERS_H

/**
 * @file
 * Numbers, lists and masks as users write them in arguments and commands. All or nothing: a
 * result is written only if the whole text is right.
 */

#include <stdbool.h>
#include <stdint.h>

/**
 * Read a decimal number: digits only, no sign, no space.
 *
 * @return
 *   True if the text is a number of `min` to `max`.
 */
bool number_parse(const char *text, uint32_t min, uint32_t max, uint32_t *number);

/** Outcome of list_parse(). */
enum list_error {
	LIST_OK,
	LIST_SYNTAX, /**< not a list, or a number above the limit */
	LIST_TWICE,  /**< a number, now in `ids[0]`, is listed twice */
};

/**
 * Read a list such as "0,2" or "0-3,7"; numbers keep their order.
 *
 * @param text
 *   The list.
 * @param max
 *   Largest number allowed; `ids` has room for `max + 1`.
 * @param ids
 *   Receives the numbers.
 * @param count
 *   Receives how many.
 */
enum list_error list_parse(const char *text, uint32_t max, uint32_t *ids, uint32_t *count);

/**
 * Read a mask in hexadecimal, such as "0x5" or "5"; bit 0 is number 0.
 *
 * @param text
 *   The mask.
 * @param max
 *   Largest number allowed, at most 63; `ids` has room for `max + 1`.
 * @param ids
 *   Receives the numbers of the set bits, ascending.
 * @param count
 *   Receives how many, at least 1.
 * @return
 *   True if the text is a mask with bits of 0 to `max` only.
 */
bool mask_parse(const char *text, uint32_t max, uint32_t *ids, uint32_t *count);

#endif /* LINEPRESS_APP_NUMBERS_H */
