/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include "json_file.h"
#include "line_rates.h"
#include "line_report.h"
#include "measure.h"
#include "message.h"

static void
set_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_real(value));
}

static void
set_ratio(json_t *object, const char *key, double ratio)
{
	if (ratio > 0)
		set_real(object, key, ratio);
}

static json_t *
reasons_object(const struct line_reasons *reasons)
{
	json_t *object = json_object();

	for (int i = 0; i < reasons->count; i++)
		json_object_set_new(object, reasons->reason[i].name,
				json_integer((json_int_t)reasons->reason[i].packets));
	return object;
}

static json_t *
side_object(const struct line_row *row, enum line_side side)
{
	const struct line_flow flow = line_side_flow(row, side);

	return json_pack("{sI sI sf sf}", "packets", (json_int_t)flow.packets, "bytes",
			(json_int_t)flow.bytes, "gbits_per_s", line_gbits(row, side, false),
			"gbits_per_s_framed", line_gbits(row, side, true));
}

static json_t *
needs_object(const struct line_row *row)
{
	return json_pack("{si si si}", "100", line_lcores_for(row, 100), "200",
			line_lcores_for(row, 200), "400", line_lcores_for(row, 400));
}

static json_t *
row_object(const struct line_result *res, const struct line_row *row)
{
	const struct line_counts *c = &row->best;
	json_t *mpps = json_array(), *cycles = json_array();
	json_t *object = json_pack("{ss ss si sf sf sf sI sI so so so so so}", "program",
			row->is_testpmd ? "testpmd" : "linepress", "mode",
			line_mode_name(row->mode), "lcores", (int)row->nb_lcores, "seconds",
			c->seconds, "mpps", line_mpps(c), "cycles_per_packet", row->least_cycles,
			"received", (json_int_t)c->received, "sent", (json_int_t)c->sent, "lost",
			reasons_object(&c->lost), "passed", reasons_object(&c->passed), "host",
			side_object(row, SIDE_HOST), "line", side_object(row, SIDE_LINE),
			"lcores_for_gbe", needs_object(row));

	for (long round = 0; round < res->opt->rounds; round++) {
		json_array_append_new(mpps, json_real(row->mpps[round]));
		json_array_append_new(cycles, json_real(row->cycles[round]));
	}
	json_object_set_new(object, "mpps_of_rounds", mpps);
	json_object_set_new(object, "cycles_per_packet_of_rounds", cycles);
	set_ratio(object, "cpu_share", c->cpu_share);
	set_ratio(object, row->mode == LINE_IO ? "ratio_to_testpmd" : "ratio_to_io",
			line_ratio(res, row));
	set_ratio(object, "ratio_to_codec", line_share(res, row, SHARE_CODEC));
	set_ratio(object, "ratio_to_codec_with_choice", line_share(res, row, SHARE_CHOICE));
	set_ratio(object, "ratio_to_datapath", line_share(res, row, SHARE_DATAPATH));
	return object;
}

int
line_report_json(const char *path, const struct line_result *res)
{
	const struct capture *host = res->traffic->frames[SIDE_HOST];
	const struct capture *line = res->traffic->frames[SIDE_LINE];
	json_t *rows = json_array();
	json_t *report = json_pack("{ss sf ss ss sI sI sI sI sI sI so}", "cpu", measure_cpu(),
			"tsc_ghz", measure_tsc_hz() / 1e9, "kernel", res->kernel, "capture",
			res->traffic->name, "packets", (json_int_t)host->count, "bytes",
			(json_int_t)host->bytes, "flows", (json_int_t)res->traffic->flows.count,
			"burst", (json_int_t)res->opt->burst, "seconds",
			(json_int_t)res->opt->seconds, "rounds", (json_int_t)res->opt->rounds,
			"rows", rows);

	if (report == NULL)
		return complain("--json: the path of the capture is not UTF-8");
	if (line != NULL)
		json_object_set_new(report, "line_bytes", json_integer((json_int_t)line->bytes));
	json_object_set_new(report, "testpmd",
			json_string(res->testpmd[0] == '\0' ? "dpdk-testpmd is not in PATH"
							    : "measured"));
	if (res->datapath != NULL)
		json_object_set(report, "datapath", res->datapath);
	for (int k = 0; k < res->nb_rows; k++)
		json_array_append_new(rows, row_object(res, &res->row[k]));
	return json_file_write(path, report);
}
