/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "commands.h"
#include "input.h"
#include "linepress/profile.h"
#include "message.h"
#include "outfile.h"

#define BOOKS_MAX 16
#define GROUPS_MAX 8
#define SUFFIX_BITS_MAX 4
#define CODES_MAX 16
#define NAME_MAX_CHARS (LP_NAME_MAX - 3) /* a set adds up to -16 */

struct options {
	int type, kind, symbol;
	struct lp_area_limits area;
	bool has_ranking;
	const char *name, *output;
	unsigned long id, books, levels, codes, prefix_bits;
	uint8_t suffix_bits[GROUPS_MAX];
	unsigned int groups;
	char **inputs;
	int nb_inputs;
};

static int
set_symbol(struct options *o, const char *value)
{
	for (int symbol = 0; symbol < LP_SYMBOL_COUNT; symbol++) {
		if (symbol == LP_SYMBOL_EXPONENT ||
				strcmp(value, lp_symbol_name((enum lp_symbol)symbol)) != 0)
			continue;
		o->symbol = symbol;
		return 0;
	}
	return complain("--symbol %s: must be byte or rotated", value);
}

/* A kind, or a scheme of area codes. */
static int
set_kind(struct options *o, const char *value)
{
	o->area.scheme = strcmp(value, "dual") == 0  ? LP_AREA_DUAL
			: strcmp(value, "quad") == 0 ? LP_AREA_QUAD
						     : LP_AREA_ANY;
	o->kind = o->area.scheme != LP_AREA_ANY ? LP_KIND_AREA : lp_kind_from_name(value);
	if (o->kind < 0)
		return complain("--kind %s: must be grouped, huffman, area, dual or quad", value);
	return 0;
}

static int
set_ranking(struct options *o, const char *value)
{
	o->has_ranking = true;
	o->area.by_count = strcmp(value, "frequency") == 0;
	if (!o->area.by_count && strcmp(value, "value") != 0)
		return complain("--ranking %s: must be value or frequency", value);
	return 0;
}

/* Suffix bits of each group, with commas; all of the code, so places for 2 to 16 symbols. */
static int
set_groups(struct options *o, const char *value)
{
	const size_t len = strlen(value);
	unsigned int places = 0;

	o->groups = 0;
	for (size_t i = 0; i < len && o->groups < GROUPS_MAX; i += 2) {
		if (value[i] < '0' || value[i] > '0' + SUFFIX_BITS_MAX ||
				(i + 1 < len && value[i + 1] != ','))
			break;
		o->suffix_bits[o->groups++] = (uint8_t)(value[i] - '0');
		places += 1u << (value[i] - '0');
	}
	if (len == 0 || len != 2 * o->groups - 1)
		return complain("--groups %s: must be 1 to %d numbers from 0 to %d, with commas",
				value, GROUPS_MAX, SUFFIX_BITS_MAX);
	if (places < 2 || places > CODES_MAX)
		return complain("--groups %s: these are %u codes, must be 2 to %d", value, places,
				CODES_MAX);
	return 0;
}

static int
set_option(struct options *o, int option, const char *value)
{
	switch (option) {
	case 't':
		return parse_type(value, &o->type);
	case 'k':
		return set_kind(o, value);
	case 's':
		return set_symbol(o, value);
	case 'n':
		o->name = value;
		return 0;
	case 'o':
		o->output = value;
		return 0;
	case 'i':
		return parse_number("--id", value, 1, 255, &o->id);
	case 'b':
		return parse_number("--books", value, 1, BOOKS_MAX, &o->books);
	case 'l':
		return parse_number("--levels", value, 0, 7, &o->levels);
	case 'c':
		return parse_number("--codes", value, 2, CODES_MAX, &o->codes);
	case 'g':
		return set_groups(o, value);
	case 'p':
		return parse_number("--prefix-bits", value, 1, 4, &o->prefix_bits);
	case 'r':
		return set_ranking(o, value);
	default:
		return -1;
	}
}

/* Which options go with which kind. */
static int
check_kind(const struct options *o)
{
	const bool grouped = o->kind == LP_KIND_GROUPED;

	if (grouped && (o->symbol >= 0 || o->books > 0))
		return complain("--symbol and --books do not go with --kind grouped");
	if (!grouped && (o->levels != ULONG_MAX || o->codes > 0 || o->groups > 0))
		return complain("--levels, --codes and --groups go with --kind grouped only");
	if (o->groups > 0 && (o->levels != ULONG_MAX || o->codes > 0))
		return complain("--groups leaves nothing to --levels and --codes");
	if ((o->kind != LP_KIND_AREA || o->area.scheme != LP_AREA_ANY) &&
			(o->prefix_bits > 0 || o->has_ranking))
		return complain("--prefix-bits and --ranking go with --kind area only");
	if (grouped && (o->type == LP_TYPE_INT8 || o->type == LP_TYPE_BYTES))
		return complain("--type %s has no exponent: needs --kind huffman or area",
				lp_type_name((enum lp_type)o->type));
	return 0;
}

