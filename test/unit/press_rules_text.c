/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Rules are read as they are meant, or refused with the place and the cause. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linepress/rules.h"

#include "press_help.h"

#define TEXT_MAX (LP_RULES_FILE_MAX + 2)
#define FUZZ_ROUNDS 3000

static char text[TEXT_MAX];
static struct lp_rules_error error;

static struct lp_rules *
parse_bytes(const char *bytes, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	CU_ASSERT_FATAL(copy != NULL);
	memcpy(copy, bytes, len);
	memset(&error, 0, sizeof(error));

	struct lp_rules *rules = lp_rules_parse(copy, len, bench.books, &error);

	free(copy);
	return rules;
}

static struct lp_rules *
parse(const char *string)
{
	return parse_bytes(string, strlen(string));
}

/* Is the only rule of a text `normal` in normal form, and stays that if it is read again? */
static bool
reads_as(const char *string, const char *normal)
{
	struct lp_rules *rules = parse(string);
	bool ok = rules != NULL && lp_rules_count(rules) == 1 &&
			strcmp(lp_rules_text(rules, 1), normal) == 0;

	if (!ok)
		printf("\n  '%s' reads as '%s' %s", string,
				rules != NULL ? lp_rules_text(rules, 1) : "", error.text);
	lp_rules_free(rules);
	return ok && (string == normal || reads_as(normal, normal));
}

/* Is a text refused at this place, with a message that has all these words? */
static bool
refused_at(const char *string, unsigned int line, unsigned int column, const char *const *words)
{
	struct lp_rules *rules = parse(string);
	bool ok = rules == NULL && error.line == line && error.column == column;

	for (; *words != NULL; words++)
		ok = ok && strstr(error.text, *words) != NULL;
	if (!ok)
		printf("\n  '%.60s': %s %u:%u: %s", string, rules != NULL ? "loaded" : "refused",
				error.line, error.column, error.text);
	lp_rules_free(rules);
	return ok;
}

/* What is read */

static void
every_key_is_read(void)
{
	static const char *const same[] = {
		"port 0 -> pass",
		"port 31 -> pass",
		"vlan 0 -> pass",
		"vlan 4095 -> pass",
		"vlan none -> pass",
		"src 10.0.0.0/8 -> pass",
		"src 0.0.0.0/0 -> pass",
		"dst 2001:db8::/32 -> pass",
		"src ::/0 dst ::1/128 -> pass",
		"proto tcp -> pass",
		"proto udp -> pass",
		"proto roce -> pass",
		"sport 0 -> pass",
		"sport 1024-65535 -> pass",
		"dport 5201 -> pass",
		"dport 0-65535 -> pass",
		"dscp 0 -> pass",
		"dscp 63 -> pass",
		"min-region 1 -> pass",
		"min-region 65535 -> pass",
		"-> pass",
		("port 1 vlan 100 src 10.0.0.0/8 dst 10.1.2.3/32 proto tcp sport 1-2 dport 3 "
		 "dscp 46 min-region 512 -> pass"),
	};

	for (unsigned int k = 0; k < RTE_DIM(same); k++)
		CU_ASSERT(reads_as(same[k], same[k]));
}

static void
every_action_is_read(void)
{
	CU_ASSERT(reads_as("-> books all", "-> books all"));
	CU_ASSERT(reads_as("-> books fp16-grouped", "-> books fp16-grouped"));
	CU_ASSERT(reads_as("-> books fp16-grouped,bf16-grouped",
			"-> books bf16-grouped,fp16-grouped"));
	CU_ASSERT(reads_as("-> books 1", "-> books bf16-grouped"));
	CU_ASSERT(reads_as("-> dry-run", "-> dry-run"));
	CU_ASSERT(reads_as("-> dry-run books all", "-> dry-run"));
	CU_ASSERT(reads_as("-> dry-run books 1", "-> dry-run books bf16-grouped"));
}

static void
other_spellings_become_the_normal_form(void)
{
	CU_ASSERT(reads_as("\t dport  5-5\t-> pass \r", "dport 5 -> pass"));
	CU_ASSERT(reads_as("dscp 007 -> pass # why", "dscp 7 -> pass"));
	CU_ASSERT(reads_as("proto udp vlan 5 port 2 -> pass", "port 2 vlan 5 proto udp -> pass"));
	CU_ASSERT(reads_as("dst 10.1.2.3 -> pass", "dst 10.1.2.3/32 -> pass"));
	CU_ASSERT(reads_as("src 2001:0DB8:0:0::7 -> pass", "src 2001:db8::7/128 -> pass"));
	CU_ASSERT(reads_as("src 128.0.0.0/1 -> pass", "src 128.0.0.0/1 -> pass"));
	CU_ASSERT(reads_as("src 8000::/1 -> pass", "src 8000::/1 -> pass"));
}

