/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "books.h"
#include "key_file.h"
#include "log.h"
#include "numbers.h"
#include "options.h"
#include "usage.h"

#define OPTION_NAME_MAX 40
#define OPTION_BASE 256 /* above all characters getopt_long() returns */
#define DEFAULT_BURST_PKTS 32
#define DEFAULT_MBCACHE 250 /* as testpmd */
/* One flow, one queue; RoCEv2 spreads by its UDP source port. */
#define DEFAULT_RSS (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP)
/* IP packet of 9000, Ethernet header, two VLAN tags, FCS, and a shim that escapes the frame. */
#define DEFAULT_MAX_PKT_LEN 9042

#define MODE(m) (1u << FWD_##m)
#define MODES_ALL (MODE(PRESS) | MODE(COMPRESS) | MODE(RESTORE) | MODE(IO) | MODE(VERIFY))
#define MODES_BOOKS (MODES_ALL & ~MODE(IO))
#define MODES_ENCODE (MODES_BOOKS & ~MODE(RESTORE))

/** One application argument; it is a number unless it has a parser. */
struct app_option {
	const char *name;
	uint32_t modes; /**< forward modes in which it has an effect */
	bool is_flag;	/**< takes no value; sets the bool at the offset unless it has a parser */
	size_t offset;	/**< in struct options */
	uint32_t min;
	uint32_t max;
	int (*parse)(const char *what, const char *value, struct options *opts);
	bool is_repeatable;
};

/* ---- parsers of values ---- */

static int
parse_codebooks(const char *what __rte_unused, const char *value, struct options *opts)
{
	if (*value == '\0') {
		app_error("--codebooks=: must name a directory");
		return -EINVAL;
	}
	opts->codebook_dir = value;
	return 0;
}

static int
parse_rules(const char *what __rte_unused, const char *value, struct options *opts)
{
	opts->rules = value;
	return 0;
}

static int
parse_kernel(const char *what __rte_unused, const char *value, struct options *opts)
{
	opts->kernel = value;
	return 0;
}

static int
parse_key_file(const char *what __rte_unused, const char *value, struct options *opts)
{
	opts->has_key = true;
	char error[KEY_FILE_ERROR_MAX];
	const int ret = key_file_read(value, &opts->key, error);

	if (ret < 0)
		app_error("--key-file=%s: %s", value, error);
	return ret;
}

static int
parse_cmdline_file(const char *what, const char *value, struct options *opts)
{
	if (opts->nb_cmdline_files == CMDLINE_FILES_MAX) {
		app_error("%s%s: at most %u files", what, value, CMDLINE_FILES_MAX);
		return -EINVAL;
	}
	opts->cmdline_file[opts->nb_cmdline_files++] = value;
	return 0;
}

static int
parse_stats_json(const char *what __rte_unused, const char *value, struct options *opts)
{
	opts->stats_json = value;
	return 0;
}

static int
parse_display_xstats(const char *what __rte_unused, const char *value, struct options *opts)
{
	opts->display_xstats = value;
	return 0;
}

static int
set_rss_ip(const char *what __rte_unused, const char *value __rte_unused, struct options *opts)
{
	opts->rss_hf = RTE_ETH_RSS_IP;
	return 0;
}

static int
set_rss_udp(const char *what __rte_unused, const char *value __rte_unused, struct options *opts)
{
	opts->rss_hf = RTE_ETH_RSS_UDP;
	return 0;
}

static int
set_rss_none(const char *what __rte_unused, const char *value __rte_unused, struct options *opts)
{
	opts->rss_hf = 0;
	return 0;
}

/* Options of testpmd that a transparent pair of boxes cannot have. */

static int
refuse_eth_peer(const char *what, const char *value, struct options *opts __rte_unused)
{
	app_error("%s%s: refused, linepress is transparent and never rewrites MAC addresses", what,
			value);
	return -EINVAL;
}

