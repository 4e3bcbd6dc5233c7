/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The profile file, see linepress/profiles.h. */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "profiles.h"
#include "type.h"

#define LINE_LEN_MAX 4095 /* a shard with all symbols has at most 2317 characters */
#define SHARDS_MAX UINT32_MAX

struct parser {
	struct lp_profiles *profiles;
	struct lp_error *error;
	unsigned int line;
	bool versioned;
	struct lp_profile *profile; /* that of the lines to come, or NULL */
	unsigned int profile_line;
	unsigned long shards, symbols; /* it must have, less those seen */
	char *rest;		       /* of the line */
	char text[LINE_LEN_MAX + 1];
};

static char *
next_word(struct parser *p)
{
	char *save = NULL, *word = strtok_r(p->rest, " \t\r", &save);

	p->rest = save != NULL ? save : p->text + LINE_LEN_MAX;
	return word;
}

static bool
parse_number(struct parser *p, const char *what, const char *word, int base, unsigned long min,
		unsigned long max, unsigned long *value)
{
	char *end;

	if (word == NULL)
		return lp_error_set(p->error, p->line, "%s is missing", what);
	errno = 0;
	*value = strtoul(word, &end, base);
	if (!isxdigit((unsigned char)word[0]) || (base == 16 && word[1] == 'x') || *end != '\0' ||
			errno != 0 || *value < min || *value > max)
		return lp_error_set(p->error, p->line,
				base == 16 ? "%s '%.40s': must be a hexadecimal number from %lx to %lx"
					   : "%s '%.40s': must be a number from %lu to %lu",
				what, word, min, max);
	return true;
}

static bool
end_line(struct parser *p, const char *key)
{
	const char *word = next_word(p);

	return word == NULL ||
			lp_error_set(p->error, p->line, "'%.40s': one word too many behind '%s'",
					word, key);
}

static bool
parse_version(struct parser *p)
{
	unsigned long version;

	if (p->versioned)
		return lp_error_set(p->error, p->line, "'linepress-profile' appears twice");
	p->versioned = true;
	return parse_number(p, "format version", next_word(p), 10, 1, 1, &version) &&
			end_line(p, "linepress-profile");
}

static bool
parse_source(struct parser *p)
{
	return lp_profiles_add_source(p->profiles, p->rest + strspn(p->rest, " \t")) == 0 ||
			lp_error_set(p->error, p->line, "out of memory");
}

/* Has the last profile all that was announced? */
static bool
close_profile(struct parser *p)
{
	if (p->profile == NULL || (p->shards == 0 && p->symbols == 0))
		return true;
	return lp_error_set(p->error, p->profile_line, "%lu shards and %lu symbols are missing",
			p->shards, p->symbols);
}

static bool
parse_count(struct parser *p, const char *key, unsigned long max, unsigned long *value)
{
	const char *word = next_word(p);

	if (word == NULL || strcmp(word, key) != 0)
		return lp_error_set(p->error, p->line, "'%.40s': must be '%s N'",
				word != NULL ? word : "", key);
	return parse_number(p, key, next_word(p), 10, 1, max, value);
}

static bool
parse_tensors(struct parser *p)
{
	const char *type_name = next_word(p), *symbol_name = next_word(p);
	const int type = type_name != NULL ? lp_type_from_name(type_name) : -EINVAL;
	const int symbol = symbol_name != NULL ? lp_symbol_from_name(symbol_name) : -EINVAL;

	if (!close_profile(p))
		return false;
	if (type < 0)
		return lp_error_set(p->error, p->line,
				"type '%.40s': must be bf16, fp16, fp32, e4m3, e5m2, int8 or bytes",
				type_name != NULL ? type_name : "");
	if (symbol < 0 || !lp_profiles_stores((enum lp_type)type, (enum lp_symbol)symbol))
		return lp_error_set(p->error, p->line, "symbol '%.40s': must be byte%s",
				symbol_name != NULL ? symbol_name : "",
				lp_profiles_stores((enum lp_type)type, LP_SYMBOL_EXPONENT)
						? " or exponent"
						: "");
	if (p->profiles->profile[type][symbol] != NULL)
		return lp_error_set(p->error, p->line, "'tensors %s %s' appears twice", type_name,
				symbol_name);
	p->profile_line = p->line;
	p->profile = lp_profiles_make(p->profiles, (enum lp_type)type, (enum lp_symbol)symbol);
	if (p->profile == NULL)
		return lp_error_set(p->error, p->line, "out of memory");
	return parse_count(p, "shards", SHARDS_MAX, &p->shards) &&
			parse_count(p, "symbols", ULONG_MAX, &p->symbols) && end_line(p, "tensors");
}