static void
rules_keep_their_lines_and_order(void)
{
	struct lp_rules *rules = parse("# B\xc3\xbcro\n\n-> pass\r\n  \n-> dry-run # x\nport 1->");

	CU_ASSERT(rules == NULL && error.line == 6);
	rules = parse("# B\xc3\xbcro\n\n-> pass\r\n  \n-> dry-run # x\nport 1 -> pass");
	CU_ASSERT_FATAL(rules != NULL);
	CU_ASSERT_EQUAL(lp_rules_count(rules), 3);
	CU_ASSERT(lp_rules_books(rules) == bench.books);
	CU_ASSERT_EQUAL(lp_rules_line(rules, 0), 0);
	CU_ASSERT_EQUAL(lp_rules_line(rules, 1), 3);
	CU_ASSERT_EQUAL(lp_rules_line(rules, 2), 5);
	CU_ASSERT_EQUAL(lp_rules_line(rules, 3), 6);
	CU_ASSERT_EQUAL(lp_rules_line(rules, 4), 0);
	CU_ASSERT_PTR_NULL(lp_rules_text(rules, 0));
	CU_ASSERT_STRING_EQUAL(lp_rules_text(rules, 1), "-> pass");
	CU_ASSERT_STRING_EQUAL(lp_rules_text(rules, 2), "-> dry-run");
	CU_ASSERT_STRING_EQUAL(lp_rules_text(rules, 3), "port 1 -> pass");
	CU_ASSERT_PTR_NULL(lp_rules_text(rules, 4));
	lp_rules_free(rules);
	lp_rules_free(NULL);
}

static void
text_without_rules_is_allowed(void)
{
	static const char *const none[] = { "", "\n", "# nothing", "  \t\r\n#\n" };

	for (unsigned int k = 0; k < RTE_DIM(none); k++) {
		struct lp_rules *rules = parse(none[k]);

		CU_ASSERT_FATAL(rules != NULL);
		CU_ASSERT_EQUAL(lp_rules_count(rules), 0);
		lp_rules_free(rules);
	}
}

static void
generations_differ(void)
{
	struct lp_rules *a = parse("-> pass"), *b = parse("-> pass");

	CU_ASSERT_FATAL(a != NULL && b != NULL);
	CU_ASSERT(lp_rules_generation(a) != 0 && lp_rules_generation(b) != 0);
	CU_ASSERT(lp_rules_generation(a) != lp_rules_generation(b));
	lp_rules_free(a);
	lp_rules_free(b);
}

/* What is refused */

struct error_case {
	const char *text;
	unsigned int line, column;
	const char *words[4];
};

