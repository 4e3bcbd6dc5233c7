/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "line_programs.h"
#include "message.h"

#define PROMPT "testpmd> "
#define ANSWER_TIMEOUT_S 60 /* it loads the capture before its first prompt */
#define END_TIMEOUT_S 10
#define WARM_UP_S 0.1
#define NIC_BLOCK "  ######################## NIC statistics for port 0 "
#define ALL_BLOCK "  +++++++++++++++ Accumulated forward statistics"

/* A block of "show port stats", which tells the rates since the last one. */
struct nic_stats {
	uint64_t rx_packets, rx_bytes, rx_missed, rx_errors, rx_nombuf;
	uint64_t tx_packets, tx_bytes, tx_errors;
	uint64_t rx_pps;
};

/* ---- what it prints ---- */

static bool
parse_nic_line(const char *line, struct nic_stats *nic)
{
	uint64_t a, b, c;

	if (sscanf(line, " RX-packets: %" SCNu64 " RX-missed: %" SCNu64 " RX-bytes: %" SCNu64, &a,
			    &b, &c) == 3) {
		nic->rx_packets = a;
		nic->rx_missed = b;
		nic->rx_bytes = c;
	} else if (sscanf(line,
				   " TX-packets: %" SCNu64 " TX-errors: %" SCNu64
				   " TX-bytes: %" SCNu64,
				   &a, &b, &c) == 3) {
		nic->tx_packets = a;
		nic->tx_errors = b;
		nic->tx_bytes = c;
	} else {
		sscanf(line, " RX-errors: %" SCNu64, &nic->rx_errors);
		sscanf(line, " RX-nombuf: %" SCNu64, &nic->rx_nombuf);
		return sscanf(line, " Rx-pps: %" SCNu64, &nic->rx_pps) == 1;
	}
	return false;
}

static void
parse_all_line(const char *line, struct line_counts *counts)
{
	uint64_t frames, dropped;

	if (sscanf(line, " RX-packets: %" SCNu64, &frames) == 1)
		counts->received = frames;
	if (sscanf(line, " TX-packets: %" SCNu64 " TX-dropped: %" SCNu64, &frames, &dropped) == 2) {
		counts->sent = frames;
		line_reasons_add(&counts->lost, "tx_full", dropped);
	}
}

/* Returns how many blocks of port statistics there are; keeps two. */
static int
parse(FILE *f, struct nic_stats nic[2], struct line_counts *counts)
{
	enum { NOTHING, NIC, ALL } block = NOTHING;
	char line[512];
	int blocks = 0;

	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, NIC_BLOCK, strlen(NIC_BLOCK)) == 0)
			block = NIC;
		else if (strncmp(line, ALL_BLOCK, strlen(ALL_BLOCK)) == 0)
			block = ALL;
		else if (block == ALL)
			parse_all_line(line, counts);
		else if (block == NIC && blocks < 2 && parse_nic_line(line, &nic[blocks])) {
			blocks++;
			block = NOTHING;
		}
	}
	return blocks;
}

static int
read_counts(const struct child *child, struct line_counts *counts)
{
	struct nic_stats nic[2] = { 0 };
	FILE *f = fopen(child->output, "re");

	if (f == NULL)
		return complain("%s: %s", child->output, strerror(errno));
	const int blocks = parse(f, nic, counts);

	fclose(f);
	if (blocks != 2 || nic[1].rx_pps == 0)
		return complain("%s: received no frames, or prints statistics unlike version 22.11",
				child->name);
	counts->port[0] = (struct line_port_counts){
		.rx_packets = nic[1].rx_packets - nic[0].rx_packets,
		.rx_bytes = nic[1].rx_bytes - nic[0].rx_bytes,
		.tx_packets = nic[1].tx_packets - nic[0].tx_packets,
		.tx_bytes = nic[1].tx_bytes - nic[0].tx_bytes,
	};
	counts->seconds = (double)counts->port[0].rx_packets / (double)nic[1].rx_pps;
	line_reasons_add(&counts->lost, "imissed", nic[1].rx_missed);
	line_reasons_add(&counts->lost, "ierrors", nic[1].rx_errors);
	line_reasons_add(&counts->lost, "rx_nombuf", nic[1].rx_nombuf);
	return 0;
}

/* ---- running ---- */

/* The prompt comes back when a command is done. Its other output may wait in its buffer. */
static int
command(struct child *child, const char *line, int *prompts)
{
	if (child_say(child, line) < 0)
		return -1;
	return child_run_until(child, PROMPT, ++*prompts, ANSWER_TIMEOUT_S);
}

static int
forward(struct child *child, double seconds)
{
	int prompts = 1;

	if (child_run_until(child, PROMPT, prompts, ANSWER_TIMEOUT_S) < 0 ||
			command(child, "start\n", &prompts) < 0 ||
			child_run_for(child, WARM_UP_S) < 0 ||
			command(child, "show port stats 0\n", &prompts) < 0 ||
			child_run_for(child, seconds) < 0 ||
			command(child, "show port stats 0\n", &prompts) < 0 ||
			command(child, "stop\n", &prompts) < 0 || child_say(child, "quit\n") < 0)
		return -1;
	return child_wait(child, END_TIMEOUT_S);
}

int
line_run_testpmd(const char *program, const struct line_setup *setup, struct line_counts *counts)
{
	struct child_command arguments = { 0 };
	struct child child = CHILD(setup->traffic->stop);
	int ret;

	*counts = (struct line_counts){ 0 };
	child_command_add(&arguments, "%s", program);
	ret = line_setup_add(&arguments, setup);
	child_command_add(&arguments, "--forward-mode=io");
	child_command_add(&arguments, "-i");
	if (ret == 0)
		ret = child_start(&child, &arguments, setup->traffic->dir, true);
	if (ret == 0)
		ret = forward(&child, (double)setup->opt->seconds);
	child_end(&child);
	child_command_free(&arguments);
	if (ret < 0)
		return ret;
	counts->cpu_share = child.cpu_share;
	return read_counts(&child, counts);
}
