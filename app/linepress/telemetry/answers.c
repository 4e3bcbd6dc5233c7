/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdio.h>

#include <rte_cycles.h>

#include "answers.h"
#include "books.h"
#include "drift_stats.h"
#include "latency_summary.h"
#include "rules_stats.h"
#include "stats_fields.h"

#define NAME_MAX_LEN 64

/* ---- values ---- */

static void
add_fields(struct rte_tel_data *data, const void *counters, const struct stats_field *fields)
{
	for (; fields->name != NULL; fields++)
		rte_tel_data_add_dict_u64(data, fields->name, stats_field_value(counters, fields));
}

/* A dictionary within a dictionary, which owns it; NULL if out of memory. */
static struct rte_tel_data *
add_dict(struct rte_tel_data *data, const char *name)
{
	struct rte_tel_data *inner = rte_tel_data_alloc();

	if (inner == NULL)
		return NULL;
	rte_tel_data_start_dict(inner);
	if (rte_tel_data_add_dict_container(data, name, inner, 0) == 0)
		return inner;
	rte_tel_data_free(inner);
	return NULL;
}

static int
add_counters(struct rte_tel_data *data, const char *name, const void *counters,
		const struct stats_field *fields)
{
	struct rte_tel_data *inner = add_dict(data, name);

	if (inner == NULL)
		return -ENOMEM;
	add_fields(inner, counters, fields);
	return 0;
}

static void
add_reason(struct rte_tel_data *data, const char *what, const char *reason, uint64_t pkts)
{
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "%s_%s", what, reason);
	rte_tel_data_add_dict_u64(data, name, pkts);
}

/* ---- answers ---- */

int
answer_info(const struct question *question, struct rte_tel_data *data)
{
	const struct app *app = question->app;
	const struct lp_bookset *books = app->books;
	const bool is_started = app->map.nb_streams > 0;

	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "version", LP_VERSION);
	rte_tel_data_add_dict_string(
			data, "mode", fwd_mode_name(is_started ? app->map.mode : app->opts.mode));
	rte_tel_data_add_dict_int(data, "forwarding", app->is_forwarding);
	rte_tel_data_add_dict_u64(data, "seconds", (uint64_t)app_forwarded_s(app));
	rte_tel_data_add_dict_int(data, "ports", app->ports.count);
	rte_tel_data_add_dict_u64(data, "streams", app->map.nb_streams);
	rte_tel_data_add_dict_u64(data, "lcores", app->map.nb_lcores);
	rte_tel_data_add_dict_int(data, "codebooks", books == NULL ? 0 : books->count);
	rte_tel_data_add_dict_string(data, "kernel", books == NULL ? "none" : books_kernel(books));
	rte_tel_data_add_dict_u64(data, "verify_every", app->opts.check_every);
	rte_tel_data_add_dict_u64(data, "tsc_hz", rte_get_tsc_hz());
	return 0;
}

int
answer_stats(const struct question *question, struct rte_tel_data *data)
{
	const struct app *app = question->app;
	int ret = 0;

	if (question->stats == NULL)
		return -EAGAIN;
	rte_tel_data_start_dict(data);
	for (int action = 0; action < STREAM_ACTION_COUNT && ret == 0; action++) {
		struct direction_stats direction;

		if (!stats_has_action(&app->map, (enum stream_action)action))
			continue;
		stats_direction(question->stats, (enum stream_action)action, &direction);
		ret = add_counters(data, stream_action_name((enum stream_action)action), &direction,
				stats_direction_fields);
	}
	for (uint32_t i = 0; i < question->stats->nb_ports && ret == 0; i++) {
		char name[NAME_MAX_LEN];

		snprintf(name, sizeof(name), "port_%u", app->ports.port[i].id);
		ret = add_counters(data, name, &question->stats->port[i], stats_port_fields);
	}
	return ret;
}

static void
add_reasons(struct rte_tel_data *data, const struct direction_stats *direction)
{
	const struct stats_field *full = stats_full_fields;

	for (unsigned int i = LP_ELIGIBLE + 1; direction->passed != NULL && i < LP_PASS_COUNT; i++)
		add_reason(data, "passed", lp_pass_name(i), direction->passed[i]);
	for (unsigned int i = 0; direction->dropped != NULL && i < LP_DROP_COUNT; i++)
		add_reason(data, "dropped", lp_drop_name(i), direction->dropped[i]);
	for (; full->name != NULL; full++)
		add_reason(data, "dropped", full->name, stats_field_value(direction, full));
}

