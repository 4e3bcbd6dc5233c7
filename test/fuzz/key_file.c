/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Key files: refused without a word of what is in them, or a key. */

#include <string.h>

#include "fuzz.h"
#include "key_file.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[KEY_FILE_ERROR_MAX] = "";
	struct lp_key key;
	const int ret = key_file_read(fuzz_file(data, size), &key, error);

	FUZZ_CHECK(ret == 0 || strcmp(error, "must hold exactly 32 hexadecimal digits") == 0);
	FUZZ_CHECK(ret < 0 || (size >= 32 && size <= 64));
	return 0;
}
