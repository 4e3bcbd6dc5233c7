/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <string.h>

#include "codec_report.h"
#include "json_file.h"
#include "peer.h"

/* Codecs that others are compared with. */
static const char *const references[] = { "huf0-fixed-4x", "huf0-fixed-4x-aligned" };

#define REFERENCES (sizeof(references) / sizeof(references[0]))

static const char *
working_set(const struct block *block)
{
	return block->streamed ? "streamed" : "hot";
}

static double
raw_bytes(const struct block *block)
{
	return (double)block->packets * (double)block->packet_bytes;
}

/* Of the whole working set. */
static double
cycles(const struct block *block, const struct timing *parts)
{
	double sum = 0;

	for (size_t k = 0; k < block->parts; k++)
		sum += (double)parts[k].best;
	return sum;
}

static double
gbytes_per_s(const struct block *block, const struct timing *parts)
{
	return raw_bytes(block) / (cycles(block, parts) / measure_tsc_hz()) / 1e9;
}

static double
cycles_per_byte(const struct block *block, const struct timing *parts)
{
	return cycles(block, parts) / raw_bytes(block);
}

static double
latency_us(const struct figures *f)
{
	return (double)f->latency.best / measure_tsc_hz() * 1e6;
}

/* Figures of a codec, or NULL if it was not measured. */
static const struct figures *
find(const struct block *block, const char *name)
{
	for (size_t i = 0; i < block->codecs->count; i++)
		if (strcmp(block->codecs->codec[i].name, name) == 0)
			return &block->figures[i];
	return NULL;
}

/* How many times as fast. */
static double
ratio(const struct block *block, const struct timing *parts, const struct timing *reference)
{
	return cycles(block, reference) / cycles(block, parts);
}

static void
add_samples(const struct block *block, const struct figures *f, uint64_t *samples, uint64_t *quiet)
{
	for (size_t k = 0; k < block->parts; k++) {
		*samples += f->encode[k].samples + f->decode[k].samples;
		*quiet += f->encode[k].quiet + f->decode[k].quiet;
	}
}

void
codec_report_samples(const struct block *block, uint64_t *samples, uint64_t *quiet)
{
	for (size_t i = 0; i < block->codecs->count; i++)
		add_samples(block, &block->figures[i], samples, quiet);
}

void
codec_report_head(FILE *out)
{
	const char *sep = "Not in this build:";

	fprintf(out, "%s, TSC %.3f GHz\n", measure_cpu(), measure_tsc_hz() / 1e9);
	for (size_t k = 0; k < peer_count; k++) {
		if (peer_table[k].peer != NULL)
			continue;
		fprintf(out, "%s %s", sep, peer_table[k].name);
		sep = ",";
	}
	fputs(strcmp(sep, ",") == 0 ? "\n" : "", out);
}

static void
print_row(FILE *out, const struct block *block, size_t i)
{
	const struct codec *codec = &block->codecs->codec[i];
	const struct figures *f = &block->figures[i];
	uint64_t samples = 0, quiet = 0;

	fprintf(out, "%-24s %-8s %-19s %6.2f %6.2f %7.3f %7.3f %7.4f %8.2f", codec->name,
			codec->kernel, codec->book, gbytes_per_s(block, f->encode),
			gbytes_per_s(block, f->decode), cycles_per_byte(block, f->encode),
			cycles_per_byte(block, f->decode), f->size, latency_us(f));
	for (size_t k = 0; k < REFERENCES; k++) {
		const struct figures *reference = find(block, references[k]);

		if (reference == NULL)
			fprintf(out, "  %6s %6s", "-", "-");
		else
			fprintf(out, "  %6.2f %6.2f", ratio(block, f->encode, reference->encode),
					ratio(block, f->decode, reference->decode));
	}
	add_samples(block, f, &samples, &quiet);
	fprintf(out, "  %6" PRIu64 "/%" PRIu64 "\n", quiet, samples);
}

