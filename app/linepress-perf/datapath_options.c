/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <getopt.h>
#include <stdio.h>

#include "args.h"
#include "books.h"
#include "datapath_options.h"
#include "message.h"

#define BURST_DEFAULT 32
#define SECONDS_DEFAULT 5
#define SECONDS_MAX 86400

enum {
	OPT_BURST = 256,
	OPT_CODEBOOKS,
	OPT_HELP,
	OPT_JSON,
	OPT_KERNEL,
	OPT_SECONDS,
};

static const struct option long_options[] = {
	{ "burst", required_argument, NULL, OPT_BURST },
	{ "codebooks", required_argument, NULL, OPT_CODEBOOKS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ NULL, 0, NULL, 0 },
};

static const char help_text[] =
		"Usage: linepress-perf datapath [EAL options --] [options] [CAPTURE]\n"
		"\n"
		"Sends the frames of a capture (pcap or pcapng; default: the shipped one) through the packet\n"
		"path of the appliance on one lcore, and through the same loop in io mode, which touches no\n"
		"frame: bursts come from a ring, are compressed or restored, and go to a ring. Frames that do\n"
		"not come back bit for bit make it fail.\n"
		"\n"
		"  --codebooks DIR  codebooks (default: those shipped)\n"
		"  --kernel NAME    codec kernel, see below (default: the fastest that can run)\n"
		"  --burst N        frames handled at once, 1 to 512 (default 32)\n"
		"  --seconds N      time to repeat the capture, 1 to 86400 (default 5); at least one pass\n"
		"  --json FILE      write the report as JSON too\n"
		"  --help\n"
		"\n"
		"Stages: the functions of the library that a stage consists of are called for all frames of a\n"
		"burst, then those of the next stage, with the same frames and mbufs; the packet path itself\n"
		"is not instrumented. The rest of a loop (mbufs, counters, calls) is its time less that of io\n"
		"mode and of its stages; it can be negative, since a frame that goes through all stages at once\n"
		"is still in the nearest cache, and one that waits for the others of its burst is not.\n"
		"  compress  parse   headers, eligibility\n"
		"            choose  book, phase and base by a sample; for each frame, while the packet\n"
		"                    path mostly keeps what was chosen for the flow\n"
		"            encode  the codec alone, parameters known\n"
		"            seal    check word, headers, shim, trailer\n"
		"  restore   parse   headers, shim, tag\n"
		"            decode  the codec alone, 32 bodies at once\n"
		"            verify  check word, headers, trailer\n"
		"Each burst counts with its fastest run, quiet or not; the report warns if fewer than 10 % are\n"
		"quiet ('linepress-perf codec --help' tells what that is). Gb/s are bits of original frames\n"
		"without preamble, gap and FCS; GB/s are bytes of the coded regions, for the codec alone and\n"
		"for the whole loop. Ratio: speed of the whole loop by that of the codec alone; ratio with\n"
		"choice: by that of the codec and the choice of book, phase and base together (there is none to\n"
		"make when restoring). Cycles are TSC cycles, not the core's. Frames are in cache. Without EAL\n"
		"options the program takes 512 MB of ordinary memory and the first CPU it may use; no\n"
		"hugepages, no devices, no privileges.\n"
		"\n"
		"Kernels of this build, fastest first:\n";

static enum options_outcome
bad(void)
{
	fputs("Try 'linepress-perf datapath --help'.\n", stderr);
	return OPTIONS_BAD;
}

static int
parse_option(struct datapath_options *opt, int option, const char *value)
{
	long n;

	switch (option) {
	case OPT_BURST:
		n = args_number("--burst", value, 1, DATAPATH_BURST_MAX);
		opt->burst = (uint16_t)n;
		return n < 0 ? -1 : 0;
	case OPT_CODEBOOKS:
		opt->codebooks = value;
		return 0;
	case OPT_JSON:
		opt->json = value;
		return 0;
	case OPT_KERNEL:
		if (args_once("--kernel", opt->kernel != NULL) < 0)
			return -1;
		opt->kernel = value;
		return 0;
	default:
		opt->seconds = args_number("--seconds", value, 1, SECONDS_MAX);
		return opt->seconds < 0 ? -1 : 0;
	}
}

enum options_outcome
datapath_options_parse(struct datapath_options *opt, int argc, char **argv)
{
	int c;

	*opt = (struct datapath_options){
		.codebooks = codebook_dir(),
		.seconds = SECONDS_DEFAULT,
		.burst = BURST_DEFAULT,
	};
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			fputs(help_text, stdout);
			books_print_kernels(stdout, "  ");
			return OPTIONS_DONE;
		}
		if (c == ':' || c == '?')
			args_complain(c, argv[optind - 1]);
		if (c == ':' || c == '?' || parse_option(opt, c, optarg) < 0)
			return bad();
	}
	if (argc - optind > 1) {
		complain("%s: only one capture is possible", argv[optind + 1]);
		return bad();
	}
	opt->capture = argv[optind];
	optind = 1; /* the EAL uses getopt as well */
	return OPTIONS_RUN;
}
