/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "books.h"
#include "child.h"
#include "dataset.h"
#include "line_traffic.h"
#include "linepress/wire.h"
#include "message.h"
#include "pcap_out.h"
#include "roce_frames.h"

#define FRAME_MAX (64512 - 4 - LP_SHIM_MAX) /* of the appliance, without FCS and escape */
#define CODE_TIMEOUT_S 3600

static const char *const side_names[SIDES] = { "host", "line" };

/* What the source tree ships beside its codebooks; an installed program has none. */
static void
shipped(const char *name, char path[PATH_MAX])
{
	char beside[PATH_MAX];

	snprintf(beside, sizeof(beside), "%s/../test/data/%s", codebook_dir(), name);
	if (realpath(beside, path) == NULL)
		snprintf(path, PATH_MAX, "%s", beside);
}

/* ---- originals ---- */

static int
load_capture(struct line_traffic *traffic, const struct line_options *opt)
{
	struct capture_error error;
	char path[PATH_MAX];

	if (opt->input == NULL)
		shipped("training.pcap", path);
	const char *input = opt->input != NULL ? opt->input : path;

	snprintf(traffic->name, sizeof(traffic->name), "%s", input);
	traffic->frames[SIDE_HOST] = capture_load(input, false, &error);
	if (traffic->frames[SIDE_HOST] == NULL)
		return complain("%s: %s", input, error.text);
	if (traffic->frames[SIDE_HOST]->longest > FRAME_MAX)
		return complain("%s: a frame of %u bytes, allowed are up to %d", input,
				traffic->frames[SIDE_HOST]->longest, FRAME_MAX);
	return 0;
}

static int
load_tensors(const struct line_options *opt, struct dataset *data)
{
	const enum lp_type type = (enum lp_type)opt->type;
	char dir[PATH_MAX];

	if (opt->input != NULL)
		return dataset_add_file(data, opt->input, type);
	shipped("tensors", dir);
	if (access(dir, R_OK | X_OK) < 0)
		return complain("--type: there are no shipped tensors in %s, give a FILE", dir);
	if (dataset_add_named(data, dir) < 0)
		return -1;
	if (!dataset_has(data, type))
		return complain("--type: no shipped tensor is of type %s, give a FILE",
				lp_type_name(type));
	return 0;
}

static int
make_roce(struct line_traffic *traffic, const struct line_options *opt)
{
	const enum lp_type type = (enum lp_type)opt->type;
	struct dataset data = { 0 };
	int ret = load_tensors(opt, &data);

	if (ret == 0 && dataset_shortest(&data, type) < opt->packet_bytes)
		ret = complain("--packet-bytes: %zu is more than the %zu of half the shortest tensor",
				opt->packet_bytes, dataset_shortest(&data, type));
	if (ret == 0) {
		traffic->frames[SIDE_HOST] = roce_frames_make(&data, type, opt->packet_bytes);
		ret = traffic->frames[SIDE_HOST] == NULL ? -1 : 0;
	}
	snprintf(traffic->name, sizeof(traffic->name), "RoCEv2, %zu bytes of %s, from %s",
			opt->packet_bytes, lp_type_name(type),
			opt->input == NULL ? "shipped tensors" : opt->input);
	dataset_free(&data);
	return ret;
}

/* ---- captures ---- */

/* Frames of one queue, or of all if there are none. */
static int
write_frames(const char *path, const struct capture *cap, const struct flows *flows,
		const uint8_t *queue_of_flow, unsigned int queue)
{
	struct pcap_out *out = pcap_out_open(path);

	for (size_t i = 0; out != NULL && i < cap->count; i++) {
		const struct capture_frame *frame = &cap->frames[i];

		if (queue_of_flow != NULL && queue_of_flow[flows->of_frame[i]] != queue)
			continue;
		if (pcap_out_write(out, frame, capture_data(cap, frame), frame->len) < 0) {
			pcap_out_abort(out);
			out = NULL;
		}
	}
	return out == NULL ? -1 : pcap_out_commit(out);
}

