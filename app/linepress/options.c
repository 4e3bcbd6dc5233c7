/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "books.h"
#include "key_file.h"
#include "log.h"
#include "options.h"
#include "usage.h"

#define OPTION_BASE 256 /* above all characters getopt_long() returns */
#define DEFAULT_BURST_PKTS 32
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
	bool is_flag;	/**< takes no value; sets the bool at the offset */
	size_t offset;	/**< in struct options */
	uint32_t min;
	uint32_t max;
	int (*parse)(const char *value, struct options *opts);
};

static const char *const mode_names[FWD_MODE_COUNT] = {
	[FWD_PRESS] = "press",
	[FWD_COMPRESS] = "compress",
	[FWD_RESTORE] = "restore",
	[FWD_IO] = "io",
	[FWD_VERIFY] = "verify",
};

static const char *const topology_names[TOPOLOGY_COUNT] = {
	[TOPOLOGY_PAIRED] = "paired",
	[TOPOLOGY_CHAINED] = "chained",
	[TOPOLOGY_LOOP] = "loop",
};

const char *
fwd_mode_name(enum fwd_mode mode)
{
	return mode_names[mode];
}

const char *
port_topology_name(enum port_topology topology)
{
	return topology_names[topology];
}

/* ---- parsers of values ---- */

static int
name_index(const char *const *names, int count, const char *value)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], value) == 0)
			return i;
	return -EINVAL;
}

static int
parse_mode(const char *value, struct options *opts)
{
	const int mode = name_index(mode_names, FWD_MODE_COUNT, value);

	if (mode < 0) {
		app_error("--forward-mode=%s: must be press, compress, restore, io or verify",
				value);
		return mode;
	}
	opts->mode = (enum fwd_mode)mode;
	return 0;
}

static int
parse_topology(const char *value, struct options *opts)
{
	const int topology = name_index(topology_names, TOPOLOGY_COUNT, value);

	if (topology < 0) {
		app_error("--port-topology=%s: must be paired, chained or loop", value);
		return topology;
	}
	opts->topology = (enum port_topology)topology;
	return 0;
}

/* Decimal digits only: no sign, no space, no hexadecimal. Moves `text` behind the number. */
static bool
take_number(const char **text, uint32_t max, uint32_t *number)
{
	uint64_t n = 0;
	const char *p = *text;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > max)
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*number = (uint32_t)n;
	return true;
}

static int
parse_host_ports(const char *value, struct options *opts)
{
	const uint32_t port_max = RTE_MAX_ETHPORTS - 1;
	const char *p = value;

	opts->has_host_ports = true;
	while (true) {
		uint32_t first, last;

		if (!take_number(&p, port_max, &first))
			break;
		last = first;
		if (*p == '-') {
			p++;
			if (!take_number(&p, port_max, &last) || last < first)
				break;
		}
		for (uint32_t port = first; port <= last; port++) {
			if (opts->host_port[port]) {
				app_error("--host-ports=%s: port %u is listed twice", value, port);
				return -EINVAL;
			}
			opts->host_port[port] = true;
		}
		if (*p == '\0')
			return 0;
		if (*p++ != ',')
			break;
	}
	app_error("--host-ports=%s: must be a list of ports of 0 to %u such as 0,2 or 0-3", value,
			port_max);
	return -EINVAL;
}

static int
parse_codebooks(const char *value, struct options *opts)
{
	if (*value == '\0') {
		app_error("--codebooks=: must name a directory");
		return -EINVAL;
	}
	opts->codebook_dir = value;
	return 0;
}

static int
parse_kernel(const char *value, struct options *opts)
{
	opts->kernel = value;
	return 0;
}

static int
parse_key_file(const char *value, struct options *opts)
{
	opts->has_key = true;
	char error[KEY_FILE_ERROR_MAX];
	const int ret = key_file_read(value, &opts->key, error);

	if (ret < 0)
		app_error("--key-file=%s: %s", value, error);
	return ret;
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
#define TEXT(n, parser, in_modes)                             \
	{                                                     \
		.name = n, .modes = in_modes, .parse = parser \
	}

static const struct app_option app_options[] = {
	TEXT("forward-mode", parse_mode, MODES_ALL),
	TEXT("port-topology", parse_topology, MODES_ALL),
	TEXT("host-ports", parse_host_ports, MODE(PRESS)),
	TEXT("codebooks", parse_codebooks, MODES_BOOKS),
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
	NUMBER("max-pkt-len", max_pkt_len, 128, 64512, MODES_ALL),
	NUMBER("stats-period", stats_period_s, 0, 86400, MODES_ALL),
	NUMBER("duration", duration_s, 0, 100000000, MODES_ALL),
	NUMBER("idle-sleep-us", idle_sleep_us, 0, 100000, MODES_ALL),
	FLAG("no-mlockall", no_mlockall),
	FLAG("no-flush-rx", no_flush_rx),
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
		.codebook_dir = codebook_dir(),
	};
}

static int
take_option(const struct app_option *option, const char *value, struct options *opts)
{
	void *field = RTE_PTR_ADD(opts, option->offset);

	if (option->is_flag) {
		*(bool *)field = true;
		return 0;
	}
	if (option->parse != NULL)
		return option->parse(value, opts);

	const char *end = value;
	uint32_t number;

	if (!take_number(&end, option->max, &number) || *end != '\0' || number < option->min) {
		app_error("--%s=%s: must be %u to %u", option->name, value, option->min,
				option->max);
		return -EINVAL;
	}
	*(uint32_t *)field = number;
	return 0;
}

/* No option is parsed and ignored. */
static int
check_modes(const bool *given, const struct options *opts)
{
	for (size_t i = 0; i < RTE_DIM(app_options); i++) {
		if (given[i] && (app_options[i].modes & 1u << opts->mode) == 0) {
			app_error("--%s: has no effect with --forward-mode=%s", app_options[i].name,
					fwd_mode_name(opts->mode));
			return -EINVAL;
		}
	}
	return 0;
}

static void
complain(int c, const char *arg)
{
	if (c == ':')
		app_error("%s: needs a value", arg);
	else if (optopt != 0 && strncmp(arg, "--", 2) == 0)
		app_error("%s: takes no value", arg);
	else
		app_error("%s: unknown or ambiguous option, see --help", arg);
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
	while ((c = getopt_long(argc, argv, "+:", table, NULL)) != -1) {
		const int index = c - OPTION_BASE;

		if (index < 0) {
			complain(c, argv[optind - 1]);
			return -EINVAL;
		}
		if (given[index]) {
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
	return check_modes(given, opts);
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
