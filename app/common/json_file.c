/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "json_file.h"
#include "message.h"
#include "outfile.h"

#define DIGITS 6

int
json_file_check(const char *path)
{
	struct outfile *out = path != NULL ? outfile_open(path) : NULL;

	outfile_abort(out);
	return path != NULL && out == NULL ? -1 : 0;
}

int
json_file_write(const char *path, json_t *report)
{
	struct outfile *out = outfile_open(path);
	int ret = -1;

	if (out != NULL)
		ret = json_dumpf(report, outfile_stream(out),
				JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
	json_decref(report);
	if (out == NULL)
		return -1;
	if (ret == 0 && fputc('\n', outfile_stream(out)) != EOF)
		return outfile_commit(out);
	outfile_abort(out);
	return complain("%s: the report cannot be written", path);
}