static int
refuse_tx_first(const char *what, const char *value __rte_unused, struct options *opts __rte_unused)
{
	app_error("%s: refused, linepress sends no frames of its own", what);
	return -EINVAL;
}

static int
refuse_rx_cksum(const char *what, const char *value __rte_unused, struct options *opts __rte_unused)
{
	app_error("%s: refused, linepress neither checks nor corrects checksums of hosts", what);
	return -EINVAL;
}

/* ---- the options ---- */

#define NUMBER(n, field, low, high, in_modes)                                            \
	{                                                                                \
		.name = n, .modes = in_modes, .offset = offsetof(struct options, field), \
		.min = low, .max = high                                                  \
	}
#define FLAG(n, field)                                          \
	{                                                       \
		.name = n, .modes = MODES_ALL, .is_flag = true, \
		.offset = offsetof(struct options, field)       \
	}
#define SWITCH(n, parser)                                                        \
	{                                                                        \
		.name = n, .modes = MODES_ALL, .is_flag = true, .parse = parser, \
	}
#define TEXT(n, parser, in_modes)                             \
	{                                                     \
		.name = n, .modes = in_modes, .parse = parser \
	}

static const struct app_option app_options[] = {
	TEXT("forward-mode", options_set_mode, MODES_ALL),
	TEXT("port-topology", options_set_topology, MODES_ALL),
	TEXT("distribution", options_set_distribution, MODES_ALL),
	TEXT("host-ports", options_set_host_ports, MODE(PRESS)),
	TEXT("peer", options_set_peer, MODE(PRESS)),
	NUMBER("hello-interval", hello_interval_ms, LP_HELLO_INTERVAL_MIN, LP_HELLO_INTERVAL_MAX,
			MODE(PRESS)),
	TEXT("portlist", options_set_portlist, MODES_ALL),
	TEXT("portmask", options_set_portmask, MODES_ALL),
	TEXT("corelist", options_set_corelist, MODES_ALL),
	TEXT("coremask", options_set_coremask, MODES_ALL),
	TEXT("eth-peer", refuse_eth_peer, MODES_ALL),
	TEXT("eth-peers-configfile", refuse_eth_peer, MODES_ALL),
	SWITCH("tx-first", refuse_tx_first),
	SWITCH("enable-rx-cksum", refuse_rx_cksum),
	SWITCH("rss-ip", set_rss_ip),
	SWITCH("rss-udp", set_rss_udp),
	SWITCH("disable-rss", set_rss_none),
	FLAG("enable-scatter", enable_scatter),
	TEXT("display-xstats", parse_display_xstats, MODES_ALL),
	TEXT("stats-json", parse_stats_json, MODES_ALL),
	{ .name = "cmdline-file",
			.modes = MODES_ALL,
			.parse = parse_cmdline_file,
			.is_repeatable = true },
	TEXT("codebooks", parse_codebooks, MODES_BOOKS),
	TEXT("rules", parse_rules, MODES_ENCODE),
	TEXT("kernel", parse_kernel, MODES_BOOKS),
	TEXT("key-file", parse_key_file, MODES_BOOKS),
	NUMBER("min-region", min_region, 1, UINT16_MAX, MODES_ENCODE),
	NUMBER("nb-cores", nb_cores, 1, RTE_MAX_LCORE, MODES_ALL),
	NUMBER("rxq", rxq, 1, RTE_MAX_QUEUES_PER_PORT, MODES_ALL),
	NUMBER("txq", txq, 1, RTE_MAX_QUEUES_PER_PORT, MODES_ALL),
	NUMBER("rxd", rxd, 1, UINT16_MAX, MODES_ALL),
	NUMBER("txd", txd, 1, UINT16_MAX, MODES_ALL),
	NUMBER("burst", burst_pkts, 1, BURST_MAX, MODES_ALL),
	NUMBER("mbuf-size", mbuf_size, 512, UINT16_MAX, MODES_ALL),
	NUMBER("total-num-mbufs", total_num_mbufs, 1025, 1u << 28, MODES_ALL),
	NUMBER("max-pkt-len", max_pkt_len, MAX_PKT_LEN_MIN, MAX_PKT_LEN_MAX, MODES_ALL),
	NUMBER("stats-period", stats_period_s, 0, 86400, MODES_ALL),
	NUMBER("duration", duration_s, 0, 100000000, MODES_ALL),
	NUMBER("idle-sleep-us", idle_sleep_us, 0, 100000, MODES_ALL),
	NUMBER("mbcache", mbcache, 0, RTE_MEMPOOL_CACHE_MAX_SIZE, MODES_ALL),
	FLAG("interactive", is_interactive),
	FLAG("auto-start", auto_start),
	FLAG("record-core-cycles", record_core_cycles),
	FLAG("record-burst-stats", record_burst_stats),
	FLAG("dumpcap", dumpcap),
	FLAG("disable-link-check", disable_link_check),
	FLAG("no-mlockall", no_mlockall),
	FLAG("no-flush-rx", no_flush_rx),
	FLAG("no-lsc-interrupt", no_lsc_interrupt),
	{ .name = "no-link-propagation",
			.modes = MODE(PRESS),
			.is_flag = true,
			.offset = offsetof(struct options, no_link_propagation) },
};

