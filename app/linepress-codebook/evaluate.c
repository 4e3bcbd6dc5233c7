/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* What books save on tensors, against the ideal, and against other codes. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"
#include "collect.h"
#include "commands.h"
#include "evaluation.h"
#include "input.h"
#include "json_file.h"
#include "message.h"

struct options {
	int type;
	const char *codebooks, *profile, *json, *csv, *figures;
	bool schemes;
	char **inputs;
	int nb_inputs;
};

static int
set_option(struct options *o, int option, const char *value)
{
	switch (option) {
	case 't':
		return parse_type(value, &o->type);
	case 'c':
		o->codebooks = value;
		return 0;
	case 's':
		o->schemes = true;
		return 0;
	case 'p':
		o->profile = value;
		return 0;
	case 'j':
		o->json = value;
		return 0;
	case 'v':
		o->csv = value;
		return 0;
	case 'f':
		o->figures = value;
		return 0;
	default:
		return -1;
	}
}

static int
check_options(const struct options *o)
{
	if (o->type < 0 || o->nb_inputs == 0)
		return complain("evaluate: --type and an INPUT are needed");
	if (!o->schemes && (o->profile != NULL || o->csv != NULL || o->figures != NULL))
		return complain("--profile, --csv and --figures need --schemes");
	for (int k = 0; k < o->nb_inputs; k++)
		if (input_is_capture(o->inputs[k]))
			return complain("%s: is a capture: linepress-replay tells what is saved on it",
					o->inputs[k]);
	return json_file_check(o->json) < 0 || json_file_check(o->csv) < 0 ? -1 : 0;
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "type", required_argument, NULL, 't' },
		{ "codebooks", required_argument, NULL, 'c' },
		{ "schemes", no_argument, NULL, 's' },
		{ "profile", required_argument, NULL, 'p' },
		{ "json", required_argument, NULL, 'j' },
		{ "csv", required_argument, NULL, 'v' },
		{ "figures", required_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*o = (struct options){ .type = -1, .codebooks = codebook_dir() };
	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		if (set_option(o, option, optarg) < 0)
			return -1;
	o->inputs = argv + optind;
	o->nb_inputs = argc - optind;
	return check_options(o);
}

static int
keep_shard(struct evaluation *ev, const struct shard *shard)
{
	/* Room for twice as many whenever a power of two is reached. */
	if ((ev->shards & (ev->shards - 1)) == 0) {
		const size_t room = ev->shards > 0 ? 2 * ev->shards : 1;
		void *more = realloc(ev->shard, room * sizeof(*ev->shard));

		if (more == NULL)
			return complain("out of memory");
		ev->shard = more;
	}
	ev->shard[ev->shards++] = *shard;
	return 0;
}

struct shard_walk {
	struct evaluation *ev;
	int input;
	size_t offset;
};

static int
evaluate_shard(void *arg, const uint8_t *src, size_t len)
{
	struct shard_walk *w = arg;
	struct evaluation *ev = w->ev;
	struct shard shard = { .input = w->input, .offset = w->offset };
	const long failed = measure_shard(&ev->measurement, src, len, &shard.figures);

	if (failed >= 0)
		return complain("%s: the packet at byte %zu did not come back",
				ev->inputs[w->input], w->offset + (size_t)failed);
	w->offset += len;
	figures_add(&ev->input[w->input], &shard.figures);
	figures_add(&ev->total, &shard.figures);
	if (ev->measurement.schemes == NULL)
		return 0;
	for (size_t i = 0; i < len; i++)
		shard.count[src[i]]++;
	return keep_shard(ev, &shard);
}

static int
evaluate_inputs(struct evaluation *ev)
{
	print_head();
	for (int k = 0; k < ev->nb_inputs; k++) {
		struct shard_walk walk = { ev, k, 0 };

		if (walk_tensor(ev->inputs[k], ev->measurement.type, SHARD_BYTES, evaluate_shard,
				    &walk) < 0)
			return -1;
		print_input(ev->inputs[k], &ev->input[k]);
	}
	print_input(NULL, &ev->total);
	print_total(ev);
	return 0;
}

static int
evaluate_and_report(struct evaluation *ev, const struct options *o)
{
	struct figure_writer *figures = NULL;
	int ret;

	if (o->figures != NULL && (figures = figures_open(o->figures)) == NULL)
		return -1;
	ret = evaluate_inputs(ev);
	if (ret == 0)
		ret = write_json(ev, o->json);
	if (ret == 0)
		ret = write_csv(ev, o->csv);
	if (figures == NULL)
		return ret;
	if (ret == 0)
		ret = figures_draw(figures, ev);
	return figures_close(figures, ret == 0) < 0 ? -1 : ret;
}

static int
load_schemes(struct schemes *schemes, const struct options *o, const struct lp_bookset *books)
{
	if (o->profile != NULL)
		return schemes_fit(schemes, (enum lp_type)o->type, o->profile);
	return schemes_load(schemes, (enum lp_type)o->type, books);
}

static int
evaluate_books(const struct options *o, const struct lp_bookset *books)
{
	static struct schemes schemes;
	static struct evaluation ev;
	int ret = 0;

	ev.measurement.type = (enum lp_type)o->type;
	ev.measurement.books = books;
	ev.inputs = o->inputs;
	ev.nb_inputs = o->nb_inputs;
	ev.input = calloc((size_t)o->nb_inputs, sizeof(*ev.input));
	if (ev.input == NULL)
		return complain("out of memory");
	if (o->schemes) {
		ev.measurement.schemes = &schemes;
		ret = load_schemes(&schemes, o, books);
	}
	if (ret == 0)
		ret = evaluate_and_report(&ev, o);
	schemes_free(&schemes);
	free(ev.shard);
	free(ev.input);
	return ret;
}

int
evaluate_command(int argc, char **argv)
{
	struct lp_bookset *books;
	struct lp_error error;
	struct options o;

	if (parse_options(argc, argv, &o) < 0)
		return EXIT_FAILURE;
	books = lp_bookset_load(o.codebooks, &error);
	if (books == NULL) {
		complain("%s", error.text);
		return EXIT_FAILURE;
	}
	const int ret = evaluate_books(&o, books);

	lp_bookset_free(books);
	return ret < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
