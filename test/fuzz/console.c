/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Commands as they are typed: keys as they come, and lines made of the words that commands know
 * with a few that they do not. A line that is no command is answered once, and nothing else
 * happens.
 */

/* cmdline_parse_check */
#define ALLOW_EXPERIMENTAL_API

#include <fcntl.h>
#include <string.h>

#include <cmdline.h>
#include <cmdline_rdline.h>

#include "appliance.h"
#include "command_file.h"
#include "complaint.h"
#include "console.h"
#include "fuzz.h"
#include "signals.h"

#define KEYS_MAX 4096
#define LINES_MAX 8

static struct cmdline *checker;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	console_init(fuzz_appliance());
	checker = cmdline_new(console_commands(), "", -1, -1);
	FUZZ_CHECK(checker != NULL);
	return 0;
}

/*
 * Those that leave something behind: files, ports that are gone, lcores that forward. Paths stay in
 * the directory.
 */
static bool
may_be_executed(const char *line)
{
	static const char *const left_out[] = { "start", "save", "suggest", "port close", "quit" };
	char words[KEYS_MAX], *out = words;

	for (const char *p = line + strspn(line, " \t"); *p != '\0'; p++)
		if (strchr(" \t", *p) == NULL || strchr(" \t", p[1]) == NULL)
			*out++ = *p == '\t' ? ' ' : *p;
	*out = '\0';
	for (size_t i = 0; i < RTE_DIM(left_out); i++)
		if (strncmp(words, left_out[i], strlen(left_out[i])) == 0)
			return false;
	for (const char *p = strchr(line, '/'); p != NULL; p = strchr(p + 1, '/'))
		if (p - line < 2 || p[-1] != '1' || p[-2] != ' ')
			return false;
	return true;
}

/* ---- lines ---- */

static void
check_complaint(const char *line)
{
	char text[COMPLAINT_MAX + 1];

	text[COMPLAINT_MAX] = '\x55';
	complaint_describe(console_commands(), line, text, COMPLAINT_MAX);
	FUZZ_CHECK(text[COMPLAINT_MAX] == '\x55' && memchr(text, '\0', COMPLAINT_MAX) != NULL);
	FUZZ_CHECK(text[0] != '\0' && strpbrk(text, "\r\n\x1b\x7f") == NULL);
	FUZZ_CHECK(strstr(text, "help") != NULL || strstr(text, "usage") != NULL ||
			strlen(text) == COMPLAINT_MAX - 1);
}

static void
run_line(const char *line)
{
	const unsigned int before = fuzz_complaints();
	const int parsed = cmdline_parse_check(checker, line);

	if (parsed < 0) {
		check_complaint(line);
		FUZZ_CHECK(console_execute(line) < 0);
		FUZZ_CHECK(fuzz_complaints() == before + 1);
		FUZZ_CHECK(strstr(fuzz_complaint(), "help") != NULL ||
				strstr(fuzz_complaint(), "usage") != NULL);
		return;
	}
	if (!may_be_executed(line))
		return;
	FUZZ_CHECK((console_execute(line) < 0) == (fuzz_complaints() > before));
}

/* ---- words ---- */

static void
add(char *line, const char *word)
{
	const size_t len = strlen(line);

	snprintf(line + len, CONSOLE_LINE_MAX - 1 - len, "%s%s", len > 0 ? " " : "", word);
}

/* A word that any command may get. */
static void
add_value(struct fuzz_input *in, char *line)
{
	static const char *const values[] = { "0", "1", "2", "all", "-1", "65535", "65536",
		"4294967295", "4294967296", "18446744073709551616", "1/1", "1/0", "1/1000001", "on",
		"off", "none", "0x3", "0x0", "0,1", "0-1", "1,1", "hello", "static", "flow", "io",
		"press", "verify", "id", "bf16", "codebook", "lp.app", "02:00:00:00:00:01" };
	char word[160] = "";
	const uint8_t choice = fuzz_byte(in);

	if (choice < 200) {
		add(line, values[choice % RTE_DIM(values)]);
		return;
	}
	for (size_t n = fuzz_byte(in) % sizeof(word), i = 0; i < n; i++) {
		const uint8_t c = fuzz_byte(in);

		word[i] = c > ' ' ? (char)c : 'x';
	}
	add(line, word);
}

