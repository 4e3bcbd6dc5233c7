/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>

#include "books.h"
#include "report.h"

static const char *const dir_names[LP_DIR_COUNT] = {
	[LP_DIR_COMPRESS] = "compress",
	[LP_DIR_RESTORE] = "restore",
};

static void
print_row(FILE *out, const char *label, uint64_t pkts, uint64_t bytes, uint64_t line_bytes)
{
	fprintf(out, "  %-24s %12" PRIu64 " %14" PRIu64 " %14" PRIu64 " %7.2f %%\n", label, pkts,
			bytes, line_bytes, result_saved_percent(bytes, line_bytes));
}

static void
print_bytes(FILE *out, const struct replay_result *res, const struct replay_summary *sum,
		const struct lp_bookset *books)
{
	struct lp_codebook_info info;
	char label[LP_NAME_MAX + 8];
	uint16_t i;

	fprintf(out, "  %-24s %12s %14s %14s %9s\n", "", "frames", "bytes", "on the line", "saved");
	print_row(out, "all frames", res->packets, sum->frame_bytes, sum->line_bytes);
	if (res->mode != REPLAY_RESTORE)
		print_row(out, "eligible regions", sum->box->eligible_pkts, sum->region_bytes,
				sum->region_line_bytes);
	for (i = 0; i < books->count; i++) {
		const struct lp_book_stats *book = &sum->box->book[books->id[i]];

		if (book->pkts == 0)
			continue;
		lp_codebook_describe(books->book[books->id[i]], &info);
		snprintf(label, sizeof(label), "  %s", info.name);
		print_row(out, label, book->pkts, book->region_bytes, book->line_bytes);
	}
}

static void
print_reasons(FILE *out, const char *label, const uint64_t *count, unsigned int n,
		const char *(*name)(unsigned int))
{
	const char *before = " (";
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		total += count[i];
	fprintf(out, "  %-24s %12" PRIu64, label, total);
	for (i = 0; i < n; i++) {
		if (count[i] == 0)
			continue;
		fprintf(out, "%s%s %" PRIu64, before, name(i), count[i]);
		before = ", ";
	}
	fputs(total > 0 ? ")\n" : "\n", out);
}

static void
print_fates(FILE *out, const struct replay_result *res, const struct replay_summary *sum)
{
	const char *past = res->mode == REPLAY_RESTORE ? "unwrapped" : "stored";

	fprintf(out, "  %-24s %12" PRIu64 "\n", res->mode == REPLAY_RESTORE ? "decoded" : "coded",
			sum->box->coded_pkts);
	fprintf(out, "  %-24s %12" PRIu64 "\n", past, sum->box->stored_pkts);
	print_reasons(out, "passed untouched", sum->box->passed, LP_PASS_COUNT, lp_pass_name);
	print_reasons(out, "dropped", sum->dropped, LP_DROP_COUNT, lp_drop_name);
	if (res->skipped > 0)
		fprintf(out, "  %-24s %12" PRIu64 "\n", "truncated, skipped", res->skipped);
}

static void
print_speeds(FILE *out, const struct replay_result *res, const struct lp_bookset *books)
{
	unsigned int dir;

	char title[32];

	snprintf(title, sizeof(title), "one lcore, %s", books_kernel(books));
	fprintf(out, "  %-24s %12s %14s %14s\n", title, "Gb/s", "+preamble, gap", "cycles/packet");
	for (dir = 0; dir < LP_DIR_COUNT; dir++)
		if (result_has_box(res, dir))
			fprintf(out, "    %-22s %12.2f %14.2f %14.0f\n", dir_names[dir],
					result_gbps(res, dir, 0),
					result_gbps(res, dir, ETHERNET_OVERHEAD_BYTES),
					result_cycles_per_packet(res, dir));
}

static void
print_byte(FILE *out, int byte)
{
	if (byte == COMPARE_NO_BYTE)
		fputs("nothing", out);
	else
		fprintf(out, "0x%02x", byte);
}

