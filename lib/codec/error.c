/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdarg.h>
#include <stdio.h>

#include "book.h"

bool
lp_error_set(struct lp_error *error, unsigned int line, const char *format, ...)
{
	va_list ap;

	if (error == NULL)
		return false;
	error->line = line;
	va_start(ap, format);
	vsnprintf(error->text, sizeof(error->text), format, ap);
	va_end(ap);
	return false;
}
