/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <unistd.h>

#include "codebook_dir.h"

const char *
codebook_dir(void)
{
	return access(LP_SOURCE_CODEBOOK_DIR, R_OK | X_OK) == 0 ? LP_SOURCE_CODEBOOK_DIR
								: LP_INSTALLED_CODEBOOK_DIR;
}
