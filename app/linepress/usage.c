/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include <rte_version.h>

#include "books.h"
#include "usage.h"

static const char usage_forwarding[] =
		"Forwarding:\n"
		"  --forward-mode=MODE    press: compress what host ports receive, restore what line\n"
		"                         ports receive (default); compress or restore: on every\n"
		"                         port; io: touch nothing; verify: compress, restore and\n"
		"                         compare a copy of each frame, forward the original\n"
		"  --port-topology=NAME   paired (default): 0 and 1, 2 and 3, an odd last port to\n"
		"                         itself; chained: 0 to 1, 1 to 2, the last to 0; loop: each\n"
		"                         port to itself\n"
		"  --host-ports=LIST      ports that face the host, such as 0,2 or 0-3 (default: the\n"
		"                         even port of each pair)\n"
		"  --peer=NAME            mode press: hello (default): code only what the far box says, in\n"
		"                         hellos both ways, that it can restore; static: code all, and\n"
		"                         send no hello: for replay and taps only, no host can read\n"
		"                         what no far box restores\n"
		"  --hello-interval=N     milliseconds between hellos, 10 to 1000 (default 50); a far box\n"
		"                         that is silent for 3 of its own is dead\n"
		"  --no-link-propagation  mode press: leave the host's link up when the line's is down\n"
		"                         (default: it goes down and up with it)\n"
		"  --nb-cores=N           forwarding lcores (default 1). The main lcore forwards only\n"
		"                         if it is the only one (lab use: it then forwards and serves\n"
		"                         nothing else)\n"
		"  --corelist=LIST, --coremask=MASK\n"
		"                         forwarding lcores, instead of --nb-cores\n"
		"  --portlist=LIST, --portmask=MASK\n"
		"                         forwarding ports, in this order (default: all)\n"
		"  --distribution=NAME    queue (default): each queue belongs to one lcore; flow: the\n"
		"                         first lcore receives and transmits all, the others press\n"
		"                         what it deals out by flow: for devices with one queue, and\n"
		"                         RoCE, whose flows many devices cannot tell apart\n"
		"  --burst=N              frames of a burst, 1 to 512 (default 32)\n"
		"  --idle-sleep-us=N      sleep that long after a run of empty polls (default 0: poll)\n"
		"\n";

static const char usage_codec[] =
		"Codebooks:\n"
		"  --codebooks=DIR        directory of *.book files\n"
		"                         (default: those shipped)\n"
		"  --kernel=NAME          codec kernel (default: the fastest of these):\n";

static const char usage_press[] =
		"  --key-file=FILE        32 hexadecimal digits, the same on both boxes; only its owner\n"
		"                         may have access to the file\n"
		"  --rules=FILE           which frames to code, and with which books: rules such as\n"
		"                         `proto tcp dport 5201 -> books all`, a line each\n"
		"                         (default: code all eligible frames)\n"
		"  --min-region=N         smallest payload worth coding, in bytes (default 256)\n"
		"\n";

static const char usage_ports[] =
		"Ports and memory:\n"
		"  --rxq=N, --txq=N       queues of each port (default 1)\n"
		"  --rxd=N, --txd=N       descriptors of each queue (default: the device's)\n"
		"  --rss-ip, --rss-udp, --disable-rss\n"
		"                         spread frames over receive queues by IP addresses alone,\n"
		"                         only those of UDP, or not at all (default: by addresses,\n"
		"                         and ports of TCP and UDP)\n"
		"  --max-pkt-len=N        longest frame with Ethernet header, VLAN tags and FCS, in\n"
		"                         bytes (default 9042: an IP packet of 9000 with two tags,\n"
		"                         and 16 to escape it if it looks coded)\n"
		"  --mbuf-size=N          bytes of an mbuf with 128 of headroom (default: so that the\n"
		"                         longest frame fits in one)\n"
		"  --total-num-mbufs=N    mbufs of each pool (default: enough for all queues, caches\n"
		"                         and bursts)\n"
		"  --mbcache=N            mbufs in the cache of each lcore, 0 to 512 (default 250)\n"
		"  --enable-scatter       let devices receive chains of mbufs, even if the longest\n"
		"                         frame fits in one\n"
		"  --disable-link-check   do not wait for links to come up\n"
		"  --no-mlockall          do not lock memory\n"
		"  --no-flush-rx          accepted for testpmd's users: frames that wait in receive\n"
		"                         queues at start are always forwarded, never flushed\n"
		"  --no-lsc-interrupt     accepted for testpmd's users: links are asked, and no\n"
		"                         interrupt is ever enabled\n"
		"\n";

static const char usage_run[] =
		"Running:\n"
		"  -i, --interactive      read commands from standard input, `help` lists them; ends\n"
		"                         with it, by `quit` or by a signal\n"
		"  -a, --auto-start       with -i: start forwarding before the first command\n"
		"  --cmdline-file=FILE    execute the commands of a file, one a line, # begins a\n"
		"                         comment; up to 16 times, in this order, before all else.\n"
		"                         The first that fails ends the program. Without -i\n"
		"                         forwarding then starts, unless the file says `quit`.\n"
		"                         Relative names, also of `load`, begin at the current\n"
		"                         directory\n"
		"  --duration=N           stop after N seconds (default 0: at SIGINT or SIGTERM)\n"
		"  --stats-period=N       print statistics every N seconds (default 0: at the end);\n"
		"                         not with -i\n"
		"  --display-xstats=NAMES print these extended statistics too, such as\n"
		"                         rx_good_packets,tx_errors\n"
		"  --stats-json=FILE      write statistics as JSON whenever forwarding stops\n"
		"  --record-core-cycles   also print CPU cycles a packet\n"
		"  --record-burst-stats   also count received bursts by size\n"
		"  --dumpcap              let dpdk-dumpcap attach, which needs hugepages. DPDK 22.11 may\n"
		"                         crash if a capture ends while frames flow\n"
		"  --help, --version      print this text or the version; need no EAL\n"
		"\n"
		"Exit status: 0 after a clean run; 1 if the start or a command of a file failed, a\n"
		"verified frame differed, received frames are neither transmitted nor counted as\n"
		"dropped, a driver did not send what it took, mbufs leaked, or statistics could not be\n"
		"written.\n";

void
usage_print(const char *program)
{
	printf("Usage: %s [EAL arguments] -- [application arguments]\n"
	       "\n"
	       "Compresses tensor traffic between two boxes and restores it bit for bit.\n"
	       "`%s -h` lists the EAL arguments, such as -l, -a, --vdev and -m.\n"
	       "\n",
			program, program);
	fputs(usage_forwarding, stdout);
	fputs(usage_codec, stdout);
	books_print_kernels(stdout, "                           ");
	fputs(usage_press, stdout);
	fputs(usage_ports, stdout);
	fputs(usage_run, stdout);
}

void
usage_print_version(void)
{
	printf("linepress %s (%s)\n", LP_VERSION, rte_version());
}