static const struct error_case error_cases[] = {
	{ "foo 1 -> pass", 1, 1, { "'foo'", "min-region", "->" } },
	{ "-> pass\n port 1 bar", 2, 9, { "'bar'", "must be a key" } },
	{ "port -> pass", 1, 6, { "port '->'", "0 to 31" } },
	{ "port", 1, 1, { "after 'port'", "value" } },
	{ "port 32 -> pass", 1, 6, { "'32'", "0 to 31" } },
	{ "port -1 -> pass", 1, 6, { "'-1'", "0 to 31" } },
	{ "port 0x1 -> pass", 1, 6, { "'0x1'" } },
	{ "port 99999999999999999999 -> pass", 1, 6, { "'99999999999999999999'" } },
	{ "port 1 port 2 -> pass", 1, 8, { "'port'", "twice" } },
	{ "vlan 4096 -> pass", 1, 6, { "'4096'", "0 to 4095", "none" } },
	{ "vlan any -> pass", 1, 6, { "'any'", "none" } },
	{ "vlan none vlan none -> pass", 1, 11, { "'vlan'", "twice" } },
	{ "proto icmp -> pass", 1, 7, { "'icmp'", "tcp, udp or roce" } },
	{ "proto tcp proto udp -> pass", 1, 11, { "'proto'", "twice" } },
	{ "sport 65536 -> pass", 1, 7, { "'65536'", "0 <= N <= M <= 65535" } },
	{ "sport 2-1 -> pass", 1, 7, { "'2-1'", "N <= M" } },
	{ "dport 1- -> pass", 1, 7, { "dport '1-'" } },
	{ "dport -5 -> pass", 1, 7, { "dport '-5'" } },
	{ "dport 1-2-3 -> pass", 1, 7, { "dport '1-2-3'" } },
	{ "dport 1-65536 -> pass", 1, 7, { "dport '1-65536'" } },
	{ "dport 1 sport 2 dport 3 -> pass", 1, 17, { "'dport'", "twice" } },
	{ "dscp 64 -> pass", 1, 6, { "'64'", "0 to 63" } },
	{ "dscp 1-2 -> pass", 1, 6, { "'1-2'", "0 to 63" } },
	{ "min-region 0 -> pass", 1, 12, { "'0'", "1 to 65535" } },
	{ "min-region 65536 -> pass", 1, 12, { "'65536'", "1 to 65535" } },
	{ "src", 1, 1, { "after 'src'", "prefix" } },
	{ "src 10.0.0/8 -> pass", 1, 5, { "src '10.0.0/8'", "IPv4 or IPv6" } },
	{ "src 10.0.0.256 -> pass", 1, 5, { "'10.0.0.256'" } },
	{ "dst host -> pass", 1, 5, { "dst 'host'" } },
	{ "dst 10.0.0.0/33 -> pass", 1, 14, { "'10.0.0.0/33'", "0 to 32" } },
	{ "dst 10.0.0.0/ -> pass", 1, 14, { "0 to 32" } },
	{ "dst ::/129 -> pass", 1, 8, { "'::/129'", "0 to 128" } },
	{ "src 10.1.0.0/8 -> pass", 1, 5, { "'10.1.0.0/8'", "first 8", "10.0.0.0/8" } },
	{ "src 2001:db8::1/64 -> pass", 1, 5, { "first 64", "2001:db8::/64" } },
	{ "src ::1 src ::1 -> pass", 1, 9, { "'src'", "twice" } },
	{ "src 10.0.0.0/8 dst ::/0 -> pass", 1, 20, { "dst '::/0'", "IPv4" } },
	{ "dst ::/0 src 0.0.0.0/0 -> pass", 1, 14, { "src '0.0.0.0/0'", "IPv6" } },
	{ "port 1", 1, 7, { "no action", "books, pass or dry-run" } },
	{ "port 1 ->", 1, 8, { "after '->'", "books, pass or dry-run" } },
	{ "-> drop", 1, 4, { "action 'drop'", "books, pass or dry-run" } },
	{ "-> pass now", 1, 9, { "'now'", "end of the line" } },
	{ "-> books", 1, 4, { "after 'books'", "all" } },
	{ "-> books all 1", 1, 14, { "'1'", "end of the line" } },
	{ "-> books 1 2", 1, 12, { "'2'", "end of the line" } },
	{ "-> books bf16", 1, 10, { "'bf16'", "all", "bf16-grouped (1)" } },
	{ "-> books 1,no-such", 1, 12, { "'no-such'" } },
	{ "-> books 1,", 1, 12, { "books ''" } },
	{ "-> books ,1", 1, 10, { "books ''" } },
	{ "-> books 0", 1, 10, { "'0'" } },
	{ "-> books 257", 1, 10, { "'257'" } },
	{ "-> books 1,bf16-grouped", 1, 12, { "'bf16-grouped'", "twice" } },
	{ "-> books all,1", 1, 10, { "'all'" } },
	{ "-> dry-run all", 1, 12, { "'all'", "books" } },
	{ "-> dry-run books", 1, 12, { "after 'books'" } },
	{ "-> dry-run books 1 2", 1, 20, { "'2'", "end of the line" } },
	{ "# fine\n\n-> p\xc3\xa4ss", 3, 5, { "0xc3", "printable" } },
	{ "-> pass\x01", 1, 8, { "0x01" } },
	{ "-> pass\n-> pass\n-> pass\nport 1 ->pass", 4, 8, { "'->pass'" } },
};

static void
every_error_names_line_column_word_and_what_is_allowed(void)
{
	for (unsigned int k = 0; k < RTE_DIM(error_cases); k++) {
		const struct error_case *c = &error_cases[k];

		CU_ASSERT(refused_at(c->text, c->line, c->column, c->words));
	}
}

