/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "linepress/codec.h"
#include "message.h"

static const char usage[] =
		"usage: linepress-codebook profile [--type TYPE] -o FILE INPUT...\n"
		"       linepress-codebook merge [--average] -o FILE PROFILE...\n"
		"       linepress-codebook compare [--codebooks DIR] [--json FILE] PROFILE [PROFILE]\n"
		"       linepress-codebook build --type TYPE --kind KIND --name NAME -o FILE INPUT...\n"
		"       linepress-codebook show FILE...\n"
		"       linepress-codebook evaluate --type TYPE [--codebooks DIR] [--schemes] INPUT...\n"
		"       linepress-codebook confusion [--codebooks DIR] TYPE[/NAME]=FILE...\n"
		"\n"
		"profile   count the symbols of tensors, to merge, compare and build from\n"
		"  --type TYPE      bf16, fp16, fp32, e4m3, e5m2, int8 or bytes; if left out, each payload\n"
		"                   of a capture has the type of the book that codes it best\n"
		"  --rules FILE     captures: leave out what rules pass; the books of a rule, if they are\n"
		"                   of one type, tell that type (linepress --rules has the same format)\n"
		"  --codebooks DIR  captures: books to tell types by (default: those shipped)\n"
		"  --min-region N   captures: leave out payloads below N bytes (default 256)\n"
		"  --packet-bytes N tensor files: count in packets of N bytes, 256 to 65532 (default 4096);\n"
		"                   longer ones make smaller profiles\n"
		"  -o FILE          file to write, usually *.profile\n"
		"merge     put profiles together\n"
		"  --weights N,...  how often each counts, 1 to 1000 (default: all once)\n"
		"  --average        let all count the same, however many symbols they have\n"
		"  -o FILE          file to write\n"
		"compare   entropies of profiles, divergence of two, and what books would save\n"
		"  --codebooks DIR  books to compare (default: those shipped)\n"
		"  --json FILE      write the figures to FILE too\n"
		"build     fit a codebook, or a set, to tensors or to profiles (*.profile)\n"
		"  --type TYPE      bf16, fp16, fp32, e4m3, e5m2, int8 or bytes\n"
		"  --kind KIND      grouped (types with an exponent), huffman or area; or, of the latter,\n"
		"                   dual or quad: the Dual and Quad Length Codes of arXiv 2602.17849\n"
		"  --symbol SYMBOL  huffman, area: byte, or rotated (default for e4m3 and e5m2, but\n"
		"                   not for dual and quad)\n"
		"  --name NAME      name of the book; those of a set get -1, -2 ... added\n"
		"  --id N           its number on the wire, 1 to 255; those of a set count up from it\n"
		"  --books K        huffman, area: fit a set of K books, 1 to 16 (default 1)\n"
		"  --levels N       grouped: at most N unary levels, 0 to 7 (default); fewer are faster\n"
		"  --codes N        grouped: at most N codes, 2 to 16 (default)\n"
		"  --groups LIST    grouped: the code has these groups, of 2^N symbols each, for example\n"
		"                   1,1,1,3: fast kernels are made for some (default: the best)\n"
		"  --prefix-bits N  area: N bits of area number, 1 to 4 (default: the best)\n"
		"  --ranking ORDER  area: order of symbols before they are cut into areas: value (default),\n"
		"                   the faster, or frequency, which saves more on bytes of wide elements\n"
		"  -o FILE          file to write; of a set, FILE-1.book, FILE-2.book ...\n"
		"show      check codebooks and describe them\n"
		"evaluate  what the books would save on tensors, against the ideal and against a\n"
		"          Huffman code built for each 64 KiB\n"
		"  --type TYPE      element type of the inputs\n"
		"  --codebooks DIR  books to evaluate (default: those shipped)\n"
		"  --json FILE      write the figures to FILE too\n"
		"  --schemes        also each kind of code alone, with the codes of arXiv 2601.10673 and\n"
		"                   2602.17849, and 8-bit quantisation as the lossy reference\n"
		"  --profile FILE   with --schemes: fit the codes to a profile, instead of shipped books\n"
		"  --csv FILE       with --schemes: write what is saved of each 64 KiB to FILE\n"
		"  --figures DIR    with --schemes: draw the distribution of bytes, and what is saved of\n"
		"                   each 64 KiB, as SVG in DIR; needs gnuplot\n"
		"confusion which books are chosen for packets of tensors of known type, cut at random\n"
		"          bytes, and what books of another type cost against the best of the right one\n"
		"  --codebooks DIR  books to choose from (default: those shipped)\n"
		"  --packet-bytes N bytes of a packet, 256 to 16384 (default 4096)\n"
		"  --packets N      packets of each file (default 16)\n"
		"  --seed N         of the random numbers (default 1)\n"
		"  --json FILE      write the figures to FILE too\n"
		"\n"
		"INPUT is a file of raw little-endian elements; profile and build also take\n"
		"captures (*.pcap, *.pcapng), whose eligible payloads are the tensors.\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "profile", profile_command },
	{ "merge", merge_command },
	{ "compare", compare_command },
	{ "build", build_command },
	{ "show", show_command },
	{ "evaluate", evaluate_command },
	{ "confusion", confusion_command },
};

int
parse_number(const char *option, const char *value, unsigned long min, unsigned long max,
		unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end != '\0' || errno != 0 || *number < min ||
			*number > max)
		return complain("%s %s: must be a number from %lu to %lu", option, value, min, max);
	return 0;
}

int
parse_type(const char *value, int *type)
{
	*type = lp_type_from_name(value);
	if (*type < 0)
		return complain("--type %s: must be bf16, fp16, fp32, e4m3, e5m2, int8 or bytes",
				value);
	return 0;
}

/* What was printed counts only if it got out. */
static int
finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	complain("standard output: %s", strerror(errno));
	return EXIT_FAILURE;
}

/* Of the program or of a command, with whatever else is given. */
static bool
wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

int
main(int argc, char **argv)
{
	if (wants_help(argc, argv)) {
		fputs(usage, stdout);
		return finish(EXIT_SUCCESS);
	}
	if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
		puts("linepress-codebook " LP_VERSION);
		return finish(EXIT_SUCCESS);
	}
	for (size_t k = 0; argc >= 2 && k < sizeof(commands) / sizeof(commands[0]); k++)
		if (strcmp(argv[1], commands[k].name) == 0)
			return finish(commands[k].run(argc - 1, argv + 1));
	if (argc >= 2)
		complain("'%s': must be profile, merge, compare, build, show, evaluate or confusion",
				argv[1]);
	fputs(usage, stderr);
	return EXIT_FAILURE;
}