int
answer_drops(const struct question *question, struct rte_tel_data *data)
{
	if (question->stats == NULL)
		return -EAGAIN;
	rte_tel_data_start_dict(data);
	for (int i = 0; i < STREAM_ACTION_COUNT; i++) {
		const enum stream_action action = (enum stream_action)i;
		struct direction_stats direction;
		struct rte_tel_data *inner;

		if (!stats_has_action(&question->app->map, action))
			continue;
		inner = add_dict(data, stream_action_name(action));
		if (inner == NULL)
			return -ENOMEM;
		stats_direction(question->stats, action, &direction);
		add_reasons(inner, &direction);
	}
	return 0;
}

static int
answer_codebook(const struct question *question, struct rte_tel_data *data)
{
	const struct lp_bookset *books = question->app->books;
	const struct lp_codebook *book;
	char digest[2 * LP_DIGEST_LEN + 1];
	struct lp_codebook_info info;
	int ret = 0;

	if (question->id >= LP_BOOK_IDS || books->book[question->id] == NULL)
		return -ENOENT;
	book = books->book[question->id];
	lp_codebook_describe(book, &info);
	for (unsigned int i = 0; i < LP_DIGEST_LEN; i++)
		snprintf(digest + 2 * i, 3, "%02x", info.digest[i]);
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_u64(data, "id", question->id);
	rte_tel_data_add_dict_string(data, "name", info.name);
	rte_tel_data_add_dict_string(data, "type", lp_type_name(info.type));
	rte_tel_data_add_dict_string(data, "kind", lp_kind_name(info.kind));
	rte_tel_data_add_dict_string(data, "symbol", lp_symbol_name(info.symbol));
	rte_tel_data_add_dict_string(data, "digest", digest);
	rte_tel_data_add_dict_string(data, "kernel", lp_codebook_kernel(book));
	for (int dir = 0; question->stats != NULL && dir < LP_DIR_COUNT && ret == 0; dir++)
		ret = add_counters(data, stats_dir_name((enum lp_dir)dir),
				&question->stats->press[dir].book[question->id], stats_book_fields);
	return ret;
}

int
answer_codebooks(const struct question *question, struct rte_tel_data *data)
{
	const struct lp_bookset *books = question->app->books;

	if (books == NULL)
		return -ENOENT;
	if (question->has_id)
		return answer_codebook(question, data);
	rte_tel_data_start_dict(data);
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info;
		char name[NAME_MAX_LEN];

		if (books->book[id] == NULL)
			continue;
		lp_codebook_describe(books->book[id], &info);
		snprintf(name, sizeof(name), "%u", id);
		rte_tel_data_add_dict_string(data, name, info.name);
	}
	return 0;
}

/* A text longer than telemetry takes is cut; `show rules` has all of it. */
static int
answer_rule(const struct lp_rules *rules, unsigned int number, const struct lp_rule_stats *counters,
		struct rte_tel_data *data)
{
	char text[RTE_TEL_MAX_STRING_LEN];

	snprintf(text, sizeof(text), "%s",
			number == 0 ? RULES_NO_MATCH : lp_rules_text(rules, number));
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_u64(data, "line", lp_rules_line(rules, number));
	rte_tel_data_add_dict_string(data, "text", text);
	add_fields(data, counters, stats_rule_fields);
	return 0;
}

int
answer_rules(const struct question *question, struct rte_tel_data *data)
{
	const struct lp_rules *rules = question->app->rules;
	struct lp_rules_stats stats;

	if (rules == NULL || (question->has_id && question->id > lp_rules_count(rules)))
		return -ENOENT;
	rules_stats_collect(rules, &question->app->map, &stats);
	if (question->has_id)
		return answer_rule(rules, question->id, &stats.rule[question->id], data);
	rte_tel_data_start_array(data, RTE_TEL_U64_VAL);
	for (unsigned int i = 0; i <= lp_rules_count(rules); i++)
		rte_tel_data_add_array_u64(data, stats.rule[i].pkts);
	return 0;
}

int
answer_latency(const struct question *question, struct rte_tel_data *data)
{
	struct latency_summary summary;

	if (question->stats == NULL)
		return -EAGAIN;
	latency_summarize(question->stats->latency, question->stats->nb_lcores, rte_get_tsc_hz(),
			&summary);
	rte_tel_data_start_dict(data);
	add_fields(data, &summary, stats_latency_fields);
	return 0;
}

static int
answer_lcores(const struct stream_map *map, struct rte_tel_data *data)
{
	rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
	for (uint32_t i = 0; i < map->nb_lcores; i++)
		rte_tel_data_add_array_int(data, (int)map->lcore[i]->lcore_id);
	return 0;
}