static void
error_may_be_ignored(void)
{
	CU_ASSERT_PTR_NULL(lp_rules_parse("x", 1, bench.books, NULL));
	CU_ASSERT_PTR_NULL(lp_rules_load("/nonexistent/rules", bench.books, NULL));
}

static void
byte_of_zero_is_refused(void)
{
	static const char bytes[] = "-> pass\n-> \0pass";

	CU_ASSERT_PTR_NULL(parse_bytes(bytes, sizeof(bytes) - 1));
	CU_ASSERT(error.line == 2 && error.column == 4);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "0x00"));
}

static size_t
fill_rules(unsigned int count)
{
	size_t len = 0;

	for (unsigned int k = 0; k < count; k++)
		len += (size_t)sprintf(text + len, "dport %u -> pass\n", k);
	return len;
}

static void
as_many_rules_as_allowed_are_read_and_one_more_is_refused(void)
{
	const char *const words[] = { "at most 256", NULL };
	struct lp_rules *rules;
	size_t len = fill_rules(LP_RULES_MAX);

	snprintf(text + len, sizeof(text) - len, "\n # done\n");
	rules = parse(text);
	CU_ASSERT_FATAL(rules != NULL);
	CU_ASSERT_EQUAL(lp_rules_count(rules), LP_RULES_MAX);
	lp_rules_free(rules);
	snprintf(text + len, sizeof(text) - len, "\n # done\n  -> pass\n");
	CU_ASSERT(refused_at(text, LP_RULES_MAX + 3, 3, words));
}

static size_t
write_diverse_rule(char *out)
{
	size_t len = 0;

	for (unsigned int k = 0; k < 2; k++) {
		const unsigned int low = test_random_in(0, 65535), bits = test_random_in(1, 32);
		const uint32_t address = (uint32_t)test_random() & UINT32_MAX << (32 - bits);

		len += (size_t)sprintf(out + len, "%s %u-%u %s %u.%u.%u.%u/%u ",
				k == 0 ? "sport" : "dport", low, test_random_in(low, 65535),
				k == 0 ? "src" : "dst", address >> 24, address >> 16 & 255,
				address >> 8 & 255, address & 255, bits);
	}
	if (test_random() % 3 == 0)
		len += (size_t)sprintf(out + len, "vlan %u ", test_random_in(0, 4095));
	if (test_random() % 3 == 0)
		len += (size_t)sprintf(out + len, "dscp %u ", test_random_in(0, 63));
	len += (size_t)sprintf(out + len, "min-region %u -> pass\n", test_random_in(1, 65535));
	return len;
}

/* Such sets outgrow the tries that the classifier may build, in bounded time. */
static void
rules_that_are_too_diverse_are_refused(void)
{
	const char *const words[] = { "256 rules", "must be fewer", NULL };
	size_t len = 0;

	for (unsigned int k = 0; k < LP_RULES_MAX; k++)
		len += write_diverse_rule(text + len);
	CU_ASSERT(refused_at(text, 0, 0, words));
}

static void
line_as_long_as_allowed_is_read_and_one_longer_is_refused(void)
{
	const char *const words[] = { "16384 characters", "at most 16383", NULL };

	strcpy(text, "-> pass\n-> pass");
	memset(text + strlen(text), ' ', LP_RULES_LINE_MAX);
	text[8 + LP_RULES_LINE_MAX] = '\0';
	lp_rules_free(parse(text));
	CU_ASSERT_EQUAL(error.line, 0);
	text[8 + LP_RULES_LINE_MAX] = ' ';
	text[8 + LP_RULES_LINE_MAX + 1] = '\0';
	CU_ASSERT(refused_at(text, 2, LP_RULES_LINE_MAX + 1, words));
}

/* Files */

static struct lp_rules *
load(const char *string, size_t len, char *path)
{
	static const char template[] = "/tmp/lp-test-rules-XXXXXX";
	int fd;

	memcpy(path, template, sizeof(template));
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_FATAL(write(fd, string, len) == (ssize_t)len);
	close(fd);
	memset(&error, 0, sizeof(error));

	struct lp_rules *rules = lp_rules_load(path, bench.books, &error);

	unlink(path);
	return rules;
}