void
codec_report_block(FILE *out, const struct block *block)
{
	fprintf(out, "\n%s, packets of %zu bytes in bursts of %d, %s (%.0f KiB)\n",
			lp_type_name(block->type), block->packet_bytes, CODEC_BURST,
			working_set(block), raw_bytes(block) / 1024);
	fprintf(out, "%-52s %13s %15s %7s %8s  %13s  %13s  %s\n", "", "GB/s", "cycles/byte", "size",
			"latency", "x huf0 fixed", "x aligned", "quiet");
	fprintf(out, "%-24s %-8s %-19s %6s %6s %7s %7s %7s %8s  %6s %6s  %6s %6s  samples\n",
			"codec", "kernel", "book", "enc", "dec", "enc", "dec", "", "us", "enc",
			"dec", "enc", "dec");
	for (size_t i = 0; i < block->codecs->count; i++)
		print_row(out, block, i);
	for (size_t k = 0; k < block->codecs->nb_left_out; k++)
		fprintf(out, "%-24s left out: %s\n", block->codecs->left_out[k].peer->name,
				block->codecs->left_out[k].reason);
}

static void
set_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_real(value));
}

static void
set_ratios(json_t *object, const struct block *block, const struct figures *f)
{
	static const char *const encode_keys[REFERENCES] = {
		"encode_by_huf0_fixed_4x",
		"encode_by_huf0_fixed_4x_aligned",
	};
	static const char *const decode_keys[REFERENCES] = {
		"decode_by_huf0_fixed_4x",
		"decode_by_huf0_fixed_4x_aligned",
	};

	for (size_t k = 0; k < REFERENCES; k++) {
		const struct figures *reference = find(block, references[k]);

		if (reference == NULL)
			continue;
		set_real(object, encode_keys[k], ratio(block, f->encode, reference->encode));
		set_real(object, decode_keys[k], ratio(block, f->decode, reference->decode));
	}
}

void
codec_report_rows(json_t *rows, const struct block *block)
{
	for (size_t i = 0; i < block->codecs->count; i++) {
		const struct codec *codec = &block->codecs->codec[i];
		const struct figures *f = &block->figures[i];
		uint64_t samples = 0, quiet = 0;
		json_t *row = json_pack("{ss ss ss ss sI si ss}", "codec", codec->name, "kernel",
				codec->kernel, "book", codec->book, "type",
				lp_type_name(block->type), "packet_bytes",
				(json_int_t)block->packet_bytes, "burst", CODEC_BURST,
				"working_set", working_set(block));

		set_real(row, "encode_gbytes_per_s", gbytes_per_s(block, f->encode));
		set_real(row, "decode_gbytes_per_s", gbytes_per_s(block, f->decode));
		set_real(row, "encode_cycles_per_byte", cycles_per_byte(block, f->encode));
		set_real(row, "decode_cycles_per_byte", cycles_per_byte(block, f->decode));
		set_real(row, "size", f->size);
		set_real(row, "latency_us", latency_us(f));
		set_ratios(row, block, f);
		add_samples(block, f, &samples, &quiet);
		json_object_set_new(row, "samples", json_integer((json_int_t)samples));
		json_object_set_new(row, "quiet_samples", json_integer((json_int_t)quiet));
		json_array_append_new(rows, row);
	}
}

void
codec_report_left_out(json_t *list, const struct block *block)
{
	for (size_t k = 0; k < block->codecs->nb_left_out; k++) {
		const struct left_out *left_out = &block->codecs->left_out[k];

		json_array_append_new(list,
				json_pack("{ss ss sI ss}", "codec", left_out->peer->name, "type",
						lp_type_name(block->type), "packet_bytes",
						(json_int_t)block->packet_bytes, "reason",
						left_out->reason));
	}
}

static json_t *
peer_names(bool built)
{
	json_t *names = json_array();

	for (size_t k = 0; k < peer_count; k++)
		if ((peer_table[k].peer != NULL) == built)
			json_array_append_new(names, json_string(peer_table[k].name));
	return names;
}

int
codec_report_json(
		const char *path, json_t *rows, json_t *left_out, uint64_t samples, uint64_t quiet)
{
	return json_file_write(path,
			json_pack("{ss sf sI sI so so sO sO}", "cpu", measure_cpu(), "tsc_ghz",
					measure_tsc_hz() / 1e9, "samples", (json_int_t)samples,
					"quiet_samples", (json_int_t)quiet, "peers",
					peer_names(true), "absent_peers", peer_names(false), "rows",
					rows, "left_out", left_out));
}
