/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmdline_parse_string.h>
#include <rte_common.h>

#include "commands.h"
#include "complaint.h"

#define LINE_SHOWN 80 /* bytes of a line that are repeated */
#define WORD_SHOWN 40
#define CHOICES_MAX 48

/* What has been written so far. */
struct text {
	char *p;
	size_t size;
	size_t len;
};

/* How far a line follows a command. */
struct fit {
	const char *at; /* the first word that does not fit, or the end of the line */
	cmdline_parse_token_hdr_t *expected; /* there; NULL: nothing more */
};

/* What may stand where the line goes wrong. */
struct choices {
	char word[CHOICES_MAX][STR_TOKEN_SIZE];
	unsigned int count;
	unsigned int values;   /* commands that take any word there */
	unsigned int ends;     /* commands that end there */
	unsigned int commands; /* that go as far */
	const char *usage;     /* of one of them */
};

__rte_format_printf(2, 3) static void add(struct text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	const int n = vsnprintf(text->p + text->len, text->size - text->len, fmt, args);

	va_end(args);
	if (n > 0)
		text->len = RTE_MIN(text->len + (size_t)n, text->size - 1);
}

/* Bytes of the user: what is none of a text would confuse a terminal. */
static void
add_bytes(struct text *text, const char *bytes, size_t len, size_t shown)
{
	for (size_t i = 0; i < len && i < shown; i++) {
		const unsigned char c = (unsigned char)bytes[i];

		add(text, "%c", c < ' ' || c == 0x7f ? '?' : c);
	}
	if (len > shown)
		add(text, "...");
}

/* ---- as librte_cmdline reads lines ---- */

static const char *
skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static bool
is_end(const char *p)
{
	return strchr("#\r\n", *p) != NULL; /* or the end of the text */
}

static size_t
word_len(const char *p)
{
	return strcspn(p, " \t#\r\n");
}

static struct fit
fit_of(const cmdline_parse_inst_t *command, const char *line)
{
	static char result[CMDLINE_PARSE_RESULT_BUFSIZE]; /* the console has one thread */
	struct fit fit = { .at = skip_blanks(line), .expected = command->tokens[0] };

	for (unsigned int i = 0; fit.expected != NULL && !is_end(fit.at);) {
		const unsigned int offset = fit.expected->offset;
		const int n = fit.expected->ops->parse(fit.expected, fit.at, result + offset,
				(unsigned int)sizeof(result) - offset);

		if (n < 0)
			break;
		fit.at = skip_blanks(fit.at + n);
		fit.expected = command->tokens[++i];
	}
	return fit;
}

/* ---- what may stand there ---- */

static void
choices_add(struct choices *choices, const char *word)
{
	for (unsigned int i = 0; i < choices->count; i++)
		if (strcmp(choices->word[i], word) == 0)
			return;
	if (choices->count < CHOICES_MAX)
		snprintf(choices->word[choices->count++], STR_TOKEN_SIZE, "%s", word);
}

static void
choices_add_token(struct choices *choices, cmdline_parse_token_hdr_t *token)
{
	const int count = token->ops->complete_get_nb(token);
	char word[STR_TOKEN_SIZE];

	if (count == 0)
		choices->values++;
	for (int i = 0; i < count; i++)
		if (token->ops->complete_get_elt(token, i, word, sizeof(word)) == 0)
			choices_add(choices, word);
}

/* Returns where the line goes wrong. */
static const char *
choices_find(cmdline_parse_inst_t *const *commands, const char *line, struct choices *choices)
{
	const char *at = skip_blanks(line);

	memset(choices, 0, sizeof(*choices));
	for (; *commands != NULL; commands++) {
		const struct fit fit = fit_of(*commands, line);

		if (fit.at < at)
			continue;
		if (fit.at > at)
			memset(choices, 0, sizeof(*choices));
		at = fit.at;
		choices->usage = (*commands)->help_str;
		choices->commands++;
		if (fit.expected == NULL)
			choices->ends++;
		else
			choices_add_token(choices, fit.expected);
	}
	return at;
}

static void
add_choices(struct text *text, const struct choices *choices)
{
	for (unsigned int i = 0; i < choices->count; i++)
		add(text, "%s%s",
				i == 0					 ? ""
						: i + 1 < choices->count ? ", "
									 : " or ",
				choices->word[i]);
}

/* ---- the complaint ---- */

static void
describe_word(struct text *text, const struct choices *choices, const char *word)
{
	const size_t len = word_len(word);

	add(text, ": `");
	add_bytes(text, word, len, WORD_SHOWN);
	if (choices->count > 0) {
		add(text, "` must be ");
		add_choices(text, choices);
		if (choices->ends > 0)
			add(text, ", or be left out");
	} else if (choices->values > 0) {
		add(text, "` is longer than %d bytes", STR_TOKEN_SIZE - 1);
	} else {
		add(text, "` is too much");
	}
}

static void
describe_lack(struct text *text, const struct choices *choices)
{
	add(text, ": a word is missing at its end");
	if (choices->count > 0 && choices->values == 0) {
		add(text, ", which must be ");
		add_choices(text, choices);
	}
}

void
complaint_describe(
		cmdline_parse_inst_t *const *commands, const char *line, char *text_p, size_t size)
{
	static struct choices choices; /* the console has one thread */
	struct text text = { .p = text_p, .size = size };
	const char *start = skip_blanks(line);
	const char *at = choices_find(commands, line, &choices);
	size_t len = strcspn(start, "\r\n");

	while (len > 0 && strchr(" \t", start[len - 1]) != NULL)
		len--;
	text_p[0] = '\0';
	add_bytes(&text, start, len, LINE_SHOWN);
	if (is_end(at))
		describe_lack(&text, &choices);
	else
		describe_word(&text, &choices, at);
	if (at == start)
		add(&text, "; see `help`");
	else if (choices.commands == 1)
		add(&text, "; usage: %s", choices.usage);
	else
		add(&text, "; see `help all`");
}
