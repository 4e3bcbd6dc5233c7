/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * The codebook file. Text, a key and its values a line, `#` starts a comment:
 *
 *   linepress-codebook 1            must come first; the number is the version of the format
 *   name NAME
 *   id N                            number on the wire, 1 to 255; optional
 *   type bf16 | fp16 | fp32 | e4m3 | e5m2 | int8 | bytes
 *   kind grouped | huffman | area
 *   symbol exponent | byte | rotated
 *   groups S ...                    grouped: suffix bits of each group
 *   ranks zero | DELTA ...          grouped: most frequent first; the escape is not listed
 *   areas S ...                     area: suffix bits of each, 2, 4, 8 or 16 of them
 *   ranks XX | XX-YY ...            area: all symbols (hexadecimal), those of the first area first
 *   codes LENGTH XX ... [escape]    huffman: symbols (hexadecimal) of that length; one line each
 *   profile-symbols N               optional, as are the two below
 *   profile-entropy BITS
 *   profile-code BITS
 *   source TEXT                     what it was built from; any number of lines
 */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "type.h"

#define LINE_LEN_MAX 2047
#define WORDS_MAX 272 /* the most a line needs: key, length, all symbols, the escape */

struct parser {
	struct lp_codebook *cb;
	struct lp_error *error;
	unsigned int line;
	unsigned int seen; /* bit per key */
	unsigned int words;
	char *word[WORDS_MAX];
	char text[LINE_LEN_MAX + 1];
};

static bool
parse_uint(struct parser *p, const char *word, int base, unsigned long min, unsigned long max,
		const char *what, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(word, &end, base);
	if (!isxdigit((unsigned char)word[0]) || *end != '\0' || errno != 0 || *value < min ||
			*value > max)
		return lp_error_set(p->error, p->line,
				"%s '%.40s': must be a number from %lu to %lu", what, word, min,
				max);
	return true;
}

static bool
parse_bits(struct parser *p, double *value)
{
	char *end;

	*value = strtod(p->word[1], &end);
	if (*end != '\0' || !isfinite(*value) || *value < 0 || *value > 32)
		return lp_error_set(p->error, p->line, "%s '%.40s': must be a number from 0 to 32",
				p->word[0], p->word[1]);
	return true;
}

static bool
key_version(struct parser *p)
{
	unsigned long version;

	return parse_uint(p, p->word[1], 10, 1, 1, "format version", &version);
}

