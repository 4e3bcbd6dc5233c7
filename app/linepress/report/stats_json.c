/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include <rte_cycles.h>

#include "latency_summary.h"
#include "report_profile.h"
#include "rules_stats.h"
#include "stats_fields.h"
#include "report_peer.h"
#include "stats_json.h"

/* ---- values ---- */

static void
set_count(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void
set_text(json_t *object, const char *name, const char *text)
{
	json_object_set_new(object, name, json_string(text));
}

static void
set_fields(json_t *object, const void *counters, const struct stats_field *fields)
{
	for (; fields->name != NULL; fields++)
		set_count(object, fields->name, stats_field_value(counters, fields));
}

/* ---- ports, streams, lcores ---- */

static json_t *
ports_json(const struct stats_run *run)
{
	json_t *ports = json_array();

	for (uint32_t i = 0; i < run->stats->nb_ports; i++) {
		const struct port *port = &run->ports->port[i];
		json_t *object = json_object();

		set_count(object, "id", port->id);
		set_text(object, "driver", port->info.driver_name);
		set_fields(object, &run->stats->port[i], stats_port_fields);
		json_array_append_new(ports, object);
	}
	return ports;
}

static void
append_streams(json_t *streams, const struct stats_run *run, const struct fwd_lcore *lcore)
{
	for (uint32_t i = 0; i < lcore->nb_streams; i++) {
		const struct stream *stream = lcore->stream[i];
		json_t *object = json_object();

		set_count(object, "rx_port", stream->rx_port);
		set_count(object, "rx_queue", stream->rx_queue);
		set_count(object, "tx_port", stream->tx_port);
		set_count(object, "tx_queue", stream->tx_queue);
		set_text(object, "action", stream_action_name(stream->action));
		set_count(object, "lcore", lcore->lcore_id);
		set_fields(object, &run->stats->stream[json_array_size(streams)],
				stats_stream_fields);
		json_array_append_new(streams, object);
	}
}

static json_t *
streams_json(const struct stats_run *run)
{
	json_t *streams = json_array();

	for (uint32_t i = 0; i < run->map->nb_lcores; i++)
		append_streams(streams, run, run->map->lcore[i]);
	return streams;
}

static json_t *
lcores_json(const struct stats_run *run)
{
	json_t *lcores = json_array();

	for (uint32_t i = 0; i < run->stats->nb_lcores; i++) {
		json_t *object = json_object();

		set_count(object, "id", run->map->lcore[i]->lcore_id);
		set_fields(object, &run->stats->lcore[i], stats_lcore_fields);
		json_array_append_new(lcores, object);
	}
	return lcores;
}

/* ---- directions ---- */

static json_t *
passed_json(const uint64_t *passed)
{
	json_t *object = json_object();

	for (unsigned int i = LP_ELIGIBLE + 1; passed != NULL && i < LP_PASS_COUNT; i++)
		set_count(object, lp_pass_name(i), passed[i]);
	return object;
}

static json_t *
dropped_json(const struct direction_stats *direction)
{
	json_t *object = json_object();

	for (unsigned int i = 0; direction->dropped != NULL && i < LP_DROP_COUNT; i++)
		set_count(object, lp_drop_name(i), direction->dropped[i]);
	set_fields(object, direction, stats_full_fields);
	return object;
}

static json_t *
ratios_json(const struct lp_press_stats *press)
{
	json_t *ratios = json_array();

	for (unsigned int i = 0; i < LP_RATIO_CLASSES; i++)
		json_array_append_new(ratios, json_integer((json_int_t)press->ratio_pkts[i]));
	return ratios;
}

static json_t *
direction_json(const struct fwd_stats *stats, enum stream_action action)
{
	json_t *object = json_object();
	struct direction_stats direction;

	stats_direction(stats, action, &direction);
	set_fields(object, &direction, stats_direction_fields);
	json_object_set_new(object, "passed", passed_json(direction.passed));
	json_object_set_new(object, "dropped", dropped_json(&direction));
	if (action == STREAM_COMPRESS || action == STREAM_VERIFY) {
		set_fields(object, direction.press, stats_regions_fields);
		json_object_set_new(object, "ratio_packets", ratios_json(direction.press));
	}
	return object;
}

static json_t *
directions_json(const struct stats_run *run)
{
	json_t *directions = json_object();

	for (int action = 0; action < STREAM_ACTION_COUNT; action++)
		if (stats_has_action(run->map, (enum stream_action)action))
			json_object_set_new(directions,
					stream_action_name((enum stream_action)action),
					direction_json(run->stats, (enum stream_action)action));
	return directions;
}

/* ---- codebooks ---- */

static void
set_coded(json_t *object, const char *name, const struct lp_book_stats *counters)
{
	json_t *coded = json_object();

	set_fields(coded, counters, stats_book_fields);
	json_object_set_new(object, name, coded);
}

static json_t *
book_json(const struct stats_run *run, uint8_t id)
{
	const struct lp_codebook *book = run->books->book[id];
	char digest[2 * LP_DIGEST_LEN + 1];
	struct lp_codebook_info info;
	json_t *object = json_object();

	lp_codebook_describe(book, &info);
	for (unsigned int i = 0; i < LP_DIGEST_LEN; i++)
		snprintf(digest + 2 * i, 3, "%02x", info.digest[i]);
	set_count(object, "id", id);
	set_text(object, "name", info.name);
	set_text(object, "type", lp_type_name(info.type));
	set_text(object, "kind", lp_kind_name(info.kind));
	set_text(object, "symbol", lp_symbol_name(info.symbol));
	set_text(object, "digest", digest);
	set_text(object, "kernel", lp_codebook_kernel(book));
	for (int dir = 0; dir < LP_DIR_COUNT; dir++)
		set_coded(object, stats_dir_name((enum lp_dir)dir),
				&run->stats->press[dir].book[id]);
	return object;
}

static json_t *
books_json(const struct stats_run *run)
{
	json_t *books = json_array();

	for (unsigned int id = 1; run->books != NULL && id < LP_BOOK_IDS; id++)
		if (run->books->book[id] != NULL)
			json_array_append_new(books, book_json(run, (uint8_t)id));
	return books;
}

static json_t *
types_json(const struct stats_run *run)
{
	struct lp_book_stats counters[LP_DIR_COUNT][LP_TYPE_COUNT];
	json_t *types = json_object();

	if (run->books == NULL)
		return types;
	for (int dir = 0; dir < LP_DIR_COUNT; dir++)
		lp_press_stats_by_type(&run->stats->press[dir], run->books, counters[dir]);
	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++) {
		json_t *object = json_object();

		for (int dir = 0; dir < LP_DIR_COUNT; dir++)
			set_coded(object, stats_dir_name((enum lp_dir)dir), &counters[dir][type]);
		json_object_set_new(types, lp_type_name((enum lp_type)type), object);
	}
	return types;
}

