/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"
#include "codec.h"
#include "codec_options.h"
#include "message.h"
#include "peer.h"

#define PACKET_BYTES_DEFAULT "256,1024,1408,4096,8948"
#define SECONDS_DEFAULT 30
#define SECONDS_MAX 86400

enum {
	OPT_CODEBOOKS = 256,
	OPT_CORPUS,
	OPT_HELP,
	OPT_INPUT,
	OPT_JSON,
	OPT_KERNEL,
	OPT_PACKET_BYTES,
	OPT_SECONDS,
	OPT_STREAMED,
	OPT_TYPE,
	OPT_TYPES,
};

static const struct option long_options[] = {
	{ "codebooks", required_argument, NULL, OPT_CODEBOOKS },
	{ "corpus", required_argument, NULL, OPT_CORPUS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "packet-bytes", required_argument, NULL, OPT_PACKET_BYTES },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "streamed", no_argument, NULL, OPT_STREAMED },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ "types", required_argument, NULL, OPT_TYPES },
	{ NULL, 0, NULL, 0 },
};

static const char help_text[] =
		"Usage: linepress-perf codec [options] [FILE...]\n"
		"\n"
		"Codes packets of tensors, each on its own, with our codecs and with others, and compares\n"
		"speed and size. All codecs get the same packets in the same run, in turns. Every packet is\n"
		"decoded and compared first; if one of ours does not come back the exit status is not 0.\n"
		"Another's codec that fails, or can make no table, is left out and the report tells why.\n"
		"\n"
		"  --type TYPE          element type of all FILEs: bf16, fp16, fp32, e4m3, e5m2, int8, bytes\n"
		"  --input FILE         a file of raw little-endian elements, as FILE; may be repeated. Tables\n"
		"                       of other codecs are made from its first half, packets are cut from the\n"
		"                       second\n"
		"  --corpus DIR         take the files that DIR/manifest.tsv lists (tab-separated: path, type,\n"
		"                       ..., in the 8th column the split: profile for tables, eval for packets)\n"
		"                       default: tensors of the source tree's test data, split as FILEs are\n"
		"  --types LIST         types to measure (default: all that there is data of)\n"
		"  --packet-bytes LIST  bytes of a packet, multiples of 4 from 64 to 65532\n"
		"                       (default " PACKET_BYTES_DEFAULT
		"); those longer than the shortest\n"
		"                       half of a FILE are left out\n"
		"  --streamed           a working set of 64 MiB instead of one of 256 KiB that stays in cache\n"
		"  --codebooks DIR      our codebooks (default: those shipped)\n"
		"  --kernel NAME        our kernel (default: all that this processor can run)\n"
		"  --seconds N          time for the whole run, 1 to 86400 (default 30); every codec gets at\n"
		"                       least one turn with each type and size, even if that takes longer\n"
		"  --json FILE          write the report as JSON too\n"
		"  --help\n"
		"\n"
		"linepress-grouped, linepress-huffman, linepress-area: ours; book, phase and base of each packet\n"
		"are known beforehand, among several Huffman or area books of a type the best of each packet\n"
		"(\"mixed\"). Area books are in area/ and papers/ below the shipped ones: see --codebooks.\n"
		"They take bursts of 32 packets: Huffman bodies are decoded side by side.\n"
		"...+choose: with the choice among all books, as the appliance does, timed too; named after\n"
		"the kind of book that most packets take. Its book is \"any\": each packet takes a book of any\n"
		"type and kind, or none. Shipped books of type bytes are for sparse tensors and packed 4-bit\n"
		"integers.\n"
		"huf0-fixed-4x: zstd's Huffman coder, four streams, a fixed table over all bytes.\n"
		"huf0-fixed-4x-aligned: a fixed table over the exponent byte minus a base of the packet (bf16,\n"
		"fp16, fp32), the other bytes copied; taking apart and putting together is timed.\n"
		"huf0-three-stage: counts, makes a table and sends it, for each packet. isal-static: ISA-L's\n"
		"deflate with a fixed table that does not travel. Levels: zstd 1 and -1, libdeflate 1.\n"
		"\n"
		"GB/s and cycles per byte (TSC cycles, not the core's) are of raw bytes, best of all turns;\n"
		"streamed, the best of each 2 MiB. Latency: one packet alone, not in a burst, encoded and\n"
		"decoded, the median over packets. Size: coded by raw bytes with all headers, of ours 1 byte\n"
		"for the book and 2 for the length; a packet that gets no shorter counts as it is. A sample is\n"
		"quiet if the core retires more than 5.2 nops a cycle before and after it, so that no other\n"
		"hardware thread is busy there. The fastest sample counts, quiet or not, since disturbance only\n"
		"slows; if fewer than 10 % are quiet the report warns that its figures are those of a busy\n"
		"core.\n";

