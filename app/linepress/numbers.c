/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "numbers.h"

#define MASK_BITS 64

/* Moves `text` behind the digits. */
static bool
take_digits(const char **text, uint32_t max, uint32_t *number)
{
	uint64_t n = 0;
	const char *p = *text;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > max)
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*number = (uint32_t)n;
	return true;
}

bool
number_parse(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
	uint32_t n;

	if (!take_digits(&text, max, &n) || *text != '\0' || n < min)
		return false;
	*number = n;
	return true;
}

static bool
take_range(const char **text, uint32_t max, uint32_t *first, uint32_t *last)
{
	if (!take_digits(text, max, first))
		return false;
	*last = *first;
	if (**text != '-')
		return true;
	++*text;
	return take_digits(text, max, last) && *last >= *first;
}

static bool
contains(const uint32_t *ids, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

enum list_error
list_parse(const char *text, uint32_t max, uint32_t *ids, uint32_t *count)
{
	uint32_t n = 0, first, last;

	*count = 0;
	while (take_range(&text, max, &first, &last)) {
		for (uint32_t id = first; id <= last; id++) {
			if (contains(ids, n, id)) {
				ids[0] = id;
				return LIST_TWICE;
			}
			ids[n++] = id;
		}
		if (*text == '\0') {
			*count = n;
			return LIST_OK;
		}
		if (*text++ != ',')
			break;
	}
	return LIST_SYNTAX;
}

bool
mask_parse(const char *text, uint32_t max, uint32_t *ids, uint32_t *count)
{
	char *end;
	uint32_t n = 0;

	if (!isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	const unsigned long long mask = strtoull(text, &end, 16);

	if (errno != 0 || *end != '\0' || mask == 0 ||
			(max < MASK_BITS - 1 && mask >> (max + 1) != 0))
		return false;
	for (uint32_t bit = 0; bit < MASK_BITS; bit++)
		if ((mask >> bit & 1) != 0)
			ids[n++] = bit;
	*count = n;
	return true;
}