int
answer_lcore(const struct question *question, struct rte_tel_data *data)
{
	const struct stream_map *map = &question->app->map;
	const struct fwd_stats *stats = question->stats;
	struct latency_summary summary;
	uint32_t i = 0;

	if (stats == NULL)
		return -EAGAIN;
	if (!question->has_id)
		return answer_lcores(map, data);
	while (i < map->nb_lcores && map->lcore[i]->lcore_id != question->id)
		i++;
	if (i == map->nb_lcores)
		return -ENOENT;
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_u64(data, "id", question->id);
	rte_tel_data_add_dict_int(data, "socket", map->lcore[i]->socket);
	rte_tel_data_add_dict_u64(data, "streams", map->lcore[i]->nb_streams);
	add_fields(data, &stats->lcore[i], stats_lcore_fields);
	latency_summarize(&stats->latency[i], 1, rte_get_tsc_hz(), &summary);
	return add_counters(data, "latency_ns", &summary, stats_latency_fields);
}

/* ---- drift ---- */

int
answer_drift(const struct question *question, struct rte_tel_data *data)
{
	const struct profiling *profiling = &question->app->profiling;
	struct profile_stats profile;
	struct drift_stats drift;

	if (profiling->watch == NULL)
		return -EAGAIN;
	rte_tel_data_start_dict(data);
	stats_profile(profiling, &profile);
	if (!question->has_id)
		add_fields(data, &profile, stats_profile_fields);
	for (unsigned int i = 0; stats_drift(profiling, i, &drift); i++) {
		char name[NAME_MAX_LEN];

		snprintf(name, sizeof(name), "alarm_%u", (unsigned int)drift.number);
		if (!question->has_id)
			rte_tel_data_add_dict_u64(data, name, drift.alarm);
		if (!question->has_id || drift.number != question->id)
			continue;
		rte_tel_data_add_dict_string(data, "name", drift.name);
		rte_tel_data_add_dict_string(data, "type", drift.type);
		add_fields(data, &drift, stats_drift_fields);
		return 0;
	}
	return question->has_id ? -ENOENT : 0;
}

/* ---- far boxes ---- */

static void
add_counts(struct rte_tel_data *data, const char *what, const char *(*name)(unsigned int),
		const uint64_t *counts, unsigned int nb_counts)
{
	for (unsigned int i = 0; i < nb_counts; i++)
		add_reason(data, what, name(i), counts[i]);
}

static int
describe_peer(const struct lp_peer_report *report, struct rte_tel_data *data)
{
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "state", lp_peer_state_name(report->state));
	rte_tel_data_add_dict_int(data, "coding", !lp_book_mask_is_empty(&report->usable));
	rte_tel_data_add_dict_u64(data, "state_ms", report->state_ms);
	rte_tel_data_add_dict_u64(data, "heard_ms", report->heard_ms);
	rte_tel_data_add_dict_u64(data, "raw_flows", report->raw_flows);
	rte_tel_data_add_dict_int(data, "raw_groups", __builtin_popcount(report->raw_groups));
	rte_tel_data_add_dict_u64(data, "coded", report->counts.coded);
	rte_tel_data_add_dict_u64(data, "peer_decoded", report->hello.decoded);
	rte_tel_data_add_dict_u64(data, "peer_failed", report->hello.failed);
	rte_tel_data_add_dict_u64(data, "sent", report->sent);
	add_counts(data, "received", lp_peer_receipt_name, report->received, LP_PEER_RECEIPT_COUNT);
	add_counts(data, "refused", lp_hello_verdict_name, report->refused, LP_HELLO_VERDICT_COUNT);
	add_counts(data, "entered", lp_peer_state_name, report->entered, LP_PEER_STATE_COUNT);
	return 0;
}

int
answer_peer(const struct question *question, struct rte_tel_data *data)
{
	struct lp_peer_report report;
	uint16_t port_id;

	if (!question->has_id)
		rte_tel_data_start_dict(data);
	for (uint16_t i = 0; peers_describe(question->app->peers, i, &port_id, &report); i++) {
		char name[NAME_MAX_LEN];

		if (question->has_id && port_id == question->id)
			return describe_peer(&report, data);
		snprintf(name, sizeof(name), "%u", port_id);
		if (!question->has_id)
			rte_tel_data_add_dict_string(data, name, lp_peer_state_name(report.state));
	}
	return question->has_id ? -ENOENT : 0;
}
