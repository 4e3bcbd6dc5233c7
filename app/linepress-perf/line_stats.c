/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "line_stats.h"
#include "message.h"

/* Where reasons of a press are listed. */
enum section {
	SECTION_OTHER,
	SECTION_PASSED,
	SECTION_DROPPED,
};

struct reader {
	enum line_mode mode;
	struct line_counts *counts;
	double seconds[LINE_PORTS_MAX];
	enum section section;
};

/* A line of a period has counters since the start, and rates since the last one. */
static bool
parse_period(struct reader *r, const char *line)
{
	uint64_t rx, tx;
	unsigned int port;
	double rx_pps, rx_bps, tx_pps, tx_bps;

	if (sscanf(line,
			    "%*f s port %u: RX-packets: %" SCNu64 " RX-missed: %*u RX-errors: %*u "
			    "RX-nombuf: %*u Rx-pps: %lf Rx-bps: %lf TX-packets: %" SCNu64
			    " TX-errors: %*u Tx-pps: %lf Tx-bps: %lf",
			    &port, &rx, &rx_pps, &rx_bps, &tx, &tx_pps, &tx_bps) != 7)
		return false;
	if (port >= LINE_PORTS_MAX || rx_pps <= 0)
		return true;
	struct line_port_counts *c = &r->counts->port[port];
	const double seconds = (double)(rx - c->rx_packets) / rx_pps;

	c->rx_packets = rx;
	c->tx_packets = tx;
	c->rx_bytes += (uint64_t)(rx_bps / 8 * seconds);
	c->tx_bytes += (uint64_t)(tx_bps / 8 * seconds);
	r->seconds[port] += seconds;
	return true;
}

static bool
parse_balance(struct reader *r, const char *line)
{
	uint64_t received, sent, full;

	if (sscanf(line,
			    " %*[a-z]: received %" SCNu64 " = transmitted %" SCNu64
			    " + dropped %*u (press %*u, tx_full %" SCNu64 ")",
			    &received, &sent, &full) == 3) {
		r->counts->received += received;
		r->counts->sent += sent;
		line_reasons_add(&r->counts->lost, "tx_full", full);
		return true;
	}
	uint64_t missed, errors, no_mbuf;

	if (sscanf(line,
			    " port %*u: its driver lost frames before we received them: imissed "
			    "%" SCNu64 ", ierrors %" SCNu64 ", rx_nombuf %" SCNu64,
			    &missed, &errors, &no_mbuf) != 3)
		return false;
	line_reasons_add(&r->counts->lost, "imissed", missed);
	line_reasons_add(&r->counts->lost, "ierrors", errors);
	line_reasons_add(&r->counts->lost, "rx_nombuf", no_mbuf);
	return true;
}

/* In mode verify, it is copies that are dropped. */
static void
parse_reason(struct reader *r, const char *line)
{
	uint64_t packets;
	char name[32];

	if (strncmp(line, "  passed: ", strlen("  passed: ")) == 0)
		r->section = SECTION_PASSED;
	else if (strncmp(line, "  dropped: ", strlen("  dropped: ")) == 0)
		r->section = r->mode == LINE_VERIFY ? SECTION_OTHER : SECTION_DROPPED;
	else if (r->section == SECTION_OTHER ||
			sscanf(line, "    %31[a-z0-9_]: %" SCNu64, name, &packets) != 2)
		r->section = SECTION_OTHER;
	else
		line_reasons_add(r->section == SECTION_PASSED ? &r->counts->passed
							      : &r->counts->lost,
				name, packets);
}

int
line_stats_read(const char *path, enum line_mode mode, struct line_counts *counts)
{
	struct reader reader = { .mode = mode, .counts = counts };
	FILE *f = fopen(path, "re");
	char line[1024];

	if (f == NULL)
		return complain("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f) != NULL)
		if (!parse_period(&reader, line) && !parse_balance(&reader, line))
			parse_reason(&reader, line);
	fclose(f);
	counts->seconds = reader.seconds[0];
	if (counts->seconds <= 0 || counts->received == 0)
		return complain("linepress received no frames, or prints other statistics");
	return 0;
}