/* A symbol and how often it occurs; `*above` is the lowest symbol that may follow. */
static bool
parse_pair(struct parser *p, char *word, uint16_t *count, unsigned long *above, unsigned long *room)
{
	const unsigned long highest = lp_profile_symbols(p->profile) - 1;
	char *colon = strchr(word, ':');
	unsigned long symbol, times;

	if (colon == NULL)
		return lp_error_set(p->error, p->line, "'%.40s': must be SYMBOL:COUNT", word);
	*colon = '\0';
	if (*above > highest)
		return lp_error_set(p->error, p->line, "symbol '%.40s': none may follow %lx", word,
				highest);
	if (!parse_number(p, "symbol", word, 16, *above, highest, &symbol) ||
			!parse_number(p, "count", colon + 1, 10, 1, *room, &times))
		return false;
	count[symbol] = (uint16_t)times;
	*above = symbol + 1;
	*room -= times;
	return true;
}

static bool
parse_shard(struct parser *p)
{
	unsigned long weight = 0, above = 0, room = LP_REGION_MAX;
	uint16_t count[256] = { 0 };
	char *word;

	if (p->profile == NULL)
		return lp_error_set(p->error, p->line, "'shard' must follow 'tensors'");
	if (p->shards == 0)
		return lp_error_set(p->error, p->line, "one shard more than line %u announces",
				p->profile_line);
	if (!parse_number(p, "weight", next_word(p), 10, 1, LP_PROFILE_WEIGHT_MAX, &weight))
		return false;
	while ((word = next_word(p)) != NULL)
		if (!parse_pair(p, word, count, &above, &room))
			return false;
	const unsigned long symbols = LP_REGION_MAX - room;

	if (symbols == 0)
		return lp_error_set(p->error, p->line, "the shard has no symbol");
	if (symbols > p->symbols)
		return lp_error_set(p->error, p->line, "%lu symbols more than line %u announces",
				symbols - p->symbols, p->profile_line);
	p->shards--;
	p->symbols -= symbols;
	return lp_profile_add_shard(p->profile, count, (uint32_t)weight) == 0 ||
			lp_error_set(p->error, p->line, "out of memory");
}

static const struct {
	const char *name;
	bool (*parse)(struct parser *p);
} keys[] = {
	{ "linepress-profile", parse_version },
	{ "source", parse_source },
	{ "tensors", parse_tensors },
	{ "shard", parse_shard },
};

static bool
parse_line(struct parser *p)
{
	const char *key;

	p->rest = p->text;
	key = next_word(p);
	if (key == NULL)
		return true;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		if (strcmp(key, keys[k].name) == 0 && (k == 0 || p->versioned))
			return keys[k].parse(p);
	if (!p->versioned)
		return lp_error_set(p->error, p->line,
				"not a linepress profile: must begin with 'linepress-profile 1'");
	return lp_error_set(p->error, p->line, "unknown key '%.40s'", key);
}

static bool
take_line(struct parser *p, const char *line, size_t len)
{
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
	return parse_line(p);
}

static bool
parse_text(struct parser *p, const char *text, size_t len)
{
	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		const size_t line_len = newline != NULL ? (size_t)(newline - text) : len;
		const size_t step = newline != NULL ? line_len + 1 : len;

		p->line++;
		if (!take_line(p, text, line_len))
			return false;
		text += step;
		len -= step;
	}
	if (!p->versioned)
		return lp_error_set(p->error, 0,
				"not a linepress profile: must begin with 'linepress-profile 1'");
	if (p->profile == NULL)
		return lp_error_set(p->error, 0, "'tensors' is missing");
	return close_profile(p);
}

struct lp_profiles *
lp_profiles_parse(const char *text, size_t len, struct lp_error *error)
{
	struct parser *p = calloc(1, sizeof(*p));
	struct lp_profiles *profiles = lp_profiles_create();
	bool ok = false;

	if (p != NULL && profiles != NULL) {
		p->profiles = profiles;
		p->error = error;
		ok = parse_text(p, text, len);
	} else {
		lp_error_set(error, 0, "out of memory");
	}
	free(p);
	if (ok)
		return profiles;
	lp_profiles_free(profiles);
	return NULL;
}

struct lp_profiles *
lp_profiles_load(const char *path, struct lp_error *error)
{
	struct lp_profiles *profiles = NULL;
	FILE *f = fopen(path, "re");
	size_t len = 0, room = 1 << 16;
	char *text = f != NULL ? malloc(room) : NULL;

	errno = f != NULL && text != NULL ? 0 : errno;
	while (text != NULL) {
		len += fread(text + len, 1, room - len, f);
		if (len < room || room > LP_PROFILE_FILE_MAX)
			break;
		room *= 2;
		char *more = realloc(text, room);

		if (more == NULL)
			free(text);
		text = more;
	}
	if (text == NULL || ferror(f))
		lp_error_set(error, 0, "%s", strerror(errno));
	else if (len > LP_PROFILE_FILE_MAX)
		lp_error_set(error, 0, "longer than %u bytes", LP_PROFILE_FILE_MAX);
	else
		profiles = lp_profiles_parse(text, len, error);
	free(text);
	if (f != NULL)
		fclose(f);
	return profiles;
}