static bool
key_name(struct parser *p)
{
	const char *name = p->word[1];

	if (strlen(name) > LP_NAME_MAX)
		return lp_error_set(p->error, p->line,
				"name '%.60s' has %zu characters: at most %d", name, strlen(name),
				LP_NAME_MAX);
	for (const char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
			return lp_error_set(p->error, p->line,
					"name '%s': only letters, digits and - _ . +", name);
	memcpy(p->cb->info.name, name, strlen(name) + 1);
	return true;
}

static bool
key_id(struct parser *p)
{
	unsigned long id;

	if (!parse_uint(p, p->word[1], 10, 1, 255, "id", &id))
		return false;
	p->cb->info.id = (uint8_t)id;
	return true;
}

static bool
key_type(struct parser *p)
{
	const int type = lp_type_from_name(p->word[1]);

	if (type < 0)
		return lp_error_set(p->error, p->line,
				"type '%.40s': must be bf16, fp16, fp32, e4m3, e5m2, int8 or bytes",
				p->word[1]);
	p->cb->info.type = (enum lp_type)type;
	return true;
}

static bool
key_kind(struct parser *p)
{
	const int kind = lp_kind_from_name(p->word[1]);

	if (kind < 0)
		return lp_error_set(p->error, p->line,
				"kind '%.40s': must be grouped, huffman or area", p->word[1]);
	p->cb->info.kind = (enum lp_kind)kind;
	if (kind == LP_KIND_GROUPED)
		p->cb->grouped.zero_rank = LP_NO_SLOT;
	return true;
}

static bool
key_symbol(struct parser *p)
{
	const int symbol = lp_symbol_from_name(p->word[1]);

	if (symbol < 0)
		return lp_error_set(p->error, p->line,
				"symbol '%.40s': must be exponent, byte or rotated", p->word[1]);
	p->cb->info.symbol = (enum lp_symbol)symbol;
	return true;
}

static bool
require_kind(struct parser *p, enum lp_kind kind)
{
	if (p->cb->info.kind != kind || p->cb->info.kind == LP_KIND_COUNT)
		return lp_error_set(p->error, p->line, "'%s' must follow 'kind %s'", p->word[0],
				lp_kind_name(kind));
	return true;
}

static bool
key_groups(struct parser *p)
{
	struct lp_grouped *g = &p->cb->grouped;

	if (!require_kind(p, LP_KIND_GROUPED))
		return false;
	if (p->words - 1 > LP_GROUPS_MAX)
		return lp_error_set(p->error, p->line, "%u groups: at most %d", p->words - 1,
				LP_GROUPS_MAX);
	for (unsigned int k = 1; k < p->words; k++) {
		unsigned long bits;

		if (!parse_uint(p, p->word[k], 10, 0, LP_GROUP_SUFFIX_MAX, "suffix bits", &bits))
			return false;
		g->shape.suffix_bits[g->shape.groups++] = (uint8_t)bits;
	}
	return true;
}

static bool
key_areas(struct parser *p)
{
	struct lp_area *a = &p->cb->area;
	const unsigned int areas = p->words - 1;

	if (!require_kind(p, LP_KIND_AREA))
		return false;
	if (areas < 2 || areas > LP_AREAS_MAX || (areas & (areas - 1)) != 0)
		return lp_error_set(p->error, p->line, "%u areas: must be 2, 4, 8 or 16", areas);
	for (unsigned int k = 1; k < p->words; k++) {
		unsigned long bits;

		if (!parse_uint(p, p->word[k], 10, 0, LP_AREA_SUFFIX_MAX, "suffix bits", &bits))
			return false;
		a->suffix_bits[a->areas++] = (uint8_t)bits;
	}
	return true;
}

/* A symbol, or the first and the last of several. */
static bool
parse_range(struct parser *p, char *word, unsigned long *first, unsigned long *last)
{
	char *dash = strchr(word, '-');

	if (dash != NULL)
		*dash = '\0';
	if (!parse_uint(p, word, 16, 0, 255, "symbol", first))
		return false;
	*last = *first;
	return dash == NULL || parse_uint(p, dash + 1, 16, *first, 255, "last symbol", last);
}

static bool
key_area_ranks(struct parser *p)
{
	struct lp_area *a = &p->cb->area;
	bool listed[256] = { false };

	for (unsigned int k = 1; k < p->words; k++) {
		unsigned long symbol, last;

		if (!parse_range(p, p->word[k], &symbol, &last))
			return false;
		for (; symbol <= last; symbol++) {
			if (listed[symbol])
				return lp_error_set(p->error, p->line,
						"symbol '%02lx' appears twice", symbol);
			listed[symbol] = true;
			a->symbol[a->ranks++] = (uint8_t)symbol;
		}
	}
	return true;
}

static bool
key_grouped_ranks(struct parser *p)
{
	struct lp_grouped *g = &p->cb->grouped;
	const enum lp_type type = p->cb->info.type;

	if (type == LP_TYPE_COUNT || lp_type_traits[type].exponent_bits == 0)
		return lp_error_set(
				p->error, p->line, "'ranks' must follow a type with an exponent");
	if (p->words - 1 > LP_GROUPED_CODES_MAX)
		return lp_error_set(p->error, p->line, "%u ranks: at most %d", p->words - 1,
				LP_GROUPED_CODES_MAX);
	const long half = lp_type_exponents(type) / 2;

	for (unsigned int k = 1; k < p->words; k++) {
		char *end;
		const long delta = strtol(p->word[k], &end, 10);
		const bool zero = strcmp(p->word[k], "zero") == 0;

		if (!zero && (*end != '\0' || delta < -half || delta >= half))
			return lp_error_set(p->error, p->line,
					"rank '%.40s': must be 'zero' or a number from %ld to %ld",
					p->word[k], -half, half - 1);
		for (unsigned int other = 1; other < k; other++)
			if (zero ? strcmp(p->word[other], "zero") == 0
				 : strcmp(p->word[other], "zero") != 0 &&
									strtol(p->word[other], NULL,
											10) ==
											delta)
				return lp_error_set(p->error, p->line, "rank '%s' appears twice",
						p->word[k]);
		if (zero)
			g->zero_rank = g->ranks;
		g->rank_delta[g->ranks++] = (uint8_t)(delta & (2 * half - 1));
	}
	return true;
}

static bool
key_ranks(struct parser *p)
{
	if (p->cb->info.kind == LP_KIND_AREA)
		return key_area_ranks(p);
	if (p->cb->info.kind == LP_KIND_GROUPED)
		return key_grouped_ranks(p);
	return lp_error_set(p->error, p->line, "'ranks' must follow 'kind grouped' or 'kind area'");
}

static bool
key_codes(struct parser *p)
{
	struct lp_huffman *h = &p->cb->huffman;
	unsigned long length, symbol;

	if (!require_kind(p, LP_KIND_HUFFMAN) ||
			!parse_uint(p, p->word[1], 10, 1, LP_HUFFMAN_BITS_MAX, "code length",
					&length))
		return false;
	for (unsigned int k = 2; k < p->words; k++) {
		if (strcmp(p->word[k], "escape") == 0)
			symbol = LP_HUFFMAN_ESCAPE;
		else if (!parse_uint(p, p->word[k], 16, 0, 255, "symbol", &symbol))
			return false;
		if (h->length[symbol] != 0)
			return lp_error_set(
					p->error, p->line, "symbol '%s' appears twice", p->word[k]);
		h->length[symbol] = (uint8_t)length;
	}
	return true;
}

static bool
key_profile_symbols(struct parser *p)
{
	unsigned long symbols;

	if (!parse_uint(p, p->word[1], 10, 0, UINT64_MAX, "profile-symbols", &symbols))
		return false;
	p->cb->info.profile_symbols = symbols;
	return true;
}

static bool
key_profile_entropy(struct parser *p)
{
	return parse_bits(p, &p->cb->info.profile_entropy);
}

static bool
key_profile_code(struct parser *p)
{
	return parse_bits(p, &p->cb->info.profile_code_bits);
}

static bool
key_source(struct parser *p)
{
	(void)p;
	return true;
}

#define KIND(kind) (1u << LP_KIND_##kind)
#define ALL_KINDS (1u << LP_KIND_COUNT | KIND(GROUPED) | KIND(HUFFMAN) | KIND(AREA))

static const struct key {
	const char *name;
	bool (*parse)(struct parser *p);
	unsigned int words_min, words_max; /* with the key */
	bool repeats;
	unsigned int kinds; /* that need it, a bit for each */
} keys[] = {
	{ "linepress-codebook", key_version, 2, 2, false, ALL_KINDS },
	{ "name", key_name, 2, 2, false, ALL_KINDS },
	{ "id", key_id, 2, 2, false, 0 },
	{ "type", key_type, 2, 2, false, ALL_KINDS },
	{ "kind", key_kind, 2, 2, false, ALL_KINDS },
	{ "symbol", key_symbol, 2, 2, false, ALL_KINDS },
	{ "groups", key_groups, 2, WORDS_MAX, false, KIND(GROUPED) },
	{ "areas", key_areas, 2, WORDS_MAX, false, KIND(AREA) },
	{ "ranks", key_ranks, 2, WORDS_MAX, false, KIND(GROUPED) | KIND(AREA) },
	{ "codes", key_codes, 3, WORDS_MAX, true, KIND(HUFFMAN) },
	{ "profile-symbols", key_profile_symbols, 2, 2, false, 0 },
	{ "profile-entropy", key_profile_entropy, 2, 2, false, 0 },
	{ "profile-code", key_profile_code, 2, 2, false, 0 },
	{ "source", key_source, 1, WORDS_MAX, true, 0 },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static bool
split_words(struct parser *p, const char *line, size_t len)
{
	char *save = NULL;

	if (len > LINE_LEN_MAX)
		return lp_error_set(p->error, p->line, "line of %zu characters: at most %d", len,
				LINE_LEN_MAX);
	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)line[i]) && line[i] != '\t' && line[i] != '\r')
			return lp_error_set(p->error, p->line,
					"byte 0x%02x: must be printable ASCII",
					(unsigned char)line[i]);
	memcpy(p->text, line, len);
	p->text[len] = '\0';
	p->text[strcspn(p->text, "#")] = '\0';
	p->words = 0;
	for (char *word = strtok_r(p->text, " \t\r", &save); word != NULL;
			word = strtok_r(NULL, " \t\r", &save)) {
		if (p->words == WORDS_MAX)
			return lp_error_set(p->error, p->line, "more than %d words", WORDS_MAX);
		p->word[p->words++] = word;
	}
	return true;
}

