/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Which books the appliance would choose for tensors of known type, cut into packets at random
 * bytes, and what it costs where a book is of another type: the bytes beyond those of the best book
 * of the right type. A book of another type may well be the better one; then it costs less than
 * nothing.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"
#include "commands.h"
#include "input.h"
#include "json_file.h"
#include "linepress/wire.h"
#include "message.h"

#define MIN_SAVING 32 /* bytes, as the appliance demands by default */
#define ROWS_MAX 32
#define NAME_MAX_CHARS 20
#define PACKET_MIN 256
#define PACKET_MAX 16384

struct row {
	enum lp_type type;
	char name[NAME_MAX_CHARS + 1];
	uint64_t packets, chosen[LP_BOOK_IDS]; /* 0: sent as it is */
	uint64_t wrong;			       /* packets that took a book of another type */
	double wrong_cost, wrong_bytes;	       /* of these: bytes too many, and all */
	double coded, least; /* bytes of all packets, and with the best of all books */
	double worst;	     /* what a packet that took a wrong book lost, at most, in percent */
};

struct options {
	const char *codebooks, *json;
	unsigned long packet_bytes, packets, seed;
	char **inputs;
	int nb_inputs;
};

struct matrix {
	const struct options *opt;
	const struct lp_bookset *books;
	struct lp_codebook_info info[LP_BOOK_IDS];
	uint64_t random;
	unsigned int rows;
	struct row row[ROWS_MAX];
};

/* ---- packets ---- */

/* xorshift64*, Vigna 2016: the same packets everywhere. */
static uint64_t
next_random(struct matrix *m)
{
	m->random ^= m->random >> 12;
	m->random ^= m->random << 25;
	m->random ^= m->random >> 27;
	return m->random * UINT64_C(0x2545F4914F6CDD1D);
}

/* Bytes that travel with a book. */
static size_t
coded_bytes(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len)
{
	uint8_t body[PACKET_MAX];
	const size_t limit = len - LP_SHIM_MIN - MIN_SAVING;
	const int coded = lp_encode(cb, params, src, len, body, limit);

	return coded > 0 ? (size_t)coded + LP_SHIM_MIN : len;
}

/* The fewest bytes with any book of a type, or of all types. */
static size_t
least_bytes(const struct matrix *m, int type, const uint8_t *src, size_t len)
{
	struct lp_sample sample;
	size_t least = len;

	lp_sample_init(&sample, src, len);
	for (unsigned int k = 0; k < m->books->count; k++) {
		const uint8_t id = m->books->id[k];
		struct lp_params params = { 0 };

		if (type >= 0 && (int)m->info[id].type != type)
			continue;
		lp_codebook_choose(m->books->book[id], &sample, SIZE_MAX, &params);
		const size_t bytes = coded_bytes(m->books->book[id], &params, src, len);

		least = bytes < least ? bytes : least;
	}
	return least;
}

static void
count_packet(struct matrix *m, struct row *row, const uint8_t *src, size_t len)
{
	struct lp_params params = { 0 };
	size_t estimate, bytes = len;
	uint8_t id = lp_bookset_choose(
			m->books, src, len, len - LP_SHIM_MIN - MIN_SAVING, &params, &estimate);

	if (id > 0)
		bytes = coded_bytes(m->books->book[id], &params, src, len);
	if (bytes == len)
		id = 0;
	row->packets++;
	row->chosen[id]++;
	row->coded += (double)bytes;
	row->least += (double)least_bytes(m, -1, src, len);
	if (id == 0 || m->info[id].type == row->type)
		return;
	const double cost = (double)bytes - (double)least_bytes(m, (int)row->type, src, len);

	row->wrong++;
	row->wrong_cost += cost;
	row->wrong_bytes += (double)len;
	if (row->wrong == 1 || 100 * cost / (double)len > row->worst)
		row->worst = 100 * cost / (double)len;
}

/* ---- inputs ---- */

/* TYPE[/NAME]=FILE: the row it belongs to, and the file. NULL having said why. */
static struct row *
find_row(struct matrix *m, const char *input, const char **path)
{
	const char *equals = strchr(input, '=');
	const size_t len = equals != NULL ? (size_t)(equals - input) : 0;
	char name[NAME_MAX_CHARS + 1], type_name[NAME_MAX_CHARS + 1];
	int type = -1;

	if (len > 0 && len <= NAME_MAX_CHARS) {
		snprintf(name, sizeof(name), "%.*s", (int)len, input);
		snprintf(type_name, sizeof(type_name), "%.*s", (int)strcspn(name, "/"), name);
		type = lp_type_from_name(type_name);
	}
	if (type < 0) {
		complain("'%s': must be TYPE=FILE or TYPE/NAME=FILE, with bf16, fp16, fp32, e4m3, e5m2, "
			 "int8 or bytes",
				input);
		return NULL;
	}
	*path = equals + 1;
	for (unsigned int k = 0; k < m->rows; k++)
		if (strcmp(m->row[k].name, name) == 0)
			return &m->row[k];
	if (m->rows == ROWS_MAX) {
		complain("'%s': more than %d types and names", input, ROWS_MAX);
		return NULL;
	}
	struct row *row = &m->row[m->rows++];

	row->type = (enum lp_type)type;
	memcpy(row->name, name, sizeof(name));
	return row;
}