static_assert(CODEC_BURST == 32, "the help says otherwise");

static enum options_outcome
bad(struct codec_options *opt)
{
	free(opt->inputs);
	fputs("Try 'linepress-perf codec --help'.\n", stderr);
	return OPTIONS_BAD;
}

static void
help(const char *codebooks)
{
	const char *sep = "\nKernels that this processor can run:";
	struct kernels kernels;

	fputs(help_text, stdout);
	if (kernels_load(&kernels, codebooks, NULL) == 0) {
		for (size_t k = 0; k < kernels.count; k++, sep = ",")
			printf("%s %s", sep, kernels.name[k]);
		kernels_free(&kernels);
	}
	sep = "\nOther codecs of this build:";
	for (size_t k = 0; k < peer_count; k++) {
		if (peer_table[k].peer == NULL)
			continue;
		printf("%s %s", sep, peer_table[k].name);
		sep = ",";
	}
	sep = "\nNot in this build, for want of a library:";
	for (size_t k = 0; k < peer_count; k++) {
		if (peer_table[k].peer != NULL)
			continue;
		printf("%s %s", sep, peer_table[k].name);
		sep = ",";
	}
	putchar('\n');
}

static int
parse_option(struct codec_options *opt, int option, const char *value)
{
	switch (option) {
	case OPT_CODEBOOKS:
		opt->codebooks = value;
		return 0;
	case OPT_CORPUS:
		opt->corpus = value;
		return 0;
	case OPT_INPUT:
		opt->inputs[opt->nb_inputs++] = value;
		return 0;
	case OPT_JSON:
		opt->json = value;
		return 0;
	case OPT_KERNEL:
		if (args_once("--kernel", opt->kernel != NULL) < 0)
			return -1;
		opt->kernel = value;
		return 0;
	case OPT_PACKET_BYTES:
		opt->nb_packet_bytes = args_packet_sizes(
				"--packet-bytes", value, opt->packet_bytes);
		return opt->nb_packet_bytes < 0 ? -1 : 0;
	case OPT_SECONDS:
		opt->seconds = args_number("--seconds", value, 1, SECONDS_MAX);
		return opt->seconds < 0 ? -1 : 0;
	case OPT_STREAMED:
		opt->streamed = true;
		return 0;
	case OPT_TYPE:
		if (opt->type >= 0)
			return complain("--type: given twice, but all files of a run are of one type; "
					"--corpus takes several");
		opt->type = args_type("--type", value);
		return opt->type < 0 ? -1 : 0;
	default:
		opt->all_types = false;
		return args_types("--types", value, opt->types);
	}
}

static int
check(const struct codec_options *opt)
{
	if (opt->nb_inputs > 0 && opt->type < 0)
		return complain("%s: of which type? --type is missing", opt->inputs[0]);
	if (opt->nb_inputs == 0 && opt->type >= 0)
		return complain("--type %s: no file given; --types selects from other data",
				lp_type_name((enum lp_type)opt->type));
	if (opt->nb_inputs > 0 && opt->corpus != NULL)
		return complain("--corpus: %s is given too, only one is possible", opt->inputs[0]);
	return 0;
}

enum options_outcome
codec_options_parse(struct codec_options *opt, int argc, char **argv)
{
	int c;

	*opt = (struct codec_options){
		.codebooks = codebook_dir(),
		.inputs = calloc((size_t)argc, sizeof(*opt->inputs)),
		.type = -1,
		.all_types = true,
		.seconds = SECONDS_DEFAULT,
	};
	opt->nb_packet_bytes = args_packet_sizes(
			"--packet-bytes", PACKET_BYTES_DEFAULT, opt->packet_bytes);
	if (opt->inputs == NULL)
		complain("out of memory");
	if (opt->inputs == NULL)
		return bad(opt);
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			help(opt->codebooks);
			free(opt->inputs);
			return OPTIONS_DONE;
		}
		if (c == ':' || c == '?')
			args_complain(c, argv[optind - 1]);
		if (c == ':' || c == '?' || parse_option(opt, c, optarg) < 0)
			return bad(opt);
	}
	while (optind < argc)
		opt->inputs[opt->nb_inputs++] = argv[optind++];
	return check(opt) < 0 ? bad(opt) : OPTIONS_RUN;
}
