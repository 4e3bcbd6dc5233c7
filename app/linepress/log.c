/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdarg.h>
#include <stdio.h>

#include "log.h"

RTE_LOG_REGISTER(lp_app_log, lp.app, NOTICE);

static unsigned int error_count;
static const struct app_error_place *error_place;

unsigned int
app_error_count(void)
{
	return error_count;
}

const struct app_error_place *
app_error_set_place(const struct app_error_place *place)
{
	const struct app_error_place *before = error_place;

	error_place = place;
	return before;
}

void
app_error(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	error_count++;
	fputs("linepress: ", stderr);
	if (error_place != NULL)
		fprintf(stderr, "%s:%u: ", error_place->path, error_place->line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}