static void
print_differences(FILE *out, const struct compare_result *cmp)
{
	const uint64_t described = cmp->differing - cmp->extra;
	unsigned int i;

	for (i = 0; i < COMPARE_DETAILS && i < described; i++) {
		const struct compare_difference *d = &cmp->difference[i];

		fprintf(out, "  frame %" PRIu64 ": differs at offset %u: sent ", d->number,
				d->offset);
		print_byte(out, d->sent_byte);
		fputs(", came back ", out);
		print_byte(out, d->back_byte);
		fprintf(out, " (%u bytes sent, %u came back)\n", d->sent_len, d->back_len);
	}
	for (i = 0; i < COMPARE_DETAILS && i < cmp->lost; i++)
		fprintf(out, "  frame %" PRIu64 ": did not come back\n", cmp->lost_number[i]);
	if (cmp->extra > 0)
		fprintf(out, "  %" PRIu64 " frames came back that were never sent\n", cmp->extra);
}

static void
print_outcome(FILE *out, const struct replay_result *res)
{
	const struct compare_result *cmp = &res->compare;

	if (res->mode == REPLAY_PAIR)
		fprintf(out,
				"  %-24s %12" PRIu64 " (%" PRIu64 " differing, %" PRIu64
				" lost, %" PRIu64 " reordered; loops: %u)\n",
				"compared", cmp->sent, cmp->differing, cmp->lost, cmp->reordered,
				res->loops);
	print_differences(out, cmp);
	if (res->mode == REPLAY_RESTORE && result_refused(res) > 0)
		fprintf(out, "  %-24s %12" PRIu64 "\n", "look coded, not restored",
				result_refused(res));
}

void
report_capture(FILE *out, const struct replay_result *res, const struct lp_bookset *books)
{
	struct replay_summary sum;

	result_summarise(res, &sum);
	fprintf(out, "%s\n", res->capture);
	print_bytes(out, res, &sum, books);
	print_fates(out, res, &sum);
	print_speeds(out, res, books);
	print_outcome(out, res);
}

static void
print_failure(FILE *out, const struct replay_result *res, unsigned int nb_captures)
{
	uint64_t lost = 0, differing = 0, reordered = 0, refused = 0;
	struct replay_summary sum;
	unsigned int i;

	for (i = 0; i < nb_captures; i++) {
		result_summarise(&res[i], &sum);
		lost += sum.lost;
		differing += res[i].compare.differing;
		reordered += res[i].compare.reordered;
		refused += res[i].mode == REPLAY_RESTORE ? result_refused(&res[i]) : 0;
	}
	if (lost + differing + reordered > 0)
		fprintf(out,
				"FAILED: frames differing: %" PRIu64 ", lost: %" PRIu64
				", reordered: %" PRIu64 "\n",
				differing, lost, reordered);
	else
		fprintf(out,
				"FAILED: frames that look coded, but not with this key and these "
				"codebooks: %" PRIu64 "\n",
				refused);
}

int
report_verdict(FILE *out, const struct replay_result *res, unsigned int nb_captures)
{
	static const char *const done[REPLAY_MODE_COUNT] = {
		[REPLAY_PAIR] = "came back bit for bit",
		[REPLAY_COMPRESS] = "were compressed",
		[REPLAY_RESTORE] = "were restored, not compared with anything",
	};
	uint64_t packets = 0, sealed = 0;
	unsigned int i;

	for (i = 0; i < nb_captures; i++) {
		packets += res[i].packets;
		sealed += res[i].stats[LP_DIR_RESTORE].coded_pkts +
				res[i].stats[LP_DIR_RESTORE].stored_pkts;
		if (!result_is_good(&res[i])) {
			print_failure(out, res, nb_captures);
			return -1;
		}
	}
	fprintf(out, "OK: %" PRIu64 " frames of %u capture%s %s", packets, nb_captures,
			nb_captures == 1 ? "" : "s", done[res[0].mode]);
	if (res[0].mode == REPLAY_RESTORE)
		fprintf(out, "; %" PRIu64 " of them had been coded", sealed);
	fputc('\n', out);
	return 0;
}