/* ---- rules ---- */

static json_t *
rule_json(const char *text, const struct lp_rule_stats *counters)
{
	json_t *object = json_object();

	set_text(object, "text", text);
	set_fields(object, counters, stats_rule_fields);
	return object;
}

static json_t *
rules_json(const struct stats_run *run)
{
	struct lp_rules_stats stats;
	json_t *rules = json_array();

	if (run->rules == NULL)
		return rules;
	rules_stats_collect(run->rules, run->map, &stats);
	for (unsigned int i = 1; i <= lp_rules_count(run->rules); i++)
		json_array_append_new(
				rules, rule_json(lp_rules_text(run->rules, i), &stats.rule[i]));
	json_array_append_new(rules, rule_json(RULES_NO_MATCH, &stats.rule[0]));
	return rules;
}

/* ---- the whole ---- */

json_t *
stats_json(const struct stats_run *run)
{
	json_t *root = json_object(), *latency = json_object();
	struct latency_summary summary;

	latency_summarize(run->stats->latency, run->stats->nb_lcores, rte_get_tsc_hz(), &summary);
	set_fields(latency, &summary, stats_latency_fields);
	set_text(root, "version", LP_VERSION);
	set_text(root, "mode", fwd_mode_name(run->map->mode));
	json_object_set_new(root, "seconds", json_real(run->seconds));
	set_count(root, "tsc_hz", rte_get_tsc_hz());
	json_object_set_new(root, "balance_ok", json_boolean(stats_is_good(run->stats)));
	json_object_set_new(root, "ports", ports_json(run));
	json_object_set_new(root, "streams", streams_json(run));
	json_object_set_new(root, "peers", peers_json(run->peers));
	json_object_set_new(root, "lcores", lcores_json(run));
	json_object_set_new(root, "directions", directions_json(run));
	json_object_set_new(root, "codebooks", books_json(run));
	json_object_set_new(root, "types", types_json(run));
	json_object_set_new(root, "rules", rules_json(run));
	json_object_set_new(root, "latency_ns", latency);
	json_object_set_new(root, "profile", profile_json(run->profiling));
	json_object_set_new(root, "drift", drift_json(run->profiling));
	return root;
}