static void
file_is_loaded_and_named_in_errors(void)
{
	char path[64], expected[128];
	struct lp_rules *rules = load("-> pass\n", 8, path);

	CU_ASSERT_FATAL(rules != NULL);
	CU_ASSERT_STRING_EQUAL(lp_rules_text(rules, 1), "-> pass");
	lp_rules_free(rules);
	CU_ASSERT_PTR_NULL(load("-> pass\ndscp x", 14, path));
	snprintf(expected, sizeof(expected), "%s:2:6: dscp 'x'", path);
	CU_ASSERT_EQUAL(strncmp(error.text, expected, strlen(expected)), 0);
	CU_ASSERT(error.line == 2 && error.column == 6);
}

static void
file_that_cannot_be_read_is_refused(void)
{
	CU_ASSERT_PTR_NULL(lp_rules_load("/nonexistent/rules", bench.books, &error));
	CU_ASSERT_STRING_EQUAL(error.text, "/nonexistent/rules: No such file or directory");
	CU_ASSERT_PTR_NULL(lp_rules_load("/", bench.books, &error));
	CU_ASSERT_STRING_EQUAL(error.text, "/: Is a directory");
	CU_ASSERT_PTR_NULL(lp_rules_load("/dev/zero", bench.books, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "/dev/zero: too long: must be at most 1048576"));
}

static void
longest_file_is_loaded_and_a_longer_one_is_refused(void)
{
	char path[64];

	memset(text, '\n', TEXT_MAX);

	struct lp_rules *rules = load(text, LP_RULES_FILE_MAX, path);

	CU_ASSERT_PTR_NOT_NULL(rules);
	lp_rules_free(rules);
	CU_ASSERT_PTR_NULL(load(text, LP_RULES_FILE_MAX + 1, path));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "at most 1048576 bytes"));
}

/* Hostile text */

static const char *const fuzz_words[] = { "port 1", "vlan none", "vlan 7", "src ::1",
	"dst 10.0.0.0/8", "proto roce", "sport 0-9", "dport 80", "dscp 3", "min-region 600",
	"-> pass\n", "-> pass\n", "-> dry-run\n", "-> books all\n",
	"-> books 1,bf16-bytes-huffman\n", "-> dry-run books 1\n", "port", "src", "->", "books",
	"all", ",", "#", "\n", "-", "/", "99999999999", "" };

static size_t
fuzz_text(void)
{
	size_t len = 0;

	for (unsigned int n = test_random_in(1, 8); n > 0; n--)
		len += (size_t)sprintf(text + len, "%s%s",
				fuzz_words[test_random_in(0, RTE_DIM(fuzz_words) - 1)],
				test_random() % 8 ? " " : "");
	for (unsigned int n = test_random() % 3 ? 0 : test_random_in(1, 5); n > 0; n--)
		text[test_random_in(0, (uint32_t)len - 1 + (len == 0))] = (char)test_random();
	return len;
}

/* Whatever is read has a normal form that reads as itself, whatever is refused has a cause. */
static void
random_words_are_read_or_refused_with_a_cause(void)
{
	unsigned int loaded = 0;

	for (unsigned int round = 0; round < FUZZ_ROUNDS; round++) {
		struct lp_rules *rules = parse_bytes(text, fuzz_text());

		if (rules == NULL) {
			CU_ASSERT(error.text[0] != '\0' && error.line > 0 && error.column > 0);
			continue;
		}
		for (unsigned int k = 1; k <= lp_rules_count(rules); k++) {
			static char normal[LP_RULES_LINE_MAX + 1];

			snprintf(normal, sizeof(normal), "%s", lp_rules_text(rules, k));
			CU_ASSERT(reads_as(normal, normal));
			loaded++;
		}
		lp_rules_free(rules);
	}
	CU_ASSERT(loaded > FUZZ_ROUNDS / 20);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(every_key_is_read),
		TEST(every_action_is_read),
		TEST(other_spellings_become_the_normal_form),
		TEST(rules_keep_their_lines_and_order),
		TEST(text_without_rules_is_allowed),
		TEST(generations_differ),
		TEST(every_error_names_line_column_word_and_what_is_allowed),
		TEST(error_may_be_ignored),
		TEST(byte_of_zero_is_refused),
		TEST(as_many_rules_as_allowed_are_read_and_one_more_is_refused),
		TEST(rules_that_are_too_diverse_are_refused),
		TEST(line_as_long_as_allowed_is_read_and_one_longer_is_refused),
		TEST(file_is_loaded_and_named_in_errors),
		TEST(file_that_cannot_be_read_is_refused),
		TEST(longest_file_is_loaded_and_a_longer_one_is_refused),
		TEST(random_words_are_read_or_refused_with_a_cause),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_rules_text", tests);
}