static void
set_defaults(struct options *opts)
{
	*opts = (struct options){
		.mode = FWD_PRESS,
		.topology = TOPOLOGY_PAIRED,
		.nb_cores = 1,
		.rxq = 1,
		.txq = 1,
		.burst_pkts = DEFAULT_BURST_PKTS,
		.max_pkt_len = DEFAULT_MAX_PKT_LEN,
		.mbcache = DEFAULT_MBCACHE,
		.hello_interval_ms = LP_PEER_INTERVAL_MS,
		.rss_hf = DEFAULT_RSS,
		.codebook_dir = codebook_dir(),
	};
}

static int
take_option(const struct app_option *option, const char *value, struct options *opts)
{
	void *field = RTE_PTR_ADD(opts, option->offset);
	char what[OPTION_NAME_MAX];

	snprintf(what, sizeof(what), "--%s%s", option->name, option->is_flag ? "" : "=");
	if (option->parse != NULL)
		return option->parse(what, value, opts);
	if (option->is_flag) {
		*(bool *)field = true;
		return 0;
	}
	if (!number_parse(value, option->min, option->max, field)) {
		app_error("%s%s: must be %u to %u", what, value, option->min, option->max);
		return -EINVAL;
	}
	return 0;
}

/* No option is parsed and ignored. */
static int
check_modes(const bool *given, const struct options *opts)
{
	for (size_t i = 0; !options_mode_may_change(opts) && i < RTE_DIM(app_options); i++) {
		if (given[i] && (app_options[i].modes & 1u << opts->mode) == 0) {
			app_error("--%s: has no effect with --forward-mode=%s", app_options[i].name,
					fwd_mode_name(opts->mode));
			return -EINVAL;
		}
	}
	return 0;
}

static bool
is_given(const bool *given, const char *name)
{
	for (size_t i = 0; i < RTE_DIM(app_options); i++)
		if (given[i] && strcmp(app_options[i].name, name) == 0)
			return true;
	return false;
}

static void
complain(int c, const char *arg)
{
	if (c == ':')
		app_error("%s: needs a value", arg);
	else if (optopt >= OPTION_BASE)
		app_error("%s: takes no value", arg);
	else if (optopt != 0) /* a letter: among others, so that `arg` may be the one before */
		app_error("-%c: unknown option, see --help", optopt);
	else
		app_error("%s: unknown or ambiguous option, see --help", arg);
}

