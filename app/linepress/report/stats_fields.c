/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include "latency_summary.h"
#include "stats_fields.h"

const struct stats_field stats_port_fields[] = {
	STATS_FIELD(port_stats, "rx_packets", device.ipackets),
	STATS_FIELD(port_stats, "rx_bytes", device.ibytes),
	STATS_FIELD(port_stats, "rx_missed", device.imissed),
	STATS_FIELD(port_stats, "rx_errors", device.ierrors),
	STATS_FIELD(port_stats, "rx_nombuf", device.rx_nombuf),
	STATS_FIELD(port_stats, "tx_packets", device.opackets),
	STATS_FIELD(port_stats, "tx_bytes", device.obytes),
	STATS_FIELD(port_stats, "tx_errors", device.oerrors),
	STATS_FIELD(port_stats, "tx_dropped", tx_full_pkts),
	STATS_FIELD(port_stats, "link_losses", link_losses),
	STATS_FIELDS_END,
};

const struct stats_field stats_stream_fields[] = {
	STATS_FIELD(stream_counters, "rx_packets", rx_pkts),
	STATS_FIELD(stream_counters, "rx_hellos", hello_rx_pkts),
	STATS_FIELD(stream_counters, "rx_other_hellos", hello_other_pkts),
	STATS_FIELD(stream_counters, "tx_packets", tx_pkts),
	STATS_FIELD(stream_counters, "tx_hellos", hello_tx_pkts),
	STATS_FIELD(stream_counters, "tx_bytes", tx_bytes),
	STATS_FIELD(stream_counters, "tx_dropped", tx_full_pkts),
	STATS_FIELD(stream_counters, "dist_dropped", dist_full_pkts),
	STATS_FIELD(stream_counters, "tx_retries", tx_retries),
	STATS_FIELD(stream_counters, "busy_cycles", busy_cycles),
	STATS_FIELDS_END,
};

const struct stats_field stats_lcore_fields[] = {
	STATS_FIELD(lcore_stats, "busy_cycles", busy_cycles),
	STATS_FIELD(lcore_stats, "idle_cycles", own.idle_cycles),
	STATS_FIELD(lcore_stats, "packets", rx_pkts),
	STATS_FIELD(lcore_stats, "rounds", own.rounds),
	STATS_FIELD(lcore_stats, "empty_rounds", own.empty_rounds),
	STATS_FIELD(lcore_stats, "sleeps", own.sleeps),
	STATS_FIELDS_END,
};

const struct stats_field stats_direction_fields[] = {
	STATS_FIELD(direction_stats, "rx_packets", rx_pkts),
	STATS_FIELD(direction_stats, "rx_bytes", rx_bytes),
	STATS_FIELD(direction_stats, "rx_hellos", hello_rx_pkts),
	STATS_FIELD(direction_stats, "tx_packets", tx_pkts),
	STATS_FIELD(direction_stats, "tx_bytes", tx_bytes),
	STATS_FIELD(direction_stats, "tx_retries", tx_retries),
	STATS_FIELD(direction_stats, "coded", coded_pkts),
	STATS_FIELD(direction_stats, "stored", stored_pkts),
	STATS_FIELD(direction_stats, "verified", verified_pkts),
	STATS_FIELD(direction_stats, "differing", differing_pkts),
	STATS_FIELDS_END,
};

const struct stats_field stats_full_fields[] = {
	STATS_FIELD(direction_stats, "tx_full", tx_full_pkts),
	STATS_FIELD(direction_stats, "dist_full", dist_full_pkts),
	STATS_FIELDS_END,
};

const struct stats_field stats_regions_fields[] = {
	STATS_FIELD(lp_press_stats, "eligible", eligible_pkts),
	STATS_FIELD(lp_press_stats, "uncoded", uncoded_pkts),
	STATS_FIELD(lp_press_stats, "region_bytes", region_bytes),
	STATS_FIELD(lp_press_stats, "line_bytes", region_line_bytes),
	STATS_FIELDS_END,
};

const struct stats_field stats_book_fields[] = {
	STATS_FIELD(lp_book_stats, "packets", pkts),
	STATS_FIELD(lp_book_stats, "region_bytes", region_bytes),
	STATS_FIELD(lp_book_stats, "line_bytes", line_bytes),
	STATS_FIELDS_END,
};

const struct stats_field stats_rule_fields[] = {
	STATS_FIELD(lp_rule_stats, "packets", pkts),
	STATS_FIELD(lp_rule_stats, "coded", coded_pkts),
	STATS_FIELD(lp_rule_stats, "region_bytes", region_bytes),
	STATS_FIELD(lp_rule_stats, "line_bytes", line_bytes),
	STATS_FIELD(lp_rule_stats, "would_coded", would_coded_pkts),
	STATS_FIELD(lp_rule_stats, "would_line_bytes", would_line_bytes),
	STATS_FIELDS_END,
};

const struct stats_field stats_latency_fields[] = {
	STATS_FIELD(latency_summary, "p50", p50_ns),
	STATS_FIELD(latency_summary, "p90", p90_ns),
	STATS_FIELD(latency_summary, "p99", p99_ns),
	STATS_FIELD(latency_summary, "p999", p999_ns),
	STATS_FIELD(latency_summary, "max", max_ns),
	STATS_FIELD(latency_summary, "samples", samples),
	STATS_FIELDS_END,
};

/* What streams count; frames that they forward as they are keep their bytes. */
static void
take_streams(const struct stream_counters *sum, struct direction_stats *direction)
{
	*direction = (struct direction_stats){
		.rx_pkts = sum->rx_pkts,
		.hello_rx_pkts = sum->hello_rx_pkts,
		.rx_bytes = sum->tx_bytes + sum->tx_full_bytes + sum->dist_full_bytes,
		.tx_pkts = sum->tx_pkts,
		.tx_bytes = sum->tx_bytes,
		.tx_retries = sum->tx_retries,
		.tx_full_pkts = sum->tx_full_pkts,
		.dist_full_pkts = sum->dist_full_pkts,
		.differing_pkts = sum->differing_pkts,
	};
}

void
stats_direction(const struct fwd_stats *stats, enum stream_action action,
		struct direction_stats *direction)
{
	const struct lp_press_stats *press =
			&stats->press[action == STREAM_RESTORE ? LP_DIR_RESTORE : LP_DIR_COMPRESS];

	take_streams(&stats->action[action], direction);
	if (action == STREAM_IO)
		return;
	direction->press = press;
	direction->passed = press->passed;
	direction->coded_pkts = press->coded_pkts;
	direction->stored_pkts = press->stored_pkts;
	direction->verified_pkts = press->verified_pkts;
	if (action == STREAM_VERIFY)
		return;
	direction->rx_bytes = press->rx_bytes + stats->action[action].dist_full_bytes;
	direction->dropped = press->dropped;
}
