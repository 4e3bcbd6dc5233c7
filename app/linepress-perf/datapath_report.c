/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>

#include <jansson.h>

#include "datapath_report.h"
#include "json_file.h"
#include "message.h"

/* A loop and the stages it consists of. */
struct loop {
	const char *name;
	enum stage loop;
	enum stage first, last; /* stages, none if last < first */
	enum stage choice;	/* the codec with its choice, up to ... */
	enum stage codec;	/* ... the codec alone */
};

static const struct loop loops[] = {
	{ "io", STAGE_IO, STAGE_COUNT, STAGE_IO, STAGE_COUNT, STAGE_COUNT },
	{ "compress", STAGE_COMPRESS, STAGE_PARSE, STAGE_SEAL, STAGE_CHOOSE, STAGE_ENCODE },
	{ "restore", STAGE_RESTORE, STAGE_OPEN, STAGE_VERIFY, STAGE_DECODE, STAGE_DECODE },
};

static const char *const stage_names[STAGE_COUNT] = {
	[STAGE_PARSE] = "parse",
	[STAGE_CHOOSE] = "choose",
	[STAGE_ENCODE] = "encode",
	[STAGE_SEAL] = "seal",
	[STAGE_OPEN] = "parse",
	[STAGE_DECODE] = "decode",
	[STAGE_VERIFY] = "verify",
};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

static double
seconds(const struct datapath_result *res, enum stage stage)
{
	return (double)res->cycles[stage] / measure_tsc_hz();
}

static double
mpps(const struct datapath_result *res, enum stage stage)
{
	return (double)res->packets / seconds(res, stage) / 1e6;
}

static double
gbits_per_s(const struct datapath_result *res, enum stage stage)
{
	return 8 * (double)res->bytes / seconds(res, stage) / 1e9;
}

static double
cycles_per_packet(const struct datapath_result *res, enum stage stage)
{
	return (double)res->cycles[stage] / (double)res->packets;
}

static double
region_gbytes_per_s(const struct datapath_result *res, enum stage stage)
{
	return (double)res->region_bytes / seconds(res, stage) / 1e9;
}

/* What a loop does besides its stages, in cycles a packet; may be negative, see --help. */
static double
rest(const struct datapath_result *res, const struct loop *loop)
{
	double cycles = cycles_per_packet(res, loop->loop) - cycles_per_packet(res, STAGE_IO);

	for (int stage = (int)loop->first; stage <= (int)loop->last; stage++)
		cycles -= cycles_per_packet(res, (enum stage)stage);
	return cycles;
}

/* Speed of the data path by that of some stages of the codec. */
static double
share_of_codec(const struct datapath_result *res, const struct loop *loop, enum stage first)
{
	uint64_t cycles = 0;

	for (int stage = (int)first; stage <= (int)loop->codec; stage++)
		cycles += res->cycles[stage];
	return (double)cycles / (double)res->cycles[loop->loop];
}

static void
report_stages(FILE *out, const struct datapath_result *res, const struct loop *loop)
{
	for (int stage = (int)loop->first; stage <= (int)loop->last; stage++)
		fprintf(out, "    %-30s %13.1f\n", stage_names[stage],
				cycles_per_packet(res, (enum stage)stage));
	fprintf(out, "    %-30s %13.1f\n", "rest", rest(res, loop));
}

void
datapath_report(FILE *out, const struct datapath_result *res)
{
	fprintf(out, "%s, TSC %.3f GHz, kernel %s\n", measure_cpu(), measure_tsc_hz() / 1e9,
			res->kernel);
	fprintf(out,
			"%s: %" PRIu64 " frames, %" PRIu64 " bytes; coded %" PRIu64
			" frames, regions of %" PRIu64 " bytes\n\n",
			res->capture, res->packets, res->bytes, res->coded_packets,
			res->region_bytes);
	fprintf(out, "%-12s %10s %10s %14s\n", "one lcore", "Mpps", "Gb/s", "cycles/packet");
	for (size_t k = 0; k < LOOPS; k++) {
		fprintf(out, "%-12s %10.3f %10.2f %14.1f\n", loops[k].name,
				mpps(res, loops[k].loop), gbits_per_s(res, loops[k].loop),
				cycles_per_packet(res, loops[k].loop));
		if (loops[k].codec != STAGE_COUNT)
			report_stages(out, res, &loops[k]);
	}
	if (res->region_bytes > 0)
		fprintf(out, "\n%-12s %12s %12s %8s %18s\n", "GB/s", "codec alone", "data path",
				"ratio", "ratio with choice");
	for (size_t k = 0; res->region_bytes > 0 && k < LOOPS; k++)
		if (loops[k].codec != STAGE_COUNT)
			fprintf(out, "%-12s %12.2f %12.2f %8.2f %18.2f\n", loops[k].name,
					region_gbytes_per_s(res, loops[k].codec),
					region_gbytes_per_s(res, loops[k].loop),
					share_of_codec(res, &loops[k], loops[k].codec),
					share_of_codec(res, &loops[k], loops[k].choice));
	fprintf(out, "\n%" PRIu64 " passes; ", res->passes);
	measure_print_quiet(out, res->samples, res->quiet);
}

static void
set_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_real(value));
}

static json_t *
loop_object(const struct datapath_result *res, const struct loop *loop)
{
	json_t *object = json_object(), *stages;

	set_real(object, "mpps", mpps(res, loop->loop));
	set_real(object, "gbits_per_s", gbits_per_s(res, loop->loop));
	set_real(object, "cycles_per_packet", cycles_per_packet(res, loop->loop));
	if (loop->codec == STAGE_COUNT)
		return object;
	stages = json_object();
	for (int stage = (int)loop->first; stage <= (int)loop->last; stage++)
		set_real(stages, stage_names[stage], cycles_per_packet(res, (enum stage)stage));
	set_real(stages, "rest", rest(res, loop));
	json_object_set_new(object, "stage_cycles_per_packet", stages);
	if (res->region_bytes == 0)
		return object;
	set_real(object, "region_gbytes_per_s", region_gbytes_per_s(res, loop->loop));
	set_real(object, "codec_gbytes_per_s", region_gbytes_per_s(res, loop->codec));
	set_real(object, "ratio_to_codec", share_of_codec(res, loop, loop->codec));
	set_real(object, "ratio_to_codec_with_choice", share_of_codec(res, loop, loop->choice));
	return object;
}

int
datapath_report_json(const char *path, const struct datapath_result *res)
{
	json_t *report = json_pack("{ss sf ss ss sI sI sI sI sI sI sI}", "cpu", measure_cpu(),
			"tsc_ghz", measure_tsc_hz() / 1e9, "capture", res->capture, "kernel",
			res->kernel, "packets", (json_int_t)res->packets, "bytes",
			(json_int_t)res->bytes, "coded_packets", (json_int_t)res->coded_packets,
			"region_bytes", (json_int_t)res->region_bytes, "passes",
			(json_int_t)res->passes, "samples", (json_int_t)res->samples,
			"quiet_samples", (json_int_t)res->quiet);

	if (report == NULL)
		return complain("--json: the path of the capture is not UTF-8");
	for (size_t k = 0; k < LOOPS; k++)
		json_object_set_new(report, loops[k].name, loop_object(res, &loops[k]));
	return json_file_write(path, report);
}
