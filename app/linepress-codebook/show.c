/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "message.h"
#include "linepress/codec.h"

static void
print_book(const struct lp_codebook_info *info)
{
	printf("name          %s\n", info->name);
	if (info->id != 0)
		printf("id            %u\n", info->id);
	printf("type          %s\n", lp_type_name(info->type));
	printf("kind          %s\n", lp_kind_name(info->kind));
	printf("symbol        %s\n", lp_symbol_name(info->symbol));
	printf("codes         %u, the longest of %u bits\n", info->codes, info->longest_code_bits);
	if (info->profile_symbols > 0)
		printf("profile       %llu symbols, entropy %.3f bits, coded in %.3f bits\n",
				(unsigned long long)info->profile_symbols, info->profile_entropy,
				info->profile_code_bits);
	printf("digest        ");
	for (unsigned int k = 0; k < LP_DIGEST_LEN; k++)
		printf("%02x", info->digest[k]);
	putchar('\n');
}

int
show_command(int argc, char **argv)
{
	int status = EXIT_SUCCESS;

	if (getopt(argc, argv, "") != -1)
		return EXIT_FAILURE;
	if (optind == argc) {
		complain("show: no FILE given");
		return EXIT_FAILURE;
	}
	for (int k = optind; k < argc; k++) {
		struct lp_error error;
		struct lp_codebook *cb = lp_codebook_load(argv[k], &error);
		struct lp_codebook_info info;

		if (cb == NULL) {
			if (error.line > 0)
				complain("%s:%u: %s", argv[k], error.line, error.text);
			else
				complain("%s: %s", argv[k], error.text);
			status = EXIT_FAILURE;
			continue;
		}
		lp_codebook_describe(cb, &info);
		if (k > optind)
			putchar('\n');
		print_book(&info);
		lp_codebook_free(cb);
	}
	return status;
}
