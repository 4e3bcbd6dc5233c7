/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_OPTIONS_H
#define LINEPRESS_APP_OPTIONS_H

/**
 * @file
 * Application arguments, under testpmd's names where testpmd has them. Parsing touches
 * neither ports nor memory pools; what only the devices can tell is checked later.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_build_config.h>

#include "linepress/peer.h"
#include "linepress/wire.h"

/** Largest burst, as in testpmd. */
#define BURST_MAX 512

/** Longest frame that may be asked for, in bytes with FCS. */
#define MAX_PKT_LEN_MIN 128
#define MAX_PKT_LEN_MAX 64512

/** Command files of one command line. */
#define CMDLINE_FILES_MAX 16

/** What is done with the frames. */
enum fwd_mode {
	FWD_PRESS,    /**< compress what host ports receive, restore what line ports receive */
	FWD_COMPRESS, /**< compress on every port */
	FWD_RESTORE,  /**< restore on every port */
	FWD_IO,	      /**< touch nothing */
	FWD_VERIFY,   /**< compress, restore and compare copies, forward the originals */
	FWD_MODE_COUNT,
};

/** Which port sends what another receives, by position among the ports. */
enum port_topology {
	TOPOLOGY_PAIRED,  /**< 0 and 1, 2 and 3; an odd last one to itself */
	TOPOLOGY_CHAINED, /**< 0 to 1, 1 to 2, the last to 0 */
	TOPOLOGY_LOOP,	  /**< each to itself */
	TOPOLOGY_COUNT,
};

/** What decides which lcore presses a frame. */
enum distribution {
	DISTRIBUTION_QUEUE, /**< the queue it comes from */
	DISTRIBUTION_FLOW,  /**< the flow it belongs to */
	DISTRIBUTION_COUNT,
};

/** Application arguments. Numbers are 0 where the device or another value decides. */
struct options {
	enum fwd_mode mode;
	enum port_topology topology;
	enum distribution distribution;
	uint32_t nb_cores;   /**< forwarding lcores */
	uint32_t rxq;	     /**< receive queues of each port */
	uint32_t txq;	     /**< transmit queues of each port */
	uint32_t rxd;	     /**< descriptors of each receive queue, 0: the device's default */
	uint32_t txd;	     /**< descriptors of each transmit queue, 0: the device's default */
	uint32_t burst_pkts; /**< frames of a burst */
	uint32_t mbuf_size;  /**< bytes with headroom, 0: one mbuf holds max_pkt_len */
	uint32_t total_num_mbufs;   /**< mbufs of each pool, 0: derived */
	uint32_t max_pkt_len;	    /**< bytes with Ethernet header, VLAN tags and FCS */
	uint32_t stats_period_s;    /**< 0: none */
	uint32_t duration_s;	    /**< 0: until a signal */
	uint32_t idle_sleep_us;	    /**< 0: poll without sleeping */
	uint32_t min_region;	    /**< bytes, 0: the library's default */
	uint32_t mbcache;	    /**< mbufs in the cache of each lcore */
	enum lp_peer_mode peer;	    /**< how mode press knows what its far boxes can restore */
	uint32_t hello_interval_ms; /**< between hellos to a far box */
	const char *kernel;	    /**< name, NULL: the fastest */
	const char *codebook_dir;
	const char *rules;	    /**< file, NULL: none */
	const char *stats_json;	    /**< file for the exit summary, NULL: none */
	const char *display_xstats; /**< names of extended statistics, NULL: none */
	uint32_t nb_cmdline_files;
	const char *cmdline_file[CMDLINE_FILES_MAX]; /**< in the order given */
	bool is_interactive;
	bool auto_start;
	uint32_t verbose;     /**< enum verbose_level */
	bool enable_scatter;  /**< receive chains of mbufs even if frames fit in one */
	uint64_t rss_hf;      /**< RTE_ETH_RSS_*: what spreads frames over queues, 0: nothing */
	uint32_t check_every; /**< coded frames of which one is checked, 0: none; by command only */
	uint32_t sample_every;	/**< regions of which one is profiled, 0: none; by command only */
	uint32_t drift_percent; /**< loss that raises an alarm, 0: the default; by command only */
	bool record_core_cycles;
	bool record_burst_stats;
	bool dumpcap; /**< let dpdk-dumpcap attach */
	bool disable_link_check;
	bool no_mlockall;
	bool no_flush_rx;	  /**< always so: receive queues are never flushed */
	bool no_link_propagation; /**< a host's link stays up when that of the line is down */
	bool no_lsc_interrupt;	  /**< always so: the state of links is asked for */
	uint32_t nb_corelist;	  /**< 0: the first lcores that may forward */
	uint32_t corelist[RTE_MAX_LCORE];
	uint32_t nb_portlist; /**< 0: all ports */
	uint32_t portlist[RTE_MAX_ETHPORTS];
	bool has_host_ports;
	bool host_port[RTE_MAX_ETHPORTS]; /**< by port number, if has_host_ports */
	bool has_key;
	struct lp_key key; /**< zero without --key-file */
};

/** Say so, and return true, if an application argument stands among those of the EAL. */
bool options_misplaced(int argc, char **argv);

/**
 * Answer --help and --version, which need no EAL.
 *
 * @return
 *   True if there was such an argument and the program shall exit with status 0.
 */
bool options_answer_early(int argc, char **argv);

/**
 * Parse the application arguments.
 *
 * @param argc
 *   Arguments left by rte_eal_init(), the program's name included.
 * @param argv
 *   The arguments; strings are referenced by the result.
 * @param opts
 *   Filled with values and defaults.
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int options_parse(int argc, char **argv, struct options *opts);

/** Can the mode change while the program runs? */
static inline bool
options_mode_may_change(const struct options *opts)
{
	return opts->is_interactive || opts->nb_cmdline_files > 0;
}

/** Name of a mode as in --forward-mode. */
const char *fwd_mode_name(enum fwd_mode mode);

/** Name of a topology as in --port-topology. */
const char *port_topology_name(enum port_topology topology);

/** Name of a distribution as in --distribution. */
const char *distribution_name(enum distribution distribution);

/*
 * Values of single options. All return 0, or a negative errno after one line on stderr that begins
 * with `what`, such as "--forward-mode=" or "set fwd "; `opts` then is unchanged.
 */

/** Read a forward mode. */
int options_set_mode(const char *what, const char *value, struct options *opts);

/** Read a port topology. */
int options_set_topology(const char *what, const char *value, struct options *opts);

/** Read what frames are distributed by. */
int options_set_distribution(const char *what, const char *value, struct options *opts);

/** Read how peers are found: hello or static. */
int options_set_peer(const char *what, const char *value, struct options *opts);

/** Read a list of lcores, which become the forwarding ones. */
int options_set_corelist(const char *what, const char *value, struct options *opts);

/** As options_set_corelist(), a hexadecimal mask. */
int options_set_coremask(const char *what, const char *value, struct options *opts);

/** Read a list of ports, which become the forwarding ones. */
int options_set_portlist(const char *what, const char *value, struct options *opts);

/** As options_set_portlist(), a hexadecimal mask. */
int options_set_portmask(const char *what, const char *value, struct options *opts);

/** Read a list of ports that face the host. */
int options_set_host_ports(const char *what, const char *value, struct options *opts);

#endif /* LINEPRESS_APP_OPTIONS_H */
