/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>

#include <jansson.h>

#include "message.h"
#include "report.h"

#define DIGITS 8 /* of real numbers */

static void
set_count(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer(value));
}

/* JSON is UTF-8, file names are bytes. */
static json_t *
text(const char *bytes)
{
	json_t *string = json_string(bytes);
	char *copy, *p;

	if (string != NULL)
		return string;
	copy = strdup(bytes);
	for (p = copy; p != NULL && *p != '\0'; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	string = json_string(copy);
	free(copy);
	return string;
}

/* Only reasons that occurred. */
static json_t *
reasons(const uint64_t *count, unsigned int n, const char *(*name)(unsigned int))
{
	json_t *object = json_object();
	unsigned int i;

	for (i = 0; i < n; i++)
		if (count[i] > 0)
			set_count(object, name(i), count[i]);
	return object;
}

static json_t *
book_objects(const struct lp_press_stats *stats, const struct lp_bookset *books)
{
	json_t *object = json_object();
	struct lp_codebook_info info;
	uint16_t i;

	for (i = 0; i < books->count; i++) {
		const struct lp_book_stats *book = &stats->book[books->id[i]];
		json_t *one;

		if (book->pkts == 0)
			continue;
		one = json_object();
		set_count(one, "packets", book->pkts);
		set_count(one, "region_bytes", book->region_bytes);
		set_count(one, "line_bytes", book->line_bytes);
		json_object_set_new(one, "saved_percent",
				json_real(result_saved_percent(
						book->region_bytes, book->line_bytes)));
		lp_codebook_describe(books->book[books->id[i]], &info);
		json_object_set_new(object, info.name, one);
	}
	return object;
}

static json_t *
box_object(const struct replay_result *res, enum lp_dir dir)
{
	const struct lp_press_stats *stats = &res->stats[dir];
	json_t *box = json_object();

	json_object_set_new(box, "gbps", json_real(result_gbps(res, dir, 0)));
	json_object_set_new(box, "wire_gbps",
			json_real(result_gbps(res, dir, ETHERNET_OVERHEAD_BYTES)));
	json_object_set_new(
			box, "cycles_per_packet", json_real(result_cycles_per_packet(res, dir)));
	set_count(box, "rx_packets", stats->rx_pkts);
	set_count(box, "tx_packets", stats->tx_pkts);
	set_count(box, "coded_packets", stats->coded_pkts);
	set_count(box, "stored_packets", stats->stored_pkts);
	json_object_set_new(box, "passed", reasons(stats->passed, LP_PASS_COUNT, lp_pass_name));
	json_object_set_new(box, "dropped", reasons(stats->dropped, LP_DROP_COUNT, lp_drop_name));
	return box;
}

static void
set_verification(json_t *object, const struct replay_result *res, const struct replay_summary *sum)
{
	set_count(object, "packets", res->packets);
	set_count(object, "skipped_truncated", res->skipped);
	set_count(object, "frames_differing", res->compare.differing);
	set_count(object, "frames_lost", sum->lost);
	set_count(object, "frames_reordered", res->compare.reordered);
	json_object_set_new(object, "ok", json_boolean(result_is_good(res)));
	set_count(object, "loops", res->loops);
}

static void
set_bytes(json_t *object, const struct replay_summary *sum)
{
	set_count(object, "eligible_packets", sum->box->eligible_pkts);
	set_count(object, "coded_packets", sum->box->coded_pkts);
	set_count(object, "stored_packets", sum->box->stored_pkts);
	set_count(object, "region_bytes", sum->region_bytes);
	set_count(object, "region_line_bytes", sum->region_line_bytes);
	json_object_set_new(object, "region_saved_percent",
			json_real(result_saved_percent(sum->region_bytes, sum->region_line_bytes)));
	set_count(object, "frame_bytes", sum->frame_bytes);
	set_count(object, "line_bytes", sum->line_bytes);
	json_object_set_new(object, "saved_percent",
			json_real(result_saved_percent(sum->frame_bytes, sum->line_bytes)));
}

static json_t *
capture_object(const struct replay_result *res, const struct lp_bookset *books)
{
	json_t *object = json_object();
	struct replay_summary sum;

	result_summarise(res, &sum);
	json_object_set_new(object, "capture", text(res->capture));
	json_object_set_new(object, "mode", json_string(options_mode_name(res->mode)));
	set_verification(object, res, &sum);
	set_bytes(object, &sum);
	json_object_set_new(object, "books", book_objects(sum.box, books));
	json_object_set_new(
			object, "passed", reasons(sum.box->passed, LP_PASS_COUNT, lp_pass_name));
	json_object_set_new(object, "dropped", reasons(sum.dropped, LP_DROP_COUNT, lp_drop_name));
	if (result_has_box(res, LP_DIR_COMPRESS))
		json_object_set_new(object, "compress", box_object(res, LP_DIR_COMPRESS));
	if (result_has_box(res, LP_DIR_RESTORE))
		json_object_set_new(object, "restore", box_object(res, LP_DIR_RESTORE));
	return object;
}

static json_t *
run_object(const struct replay_result *res, unsigned int nb_captures,
		const struct lp_bookset *books)
{
	json_t *object, *list;
	unsigned int i;

	if (nb_captures == 1)
		return capture_object(res, books);
	object = json_object();
	list = json_array();
	for (i = 0; i < nb_captures; i++)
		json_array_append_new(list, capture_object(&res[i], books));
	json_object_set_new(object, "captures", list);
	return object;
}

int
report_json(FILE *out, const struct replay_result *res, unsigned int nb_captures,
		const struct lp_bookset *books)
{
	json_t *object = run_object(res, nb_captures, books);
	const int ret = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));

	json_decref(object);
	if (ret != 0 || fputc('\n', out) == EOF)
		return complain("--json: the report cannot be written");
	return 0;
}