static void
add_token(struct fuzz_input *in, cmdline_parse_token_hdr_t *token, char *line)
{
	const int count = token->ops->complete_get_nb(token);
	char word[256];

	if (count > 0 && fuzz_byte(in) < 240 &&
			token->ops->complete_get_elt(
					token, fuzz_byte(in) % count, word, sizeof(word)) == 0)
		add(line, word);
	else
		add_value(in, line);
}

/* The words of a command, as a rule; now and then too many, too few or others. */
static void
make_line(struct fuzz_input *in, char *line)
{
	cmdline_parse_inst_t **commands = console_commands();
	size_t count = 0;

	while (commands[count] != NULL)
		count++;
	FUZZ_CHECK(count > 0);
	const cmdline_parse_inst_t *command = commands[fuzz_byte(in) % count];
	const uint8_t ending = fuzz_byte(in);

	line[0] = '\0';
	for (size_t i = 0; command->tokens[i] != NULL; i++)
		if (command->tokens[i + 1] != NULL || ending < 230)
			add_token(in, command->tokens[i], line);
	for (unsigned int i = 0; i < ending % 4 && ending >= 192; i++)
		add_value(in, line);
	memcpy(line + strcspn(line, "\r\n"), "\n", 2);
}

/* ---- keys ---- */

/* Of keys that edit, complete or bring back, nobody can tell which line they make. */
static bool
is_plain(const uint8_t *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (keys[i] != '\n' && (keys[i] < ' ' || keys[i] >= 0x7f || keys[i] == '?'))
			return false;
	return true;
}

static bool
may_all_be_executed(const uint8_t *keys, size_t count)
{
	char lines[KEYS_MAX], *rest = lines, *line;

	memcpy(lines, keys, count);
	lines[count] = '\0';
	while ((line = strsep(&rest, "\n")) != NULL)
		if (!may_be_executed(line))
			return false;
	return true;
}

/* Lines are executed if they are plain; else keys only move about in one. */
static void
press_keys(const uint8_t *keys, size_t count)
{
	if (count >= KEYS_MAX || memchr(keys, '\0', count) != NULL)
		return;

	const bool executes = is_plain(keys, count) && may_all_be_executed(keys, count);
	struct cmdline *cl = cmdline_new(
			console_commands(), "", -1, open("/dev/null", O_WRONLY | O_CLOEXEC));
	struct rdline *prompt = cl == NULL ? NULL : console_keys(cl);

	FUZZ_CHECK(prompt != NULL);
	for (size_t i = 0; i < count; i++)
		if (executes || (keys[i] != '\n' && keys[i] != '\r'))
			console_press(prompt, (const char *)&keys[i], 1);
	if (executes)
		console_press(prompt, "\n", 1);
	rdline_free(prompt);
	cmdline_free(cl);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	char line[CONSOLE_LINE_MAX];

	switch (fuzz_byte(&in) % 4) {
	case 0:
		press_keys(in.p, in.left);
		break;
	case 1:
		if (in.left < sizeof(line) - 1 && memchr(in.p, '\n', in.left) == NULL &&
				memchr(in.p, '\0', in.left) == NULL) {
			memcpy(line, in.p, in.left);
			memcpy(line + in.left, "\n", 2);
			run_line(line);
		}
		break;
	default:
		for (unsigned int k = 0; k < LINES_MAX && in.left > 0; k++) {
			make_line(&in, line);
			run_line(line);
		}
	}
	/* `quit` at the prompt */
	atomic_store(&lp_app_stop, false);
	return 0;
}
