/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <getopt.h>
#include <stdio.h>

#include <rte_common.h>

#include "books.h"
#include "cpus.h"
#include "line_options.h"
#include "linepress/codec.h"
#include "message.h"

#define BURST_DEFAULT 32
#define BURST_MAX 512
#define PACKET_BYTES_DEFAULT 4096
#define PACKET_BYTES_MAX 4096 /* largest path MTU of RoCE */
#define ROUNDS_DEFAULT 3
#define ROUNDS_MAX 1000
#define SECONDS_DEFAULT 2
#define SECONDS_MAX 3600

static const char *const mode_names[LINE_MODES] = {
	[LINE_IO] = "io",
	[LINE_COMPRESS] = "compress",
	[LINE_RESTORE] = "restore",
	[LINE_PRESS] = "press",
	[LINE_VERIFY] = "verify",
};

enum {
	OPT_BURST,
	OPT_CODEBOOKS,
	OPT_HELP,
	OPT_JSON,
	OPT_KERNEL,
	OPT_LCORES,
	OPT_MODES,
	OPT_PACKET_BYTES,
	OPT_ROUNDS,
	OPT_SECONDS,
	OPT_TYPE,
	OPTIONS,
};

#define OPT_BASE 256 /* above all characters */

static const struct option long_options[] = {
	{ "burst", required_argument, NULL, OPT_BASE + OPT_BURST },
	{ "codebooks", required_argument, NULL, OPT_BASE + OPT_CODEBOOKS },
	{ "help", no_argument, NULL, OPT_BASE + OPT_HELP },
	{ "json", required_argument, NULL, OPT_BASE + OPT_JSON },
	{ "kernel", required_argument, NULL, OPT_BASE + OPT_KERNEL },
	{ "lcores", required_argument, NULL, OPT_BASE + OPT_LCORES },
	{ "modes", required_argument, NULL, OPT_BASE + OPT_MODES },
	{ "packet-bytes", required_argument, NULL, OPT_BASE + OPT_PACKET_BYTES },
	{ "rounds", required_argument, NULL, OPT_BASE + OPT_ROUNDS },
	{ "seconds", required_argument, NULL, OPT_BASE + OPT_SECONDS },
	{ "type", required_argument, NULL, OPT_BASE + OPT_TYPE },
	{ NULL, 0, NULL, 0 },
};

static const char help_options[] =
		"Usage: linepress-perf line [options] [CAPTURE]\n"
		"       linepress-perf line [options] --type TYPE [FILE]\n"
		"\n"
		"Forwards the frames of a capture (pcap or pcapng; default: the shipped one) with linepress\n"
		"itself, as fast as it can, and with dpdk-testpmd in io mode on the same devices, if that is\n"
		"installed. The device is net_pcap with infinite_rx=1: it holds all frames in memory, hands\n"
		"them over again and again, each copied to an mbuf, and counts and drops what is sent. No\n"
		"hugepages, no network devices, no privileges.\n"
		"\n"
		"  --type TYPE       make 1024 RoCEv2 frames of 64 queue pairs from tensors instead: bf16, fp16,\n"
		"                    fp32, e4m3, e5m2, int8, bytes; from FILE, raw little-endian elements\n"
		"                    (default: from the source tree's test data)\n"
		"  --packet-bytes N  bytes of tensor in such a frame, a multiple of 4 from 64 to 4096 (default\n"
		"                    4096)\n"
		"  --modes LIST      forward modes of linepress: io, compress, restore, press, verify (default:\n"
		"                    all). restore gets the frames that compress makes; press gets both, the\n"
		"                    originals on port 0 and the coded ones on port 1\n"
		"  --lcores LIST     numbers of forwarding lcores, 1 to 16 (default: 1, 2, 4 ... and as many as\n"
		"                    CPUs that we may use, less one for the main lcore). Each has a queue of\n"
		"                    its own for which frames are chosen by flow. If CPUs are too few, lcores\n"
		"                    share them\n"
		"  --seconds N       of a measurement, 1 to 3600 (default 2)\n"
		"  --rounds N        measurements of each, in turns; the best counts (1 to 1000, default 3)\n"
		"  --burst N         frames handled at once, 1 to 512 (default 32)\n"
		"  --codebooks DIR   codebooks (default: those shipped)\n"
		"  --kernel NAME     codec kernel (default: the fastest that can run)\n"
		"  --json FILE       write the report as JSON too\n"
		"  --help\n"
		"\n";

