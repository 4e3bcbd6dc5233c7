/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * What a set of books saves on tensors, beside two others: the Shannon entropy of each 64 KiB
 * shard, and a Huffman code built for that shard and sent along with it, as 4 bits of length
 * for each symbol from the first to the last that occurs. Both code the top byte of each element
 * after a rotation by one (the exponent field; all of an 8-bit type) and leave the rest raw. The
 * books code packets of 4 KiB as the appliance would, with the shim of a RoCE packet counted;
 * every packet is decoded again and compared.
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "books.h"
#include "commands.h"
#include "input.h"
#include "linepress/bookset.h"
#include "linepress/profile.h"
#include "linepress/wire.h"
#include "message.h"
#include "outfile.h"

#define SHARD_BYTES 65536
#define MIN_SAVING 32 /* bytes, as the appliance demands by default */
#define HUFFMAN_LIMIT 15

struct figures {
	double bytes;
	double shannon, huffman, huffman_code, books; /* bytes after coding */
};

struct evaluation {
	enum lp_type type;
	const struct lp_bookset *books;
	uint64_t packets[LP_BOOK_IDS]; /* by book; 0: sent as they are */
};

static double
saved_percent(double coded, double bytes)
{
	return bytes > 0 ? 100 * (1 - coded / bytes) : 0;
}

static void
count_top_bytes(enum lp_type type, const uint8_t *src, size_t len, uint64_t *count)
{
	const size_t bytes = lp_type_bytes(type);
	const int rotate = type != LP_TYPE_INT8 && type != LP_TYPE_BYTES;

	for (size_t i = bytes - 1; i < len; i += bytes)
		count[rotate ? (uint8_t)(src[i] << 1 | src[bytes > 1 ? i - 1 : i] >> 7) : src[i]]++;
}

static void
evaluate_shard(enum lp_type type, const uint8_t *src, size_t len, struct figures *f)
{
	const double elements = (double)(len / lp_type_bytes(type));
	const double raw = (double)len - elements;
	uint64_t count[256] = { 0 }, bits = 0;
	unsigned int first = 256, last = 0;
	uint8_t length[256];

	count_top_bytes(type, src, len, count);
	if (lp_huffman_lengths(count, 256, HUFFMAN_LIMIT, length) == 0)
		for (unsigned int s = 0; s < 256; s++)
			bits += count[s] * length[s];
	for (unsigned int s = 0; s < 256; s++) {
		if (count[s] == 0)
			continue;
		first = first == 256 ? s : first;
		last = s;
	}
	f->bytes += (double)len;
	f->shannon += raw + elements * lp_entropy(count, 256) / 8;
	f->huffman_code += raw + (double)bits / 8;
	f->huffman += raw + (double)bits / 8 + (last - first + 1) / 2.0;
}

/* Returns the bytes that travel for a packet's region, or -1 if it does not come back. */
static int
evaluate_packet(struct evaluation *ev, const uint8_t *src, size_t len)
{
	const size_t overhead = LP_SHIM_MIN + MIN_SAVING;
	uint8_t body[PACKET_BYTES], back[PACKET_BYTES];
	struct lp_params params;
	size_t estimate;
	uint8_t id = 0;
	int coded = 0;

	if (len > overhead)
		id = lp_bookset_choose(ev->books, src, len, len - overhead, &params, &estimate);
	const struct lp_codebook *cb = ev->books->book[id];

	if (id > 0)
		coded = lp_encode(cb, &params, src, len, body, len - overhead);
	if (coded <= 0) {
		ev->packets[0]++;
		return (int)len;
	}
	ev->packets[id]++;
	if (lp_decode(cb, params.phase, body, (size_t)coded, back, len) < 0 ||
			memcmp(src, back, len) != 0)
		return -1;
	return coded + LP_SHIM_MIN;
}

static int
evaluate_input(struct evaluation *ev, const char *path, struct figures *f)
{
	size_t len;

	if (input_is_capture(path))
		return complain("%s: is a capture: linepress-replay tells what is saved on it",
				path);
	uint8_t *src = input_read(path, lp_type_bytes(ev->type), &len);
	int ret = 0;

	if (src == NULL)
		return -1;
	for (size_t off = 0; off < len; off += SHARD_BYTES)
		evaluate_shard(ev->type, src + off,
				len - off < SHARD_BYTES ? len - off : SHARD_BYTES, f);
	for (size_t off = 0; off < len && ret == 0; off += PACKET_BYTES) {
		const int line = evaluate_packet(
				ev, src + off, len - off < PACKET_BYTES ? len - off : PACKET_BYTES);

		if (line < 0)
			ret = complain("%s: the packet at byte %zu did not come back", path, off);
		f->books += line;
	}
	free(src);
	return ret;
}

