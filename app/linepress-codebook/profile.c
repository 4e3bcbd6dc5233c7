/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "books.h"
#include "collect.h"
#include "commands.h"
#include "eal.h"
#include "flows.h"
#include "input.h"
#include "message.h"
#include "profile_file.h"

#define PACKET_MIN 256
#define PACKET_MAX 65532
#define PACKET_STEP 4 /* no element of any type is cut */

struct options {
	int type;
	const char *codebooks, *rules, *output;
	unsigned long packet_bytes, min_region;
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
	case 'r':
		o->rules = value;
		return 0;
	case 'o':
		o->output = value;
		return 0;
	case 'm':
		return parse_number("--min-region", value, 1, LP_REGION_MAX, &o->min_region);
	case 'p':
		if (parse_number("--packet-bytes", value, PACKET_MIN, PACKET_MAX,
				    &o->packet_bytes) < 0)
			return -1;
		return o->packet_bytes % PACKET_STEP == 0
				? 0
				: complain("--packet-bytes %s: must be a multiple of %d", value,
						  PACKET_STEP);
	default:
		return -1;
	}
}

static int
check_options(const struct options *o)
{
	bool captures = false, tensors = false;

	if (o->output == NULL || o->nb_inputs == 0)
		return complain("profile: -o and an INPUT are needed");
	for (int k = 0; k < o->nb_inputs; k++) {
		if (is_profile(o->inputs[k]))
			return complain("%s: is a profile: see merge", o->inputs[k]);
		if (input_is_capture(o->inputs[k]))
			captures = true;
		else
			tensors = true;
	}
	if (tensors && o->type < 0)
		return complain("profile: --type is needed, only captures tell by themselves");
	if (!captures && (o->rules != NULL || o->codebooks != NULL || o->min_region > 0))
		return complain("--rules, --codebooks and --min-region go with captures only");
	if (!tensors && o->packet_bytes > 0)
		return complain("--packet-bytes goes with tensor files only");
	return 0;
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "type", required_argument, NULL, 't' },
		{ "codebooks", required_argument, NULL, 'c' },
		{ "rules", required_argument, NULL, 'r' },
		{ "output", required_argument, NULL, 'o' },
		{ "min-region", required_argument, NULL, 'm' },
		{ "packet-bytes", required_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*o = (struct options){ .type = -1 };
	while ((option = getopt_long(argc, argv, "o:", longs, NULL)) != -1)
		if (set_option(o, option, optarg) < 0)
			return -1;
	o->inputs = argv + optind;
	o->nb_inputs = argc - optind;
	return check_options(o);
}

struct packets {
	enum lp_type type;
	struct lp_profiles *profiles;
};

static int
add_packet(void *arg, const uint8_t *packet, size_t len)
{
	const struct packets *p = arg;

	return lp_profiles_add(p->profiles, p->type, packet, len) == 0 ? 0
								       : complain("out of memory");
}

static int
add_sources(const struct options *o, struct lp_profiles *profiles)
{
	const time_t now = time(NULL);
	char made[64], date[16];
	int ret;

	strftime(date, sizeof(date), "%F", gmtime(&now));
	snprintf(made, sizeof(made), "counted %s in %d files", date, o->nb_inputs);
	ret = lp_profiles_add_source(profiles, made);
	for (int k = 0; k < o->nb_inputs && ret == 0; k++)
		ret = lp_profiles_add_source(profiles, o->inputs[k]);
	return ret == 0 ? 0 : complain("out of memory");
}

static void
print_flows(const struct flows *f)
{
	printf("payloads:");
	for (unsigned int type = 0; type < LP_TYPE_COUNT; type++)
		if (f->taken[type] > 0)
			printf(" %s %zu", lp_type_name((enum lp_type)type), f->taken[type]);
	printf(" left out by rules %zu, of no known type %zu\n", f->passed, f->unknown);
}

static int
count_inputs(const struct options *o, struct flows *flows, struct lp_profiles *profiles)
{
	const size_t packet_bytes = o->packet_bytes > 0 ? o->packet_bytes : PACKET_BYTES;
	struct packets packets = { (enum lp_type)o->type, profiles };
	bool captures = false;

	for (int k = 0; k < o->nb_inputs; k++) {
		const bool is_capture = input_is_capture(o->inputs[k]);
		const int ret = is_capture ? flows_profile(flows, o->inputs[k], profiles)
					   : walk_tensor(o->inputs[k], packets.type, packet_bytes,
							     add_packet, &packets);

		if (ret < 0)
			return -1;
		captures |= is_capture;
	}
	if (captures)
		print_flows(flows);
	if (lp_profiles_symbols(profiles, false) == 0)
		return complain("profile: no payload of the captures could be counted");
	return 0;
}

static int
make_profile(const struct options *o, struct flows *flows)
{
	struct lp_profiles *profiles = lp_profiles_create();
	int ret = -1;

	if (profiles == NULL)
		return complain("out of memory");
	if (add_sources(o, profiles) == 0 && count_inputs(o, flows, profiles) == 0)
		ret = write_profiles(profiles, o->output);
	lp_profiles_free(profiles);
	return ret;
}

/* Rules need the EAL, and books to name. */
static int
with_rules(const struct options *o, struct flows *flows, char **argv)
{
	struct lp_rules_error error;
	struct lp_rules *rules = NULL;
	int ret = -1;

	if (o->rules == NULL)
		return make_profile(o, flows);
	if (eal_start(1, argv) < 0)
		return -1;
	rules = lp_rules_load(o->rules, flows->books, &error);
	if (rules == NULL) {
		complain("%s", error.text);
	} else {
		flows->rules = rules;
		ret = make_profile(o, flows);
	}
	lp_rules_free(rules);
	eal_stop();
	return ret;
}

int
profile_command(int argc, char **argv)
{
	struct lp_bookset *books = NULL;
	struct lp_error error;
	struct options o;

	if (parse_options(argc, argv, &o) < 0)
		return EXIT_FAILURE;
	books = lp_bookset_load(o.codebooks != NULL ? o.codebooks : codebook_dir(), &error);
	if (books == NULL) {
		complain("%s", error.text);
		return EXIT_FAILURE;
	}
	struct flows flows = {
		.type = o.type,
		.min_region = o.min_region > 0 ? o.min_region : MIN_REGION,
		.books = books,
	};
	const int ret = with_rules(&o, &flows, argv);

	lp_bookset_free(books);
	return ret < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