static const char help_columns[] =
		"Columns, of all lcores together, in the round with the highest rate:\n"
		"  Mpps           frames received a second; in mode press on both ports\n"
		"  Gb/s           bits of original frames, without FCS: on the host's side of the box; in mode\n"
		"                 press what its host port receives and sends\n"
		"  line Gb/s      the same on the line's side\n"
		"  +24 B          with preamble, gap and FCS, to compare with the rate of a link\n"
		"  lost           frames received and not sent, and frames the device lost, in percent; the\n"
		"                 reasons are below\n"
		"  CPU            part of the time that the lcores had their CPUs. Other load of the machine\n"
		"                 takes the rest from the rates before\n"
		"and of one lcore, in the round with the fewest cycles:\n"
		"  cycles/packet  TSC cycles of the lcore for a frame received, those left out in which it had\n"
		"                 no CPU\n"
		"  to io          speed by that of linepress in io mode; of io itself by that of testpmd. This\n"
		"                 and what follows are taken from cycles/packet\n"
		"\n"
		"Speed by that of codec: of the codec alone; with choice: of the codec and the choice of book,\n"
		"phase and base; of data path: of the same loop without devices. 'linepress-perf datapath'\n"
		"measures these on the same frames, which stay in cache.\n"
		"\n"
		"lcores for a link: how many of them one direction of it needs at this mix of frames, if all\n"
		"are as fast as those measured; in mode press both directions. The link is full of original\n"
		"frames, hence a line of the same rate has room left.\n"
		"\n"
		"Rates are taken from counters over time while frames flow, without start and end.\n";

static enum options_outcome
bad(void)
{
	fputs("Try 'linepress-perf line --help'.\n", stderr);
	return OPTIONS_BAD;
}

const char *
line_mode_name(enum line_mode mode)
{
	return mode_names[mode];
}

static int
number(const char *name, const char *value, long min, long max, long *n)
{
	*n = args_number(name, value, min, max);
	return *n < 0 ? -1 : 0;
}

static int
parse_packet_bytes(const char *name, const char *value, struct line_options *opt)
{
	const long n = args_number(name, value, ARGS_PACKET_MIN, PACKET_BYTES_MAX);

	if (n < 0)
		return -1;
	if (n % ARGS_PACKET_UNIT != 0)
		return complain("%s: %ld is not a multiple of %d", name, n, ARGS_PACKET_UNIT);
	opt->packet_bytes = (size_t)n;
	return 0;
}

static int
parse_option(struct line_options *opt, int option, const char *name, const char *value)
{
	switch (option) {
	case OPT_BURST:
		return number(name, value, 1, BURST_MAX, &opt->burst);
	case OPT_CODEBOOKS:
		opt->codebooks = value;
		return 0;
	case OPT_JSON:
		opt->json = value;
		return 0;
	case OPT_KERNEL:
		opt->kernel = value;
		return 0;
	case OPT_LCORES:
		opt->nb_lcores = args_numbers(name, value, 1, LINE_LCORES_MAX, opt->lcores);
		return opt->nb_lcores < 0 ? -1 : 0;
	case OPT_MODES:
		return args_names(name, value, mode_names, LINE_MODES, opt->mode);
	case OPT_PACKET_BYTES:
		return parse_packet_bytes(name, value, opt);
	case OPT_ROUNDS:
		return number(name, value, 1, ROUNDS_MAX, &opt->rounds);
	case OPT_SECONDS:
		return number(name, value, 1, SECONDS_MAX, &opt->seconds);
	default:
		opt->type = args_type(name, value);
		return opt->type < 0 ? -1 : 0;
	}
}

static void
set_defaults(struct line_options *opt, const bool *given)
{
	const long cpus = cpus_allowed() - 1; /* one is the main lcore's */
	const long most = RTE_MIN(RTE_MAX(cpus, 1), (long)LINE_LCORES_MAX);

	if (!given[OPT_MODES])
		for (int mode = 0; mode < LINE_MODES; mode++)
			opt->mode[mode] = true;
	if (given[OPT_LCORES])
		return;
	for (long n = 1; n < most; n *= 2)
		opt->lcores[opt->nb_lcores++] = n;
	opt->lcores[opt->nb_lcores++] = most;
}

static int
parse_all(struct line_options *opt, bool *given, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		const int option = c - OPT_BASE;

		if (c == 'h' || option == OPT_HELP) {
			given[OPT_HELP] = true;
			return 0;
		}
		if (option < 0) {
			args_complain(c, argv[optind - 1]);
			return -1;
		}
		char name[32];

		snprintf(name, sizeof(name), "--%s", long_options[option].name);
		if (args_once(name, given[option]) < 0 ||
				parse_option(opt, option, name, optarg) < 0)
			return -1;
		given[option] = true;
	}
	if (argc - optind > 1)
		return complain("%s: only one %s is possible", argv[optind + 1],
				opt->type < 0 ? "capture" : "file");
	opt->input = argv[optind];
	if (given[OPT_PACKET_BYTES] && opt->type < 0)
		return complain("--packet-bytes: has no effect without --type");
	return 0;
}

enum options_outcome
line_options_parse(struct line_options *opt, int argc, char **argv)
{
	bool given[OPTIONS] = { 0 };

	*opt = (struct line_options){
		.codebooks = codebook_dir(),
		.type = -1,
		.packet_bytes = PACKET_BYTES_DEFAULT,
		.seconds = SECONDS_DEFAULT,
		.rounds = ROUNDS_DEFAULT,
		.burst = BURST_DEFAULT,
	};
	if (parse_all(opt, given, argc, argv) < 0)
		return bad();
	if (given[OPT_HELP]) {
		fputs(help_options, stdout);
		fputs(help_columns, stdout);
		return OPTIONS_DONE;
	}
	set_defaults(opt, given);
	return OPTIONS_RUN;
}
