/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "choice_count.h"
#include "linepress/bookset.h"

uint8_t __real_lp_bookset_choose_usable(const struct lp_bookset *set,
		const struct lp_book_mask *usable, const uint8_t *src, size_t len, size_t limit,
		struct lp_params *params, size_t *body_bytes);
uint8_t __wrap_lp_bookset_choose_usable(const struct lp_bookset *set,
		const struct lp_book_mask *usable, const uint8_t *src, size_t len, size_t limit,
		struct lp_params *params, size_t *body_bytes);

uint8_t __real_lp_bookset_choose_like(const struct lp_bookset *set,
		const struct lp_book_mask *usable, uint8_t like, uint8_t phase, const uint8_t *src,
		size_t len, size_t limit, struct lp_params *params, size_t *body_bytes);
uint8_t __wrap_lp_bookset_choose_like(const struct lp_bookset *set,
		const struct lp_book_mask *usable, uint8_t like, uint8_t phase, const uint8_t *src,
		size_t len, size_t limit, struct lp_params *params, size_t *body_bytes);

unsigned int choices_in_full, choices_alike;

uint8_t
__wrap_lp_bookset_choose_usable(const struct lp_bookset *set, const struct lp_book_mask *usable,
		const uint8_t *src, size_t len, size_t limit, struct lp_params *params,
		size_t *body_bytes)
{
	choices_in_full++;
	return __real_lp_bookset_choose_usable(set, usable, src, len, limit, params, body_bytes);
}

uint8_t
__wrap_lp_bookset_choose_like(const struct lp_bookset *set, const struct lp_book_mask *usable,
		uint8_t like, uint8_t phase, const uint8_t *src, size_t len, size_t limit,
		struct lp_params *params, size_t *body_bytes)
{
	choices_alike++;
	return __real_lp_bookset_choose_like(
			set, usable, like, phase, src, len, limit, params, body_bytes);
}
