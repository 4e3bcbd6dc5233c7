/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>

#include "line_rates.h"
#include "line_report.h"
#include "measure.h"

#define BUSY_SHARE 0.99 /* of the time, or other load of the machine matters */

static const double links_gbits[] = { 100, 200, 400 };

#define LINKS (sizeof(links_gbits) / sizeof(links_gbits[0]))

static void
report_head(FILE *out, const struct line_result *res)
{
	const struct capture *host = res->traffic->frames[SIDE_HOST];
	const struct capture *line = res->traffic->frames[SIDE_LINE];

	fprintf(out, "%s, TSC %.3f GHz, kernel %s\n", measure_cpu(), measure_tsc_hz() / 1e9,
			res->kernel);
	fprintf(out, "%s: %zu frames of %" PRIu32 " flows, %" PRIu64 " bytes", res->traffic->name,
			host->count, res->traffic->flows.count, host->bytes);
	if (line != NULL)
		fprintf(out, ", on the line %" PRIu64, line->bytes);
	fprintf(out, "\nbursts of %ld, %ld s, best of %ld rounds\n", res->opt->burst,
			res->opt->seconds, res->opt->rounds);
	if (res->testpmd[0] == '\0')
		fprintf(out, "testpmd is left out: dpdk-testpmd is not in PATH\n");
}

static void
print_ratio(FILE *out, int width, double ratio)
{
	if (ratio > 0)
		fprintf(out, " %*.2f", width, ratio);
	else
		fprintf(out, " %*s", width, "-");
}

static const char *
row_name(const struct line_row *row)
{
	return row->is_testpmd ? "testpmd io" : line_mode_name(row->mode);
}

static void
report_row(FILE *out, const struct line_result *res, const struct line_row *row)
{
	fprintf(out, "%-11s %8.3f %8.2f %8.2f %9.2f %8.2f %13.1f %7.3f", row_name(row),
			line_mpps(&row->best), line_gbits(row, SIDE_HOST, false),
			line_gbits(row, SIDE_HOST, true), line_gbits(row, SIDE_LINE, false),
			line_gbits(row, SIDE_LINE, true), row->least_cycles, 100 * line_lost(row));
	print_ratio(out, 6, line_ratio(res, row));
	if (row->best.cpu_share > 0)
		fprintf(out, " %5.1f\n", 100 * row->best.cpu_share);
	else
		fprintf(out, " %5s\n", "-");
}

static void
report_rates(FILE *out, const struct line_result *res)
{
	for (int k = 0; k < res->nb_rows; k++) {
		const struct line_row *row = &res->row[k];
		char title[32];

		snprintf(title, sizeof(title), "%u lcore%s", row->nb_lcores,
				row->nb_lcores == 1 ? "" : "s");
		if (k == 0 || row->nb_lcores != row[-1].nb_lcores)
			fprintf(out, "\n%-11s %8s %8s %8s %9s %8s %13s %7s %6s %5s\n", title,
					"Mpps", "Gb/s", "+24 B", "line Gb/s", "+24 B",
					"cycles/packet", "lost %", "to io", "CPU %");
		report_row(out, res, row);
	}
}

static void
report_losses(FILE *out, const struct line_result *res)
{
	for (int k = 0; k < res->nb_rows; k++) {
		const struct line_row *row = &res->row[k];
		const struct line_reasons *lost = &row->best.lost;

		if (lost->count == 0)
			continue;
		fprintf(out, "%s, %u lcores, lost:", row_name(row), row->nb_lcores);
		for (int i = 0; i < lost->count; i++)
			fprintf(out, " %s %" PRIu64, lost->reason[i].name, lost->reason[i].packets);
		fprintf(out, "\n");
	}
}

static void
report_shares(FILE *out, const struct line_result *res)
{
	bool has_title = false;

	for (int k = 0; k < res->nb_rows; k++) {
		const struct line_row *row = &res->row[k];

		if (line_share(res, row, SHARE_CODEC) <= 0)
			continue;
		if (!has_title)
			fprintf(out, "\n%-11s %8s %9s %12s %13s\n", "speed by", "lcores",
					"of codec", "with choice", "of data path");
		has_title = true;
		fprintf(out, "%-11s %8u", row_name(row), row->nb_lcores);
		print_ratio(out, 9, line_share(res, row, SHARE_CODEC));
		print_ratio(out, 12, line_share(res, row, SHARE_CHOICE));
		print_ratio(out, 13, line_share(res, row, SHARE_DATAPATH));
		fprintf(out, "\n");
	}
}

static void
report_needs(FILE *out, const struct line_result *res)
{
	fprintf(out, "\n%-11s %8s", "lcores for", "of");
	for (size_t i = 0; i < LINKS; i++)
		fprintf(out, " %4.0f GbE", links_gbits[i]);
	fprintf(out, "\n");
	for (int k = 0; k < res->nb_rows; k++) {
		const struct line_row *row = &res->row[k];

		fprintf(out, "%-11s %8u", row_name(row), row->nb_lcores);
		for (size_t i = 0; i < LINKS; i++)
			fprintf(out, " %8u", line_lcores_for(row, links_gbits[i]));
		fprintf(out, "\n");
	}
}

static void
warn_of_load(FILE *out, const struct line_result *res)
{
	double least = 1;

	for (int k = 0; k < res->nb_rows; k++)
		if (res->row[k].best.cpu_share > 0 && res->row[k].best.cpu_share < least)
			least = res->row[k].best.cpu_share;
	if (least < BUSY_SHARE)
		fprintf(out,
				"\nwarning: lcores had their CPUs for only %.1f %% of the time in a best "
				"round: other load of the machine slows the figures\n",
				100 * least);
}

void
line_report(FILE *out, const struct line_result *res)
{
	report_head(out, res);
	report_rates(out, res);
	report_losses(out, res);
	report_shares(out, res);
	report_needs(out, res);
	warn_of_load(out, res);
}
