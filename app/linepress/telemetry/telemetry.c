/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_telemetry.h>

#include "answers.h"
#include "log.h"
#include "numbers.h"
#include "telemetry.h"

#define ID_MAX 65535

/** Whether a command has a parameter. */
enum parameter {
	PARAMETER_NONE,
	PARAMETER_OPTIONAL,
	PARAMETER_DUE,
};

static const struct {
	const char *name;
	answer_fn *answer;
	enum parameter parameter;
	const char *help;
} commands[] = {
	{ "/linepress/info", answer_info, PARAMETER_NONE,
			"Version, mode, whether frames are forwarded. No parameters." },
	{ "/linepress/stats", answer_stats, PARAMETER_NONE,
			"Counters by direction and by port. No parameters." },
	{ "/linepress/drops", answer_drops, PARAMETER_NONE,
			"Frames passed and dropped, by direction and reason. No parameters." },
	{ "/linepress/codebooks", answer_codebooks, PARAMETER_OPTIONAL,
			"Numbers and names of the codebooks; with a number, what that one has coded. Parameters: int codebook (optional)." },
	{ "/linepress/latency", answer_latency, PARAMETER_NONE,
			"Nanoseconds from receive to transmit. No parameters." },
	{ "/linepress/lcore", answer_lcore, PARAMETER_DUE,
			"Cycles, rounds and latency of a forwarding lcore. Parameters: int lcore." },
};

static struct app *served;

/* The parameter of a command, all of it; 0 or -EINVAL. */
static int
take_parameter(enum parameter parameter, const char *params, struct question *question)
{
	const bool is_given = params != NULL && *params != '\0';

	if (!is_given)
		return parameter == PARAMETER_DUE ? -EINVAL : 0;
	if (parameter == PARAMETER_NONE || !number_parse(params, 0, ID_MAX, &question->id))
		return -EINVAL;
	question->has_id = true;
	return 0;
}

/* Runs on a thread of the telemetry library. */
static int
answer(const char *command, const char *params, struct rte_tel_data *data)
{
	struct question question = { .app = served };
	struct fwd_stats *stats;
	size_t i = 0;
	int ret;

	while (i < RTE_DIM(commands) && strcmp(commands[i].name, command) != 0)
		i++;
	if (i == RTE_DIM(commands))
		return -ENOENT;
	ret = take_parameter(commands[i].parameter, params, &question);
	if (ret < 0)
		return ret;
	pthread_mutex_lock(&served->lock);
	if (served->is_open) {
		question.stats = stats = app_stats_read(served);
		ret = commands[i].answer(&question, data);
		stats_free(stats);
	} else {
		ret = -ESHUTDOWN;
	}
	pthread_mutex_unlock(&served->lock);
	return ret;
}

int
telemetry_open(struct app *app)
{
	served = app;
	for (size_t i = 0; i < RTE_DIM(commands); i++) {
		const int ret = rte_telemetry_register_cmd(
				commands[i].name, answer, commands[i].help);

		if (ret < 0) {
			app_error("telemetry command %s: %s", commands[i].name, rte_strerror(-ret));
			return ret;
		}
	}
	return 0;
}