static bool
parse_line(struct parser *p)
{
	if (p->words == 0)
		return true;
	for (unsigned int k = 0; k < KEYS; k++) {
		if (strcmp(p->word[0], keys[k].name) != 0)
			continue;
		if (k > 0 && (p->seen & 1) == 0)
			break;
		if (!keys[k].repeats && (p->seen >> k & 1))
			return lp_error_set(p->error, p->line, "'%s' appears twice", keys[k].name);
		if (p->words < keys[k].words_min || p->words > keys[k].words_max)
			return lp_error_set(p->error, p->line, "'%s' has %u values: must be %s%u",
					keys[k].name, p->words - 1,
					keys[k].words_min == keys[k].words_max ? "" : "at least ",
					keys[k].words_min - 1);
		p->seen |= 1u << k;
		return keys[k].parse(p);
	}
	if ((p->seen & 1) == 0)
		return lp_error_set(p->error, p->line,
				"not a linepress codebook: must begin with 'linepress-codebook 1'");
	return lp_error_set(p->error, p->line, "unknown key '%.40s'", p->word[0]);
}

static bool
require_keys(const struct parser *p)
{
	for (unsigned int k = 0; k < KEYS; k++)
		if ((keys[k].kinds >> p->cb->info.kind & 1) != 0 && (p->seen >> k & 1) == 0)
			return lp_error_set(p->error, 0, "'%s' is missing", keys[k].name);
	return true;
}

bool
lp_book_parse_text(
		struct lp_codebook *cb, const char *text, size_t text_len, struct lp_error *error)
{
	struct parser p = { .cb = cb, .error = error };

	while (text_len > 0) {
		const char *newline = memchr(text, '\n', text_len);
		const size_t len = newline != NULL ? (size_t)(newline - text) : text_len;
		const size_t step = newline != NULL ? len + 1 : len;

		p.line++;
		if (!split_words(&p, text, len) || !parse_line(&p))
			return false;
		text += step;
		text_len -= step;
	}
	return require_keys(&p);
}
