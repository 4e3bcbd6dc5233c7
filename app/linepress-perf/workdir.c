/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "workdir.h"

#define OPEN_DIRS 8

int
workdir_create(char dir[WORKDIR_MAX])
{
	const char *base = getenv("TMPDIR");

	if (base == NULL || *base == '\0')
		base = "/tmp";
	/* it becomes part of the arguments of devices, which commas separate */
	if (strpbrk(base, ",[]") != NULL)
		return complain("TMPDIR=%s: must have no comma or bracket", base);
	if (snprintf(dir, WORKDIR_MAX, "%s/linepress-line-XXXXXX", base) >= WORKDIR_MAX)
		return complain("TMPDIR=%s: %s", base, strerror(ENAMETOOLONG));
	if (mkdtemp(dir) == NULL)
		return complain("%s: cannot be created: %s", dir, strerror(errno));
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void
workdir_remove(const char *dir)
{
	nftw(dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}
