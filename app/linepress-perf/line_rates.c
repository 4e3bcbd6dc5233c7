/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <math.h>

#include "line_rates.h"
#include "measure.h"

static double
packets_received(const struct line_counts *counts)
{
	double packets = 0;

	for (int port = 0; port < LINE_PORTS_MAX; port++)
		packets += (double)counts->port[port].rx_packets;
	return packets;
}

double
line_mpps(const struct line_counts *counts)
{
	return packets_received(counts) / counts->seconds / 1e6;
}

static struct line_flow
received(const struct line_port_counts *port)
{
	return (struct line_flow){ port->rx_packets, port->rx_bytes };
}

static struct line_flow
sent(const struct line_port_counts *port)
{
	return (struct line_flow){ port->tx_packets, port->tx_bytes };
}

/* In mode press port 0 is the host's and port 1 the line's; else the only port is both. */
struct line_flow
line_side_flow(const struct line_row *row, enum line_side side)
{
	const struct line_port_counts *port = &row->best.port[0];

	if (row->mode == LINE_PRESS) {
		port = &row->best.port[side == SIDE_HOST ? 0 : 1];
		return (struct line_flow){ port->rx_packets + port->tx_packets,
			port->rx_bytes + port->tx_bytes };
	}
	return (row->mode == LINE_RESTORE) == (side == SIDE_LINE) ? received(port) : sent(port);
}

double
line_gbits(const struct line_row *row, enum line_side side, bool is_framed)
{
	const struct line_flow flow = line_side_flow(row, side);
	const uint64_t framing = is_framed ? LINE_FRAMING_BYTES * flow.packets : 0;

	return 8e-9 * (double)(flow.bytes + framing) / row->best.seconds;
}

double
line_cycles(const struct line_counts *counts, unsigned int nb_lcores)
{
	const double share = counts->cpu_share > 0 ? counts->cpu_share : 1;

	return counts->seconds * share * nb_lcores * measure_tsc_hz() / packets_received(counts);
}

double
line_lost(const struct line_row *row)
{
	return (double)line_reasons_sum(&row->best.lost) / (double)row->best.received;
}

double
line_ratio(const struct line_result *res, const struct line_row *row)
{
	const struct line_row *base = line_row_find(
			res, row->mode == LINE_IO, LINE_IO, row->nb_lcores);

	if (base == NULL || row->is_testpmd)
		return 0;
	return base->least_cycles / row->least_cycles;
}

unsigned int
line_lcores_for(const struct line_row *row, double link_gbits)
{
	const double gbits_of_frame = line_gbits(row, SIDE_HOST, true) /
			(1e6 * line_mpps(&row->best));
	const double lcore_gbits = gbits_of_frame * measure_tsc_hz() / row->least_cycles;
	const int directions = row->mode == LINE_PRESS ? 2 : 1;

	return (unsigned int)ceil(directions * link_gbits / lcore_gbits);
}

static double
stage_cycles(const json_t *loop, const char *stage)
{
	return json_number_value(
			json_object_get(json_object_get(loop, "stage_cycles_per_packet"), stage));
}

double
line_share(const struct line_result *res, const struct line_row *row, enum line_share share)
{
	const json_t *loop = json_object_get(res->datapath, line_mode_name(row->mode));
	double cycles;

	if ((row->mode != LINE_COMPRESS && row->mode != LINE_RESTORE) ||
			json_object_get(loop, "ratio_to_codec") == NULL)
		return 0;
	if (share == SHARE_DATAPATH)
		cycles = json_number_value(json_object_get(loop, "cycles_per_packet"));
	else
		cycles = stage_cycles(loop, row->mode == LINE_COMPRESS ? "encode" : "decode");
	if (share == SHARE_CHOICE)
		cycles += stage_cycles(loop, "choose"); /* there is none to restore */
	return cycles / row->least_cycles;
}
