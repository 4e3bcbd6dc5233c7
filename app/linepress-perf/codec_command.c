/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "books.h"
#include "codec_options.h"
#include "codec_report.h"
#include "codec_run.h"
#include "commands.h"
#include "json_file.h"
#include "message.h"

#define HOT_BYTES (256 << 10)
#define STREAMED_BYTES (64 << 20)
#define PROFILE_BYTES (2 << 20)

struct run {
	const struct codec_options *opt;
	const struct dataset *data;
	const struct kernels *kernels;
	json_t *rows, *left_out;
	uint64_t samples, quiet;
	double end; /* of the run, in measure_now()'s seconds */
	int blocks, blocks_done;
};

static int
load_data(struct dataset *data, const struct codec_options *opt)
{
	char dir[PATH_MAX];

	if (opt->corpus != NULL)
		return dataset_add_corpus(data, opt->corpus);
	for (int k = 0; k < opt->nb_inputs; k++)
		if (dataset_add_file(data, opt->inputs[k], (enum lp_type)opt->type) < 0)
			return -1;
	if (opt->nb_inputs > 0)
		return 0;
	/* Beside the codebooks of the source tree; an installed program has none. */
	snprintf(dir, sizeof(dir), "%s/../test/data/tensors", codebook_dir());
	return dataset_add_named(data, dir);
}

static bool
is_wanted(const struct run *run, int type)
{
	return run->opt->all_types ? dataset_has(run->data, (enum lp_type)type)
				   : run->opt->types[type];
}

static bool
fits(const struct run *run, int type, int k)
{
	return run->opt->packet_bytes[k] <= dataset_shortest(run->data, (enum lp_type)type);
}

/* Which sizes are too large for a tensor of a type, if any; returns how many are not. */
static int
check_sizes(const struct run *run, int type)
{
	char sizes[8 * ARGS_LIST_MAX] = "";
	int good = 0;

	for (int k = 0; k < run->opt->nb_packet_bytes; k++) {
		const size_t end = strlen(sizes);

		if (fits(run, type, k))
			good++;
		else
			snprintf(sizes + end, sizeof(sizes) - end, "%s%zu", end > 0 ? ", " : "",
					run->opt->packet_bytes[k]);
	}
	if (sizes[0] != '\0')
		complain("%s: no packets of %s bytes: the shortest tensor has %zu%s",
				lp_type_name((enum lp_type)type), sizes,
				dataset_shortest(run->data, (enum lp_type)type),
				run->opt->corpus != NULL
						? ""
						: " (the first half of a file makes tables, "
						  "the second half gives packets)");
	return good;
}

/* All that can be known to be wrong is told before the first measurement. */
static int
count_blocks(struct run *run)
{
	bool any = false;

	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		if (!is_wanted(run, type))
			continue;
		if (!dataset_has(run->data, (enum lp_type)type))
			return complain("--types: there are no tensors of type %s to make tables "
					"from and to measure on",
					lp_type_name((enum lp_type)type));
		any = true;
		run->blocks += check_sizes(run, type);
	}
	if (!any)
		return complain("there are no tensors of a known type");
	return run->blocks > 0 ? 0 : -1;
}

static void
show_progress(const struct run *run, const struct block *block)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%d/%d: %s, %zu bytes ... \r", run->blocks_done + 1, run->blocks,
				lp_type_name(block->type), block->packet_bytes);
}

/* Without a packet that comes back wrong: a codec of others goes, one of ours ends the run. */
static int
verify(struct block *block, struct codecs *codecs, struct workset *set)
{
	char reason[CODEC_REASON_MAX];
	size_t i = 0;

	while (i < codecs->count) {
		const struct codec *codec = &codecs->codec[i];

		if (codec_verify(codec, set, &block->figures[i].size, reason))
			i++;
		else if (codec->peer != NULL)
			peers_leave_out(codecs, i, reason);
		else
			return complain("%s %s %s: %s, packets of %zu bytes: %s", codec->name,
					codec->kernel, codec->book, lp_type_name(block->type),
					block->packet_bytes, reason);
	}
	return 0;
}

