/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "message.h"

int
complain(const char *format, ...)
{
	va_list ap;

	fflush(stdout); /* keeps the order when both go to one file */
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}