static int
count_input(struct matrix *m, const char *input)
{
	const size_t packet = m->opt->packet_bytes;
	const char *path;
	struct row *row = find_row(m, input, &path);
	uint8_t *tensor;
	size_t len;

	if (row == NULL)
		return -1;
	tensor = input_read(path, lp_type_bytes(row->type), &len);
	if (tensor == NULL)
		return -1;
	if (len < packet) {
		free(tensor);
		return complain("%s: %zu bytes: shorter than a packet of %zu", path, len, packet);
	}
	for (unsigned long k = 0; k < m->opt->packets; k++)
		count_packet(m, row, tensor + next_random(m) % (len - packet + 1), packet);
	free(tensor);
	return 0;
}

/* ---- reports ---- */

static uint64_t
chosen_of_type(const struct matrix *m, const struct row *row, int type)
{
	uint64_t sum = 0;

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++)
		if (m->books->book[id] != NULL && (int)m->info[id].type == type)
			sum += row->chosen[id];
	return sum;
}

static double
percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void
print_matrix(const struct matrix *m)
{
	printf("%-*s", NAME_MAX_CHARS, "type, by that of book");
	for (int type = 0; type < LP_TYPE_COUNT; type++)
		printf(" %6s", lp_type_name((enum lp_type)type));
	printf(" %6s %7s %7s %7s %7s %7s\n", "raw", "wrong,%", "cost,%", "worst,%", "saved,%",
			"best,%");
	for (unsigned int k = 0; k < m->rows; k++) {
		const struct row *row = &m->row[k];
		const double bytes = (double)(row->packets * m->opt->packet_bytes);

		printf("%-*s", NAME_MAX_CHARS + 1, row->name);
		for (int type = 0; type < LP_TYPE_COUNT; type++)
			printf(" %6llu", (unsigned long long)chosen_of_type(m, row, type));
		printf(" %6llu %7.2f %7.2f %7.2f %7.2f %7.2f\n", (unsigned long long)row->chosen[0],
				percent((double)row->wrong, (double)row->packets),
				percent(row->wrong_cost, row->wrong_bytes), row->worst,
				100 - percent(row->coded, bytes), 100 - percent(row->least, bytes));
	}
	for (unsigned int k = 0; k < m->rows; k++) {
		printf("%s:", m->row[k].name);
		for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
			if (m->row[k].chosen[id] > 0)
				printf(" %s %llu", id > 0 ? m->info[id].name : "raw",
						(unsigned long long)m->row[k].chosen[id]);
		putchar('\n');
	}
}

static json_t *
json_row(const struct matrix *m, const struct row *row)
{
	const double bytes = (double)(row->packets * m->opt->packet_bytes);
	json_t *chosen = json_object();

	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (row->chosen[id] > 0)
			json_object_set_new(chosen, id > 0 ? m->info[id].name : "raw",
					json_integer((json_int_t)row->chosen[id]));
	return json_pack("{ss sI so sI sf sf sf sf}", "type", lp_type_name(row->type), "packets",
			(json_int_t)row->packets, "chosen", chosen, "wrong", (json_int_t)row->wrong,
			"wrong_cost_percent", percent(row->wrong_cost, row->wrong_bytes),
			"worst_cost_percent", row->worst, "saved_percent",
			100 - percent(row->coded, bytes), "best_saved_percent",
			100 - percent(row->least, bytes));
}

static int
write_report(const struct matrix *m)
{
	json_t *report = json_object();

	for (unsigned int k = 0; k < m->rows; k++)
		json_object_set_new(report, m->row[k].name, json_row(m, &m->row[k]));
	return json_file_write(m->opt->json, report);
}

/* ---- command ---- */

static int
fill_matrix(struct matrix *m)
{
	/* Any seed will do but for 0, which has no successor. */
	m->random = m->opt->seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
	for (unsigned int k = 0; k < m->books->count; k++)
		lp_codebook_describe(m->books->book[m->books->id[k]], &m->info[m->books->id[k]]);
	for (int k = 0; k < m->opt->nb_inputs; k++)
		if (count_input(m, m->opt->inputs[k]) < 0)
			return -1;
	print_matrix(m);
	return m->opt->json != NULL ? write_report(m) : 0;
}

static int
set_option(struct options *o, int option, const char *value)
{
	switch (option) {
	case 'c':
		o->codebooks = value;
		return 0;
	case 'j':
		o->json = value;
		return 0;
	case 'b':
		return parse_number(
				"--packet-bytes", value, PACKET_MIN, PACKET_MAX, &o->packet_bytes);
	case 'p':
		return parse_number("--packets", value, 1, 1000000, &o->packets);
	case 's':
		return parse_number("--seed", value, 0, UINT32_MAX, &o->seed);
	default:
		return -1;
	}
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "codebooks", required_argument, NULL, 'c' },
		{ "json", required_argument, NULL, 'j' },
		{ "packet-bytes", required_argument, NULL, 'b' },
		{ "packets", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*o = (struct options){
		.codebooks = codebook_dir(), .packet_bytes = PACKET_BYTES, .packets = 16, .seed = 1
	};
	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		if (set_option(o, option, optarg) < 0)
			return -1;
	o->inputs = argv + optind;
	o->nb_inputs = argc - optind;
	if (o->nb_inputs == 0)
		return complain("confusion: a TYPE=FILE is needed");
	return json_file_check(o->json);
}

int
confusion_command(int argc, char **argv)
{
	struct lp_bookset *books;
	static struct matrix m;
	struct lp_error error;
	static struct options o; /* of the matrix */

	if (parse_options(argc, argv, &o) < 0)
		return EXIT_FAILURE;
	books = lp_bookset_load(o.codebooks, &error);
	if (books == NULL) {
		complain("%s", error.text);
		return EXIT_FAILURE;
	}
	m.opt = &o;
	m.books = books;
	const int ret = fill_matrix(&m);

	lp_bookset_free(books);
	return ret < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