/* The schemes of papers are over bytes as they are; books of ours over aligned ones. */
static enum lp_symbol
default_symbol(const struct options *o)
{
	if (o->kind == LP_KIND_GROUPED)
		return LP_SYMBOL_EXPONENT;
	if (o->area.scheme == LP_AREA_ANY && (o->type == LP_TYPE_E4M3 || o->type == LP_TYPE_E5M2))
		return LP_SYMBOL_ROTATED;
	return LP_SYMBOL_BYTE;
}

/* What the options mean together, and what they leave open. */
static int
check_options(struct options *o)
{
	if (o->type < 0 || o->kind < 0 || o->name == NULL || o->output == NULL || o->nb_inputs == 0)
		return complain("build: --type, --kind, --name, -o and an INPUT are needed");
	if (strlen(o->name) > NAME_MAX_CHARS ||
			strspn(o->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+") !=
					strlen(o->name) ||
			*o->name == '\0')
		return complain("--name '%s': must be 1 to %d letters, digits and - _ . +", o->name,
				NAME_MAX_CHARS);
	if (check_kind(o) < 0)
		return -1;
	if (o->symbol < 0)
		o->symbol = default_symbol(o);
	if (o->books == 0)
		o->books = 1;
	if (o->levels == ULONG_MAX)
		o->levels = 7;
	if (o->codes == 0)
		o->codes = CODES_MAX;
	if (o->id > 0 && o->id + o->books - 1 > 255)
		return complain("--id %lu: the set of %lu books would end above 255", o->id,
				o->books);
	return 0;
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "type", required_argument, NULL, 't' },
		{ "kind", required_argument, NULL, 'k' },
		{ "symbol", required_argument, NULL, 's' },
		{ "name", required_argument, NULL, 'n' },
		{ "id", required_argument, NULL, 'i' },
		{ "books", required_argument, NULL, 'b' },
		{ "levels", required_argument, NULL, 'l' },
		{ "codes", required_argument, NULL, 'c' },
		{ "groups", required_argument, NULL, 'g' },
		{ "prefix-bits", required_argument, NULL, 'p' },
		{ "ranking", required_argument, NULL, 'r' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*o = (struct options){ .type = -1, .kind = -1, .symbol = -1, .levels = ULONG_MAX };
	while ((option = getopt_long(argc, argv, "o:", longs, NULL)) != -1)
		if (set_option(o, option, optarg) < 0)
			return -1;
	o->inputs = argv + optind;
	o->nb_inputs = argc - optind;
	return check_options(o);
}

struct collect {
	struct lp_profile *profile;
	const struct options *options;
};

static int
add_packet(void *arg, const uint8_t *packet, size_t len)
{
	struct collect *c = arg;

	return lp_profile_add(c->profile, packet, len) == 0 ? 0 : complain("out of memory");
}

static int
add_region(void *arg, const uint8_t *region, size_t len)
{
	const struct collect *c = arg;
	const size_t start = c->options->symbol == LP_SYMBOL_EXPONENT
			? lp_profile_start(region, len, (enum lp_type)c->options->type)
			: 0;

	return add_packet(arg, region + start, len - start);
}

static int
add_profile(struct collect *c, const char *path)
{
	const enum lp_type type = (enum lp_type)c->options->type;
	const enum lp_symbol symbol = (enum lp_symbol)c->options->symbol;
	struct lp_profiles *profiles = load_profiles(path);
	struct lp_profile *part;
	int ret = 0;

	if (profiles == NULL)
		return -1;
	part = lp_profiles_copy(profiles, type, symbol);
	if (part == NULL)
		ret = errno == ENOENT ? complain("%s: has no profile of %s of %s", path,
							symbol == LP_SYMBOL_EXPONENT ? "exponents"
										     : "bytes",
							lp_type_name(type))
				      : complain("out of memory");
	else if (lp_profile_append(c->profile, part) < 0)
		ret = complain("out of memory");
	lp_profile_free(part);
	lp_profiles_free(profiles);
	return ret;
}

static int
add_input(struct collect *c, const char *path)
{
	if (is_profile(path))
		return add_profile(c, path);
	if (input_is_capture(path))
		return input_regions(path, MIN_REGION, add_region, c) < 0 ? -1 : 0;
	return walk_tensor(path, (enum lp_type)c->options->type, PACKET_BYTES, add_packet, c);
}

static struct lp_profile *
collect_profile(const struct options *o)
{
	struct collect c = { .options = o };

	c.profile = lp_profile_create((enum lp_type)o->type, (enum lp_symbol)o->symbol);
	if (c.profile == NULL) {
		complain("%s", strerror(errno));
		return NULL;
	}
	for (int k = 0; k < o->nb_inputs; k++) {
		if (add_input(&c, o->inputs[k]) == 0)
			continue;
		lp_profile_free(c.profile);
		return NULL;
	}
	return c.profile;
}

/* The whole text of a book. */
static char *
compose(const struct options *o, unsigned int book, const char *fitted)
{
	const time_t now = time(NULL);
	char *text = NULL, date[16];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	strftime(date, sizeof(date), "%F", gmtime(&now));
	fprintf(f, "linepress-codebook 1\nname %s", o->name);
	if (o->books > 1)
		fprintf(f, "-%u", book + 1);
	if (o->id > 0)
		fprintf(f, "\nid %lu", o->id + book);
	fprintf(f, "\ntype %s\nkind %s\n%s", lp_type_name((enum lp_type)o->type),
			lp_kind_name((enum lp_kind)o->kind), fitted);
	fprintf(f, "source built %s from %d files\n", date, o->nb_inputs);
	for (int k = 0; k < o->nb_inputs; k++)
		fprintf(f, "source %s\n", o->inputs[k]);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int
write_file(const char *path, const char *text)
{
	struct outfile *out = outfile_open(path);

	if (out == NULL)
		return -1;
	fputs(text, outfile_stream(out));
	return outfile_commit(out);
}

static int
write_book(const struct options *o, unsigned int book, const char *fitted)
{
	const size_t stem = strlen(o->output) -
			(input_ends_with(o->output, ".book") ? strlen(".book") : 0);
	char *text = compose(o, book, fitted), *path = NULL;
	struct lp_error error;
	struct lp_codebook *cb;
	int ret = -1;

	if (text == NULL ||
			(o->books == 1 ? asprintf(&path, "%s", o->output)
				       : asprintf(&path, "%.*s-%u.book", (int)stem, o->output,
							 book + 1)) < 0) {
		free(text);
		return complain("out of memory");
	}
	cb = lp_codebook_parse(text, strlen(text), &error);
	if (cb == NULL)
		complain("%s:%u: %s", path, error.line, error.text);
	else
		ret = write_file(path, text);
	if (ret == 0) {
		struct lp_codebook_info info;

		lp_codebook_describe(cb, &info);
		printf("%s: %u codes, %.3f bits a symbol, entropy %.3f, %llu symbols\n", path,
				info.codes, info.profile_code_bits, info.profile_entropy,
				(unsigned long long)info.profile_symbols);
	}
	lp_codebook_free(cb);
	free(text);
	free(path);
	return ret;
}

static int
fit(const struct options *o, struct lp_profile *profile, char (*text)[LP_FIT_TEXT_MAX])
{
	const struct lp_fit_limits limits = { .levels = (unsigned int)o->levels,
		.codes = (unsigned int)o->codes,
		.suffix_bits = o->suffix_bits,
		.groups = o->groups };
	struct lp_area_limits area = o->area;
	int ret;

	area.prefix_bits = (unsigned int)o->prefix_bits;
	if (o->kind == LP_KIND_GROUPED)
		ret = lp_fit_grouped(profile, &limits, text[0]);
	else if (o->kind == LP_KIND_AREA)
		ret = lp_fit_area(profile, &area, (unsigned int)o->books, text);
	else
		ret = lp_fit_huffman(profile, (unsigned int)o->books, text);
	if (ret == -EINVAL)
		return complain("%zu packets of input are too few for %lu books",
				lp_profile_shards(profile), o->books);
	return ret < 0 ? complain("%s", strerror(-ret)) : 0;
}

int
build_command(int argc, char **argv)
{
	static char text[BOOKS_MAX][LP_FIT_TEXT_MAX];
	struct options o;
	int status = EXIT_FAILURE;

	if (parse_options(argc, argv, &o) < 0)
		return EXIT_FAILURE;
	struct lp_profile *profile = collect_profile(&o);

	if (profile != NULL && fit(&o, profile, text) == 0) {
		status = EXIT_SUCCESS;
		for (unsigned int book = 0; book < o.books && status == EXIT_SUCCESS; book++)
			if (write_book(&o, book, text[book]) < 0)
				status = EXIT_FAILURE;
	}
	lp_profile_free(profile);
	return status;
}