static int
measure_block(struct run *run, struct block *block, struct codecs *codecs, struct workset *set)
{
	/* Equal shares of the time that is left. */
	const double now = measure_now();
	const double deadline = now + (run->end - now) / (run->blocks - run->blocks_done);

	show_progress(run, block);
	if (verify(block, codecs, set) < 0)
		return -1;
	codec_measure(block, set, deadline);
	codec_report_block(stdout, block);
	codec_report_rows(run->rows, block);
	codec_report_left_out(run->left_out, block);
	codec_report_samples(block, &run->samples, &run->quiet);
	fflush(stdout);
	run->blocks_done++;
	return 0;
}

static int
run_codecs(struct run *run, struct workset *set, const struct packets *profile)
{
	struct block block = {
		.type = profile->type,
		.packet_bytes = set->packet_bytes,
		.packets = set->count,
		.streamed = run->opt->streamed,
		.parts = run->opt->streamed ? PARTS_MAX : 1,
	};
	struct codecs codecs = { .count = 0 };
	int ret = -1;

	block.codecs = &codecs;
	if (ours_add(&codecs, run->kernels, profile->type, set) == 0 &&
			peers_add(&codecs, profile) == 0)
		ret = measure_block(run, &block, &codecs, set);
	codecs_free(&codecs);
	return ret;
}

static int
run_block(struct run *run, enum lp_type type, size_t packet_bytes)
{
	const size_t bytes = run->opt->streamed ? STREAMED_BYTES : HOT_BYTES;
	struct packets profile, eval;
	struct workset set;
	int ret = -1;

	if (dataset_cut(run->data, type, DATASET_PROFILE, packet_bytes,
			    PROFILE_BYTES / packet_bytes, &profile) < 0)
		return -1;
	if (dataset_cut(run->data, type, DATASET_EVAL, packet_bytes,
			    (bytes + packet_bytes - 1) / packet_bytes, &eval) < 0)
		goto free_profile;
	if (workset_init(&set, &eval) == 0) {
		ret = run_codecs(run, &set, &profile);
		workset_free(&set);
	}
	free(eval.bytes);
free_profile:
	free(profile.bytes);
	return ret;
}

static int
run_blocks(struct run *run)
{
	if (count_blocks(run) < 0)
		return -1;
	codec_report_head(stdout);
	for (int type = 0; type < LP_TYPE_COUNT; type++)
		for (int k = 0; is_wanted(run, type) && k < run->opt->nb_packet_bytes; k++)
			if (fits(run, type, k) &&
					run_block(run, (enum lp_type)type,
							run->opt->packet_bytes[k]) < 0)
				return -1;
	putchar('\n');
	measure_print_quiet(stdout, run->samples, run->quiet);
	if (run->opt->json == NULL)
		return 0;
	return codec_report_json(
			run->opt->json, run->rows, run->left_out, run->samples, run->quiet);
}

static int
run_options(const struct codec_options *opt)
{
	struct dataset data = { 0 };
	struct kernels kernels;
	struct run run = { .opt = opt, .data = &data, .kernels = &kernels };
	int ret = -1;

	run.end = measure_now() + (double)opt->seconds;
	if (json_file_check(opt->json) < 0 ||
			kernels_load(&kernels, opt->codebooks, opt->kernel) < 0)
		return -1;
	run.rows = json_array();
	run.left_out = json_array();
	if (load_data(&data, opt) == 0)
		ret = run_blocks(&run);
	json_decref(run.rows);
	json_decref(run.left_out);
	dataset_free(&data);
	kernels_free(&kernels);
	return ret;
}

int
codec_command(int argc, char **argv)
{
	struct codec_options opt;

	switch (codec_options_parse(&opt, argc, argv)) {
	case OPTIONS_DONE:
		return EXIT_SUCCESS;
	case OPTIONS_BAD:
		return EXIT_FAILURE;
	case OPTIONS_RUN:
		break;
	}
	const int ret = run_options(&opt);

	free(opt.inputs);
	return ret < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
