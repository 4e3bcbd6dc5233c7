/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rte_common.h>
#include <rte_mbuf_core.h>

#include "books.h"
#include "linepress/press.h"

#include "compare.h"
#include "message.h"
#include "options.h"

#define LOOPS_DEFAULT 5
#define LOOPS_MAX 1000000
#define BURST_DEFAULT 32
/* A 9000-byte packet with Ethernet header and two VLAN tags fits in one mbuf. */
#define MBUF_SIZE_DEFAULT 9728
#define MBUF_SIZE_MIN (RTE_PKTMBUF_HEADROOM + 64)
#define MBUF_SIZE_MAX UINT16_MAX
#define MIN_REGION_MAX 65535

enum {
	OPT_BURST = 256,
	OPT_CODEBOOKS,
	OPT_HELP,
	OPT_JSON,
	OPT_KERNEL,
	OPT_KEY_FILE,
	OPT_LINE,
	OPT_LOOPS,
	OPT_MBUF_SIZE,
	OPT_MIN_REGION,
	OPT_MODE,
	OPT_RESTORED,
	OPT_SKIP_TRUNCATED,
	OPT_VERSION,
};

static const struct option long_options[] = {
	{ "burst", required_argument, NULL, OPT_BURST },
	{ "codebooks", required_argument, NULL, OPT_CODEBOOKS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "key-file", required_argument, NULL, OPT_KEY_FILE },
	{ "line", required_argument, NULL, OPT_LINE },
	{ "loops", required_argument, NULL, OPT_LOOPS },
	{ "mbuf-size", required_argument, NULL, OPT_MBUF_SIZE },
	{ "min-region", required_argument, NULL, OPT_MIN_REGION },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "restored", required_argument, NULL, OPT_RESTORED },
	{ "skip-truncated", no_argument, NULL, OPT_SKIP_TRUNCATED },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static const char *const mode_names[REPLAY_MODE_COUNT] = {
	[REPLAY_PAIR] = "pair",
	[REPLAY_COMPRESS] = "compress",
	[REPLAY_RESTORE] = "restore",
};

static const char help_text[] =
		"Usage: linepress-replay [EAL options --] [options] CAPTURE...\n"
		"\n"
		"Sends the Ethernet frames of each capture (pcap or pcapng) through a compressing and a\n"
		"restoring box and compares what comes back with what was sent, byte for byte and in order.\n"
		"The exit status is 0 only if nothing differs, nothing was lost and nothing was reordered.\n"
		"\n"
		"  --codebooks DIR     codebooks of both boxes (default: those shipped)\n"
		"  --json FILE         write the report as JSON too\n"
		"  --line FILE         write the frames between the boxes, as nanosecond pcap\n"
		"  --restored FILE     write the frames that come back, as nanosecond pcap\n"
		"  --mode MODE         pair      both boxes (default)\n"
		"                      compress  the first box alone, needs --line\n"
		"                      restore   the second box alone: CAPTURE is one written with --line;\n"
		"                                nothing is compared; frames that look coded with another\n"
		"                                key or other codebooks make it fail\n"
		"  --loops N           passes over each capture, each verified (default 5). Counters are\n"
		"                      those of one pass, speeds those of the fastest\n"
		"  --skip-truncated    leave out frames that the capture has only in part\n"
		"  --burst N           frames handled at once, 1 to 512 (default 32)\n"
		"  --mbuf-size N       bytes of an mbuf with its headroom of 128, 192 to 65535 (default 9728);\n"
		"                      longer frames are chained\n"
		"  --kernel NAME       codec kernel, see below (default: the fastest that can run)\n"
		"  --key-file FILE     key of the pair, 32 hex digits, mode 0600 (default: zeroes)\n"
		"  --min-region N      smallest payload to code, 1 to 65535 bytes (default 256)\n"
		"  --help, --version\n"
		"\n"
		"Speeds are of one lcore, in bits of the original frames by the time spent in the box; cycles\n"
		"are TSC cycles, not the core's.\n"
		"Without EAL options the program takes 512 MB of ordinary memory and the first CPU it may\n"
		"use; no hugepages, no devices, no privileges.\n"
		"\n"
		"Kernels of this build, fastest first:\n";

static_assert(LP_PRESS_MIN_REGION == 256, "the help says otherwise");

static enum options_outcome
bad(void)
{
	fputs("Try 'linepress-replay --help'.\n", stderr);
	return OPTIONS_BAD;
}

/* Decimal number in a range, or -1 with a message. */
static long
number(const char *option, const char *value, long min, long max)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end != '\0')
		return complain("%s: \"%s\" is not a number, allowed are %ld to %ld", option, value,
				min, max);
	if (errno != 0 || n < min || n > max)
		return complain("%s: %s is out of range, allowed are %ld to %ld", option, value,
				min, max);
	return n;
}

