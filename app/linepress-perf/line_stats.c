/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <jansson.h>

#include "line_stats.h"
#include "message.h"

static uint64_t
count(const json_t *object, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void
add_reasons(struct line_reasons *reasons, json_t *object)
{
	const char *name;
	json_t *packets;

	json_object_foreach(object, name, packets)
			line_reasons_add(reasons, name, (uint64_t)json_integer_value(packets));
}

static void
take_port(struct line_counts *counts, const json_t *port)
{
	const uint64_t id = count(port, "id");

	if (id < LINE_PORTS_MAX)
		counts->port[id] = (struct line_port_counts){
			.rx_packets = count(port, "rx_packets"),
			.rx_bytes = count(port, "rx_bytes"),
			.tx_packets = count(port, "tx_packets"),
			.tx_bytes = count(port, "tx_bytes"),
		};
	line_reasons_add(&counts->lost, "imissed", count(port, "rx_missed"));
	line_reasons_add(&counts->lost, "ierrors", count(port, "rx_errors"));
	line_reasons_add(&counts->lost, "rx_nombuf", count(port, "rx_nombuf"));
}

int
line_stats_read(const char *path, struct line_counts *counts)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error), *entry;
	const char *name;
	size_t i;

	if (root == NULL)
		return complain("%s: %s", path, error.text);
	counts->seconds = json_real_value(json_object_get(root, "seconds"));
	json_array_foreach(json_object_get(root, "ports"), i, entry) take_port(counts, entry);
	json_object_foreach(json_object_get(root, "directions"), name, entry)
	{
		counts->received += count(entry, "rx_packets");
		counts->sent += count(entry, "tx_packets");
		add_reasons(&counts->lost, json_object_get(entry, "dropped"));
		add_reasons(&counts->passed, json_object_get(entry, "passed"));
	}
	json_decref(root);
	if (counts->seconds <= 0 || counts->received == 0)
		return complain("linepress received no frames, or writes other statistics");
	return 0;
}
