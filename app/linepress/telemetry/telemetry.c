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

static const struct {
	const char *name;
	answer_fn *answer;
	bool takes_id; /**< a parameter, which may be left out */
	const char *help;
} commands[] = {
	{ "/linepress/info", answer_info, false,
			"Version, mode, whether frames are forwarded, verified (one in verify_every, 0: none). No parameters." },
	{ "/linepress/stats", answer_stats, false,
			"Counters by direction and by port. No parameters." },
	{ "/linepress/drops", answer_drops, false,
			"Frames passed and dropped, by direction and reason. No parameters." },
	{ "/linepress/codebooks", answer_codebooks, true,
			"Numbers and names of the codebooks; with a number, what that one has coded. Parameters: int codebook (optional)." },
	{ "/linepress/rules", answer_rules, true,
			"Frames by the rule they match, first by none; with a number, all of that rule. Parameters: int rule (optional)." },
	{ "/linepress/latency", answer_latency, false,
			"Nanoseconds from receive to transmit. No parameters." },
	{ "/linepress/peer", answer_peer, true,
			"State of the far box by port; with a port, all of that one. Parameters: int port (optional)." },
	{ "/linepress/drift", answer_drift, true,
			"What was sampled, and alarms by codebook; with a codebook, how well it fits. Parameters: int codebook (optional)." },
	{ "/linepress/lcore", answer_lcore, true,
			"Forwarding lcores; with one of them, its cycles, rounds and latency. Parameters: int lcore (optional)." },
};

static struct app *served;

/* The parameter, all of it, if there is one; 0 or -EINVAL. */
static int
take_parameter(bool takes_id, const char *params, struct question *question)
{
	if (params == NULL || *params == '\0')
		return 0;
	if (!takes_id || !number_parse(params, 0, ID_MAX, &question->id))
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
	ret = take_parameter(commands[i].takes_id, params, &question);
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