void
line_traffic_path(const struct line_traffic *traffic, enum line_side side, unsigned int queue,
		char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s%u.pcap", traffic->dir, side_names[side], queue);
}

int
line_traffic_spread(const struct line_traffic *traffic, unsigned int nb_queues)
{
	char path[PATH_MAX];
	uint8_t *queue_of_flow;
	int ret;

	if (nb_queues > traffic->flows.count)
		return complain("%s: %u flow%s too few for %u lcores, see --lcores", traffic->name,
				traffic->flows.count, traffic->flows.count == 1 ? " is" : "s are",
				nb_queues);
	queue_of_flow = malloc(traffic->flows.count);
	if (queue_of_flow == NULL)
		return complain("out of memory");
	ret = flows_spread(&traffic->flows, nb_queues, queue_of_flow);
	for (int side = 0; side < SIDES; side++) {
		for (unsigned int q = 0; traffic->frames[side] != NULL && q < nb_queues; q++) {
			line_traffic_path(traffic, (enum line_side)side, q, path);
			if (ret == 0)
				ret = write_frames(path, traffic->frames[side], &traffic->flows,
						queue_of_flow, q);
		}
	}
	free(queue_of_flow);
	return ret;
}

/* ---- coded frames ---- */

/* What a box makes of the originals. A frame that it drops would not be worth measuring. */
static int
load_coded(struct line_traffic *traffic, const char *path)
{
	struct capture_error error;
	struct capture *cap = capture_load(path, false, &error);

	traffic->frames[SIDE_LINE] = cap;
	if (cap == NULL)
		return complain("%s: %s", path, error.text);
	if (cap->count != traffic->frames[SIDE_HOST]->count)
		return complain("%s: linepress-replay codes only %zu of %zu frames", traffic->name,
				cap->count, traffic->frames[SIDE_HOST]->count);
	return 0;
}

static int
code(struct line_traffic *traffic, const struct line_options *opt)
{
	struct child_command command = { 0 };
	struct child child = CHILD(traffic->stop);
	char program[PATH_MAX], path[PATH_MAX];
	int ret;

	if (!child_find("linepress-replay", program))
		return complain("linepress-replay is neither beside this program nor in PATH");
	snprintf(path, sizeof(path), "%s/coded.pcap", traffic->dir);
	child_command_add(&command, "%s", program);
	child_command_add(&command, "--mode=compress");
	child_command_add(&command, "--loops=1");
	child_command_add(&command, "--codebooks=%s", opt->codebooks);
	child_command_add(&command, "--line=%s", path);
	if (opt->kernel != NULL)
		child_command_add(&command, "--kernel=%s", opt->kernel);
	child_command_add(&command, "%s", traffic->path);
	ret = child_start(&child, &command, traffic->dir, false);
	if (ret == 0)
		ret = child_wait(&child, CODE_TIMEOUT_S);
	child_end(&child);
	child_command_free(&command);
	return ret < 0 ? ret : load_coded(traffic, path);
}

int
line_traffic_load(struct line_traffic *traffic, const struct line_options *opt)
{
	if ((opt->type < 0 ? load_capture(traffic, opt) : make_roce(traffic, opt)) < 0)
		return -1;
	if (workdir_create(traffic->dir) < 0) {
		traffic->dir[0] = '\0';
		return -1;
	}
	snprintf(traffic->path, sizeof(traffic->path), "%s/original.pcap", traffic->dir);
	if (flows_find(&traffic->flows, traffic->frames[SIDE_HOST]) < 0 ||
			write_frames(traffic->path, traffic->frames[SIDE_HOST], NULL, NULL, 0) < 0)
		return -1;
	return opt->mode[LINE_RESTORE] || opt->mode[LINE_PRESS] ? code(traffic, opt) : 0;
}

void
line_traffic_free(struct line_traffic *traffic)
{
	flows_free(&traffic->flows);
	for (int side = 0; side < SIDES; side++)
		capture_free(traffic->frames[side]);
	if (traffic->dir[0] != '\0')
		workdir_remove(traffic->dir);
}
