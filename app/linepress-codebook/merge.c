/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "commands.h"
#include "message.h"
#include "profile_file.h"

#define INPUTS_MAX 256
#define WEIGHT_MAX 1000
#define AVERAGE_SCALE 1000 /* weights of averages are rounded to a part of this */

struct options {
	const char *output, *weights;
	bool average;
	char **inputs;
	int nb_inputs;
	uint32_t weight[INPUTS_MAX];
};

static int
parse_weights(struct options *o)
{
	const char *next = o->weights;
	int count = 0;

	for (;; next++) {
		char *end;
		const unsigned long weight = strtoul(next, &end, 10);

		if (!isdigit((unsigned char)*next) || (*end != ',' && *end != '\0') || weight < 1 ||
				weight > WEIGHT_MAX)
			return complain("--weights %s: must be numbers from 1 to %d, with commas",
					o->weights, WEIGHT_MAX);
		if (count < o->nb_inputs)
			o->weight[count] = (uint32_t)weight;
		count++;
		next = end;
		if (*end == '\0')
			break;
	}
	if (count != o->nb_inputs)
		return complain("--weights %s: %d weights for %d profiles", o->weights, count,
				o->nb_inputs);
	return 0;
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "weights", required_argument, NULL, 'w' },
		{ "average", no_argument, NULL, 'a' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "o:", longs, NULL)) != -1) {
		if (option == '?')
			return -1;
		if (option == 'w')
			o->weights = optarg;
		else if (option == 'o')
			o->output = optarg;
		else
			o->average = true;
	}
	o->inputs = argv + optind;
	o->nb_inputs = argc - optind;
	if (o->output == NULL || o->nb_inputs == 0)
		return complain("merge: -o and a PROFILE are needed");
	if (o->nb_inputs > INPUTS_MAX)
		return complain("merge: %d profiles: at most %d", o->nb_inputs, INPUTS_MAX);
	if (o->average && o->weights != NULL)
		return complain("--average and --weights exclude each other");
	for (int k = 0; k < o->nb_inputs; k++)
		o->weight[k] = 1;
	return o->weights != NULL ? parse_weights(o) : 0;
}

/* Weights by which all inputs count the same. */
static int
average_weights(struct options *o, struct lp_profiles *const *input)
{
	double most = 0;

	for (int k = 0; k < o->nb_inputs; k++) {
		const double symbols = (double)lp_profiles_symbols(input[k], true);

		most = symbols > most ? symbols : most;
	}
	for (int k = 0; k < o->nb_inputs; k++) {
		const double ratio = most / (double)lp_profiles_symbols(input[k], true);

		if (ratio * AVERAGE_SCALE > LP_PROFILE_WEIGHT_MAX)
			return complain("%s: has less than a part in %d of the symbols of the largest",
					o->inputs[k], LP_PROFILE_WEIGHT_MAX / AVERAGE_SCALE);
		o->weight[k] = (uint32_t)(ratio * AVERAGE_SCALE + 0.5);
	}
	return 0;
}

static int
merge_inputs(struct options *o, struct lp_profiles *const *input, struct lp_profiles *sum)
{
	if (o->average && average_weights(o, input) < 0)
		return -1;
	for (int k = 0; k < o->nb_inputs; k++) {
		const int ret = lp_profiles_merge(sum, input[k], o->weight[k]);

		if (ret == -ERANGE)
			return complain("%s: a weight of its shards times %u is above %d",
					o->inputs[k], o->weight[k], LP_PROFILE_WEIGHT_MAX);
		if (ret < 0)
			return complain("out of memory");
	}
	lp_profiles_reduce(sum);
	return write_profiles(sum, o->output);
}

int
merge_command(int argc, char **argv)
{
	static struct options o;
	struct lp_profiles *input[INPUTS_MAX] = { NULL };
	struct lp_profiles *sum = lp_profiles_create();
	int ret = parse_options(argc, argv, &o);

	if (ret == 0 && sum == NULL)
		ret = complain("out of memory");
	for (int k = 0; k < o.nb_inputs && ret == 0; k++) {
		input[k] = load_profiles(o.inputs[k]);
		ret = input[k] != NULL ? 0 : -1;
	}
	if (ret == 0)
		ret = merge_inputs(&o, input, sum);
	for (int k = 0; k < INPUTS_MAX; k++)
		lp_profiles_free(input[k]);
	lp_profiles_free(sum);
	return ret < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
