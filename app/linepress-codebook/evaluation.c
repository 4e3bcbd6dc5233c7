/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <string.h>

#include "evaluation.h"
#include "json_file.h"
#include "message.h"
#include "outfile.h"

#define NAME_WIDTH 44

/* ---- tables ---- */

void
print_head(void)
{
	printf("%-*s %10s %9s %9s %9s %9s\n", NAME_WIDTH, "saved, percent", "bytes", "Shannon",
			"Huffman", "books", "gap");
}

void
print_input(const char *path, const struct figures *f)
{
	const double huffman = figures_saved(f, METHOD_HUFFMAN);
	const double books = figures_saved(f, METHOD_BOOKS);
	const size_t len = path != NULL ? strlen(path) : 0;

	printf("%-*s %10.0f %9.2f %9.2f %9.2f %9.2f\n", NAME_WIDTH,
			path != NULL ? path + (len > NAME_WIDTH ? len - NAME_WIDTH : 0) : "total",
			f->bytes, figures_saved(f, METHOD_SHANNON), huffman, books,
			huffman - books);
}

/* Name of a book, or what is said of packets that no book coded. */
static const char *
book_name(const struct lp_bookset *books, unsigned int id, struct lp_codebook_info *info)
{
	if (id == 0)
		return "raw";
	lp_codebook_describe(books->book[id], info);
	return info->name;
}

/* Groups of methods, each under a line of its own. */
static const struct {
	enum method method;
	const char *text;
} lines[] = {
	{ METHODS, "bytes as they are" },
	{ METHOD_BYTE_SHANNON, "Shannon, of each 64 KiB" },
	{ METHOD_BYTE_HUFFMAN, "Huffman code built for each 64 KiB" },
	{ METHOD_SCHEME + SCHEME_FIXED, "one fixed Huffman code, 2601.10673" },
	{ METHOD_SCHEME + SCHEME_DUAL, "Dual Length Code, 2602.17849v1" },
	{ METHOD_SCHEME + SCHEME_QUAD, "Quad Length Code, 2602.17849v2" },
	{ METHODS, "top byte of each element, the rest raw" },
	{ METHOD_SHANNON, "Shannon, of each 64 KiB" },
	{ METHOD_HUFFMAN, "Huffman code built for each 64 KiB" },
	{ METHOD_FIELD_HUFFMAN, "the same, of the exponent field alone" },
	{ METHODS, "linepress" },
	{ METHOD_SCHEME + SCHEME_GROUPED, "grouped: aligned exponents" },
	{ METHOD_SCHEME + SCHEME_HUFFMAN, "huffman: bytes, of 8-bit floats aligned" },
	{ METHOD_SCHEME + SCHEME_AREA, "area: the same bytes" },
	{ METHOD_BOOKS, "all books, as chosen for each packet" },
};

static void
print_schemes(const struct evaluation *ev)
{
	printf("%-*s %10s %9s\n", NAME_WIDTH, "saved, percent, of all inputs", "on line", "codes");
	for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++) {
		if (lines[k].method == METHODS)
			puts(lines[k].text);
		else if (method_is_there(&ev->measurement, lines[k].method))
			printf("  %-*s %10.2f %9.2f\n", NAME_WIDTH - 2, lines[k].text,
					figures_saved(&ev->total, lines[k].method),
					figures_saved_bare(&ev->total, lines[k].method));
	}
	if (lp_type_bytes(ev->measurement.type) > 1)
		printf("%-*s %10.2f %9s %.1f dB\n", NAME_WIDTH,
				"8-bit quantisation (lossy), signal to noise",
				100 * (1 - ev->total.quantised / ev->total.bytes), "",
				figures_snr_db(&ev->total));
}

void
print_total(const struct evaluation *ev)
{
	const struct measurement *m = &ev->measurement;
	struct lp_codebook_info info;

	printf("packets:");
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (m->packets[id] > 0)
			printf(" %s %llu", book_name(m->books, id, &info),
					(unsigned long long)m->packets[id]);
	putchar('\n');
	if (m->schemes != NULL)
		print_schemes(ev);
}

