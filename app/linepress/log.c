/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdarg.h>
#include <stdio.h>

#include "log.h"

RTE_LOG_REGISTER(lp_app_log, lp.app, NOTICE);

void
app_error(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fputs("linepress: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}