static void
print_row(const char *name, const struct figures *f)
{
	const double huffman = saved_percent(f->huffman, f->bytes);
	const double books = saved_percent(f->books, f->bytes);

	printf("%-44s %10.0f %9.2f %9.2f %9.2f %9.2f\n", name, f->bytes,
			saved_percent(f->shannon, f->bytes), huffman, books, huffman - books);
}

static json_t *
json_row(const struct figures *f)
{
	const double huffman = saved_percent(f->huffman, f->bytes);
	const double books = saved_percent(f->books, f->bytes);

	return json_pack("{sf sf sf sf sf sI}", "shannon_saved_percent",
			saved_percent(f->shannon, f->bytes), "per_shard_huffman_saved_percent",
			huffman, "per_shard_huffman_without_table_saved_percent",
			saved_percent(f->huffman_code, f->bytes), "books_saved_percent", books,
			"gap_points", huffman - books, "bytes", (json_int_t)f->bytes);
}

/* Name of a book, or what is said of packets that no book coded. */
static const char *
book_name(const struct evaluation *ev, unsigned int id, struct lp_codebook_info *info)
{
	if (id == 0)
		return "raw";
	lp_codebook_describe(ev->books->book[id], info);
	return info->name;
}

static json_t *
json_packets(const struct evaluation *ev)
{
	json_t *packets = json_object();
	struct lp_codebook_info info;

	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (ev->packets[id] > 0)
			json_object_set_new(packets, book_name(ev, id, &info),
					json_integer((json_int_t)ev->packets[id]));
	return packets;
}

static void
print_packets(const struct evaluation *ev)
{
	struct lp_codebook_info info;

	printf("packets:");
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (ev->packets[id] > 0)
			printf(" %s %llu", book_name(ev, id, &info),
					(unsigned long long)ev->packets[id]);
	putchar('\n');
}

static int
write_json(const json_t *report, const char *path)
{
	struct outfile *out = outfile_open(path);

	if (out == NULL)
		return -1;
	json_dumpf(report, outfile_stream(out), JSON_INDENT(2));
	fputc('\n', outfile_stream(out));
	return outfile_commit(out);
}

static int
evaluate_inputs(struct evaluation *ev, char **inputs, int nb_inputs, const char *json)
{
	json_t *rows = json_object();
	struct figures total = { 0 };
	int ret = 0;

	printf("%-44s %10s %9s %9s %9s %9s\n", "saved, percent", "bytes", "Shannon", "Huffman",
			"books", "gap");
	for (int k = 0; k < nb_inputs && ret == 0; k++) {
		const size_t len = strlen(inputs[k]);
		struct figures f = { 0 };

		ret = evaluate_input(ev, inputs[k], &f);
		if (ret < 0)
			break;
		print_row(inputs[k] + (len > 44 ? len - 44 : 0), &f);
		json_object_set_new(rows, inputs[k], json_row(&f));
		total.bytes += f.bytes;
		total.shannon += f.shannon;
		total.huffman += f.huffman;
		total.huffman_code += f.huffman_code;
		total.books += f.books;
	}
	if (ret == 0) {
		print_row("total", &total);
		print_packets(ev);
	}
	json_t *report = json_pack("{ss so so so}", "type", lp_type_name(ev->type), "inputs", rows,
			"total", json_row(&total), "packets", json_packets(ev));

	if (ret == 0 && json != NULL)
		ret = write_json(report, json);
	json_decref(report);
	return ret;
}

int
evaluate_command(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "type", required_argument, NULL, 't' },
		{ "codebooks", required_argument, NULL, 'c' },
		{ "json", required_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	const char *dir = codebook_dir(), *json = NULL;
	static struct evaluation ev;
	int option, type = -1;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (option == '?' || (option == 't' && parse_type(optarg, &type) < 0))
			return EXIT_FAILURE;
		if (option == 'c')
			dir = optarg;
		if (option == 'j')
			json = optarg;
	}
	if (type < 0 || optind == argc) {
		complain("evaluate: --type and an INPUT are needed");
		return EXIT_FAILURE;
	}
	struct lp_error error;
	struct lp_bookset *books = lp_bookset_load(dir, &error);

	if (books == NULL) {
		complain("%s", error.text);
		return EXIT_FAILURE;
	}
	ev.type = (enum lp_type)type;
	ev.books = books;
	const int ret = evaluate_inputs(&ev, argv + optind, argc - optind, json);

	lp_bookset_free(books);
	return ret < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
