/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_OUTFILE_H
#define LINEPRESS_OUTFILE_H

/**
 * @file
 * A file that appears under its name only when it is complete.
 *
 * Devices and pipes are written to directly. All functions that can fail say why.
 */

#include <stdio.h>

struct outfile;

/** Create it under a temporary name beside `path`; NULL on failure. */
struct outfile *outfile_open(const char *path);

/** Where to write. Do not close it. */
FILE *outfile_stream(struct outfile *out);

/**
 * Write out what is held and close the stream: what can still fail is to give it its name. With
 * several files, seal all before any is committed. 0 or -1.
 */
int outfile_seal(struct outfile *out);

/** Seal it if need be, give it its name and release it. 0, or -1 and nothing is left behind. */
int outfile_commit(struct outfile *out);

/** Remove it and release it; NULL is allowed. */
void outfile_abort(struct outfile *out);

#endif /* LINEPRESS_OUTFILE_H */