/* ---- JSON ---- */

static json_t *
json_schemes(const struct measurement *m, const struct figures *f)
{
	json_t *schemes = json_object();

	for (int method = 0; method < METHODS; method++)
		if (method_is_there(m, (enum method)method))
			json_object_set_new(schemes, method_key((enum method)method),
					json_pack("{sf sf}", "saved_percent",
							figures_saved(f, (enum method)method),
							"codes_saved_percent",
							figures_saved_bare(
									f, (enum method)method)));
	return schemes;
}

static json_t *
json_row(const struct measurement *m, const struct figures *f)
{
	const double huffman = figures_saved(f, METHOD_HUFFMAN);
	const double books = figures_saved(f, METHOD_BOOKS);
	json_t *row = json_pack("{sf sf sf sf sf sI}", "shannon_saved_percent",
			figures_saved(f, METHOD_SHANNON), "per_shard_huffman_saved_percent",
			huffman, "per_shard_huffman_without_table_saved_percent",
			figures_saved_bare(f, METHOD_HUFFMAN), "books_saved_percent", books,
			"gap_points", huffman - books, "bytes", (json_int_t)f->bytes);

	if (m->schemes == NULL)
		return row;
	json_object_set_new(row, "schemes", json_schemes(m, f));
	if (lp_type_bytes(m->type) > 1)
		json_object_set_new(row, "quantisation",
				json_pack("{sf sf}", "saved_percent",
						100 * (1 - f->quantised / f->bytes),
						"signal_to_noise_db", figures_snr_db(f)));
	return row;
}

static json_t *
json_packets(const struct measurement *m)
{
	json_t *packets = json_object();
	struct lp_codebook_info info;

	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (m->packets[id] > 0)
			json_object_set_new(packets, book_name(m->books, id, &info),
					json_integer((json_int_t)m->packets[id]));
	return packets;
}

int
write_json(const struct evaluation *ev, const char *path)
{
	const struct measurement *m = &ev->measurement;
	json_t *rows = json_object();
	struct outfile *out;

	if (path == NULL) {
		json_decref(rows);
		return 0;
	}
	for (int k = 0; k < ev->nb_inputs; k++)
		json_object_set_new(rows, ev->inputs[k], json_row(m, &ev->input[k]));
	json_t *report = json_pack("{ss so so so}", "type", lp_type_name(m->type), "inputs", rows,
			"total", json_row(m, &ev->total), "packets", json_packets(m));

	out = outfile_open(path);
	if (out != NULL) {
		json_dumpf(report, outfile_stream(out), JSON_INDENT(2));
		fputc('\n', outfile_stream(out));
	}
	json_decref(report);
	return out != NULL ? outfile_commit(out) : -1;
}

/* ---- CSV ---- */

/* A name in quotes, quotes in it doubled. */
static void
print_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static void
print_csv(const struct evaluation *ev, FILE *f)
{
	const struct measurement *m = &ev->measurement;

	fputs("input,offset,bytes", f);
	for (int method = 0; method < METHODS; method++)
		if (method_is_there(m, (enum method)method))
			fprintf(f, ",%s_saved_percent", method_key((enum method)method));
	fputs("\n", f);
	for (size_t k = 0; k < ev->shards; k++) {
		const struct shard *s = &ev->shard[k];

		print_quoted(f, ev->inputs[s->input]);
		fprintf(f, ",%zu,%.0f", s->offset, s->figures.bytes);
		for (int method = 0; method < METHODS; method++)
			if (method_is_there(m, (enum method)method))
				fprintf(f, ",%.4f",
						figures_saved(&s->figures, (enum method)method));
		fputs("\n", f);
	}
}

int
write_csv(const struct evaluation *ev, const char *path)
{
	struct outfile *out;

	if (path == NULL)
		return 0;
	out = outfile_open(path);
	if (out == NULL)
		return -1;
	print_csv(ev, outfile_stream(out));
	return outfile_commit(out);
}