/* The option that a letter stands for. */
static int
flag_index(int letter)
{
	const size_t offset = letter == 'i' ? offsetof(struct options, is_interactive)
					    : offsetof(struct options, auto_start);
	int i = 0;

	while (!app_options[i].is_flag || app_options[i].offset != offset)
		i++;
	return i;
}

/* What no single option can tell. */
static int
check_together(const bool *given, const struct options *opts)
{
	static const struct {
		const char *a, *b;
	} exclusive[] = {
		{ "portlist", "portmask" },
		{ "corelist", "coremask" },
		{ "corelist", "nb-cores" },
		{ "coremask", "nb-cores" },
		{ "rss-ip", "rss-udp" },
		{ "rss-ip", "disable-rss" },
		{ "rss-udp", "disable-rss" },
	};

	for (size_t i = 0; i < RTE_DIM(exclusive); i++) {
		if (!is_given(given, exclusive[i].a) || !is_given(given, exclusive[i].b))
			continue;
		app_error("--%s and --%s: only one of them", exclusive[i].a, exclusive[i].b);
		return -EINVAL;
	}
	if (opts->rxq == 1 && !options_mode_may_change(opts) &&
			(is_given(given, "rss-ip") || is_given(given, "rss-udp") ||
					is_given(given, "disable-rss"))) {
		app_error("--rss-ip, --rss-udp and --disable-rss have no effect with --rxq=1");
		return -EINVAL;
	}
	if (opts->is_interactive && opts->stats_period_s != 0) {
		app_error("--stats-period=%u: not with --interactive, where `show port stats all` tells",
				opts->stats_period_s);
		return -EINVAL;
	}
	return 0;
}

int
options_parse(int argc, char **argv, struct options *opts)
{
	struct option table[RTE_DIM(app_options) + 1] = { 0 };
	bool given[RTE_DIM(app_options)] = { 0 };
	int c, ret;

	for (size_t i = 0; i < RTE_DIM(app_options); i++) {
		table[i].name = app_options[i].name;
		table[i].has_arg = app_options[i].is_flag ? no_argument : required_argument;
		table[i].val = OPTION_BASE + (int)i; /* distinct, or prefixes pass as unique */
	}
	set_defaults(opts);
	opterr = 0;
	optind = 0; /* EAL has used getopt before */
	while ((c = getopt_long(argc, argv, "+:ia", table, NULL)) != -1) {
		const int index = c == 'i' || c == 'a' ? flag_index(c) : c - OPTION_BASE;

		if (index < 0) {
			complain(c, argv[optind - 1]);
			return -EINVAL;
		}
		if (given[index] && !app_options[index].is_repeatable) {
			app_error("--%s: given more than once", app_options[index].name);
			return -EINVAL;
		}
		given[index] = true;
		ret = take_option(&app_options[index], optarg, opts);
		if (ret < 0)
			return ret;
	}
	if (optind < argc) {
		app_error("'%s': unexpected argument, see --help", argv[optind]);
		return -EINVAL;
	}
	ret = check_together(given, opts);
	return ret < 0 ? ret : check_modes(given, opts);
}

bool
options_misplaced(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + 2;
		const size_t len = strncmp(argv[i], "--", 2) == 0 ? strcspn(name, "=") : 0;

		for (size_t k = 0; k < RTE_DIM(app_options); k++) {
			if (strlen(app_options[k].name) != len ||
					strncmp(name, app_options[k].name, len) != 0)
				continue;
			app_error("%s: belongs behind \"--\", which separates the EAL arguments from ours",
					argv[i]);
			return true;
		}
	}
	return false;
}

bool
options_answer_early(int argc, char **argv)
{
	bool after_eal = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			after_eal = true;
		} else if (strcmp(argv[i], "--version") == 0) {
			usage_print_version();
			return true;
		} else if (strcmp(argv[i], "--help") == 0 ||
				(after_eal && strcmp(argv[i], "-h") == 0)) {
			usage_print("linepress");
			return true;
		}
	}
	return false;
}