static int
parse_mode(struct options *opt, const char *value)
{
	unsigned int i;

	for (i = 0; i < REPLAY_MODE_COUNT; i++) {
		if (strcmp(value, mode_names[i]) == 0) {
			opt->mode = i;
			return 0;
		}
	}
	return complain("--mode: \"%s\" is unknown, allowed are pair, compress and restore", value);
}

static int
parse_number(struct options *opt, int option, const char *value)
{
	long n = -1;

	switch (option) {
	case OPT_BURST:
		n = number("--burst", value, 1, COMPARE_BURST_MAX);
		opt->burst = n;
		break;
	case OPT_LOOPS:
		n = number("--loops", value, 1, LOOPS_MAX);
		opt->loops = n;
		break;
	case OPT_MBUF_SIZE:
		n = number("--mbuf-size", value, MBUF_SIZE_MIN, MBUF_SIZE_MAX);
		opt->mbuf_size = n;
		break;
	case OPT_MIN_REGION:
		n = number("--min-region", value, 1, MIN_REGION_MAX);
		opt->min_region = n;
		break;
	}
	return n < 0 ? -1 : 0;
}

static int
parse_option(struct options *opt, int option, const char *value)
{
	switch (option) {
	case OPT_CODEBOOKS:
		opt->codebooks = value;
		return 0;
	case OPT_JSON:
		opt->json = value;
		return 0;
	case OPT_KERNEL:
		opt->kernel = value;
		return 0;
	case OPT_KEY_FILE:
		opt->key_file = value;
		return 0;
	case OPT_LINE:
		opt->line = value;
		return 0;
	case OPT_RESTORED:
		opt->restored = value;
		return 0;
	case OPT_SKIP_TRUNCATED:
		opt->skip_truncated = true;
		return 0;
	case OPT_MODE:
		return parse_mode(opt, value);
	default:
		return parse_number(opt, option, value);
	}
}

static int
check_modes(const struct options *opt)
{
	if (opt->mode == REPLAY_COMPRESS && opt->line == NULL)
		return complain("--mode compress needs --line FILE");
	if (opt->mode == REPLAY_COMPRESS && opt->restored != NULL)
		return complain("--restored: nothing is restored in --mode compress");
	if (opt->mode == REPLAY_RESTORE && opt->line != NULL)
		return complain("--line: the capture is the line in --mode restore");
	return 0;
}

/* An output that replaces an input or another output is a slip of the pen. */
static int
check_outputs(const struct options *opt)
{
	const char *const names[] = { "--json", "--line", "--restored" };
	const char *const files[] = { opt->json, opt->line, opt->restored };
	struct stat out, in;
	int i, j;

	for (i = 0; i < 3; i++) {
		for (j = 0; files[i] != NULL && j < i; j++)
			if (files[j] != NULL && strcmp(files[i], files[j]) == 0)
				return complain("%s: %s is also the file of %s", names[i], files[i],
						names[j]);
		if (files[i] == NULL || stat(files[i], &out) < 0 || !S_ISREG(out.st_mode))
			continue;
		for (j = 0; j < opt->nb_captures; j++)
			if (stat(opt->captures[j], &in) == 0 && in.st_dev == out.st_dev &&
					in.st_ino == out.st_ino)
				return complain("%s: %s is also a capture to replay", names[i],
						files[i]);
	}
	return 0;
}

static void
complain_of_option(int c, const char *arg)
{
	if (c == ':')
		complain("%s: a value is missing", arg);
	else if (optopt >= OPT_BURST)
		complain("%s: takes no value", arg);
	else if (optopt != 0)
		complain("-%c: unknown option", optopt);
	else
		complain("%s: unknown or ambiguous option", arg);
}

enum options_outcome
options_parse(struct options *opt, int argc, char **argv)
{
	int c;

	*opt = (struct options){
		.codebooks = codebook_dir(),
		.loops = LOOPS_DEFAULT,
		.burst = BURST_DEFAULT,
		.mbuf_size = MBUF_SIZE_DEFAULT,
	};
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			fputs(help_text, stdout);
			books_print_kernels(stdout, "  ");
			return OPTIONS_DONE;
		}
		if (c == OPT_VERSION) {
			puts("linepress-replay " LP_VERSION);
			return OPTIONS_DONE;
		}
		if (c == ':' || c == '?')
			complain_of_option(c, argv[optind - 1]);
		if (c == ':' || c == '?' || parse_option(opt, c, optarg) < 0)
			return bad();
	}
	opt->captures = argv + optind;
	opt->nb_captures = argc - optind;
	if (opt->nb_captures == 0)
		complain("no capture given");
	if (opt->nb_captures == 0 || check_modes(opt) < 0 || check_outputs(opt) < 0)
		return bad();
	optind = 1; /* the EAL uses getopt as well */
	return OPTIONS_RUN;
}

const char *
options_mode_name(enum replay_mode mode)
{
	return mode_names[mode];
}
