/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "linepress/codec.h"
#include "message.h"

#define WORD_MAX 64

/*
 * Copy the next word of a list; false at its end. One that is too long gets dots, so that it is
 * neither a name nor a number.
 */
static bool
next_word(const char **list, char word[WORD_MAX])
{
	const size_t len = *list == NULL ? 0 : strcspn(*list, ",");

	if (*list == NULL)
		return false;
	snprintf(word, WORD_MAX, "%.*s%s", (int)(len < WORD_MAX ? len : WORD_MAX - 4), *list,
			len < WORD_MAX ? "" : "...");
	*list = (*list)[len] == ',' ? *list + len + 1 : NULL;
	return true;
}

long
args_number(const char *option, const char *value, long min, long max)
{
	char *end;

	errno = 0;
	const long n = strtol(value, &end, 10);

	if (!isdigit((unsigned char)value[0]) || *end != '\0')
		return complain("%s: \"%s\" is not a number, allowed are %ld to %ld", option, value,
				min, max);
	if (errno != 0 || n < min || n > max)
		return complain("%s: %s is out of range, allowed are %ld to %ld", option, value,
				min, max);
	return n;
}

int
args_numbers(const char *option, const char *value, long min, long max, long numbers[ARGS_LIST_MAX])
{
	char word[WORD_MAX];
	int count = 0;

	while (next_word(&value, word)) {
		const long n = args_number(option, word, min, max);

		if (n < 0)
			return -1;
		if (count == ARGS_LIST_MAX)
			return complain("%s: more than %d numbers", option, ARGS_LIST_MAX);
		for (int k = 0; k < count; k++)
			if (numbers[k] == n)
				return complain("%s: %ld is given twice", option, n);
		numbers[count++] = n;
	}
	return count;
}

int
args_packet_sizes(const char *option, const char *value, size_t sizes[ARGS_LIST_MAX])
{
	long numbers[ARGS_LIST_MAX];
	const int count = args_numbers(option, value, ARGS_PACKET_MIN, ARGS_PACKET_MAX, numbers);

	for (int k = 0; k < count; k++) {
		if (numbers[k] % ARGS_PACKET_UNIT != 0)
			return complain("%s: %ld is not a multiple of %d", option, numbers[k],
					ARGS_PACKET_UNIT);
		sizes[k] = (size_t)numbers[k];
	}
	return count;
}

static int
find_name(const char *const *names, int count, const char *word)
{
	for (int k = 0; k < count; k++)
		if (strcmp(names[k], word) == 0)
			return k;
	return -1;
}

int
args_names(const char *option, const char *value, const char *const *names, int count, bool *set)
{
	char word[WORD_MAX], allowed[256] = "";

	for (int k = 0; k < count; k++)
		snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed), "%s%s",
				k == 0				 ? ""
						: k == count - 1 ? " and "
								 : ", ",
				names[k]);
	while (next_word(&value, word)) {
		const int k = find_name(names, count, word);

		if (k < 0)
			return complain("%s: \"%s\" is unknown, allowed are %s", option, word,
					allowed);
		if (set[k])
			return complain("%s: %s is given twice", option, word);
		set[k] = true;
	}
	return 0;
}

int
args_type(const char *option, const char *value)
{
	const int type = lp_type_from_name(value);

	if (type < 0)
		return complain("%s: \"%s\" is unknown, allowed are bf16, fp16, fp32, e4m3, e5m2, "
				"int8 and bytes",
				option, value);
	return type;
}

int
args_types(const char *option, const char *value, bool *types)
{
	char word[WORD_MAX];

	while (next_word(&value, word)) {
		const int type = args_type(option, word);

		if (type < 0)
			return -1;
		if (types[type])
			return complain("%s: %s is given twice", option, word);
		types[type] = true;
	}
	return 0;
}

int
args_once(const char *option, bool given)
{
	return given ? complain("%s: given twice, only one is possible", option) : 0;
}

void
args_complain(int answer, const char *arg)
{
	if (answer == ':')
		complain("%s: a value is missing", arg);
	else if (strncmp(arg, "--", 2) == 0 && strchr(arg, '=') != NULL && optopt != 0)
		complain("%s: takes no value", arg);
	else
		complain("%s: unknown or ambiguous option", arg);
}
