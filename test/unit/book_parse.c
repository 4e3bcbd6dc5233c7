/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Codebook files: what is accepted, what is refused and with which words, what belongs to the
 * identity of a book, and sets of books from a directory.
 */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CUnit/Basic.h>

#include "codec_help.h"
#include "linepress/bookset.h"

#define MAGIC "linepress-codebook 1\n"
#define BF16 MAGIC "name n\ntype bf16\nkind grouped\nsymbol exponent\n"
#define E4M3 MAGIC "name n\ntype e4m3\nkind grouped\nsymbol exponent\n"
#define GROUPED BF16 "groups 0 0\nranks 0\n"
#define BYTES MAGIC "name n\ntype bytes\nkind huffman\nsymbol byte\n"
#define HUFFMAN BYTES "codes 1 00 escape\n"
#define AREA MAGIC "name n\ntype bytes\nkind area\nsymbol byte\n"
#define AREA_2 AREA "areas 7 7\nranks 00-ff\n"
#define NAME_47 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
#define W16 " x x x x x x x x x x x x x x x x"
#define W256 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16 W16

#define FILE_MAX (1u << 20)
#define TEXT_MAX 8192

static struct test_book book[TEST_BOOKS_MAX];
static unsigned int books;

/* Parse, with the text in memory that ends where the text ends. */
static struct lp_codebook *
parse_exact(const char *text, size_t len, struct lp_error *error)
{
	char *exact = malloc(len);

	if (len > 0)
		memcpy(exact, text, len);
	memset(error, 0x55, sizeof(*error));
	struct lp_codebook *cb = lp_codebook_parse(exact, len, error);

	free(exact);
	return cb;
}

static bool
accepts(const char *text)
{
	struct lp_error error;
	struct lp_codebook *cb = parse_exact(text, strlen(text), &error);

	if (cb == NULL)
		printf("\n  line %u: %.200s, in: %.300s", error.line, error.text, text);
	lp_codebook_free(cb);
	return cb != NULL;
}

static bool
refuses_memory(const char *text, size_t len, unsigned int line, const char *words)
{
	struct lp_error error;
	struct lp_codebook *cb = parse_exact(text, len, &error);

	if (cb != NULL) {
		printf("\n  accepted: %.300s", text);
		lp_codebook_free(cb);
		return false;
	}
	CU_ASSERT(lp_codebook_parse(text, len, NULL) == NULL);
	if (error.line == line && memchr(error.text, '\0', sizeof(error.text)) != NULL &&
			strstr(error.text, words) != NULL)
		return true;
	printf("\n  line %u: %.200s\n  instead of line %u: %s", error.line, error.text, line,
			words);
	return false;
}

static bool
refuses(const char *text, unsigned int line, const char *words)
{
	return refuses_memory(text, strlen(text), line, words);
}

static void
shipped_books_load_and_describe_themselves(void)
{
	CU_ASSERT(books >= 18);
	for (unsigned int k = 0; k < books; k++) {
		const struct lp_codebook_info *info = &book[k].info;
		char name[LP_NAME_MAX + 20];

		sprintf(name, "\nname %s\n", info->name);
		CU_ASSERT(strstr(book[k].text, name) != NULL);
		CU_ASSERT(info->id != 0);
		CU_ASSERT(info->codes >= 10 && info->longest_code_bits <= 12);
		CU_ASSERT(info->profile_symbols > 0);
		CU_ASSERT(info->profile_entropy > 1 &&
				info->profile_entropy <= info->profile_code_bits);
		CU_ASSERT(info->profile_saved_percent > 10 && info->profile_saved_percent < 80);
		CU_ASSERT(info->element_bytes ==
				(info->kind == LP_KIND_GROUPED ? lp_type_bytes(info->type) : 1));
		CU_ASSERT(1u << lp_codebook_element_log2(book[k].cb) == info->element_bytes);
		CU_ASSERT(accepts(book[k].text));
	}
}

static void
description_has_what_the_text_says(void)
{
	static const char text[] = MAGIC
			"name some.name_1+2-3\nid 77\ntype fp16\nkind grouped\n"
			"symbol exponent\ngroups 0 1 1\nranks 0 zero -3 +2\nprofile-symbols 123456789\n"
			"profile-entropy 1.25\nprofile-code 1.5\n";
	struct lp_codebook_info info;
	struct lp_codebook *cb = lp_codebook_parse(text, strlen(text), NULL);

	CU_ASSERT_FATAL(cb != NULL);
	memset(&info, 0x55, sizeof(info));
	lp_codebook_describe(cb, &info);
	CU_ASSERT_STRING_EQUAL(info.name, "some.name_1+2-3");
	CU_ASSERT(info.id == 77 && info.type == LP_TYPE_FP16);
	CU_ASSERT(info.kind == LP_KIND_GROUPED && info.symbol == LP_SYMBOL_EXPONENT);
	CU_ASSERT(info.element_bytes == 2 && info.codes == 4 && info.longest_code_bits == 3);
	CU_ASSERT(info.profile_symbols == 123456789);
	CU_ASSERT(info.profile_entropy == 1.25 && info.profile_code_bits == 1.5);
	CU_ASSERT(info.profile_saved_percent == 100 * (5 - 1.5) / 16);
	CU_ASSERT(lp_codebook_digest64(cb) >> 56 == info.digest[0]);
	CU_ASSERT((lp_codebook_digest64(cb) & 255) == info.digest[7]);
	lp_codebook_free(cb);
	lp_codebook_free(NULL);
}

static void
names_of_types_kinds_and_symbols_go_both_ways(void)
{
	for (int k = 0; k < LP_TYPE_COUNT; k++)
		CU_ASSERT(lp_type_from_name(lp_type_name(k)) == k);
	for (int k = 0; k < LP_KIND_COUNT; k++)
		CU_ASSERT(lp_kind_from_name(lp_kind_name(k)) == k);
	CU_ASSERT_PTR_NOT_NULL(lp_symbol_name(LP_SYMBOL_ROTATED));
	CU_ASSERT(lp_type_name(LP_TYPE_COUNT) == NULL && lp_type_name((enum lp_type) - 1) == NULL);
	CU_ASSERT(lp_kind_name(LP_KIND_COUNT) == NULL && lp_symbol_name(LP_SYMBOL_COUNT) == NULL);
	CU_ASSERT(lp_type_from_name("fp64") == -EINVAL && lp_type_from_name("") == -EINVAL);
	CU_ASSERT(lp_kind_from_name("quad") == -EINVAL);
}

static void
smallest_books_are_accepted(void)
{
	CU_ASSERT(accepts(GROUPED));
	CU_ASSERT(accepts(HUFFMAN));
	CU_ASSERT(accepts(AREA_2));
	CU_ASSERT(accepts(AREA "areas 0 8\nranks 00-ff\n"));
	CU_ASSERT(accepts(BF16 "groups 1\nranks zero\n"));
	CU_ASSERT(accepts(BF16 "groups 0 0\nranks zero\n"));
}

static void
layout_is_free(void)
{
	CU_ASSERT(accepts("# comment\n\n  \t\n" GROUPED));
	CU_ASSERT(accepts(GROUPED "source\nsource some words # comment\n# end"));
	CU_ASSERT(accepts(MAGIC "symbol\tbyte# no blank\n  kind  huffman \ntype int8\nname n\n"
				"codes 1 00 escape"));
	CU_ASSERT(accepts(MAGIC "name n\ntype bytes\nkind huffman\nsymbol byte\n"
				"codes 2 00 1 ff\ncodes 2 escape\n"));
}

static void
last_line_needs_no_newline(void)
{
	CU_ASSERT(accepts(BF16 "groups 0 0\nranks 0"));
	CU_ASSERT(accepts(BYTES "codes 1 00 escape"));
	CU_ASSERT(refuses(GROUPED "colour", 8, "unknown key 'colour'"));
}

static void
crlf_lines_are_accepted(void)
{
	CU_ASSERT(accepts("linepress-codebook 1\r\nname n\r\ntype bf16\r\nkind grouped\r\n"
			  "symbol exponent\r\ngroups 0 0\r\nranks 0\r\n\r\n"));
	CU_ASSERT(refuses("linepress-codebook 1\r\nname n\r\ntype bf17\r\n", 3, "type 'bf17'"));
}

static void
text_that_is_no_codebook_is_refused(void)
{
	static const char words[] = "not a linepress codebook";

	CU_ASSERT(refuses("hello\n" GROUPED, 1, words));
	CU_ASSERT(refuses("\n\n# x\nname n\n" GROUPED, 4, words));
	CU_ASSERT(refuses("Linepress-codebook 1\n", 1, words));
	CU_ASSERT(refuses("", 0, "'linepress-codebook' is missing"));
	CU_ASSERT(refuses("\n\n", 0, "'linepress-codebook' is missing"));
}

static void
version_other_than_1_is_refused(void)
{
	CU_ASSERT(refuses("linepress-codebook 2\n", 1, "format version '2'"));
	CU_ASSERT(refuses("linepress-codebook 0\n", 1, "format version '0'"));
	CU_ASSERT(refuses("linepress-codebook -1\n", 1, "format version '-1'"));
	CU_ASSERT(refuses("linepress-codebook one\n", 1, "format version 'one'"));
	CU_ASSERT(refuses("linepress-codebook\n", 1, "has 0 values"));
	CU_ASSERT(refuses("linepress-codebook 1 1\n", 1, "has 2 values"));
	CU_ASSERT(refuses("linepress-codebook 99999999999999999999999\n", 1, "format version"));
}

static void
each_missing_key_is_named(void)
{
	CU_ASSERT(refuses(MAGIC "type bf16\nkind grouped\nsymbol exponent\ngroups 0 0\nranks 0\n",
			0, "'name' is missing"));
	CU_ASSERT(refuses(MAGIC "name n\nkind huffman\nsymbol byte\ncodes 1 00 escape\n", 0,
			"'type' is missing"));
	CU_ASSERT(refuses(MAGIC "name n\ntype bf16\nsymbol byte\n", 0, "'kind' is missing"));
	CU_ASSERT(refuses(MAGIC "name n\ntype bf16\nkind grouped\ngroups 0 0\nranks 0\n", 0,
			"'symbol' is missing"));
	CU_ASSERT(refuses(BF16 "ranks 0\n", 0, "'groups' is missing"));
	CU_ASSERT(refuses(BF16 "groups 0 0\n", 0, "'ranks' is missing"));
	CU_ASSERT(refuses(BYTES, 0, "'codes' is missing"));
	CU_ASSERT(refuses(AREA "ranks 00-ff\n", 0, "'areas' is missing"));
	CU_ASSERT(refuses(AREA "areas 7 7\n", 0, "'ranks' is missing"));
	CU_ASSERT(refuses(MAGIC, 0, "'name' is missing"));
}

static void
keys_before_those_they_depend_on_are_refused(void)
{
	CU_ASSERT(refuses(MAGIC "groups 0 0\nkind grouped\n", 2,
			"'groups' must follow 'kind grouped'"));
	CU_ASSERT(refuses(
			MAGIC "ranks 0\nkind grouped\n", 2, "'ranks' must follow 'kind grouped'"));
	CU_ASSERT(refuses(MAGIC "codes 1 00 escape\n", 2, "'codes' must follow 'kind huffman'"));
	CU_ASSERT(refuses(MAGIC "kind grouped\nranks 0\ntype bf16\n", 3,
			"'ranks' must follow a type"));
	CU_ASSERT(refuses(MAGIC "type int8\nkind grouped\nranks 0\n", 4, "type with an exponent"));
	CU_ASSERT(refuses(BYTES "groups 0 0\n", 6, "'groups' must follow 'kind grouped'"));
	CU_ASSERT(refuses(BYTES "ranks 0\n", 6, "'ranks' must follow 'kind grouped'"));
	CU_ASSERT(refuses(BF16 "codes 1 00 escape\n", 6, "'codes' must follow 'kind huffman'"));
	CU_ASSERT(refuses(MAGIC "areas 7 7\nkind area\n", 2, "'areas' must follow 'kind area'"));
	CU_ASSERT(refuses(BYTES "areas 7 7\n", 6, "'areas' must follow 'kind area'"));
	CU_ASSERT(refuses(BYTES "ranks 00-ff\n", 6, "or 'kind area'"));
	CU_ASSERT(refuses(AREA "groups 0 0\n", 6, "'groups' must follow 'kind grouped'"));
	CU_ASSERT(refuses(AREA "codes 1 00\n", 6, "'codes' must follow 'kind huffman'"));
}

static void
repeated_keys_are_refused(void)
{
	CU_ASSERT(refuses(MAGIC MAGIC, 2, "'linepress-codebook' appears twice"));
	CU_ASSERT(refuses(GROUPED "name m\n", 8, "'name' appears twice"));
	CU_ASSERT(refuses(GROUPED "id 1\nid 1\n", 9, "'id' appears twice"));
	CU_ASSERT(refuses(GROUPED "type bf16\n", 8, "'type' appears twice"));
	CU_ASSERT(refuses(GROUPED "kind grouped\n", 8, "'kind' appears twice"));
	CU_ASSERT(refuses(GROUPED "symbol exponent\n", 8, "'symbol' appears twice"));
	CU_ASSERT(refuses(GROUPED "groups 0 0\n", 8, "'groups' appears twice"));
	CU_ASSERT(refuses(GROUPED "ranks 0\n", 8, "'ranks' appears twice"));
	CU_ASSERT(refuses(GROUPED "profile-symbols 1\nprofile-symbols 1\n", 9, "appears twice"));
	CU_ASSERT(refuses(GROUPED "profile-entropy 1\nprofile-entropy 1\n", 9, "appears twice"));
	CU_ASSERT(refuses(GROUPED "profile-code 1\nprofile-code 1\n", 9, "appears twice"));
	CU_ASSERT(accepts(GROUPED "source a\nsource a\n"));
}

static void
unknown_keys_are_refused(void)
{
	CU_ASSERT(refuses(MAGIC "colour red\n", 2, "unknown key 'colour'"));
	CU_ASSERT(refuses(GROUPED "Name m\n", 8, "unknown key 'Name'"));
	CU_ASSERT(refuses(GROUPED "sources m\n", 8, "unknown key 'sources'"));
	CU_ASSERT(refuses(GROUPED "sourc m\n", 8, "unknown key 'sourc'"));
}

static void
bytes_that_are_not_printable_are_refused_even_in_comments(void)
{
	static const char nul[] = MAGIC "name n\0\n";
	static const char first[] = "\0" GROUPED;

	CU_ASSERT(refuses(GROUPED "# caf\xc3\xa9\n", 8, "byte 0xc3"));
	CU_ASSERT(refuses(GROUPED "source \x7f\n", 8, "byte 0x7f"));
	CU_ASSERT(refuses(GROUPED "\x1b[0m\n", 8, "byte 0x1b"));
	CU_ASSERT(refuses("\xef\xbb\xbf" GROUPED, 1, "byte 0xef"));
	CU_ASSERT(refuses_memory(nul, sizeof(nul) - 1, 2, "byte 0x00"));
	CU_ASSERT(refuses_memory(first, sizeof(first) - 1, 1, "byte 0x00"));
	CU_ASSERT(refuses(GROUPED "\f\n", 8, "byte 0x0c"));
}

static void
line_of_2048_characters_is_refused_and_of_2047_is_not(void)
{
	static char text[TEXT_MAX];
	const size_t at = strlen(GROUPED);

	memset(text, 'x', sizeof(text));
	memcpy(text, GROUPED "source ", at + 7);
	text[at + 2047] = '\0';
	CU_ASSERT(accepts(text));
	text[at + 2047] = 'x';
	text[at + 2048] = '\0';
	CU_ASSERT(refuses(text, 8, "line of 2048 characters: at most 2047"));
	text[at + 2047] = '\n';
	CU_ASSERT(accepts(text));
}

static void
line_of_273_words_is_refused_and_of_272_is_not(void)
{
	CU_ASSERT(accepts(GROUPED "source" W256 " x x x x x x x x x x x x x x x\n"));
	CU_ASSERT(refuses(GROUPED "source" W256 W16 "\n", 8, "more than 272 words"));
}

static void
name_of_48_characters_or_with_a_slash_is_refused(void)
{
	CU_ASSERT(accepts(MAGIC "type bf16\nkind grouped\nsymbol exponent\ngroups 0 0\nranks 0\n"
				"name " NAME_47 "\n"));
	CU_ASSERT(refuses(MAGIC "name " NAME_47 "V\n", 2, "has 48 characters: at most 47"));
	CU_ASSERT(refuses(MAGIC "name a/b\n", 2, "only letters, digits"));
	CU_ASSERT(refuses(MAGIC "name a%sb\n", 2, "name 'a%sb'"));
	CU_ASSERT(refuses(MAGIC "name\n", 2, "'name' has 0 values: must be 1"));
	CU_ASSERT(refuses(MAGIC "name a b\n", 2, "'name' has 2 values: must be 1"));
}

static void
id_is_a_number_from_1_to_255(void)
{
	CU_ASSERT(accepts(GROUPED "id 1\n"));
	CU_ASSERT(accepts(GROUPED "id 255\n"));
	CU_ASSERT(refuses(GROUPED "id 0\n", 8, "id '0': must be a number from 1 to 255"));
	CU_ASSERT(refuses(GROUPED "id 256\n", 8, "id '256': must be"));
	CU_ASSERT(refuses(GROUPED "id x\n", 8, "id 'x': must be"));
	CU_ASSERT(refuses(GROUPED "id -1\n", 8, "id '-1': must be"));
	CU_ASSERT(refuses(GROUPED "id +1\n", 8, "id '+1': must be"));
	CU_ASSERT(refuses(GROUPED "id 1x\n", 8, "id '1x': must be"));
	CU_ASSERT(refuses(GROUPED "id f\n", 8, "id 'f': must be"));
	CU_ASSERT(refuses(GROUPED "id 18446744073709551617\n", 8, "id '18446744073709551617'"));
}

static void
unknown_type_kind_and_symbol_are_refused(void)
{
	CU_ASSERT(refuses(MAGIC "type fp64\n", 2, "type 'fp64': must be bf16, fp16, fp32"));
	CU_ASSERT(refuses(MAGIC "type BF16\n", 2, "type 'BF16': must be"));
	CU_ASSERT(refuses(MAGIC "kind quad\n", 2, "kind 'quad': must be grouped, huffman or area"));
	CU_ASSERT(refuses(MAGIC "symbol mantissa\n", 2,
			"symbol 'mantissa': must be exponent, byte or rotated"));
}

static void
symbol_that_does_not_go_with_the_kind_is_refused(void)
{
	CU_ASSERT(refuses(MAGIC
			"name n\ntype bf16\nkind grouped\nsymbol byte\ngroups 0 0\nranks 0\n",
			0, "symbol byte does not go with kind grouped"));
	CU_ASSERT(refuses(MAGIC "name n\ntype bf16\nkind grouped\nsymbol rotated\n"
				"groups 0 0\nranks 0\n",
			0, "symbol rotated does not go with"));
	CU_ASSERT(refuses(MAGIC "name n\ntype bf16\nkind huffman\nsymbol exponent\n"
				"codes 1 00 escape\n",
			0, "symbol exponent does not go with kind huffman"));
}

static void
groups_without_as_many_places_as_ranks_are_refused(void)
{
	CU_ASSERT(refuses(BF16 "groups 0 0\nranks 0 1\n", 0,
			"groups have 2 places, but there are 3 ranks with the escape"));
	CU_ASSERT(refuses(BF16 "groups 2\nranks 0 1\n", 0, "groups have 4 places"));
	CU_ASSERT(refuses(BF16 "groups 4 4 4 4 4 4 4 4\nranks 0 1\n", 0, "groups have 128 places"));
	CU_ASSERT(refuses(E4M3 "groups 4 0\nranks -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7\n", 0,
			"groups have 17 places, but there are 16 ranks: must be equal"));
	CU_ASSERT(accepts(E4M3 "groups 4\nranks -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7\n"));
}

static void
group_sizes_are_at_most_8_numbers_from_0_to_4(void)
{
	CU_ASSERT(refuses(BF16 "groups 0 0 0 0 0 0 0 0 0\n", 6, "9 groups: at most 8"));
	CU_ASSERT(refuses(BF16 "groups 5\n", 6, "suffix bits '5': must be a number from 0 to 4"));
	CU_ASSERT(refuses(BF16 "groups -1\n", 6, "suffix bits '-1': must be"));
	CU_ASSERT(refuses(BF16 "groups\n", 6, "'groups' has 0 values: must be at least 1"));
	CU_ASSERT(accepts(BF16 "groups 0 0 0 0 0 0 0 0\nranks 0 1 2 3 4 5 6\n"));
}

static void
ranks_are_at_most_16_different_deltas_in_range(void)
{
	CU_ASSERT(refuses(BF16 "ranks 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", 6,
			"17 ranks: at most 16"));
	CU_ASSERT(refuses(BF16 "ranks 0 1 +0\n", 6, "rank '+0' appears twice"));
	CU_ASSERT(refuses(BF16 "ranks zero 0 zero\n", 6, "rank 'zero' appears twice"));
	CU_ASSERT(refuses(BF16 "ranks 128\n", 6,
			"rank '128': must be 'zero' or a number from -128 to 127"));
	CU_ASSERT(refuses(BF16 "ranks -129\n", 6, "rank '-129'"));
	CU_ASSERT(refuses(E4M3 "ranks 8\n", 6, "from -8 to 7"));
	CU_ASSERT(refuses(E4M3 "ranks -9\n", 6, "from -8 to 7"));
	CU_ASSERT(refuses(BF16 "ranks one\n", 6, "rank 'one'"));
	CU_ASSERT(refuses(BF16 "ranks -\n", 6, "rank '-'"));
	CU_ASSERT(refuses(BF16 "ranks 99999999999999999999\n", 6, "rank '99999999999999999999'"));
	CU_ASSERT(accepts(BF16 "groups 0 1\nranks 127 -128\n"));
}

static void
ranks_more_than_15_apart_are_refused(void)
{
	CU_ASSERT(accepts(BF16 "groups 0 1\nranks -7 8\n"));
	CU_ASSERT(refuses(BF16 "groups 0 1\nranks -8 8\n", 0, "ranks are more than 15 apart"));
	CU_ASSERT(refuses(
			BF16 "groups 0 0 1\nranks 0 zero 16\n", 0, "ranks are more than 15 apart"));
	CU_ASSERT(accepts(BF16 "groups 0 1 0\nranks 127 -128 zero\n"));
	CU_ASSERT(accepts(BF16 "groups 0 1\nranks 120 -121\n"));
	CU_ASSERT(refuses(BF16 "groups 0 1\nranks 120 -120\n", 0, "ranks are more than 15 apart"));
}

/* 16 ranks and the escape do not fit the tables of the code: lp_grouped has 16 places. */
static void
book_of_17_places_is_refused(void)
{
	CU_ASSERT(accepts(BF16 "groups 3 3\nranks 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"));
	CU_ASSERT(refuses(
			BF16 "groups 4 0\nranks 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", 0, "16"));
	CU_ASSERT(refuses(E4M3 "groups 4 0\nranks zero -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6\n", 0,
			"16"));
}

static void
code_lengths_are_numbers_from_1_to_11(void)
{
	CU_ASSERT(refuses(
			BYTES "codes 0 00\n", 6, "code length '0': must be a number from 1 to 11"));
	CU_ASSERT(refuses(BYTES "codes 12 00\n", 6, "code length '12': must be"));
	CU_ASSERT(refuses(BYTES "codes a 00\n", 6, "code length 'a': must be"));
	CU_ASSERT(refuses(BYTES "codes 1\n", 6, "'codes' has 1 values: must be at least 2"));
	CU_ASSERT(refuses(
			BYTES "codes 1 100\n", 6, "symbol '100': must be a number from 0 to 255"));
	CU_ASSERT(refuses(BYTES "codes 1 xx\n", 6, "symbol 'xx': must be"));
	CU_ASSERT(refuses(BYTES "codes 1 -1\n", 6, "symbol '-1': must be"));
}

static void
symbol_with_two_codes_is_refused(void)
{
	CU_ASSERT(refuses(BYTES "codes 2 00 01\ncodes 2 00 escape\n", 7,
			"symbol '00' appears twice"));
	CU_ASSERT(refuses(BYTES "codes 2 0a 0A\n", 6, "symbol '0A' appears twice"));
	CU_ASSERT(refuses(BYTES "codes 1 escape\ncodes 2 escape\n", 7,
			"symbol 'escape' appears twice"));
}

static void
code_that_is_not_complete_is_refused(void)
{
	CU_ASSERT(refuses(BYTES "codes 1 00\ncodes 2 escape\n", 0, "use 1536 of 2048 parts"));
	CU_ASSERT(refuses(BYTES "codes 11 00 escape\n", 0, "use 2 of 2048 parts"));
	CU_ASSERT(refuses(BYTES "codes 1 00 01 escape\n", 0, "use 3072 of 2048 parts"));
	CU_ASSERT(refuses(BYTES "codes 1 00 01\ncodes 11 escape\n", 0, "use 2049 of 2048 parts"));
}

static void
byte_without_a_code_needs_the_escape(void)
{
	char text[TEXT_MAX];
	int n = sprintf(text, "%scodes 8", BYTES);

	CU_ASSERT(refuses(BYTES "codes 1 00 01\n", 0,
			"254 bytes have no code, and there is no escape"));
	for (int s = 0; s < 256; s++)
		n += sprintf(text + n, " %02x", s);
	CU_ASSERT(accepts(text));
	memcpy(strstr(text, " ff"), " escape", sizeof(" escape"));
	CU_ASSERT(accepts(text));
}

static void
areas_are_2_4_8_or_16_numbers_from_0_to_8(void)
{
	CU_ASSERT(accepts(AREA "areas 6 6 6 6\nranks 00-ff\n"));
	CU_ASSERT(accepts(AREA "areas 0 0 0 0 0 0 0 8\nranks 00-ff\n"));
	CU_ASSERT(accepts(AREA "areas 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4\nranks 00-ff\n"));
	CU_ASSERT(refuses(AREA "areas 8\n", 6, "1 areas: must be 2, 4, 8 or 16"));
	CU_ASSERT(refuses(AREA "areas 7 6 6\n", 6, "3 areas: must be 2, 4, 8 or 16"));
	CU_ASSERT(refuses(
			AREA "areas 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4\n", 6, "17 areas: must be"));
	CU_ASSERT(refuses(AREA "areas 0 9\n", 6, "suffix bits '9': must be a number from 0 to 8"));
	CU_ASSERT(refuses(AREA "areas 0 x\n", 6, "suffix bits 'x': must be"));
	CU_ASSERT(refuses(AREA "areas -1 8\n", 6, "suffix bits '-1': must be"));
	CU_ASSERT(refuses(AREA "areas\n", 6, "'areas' has 0 values"));
}

static void
area_ranks_are_all_symbols_once(void)
{
	CU_ASSERT(accepts(AREA "areas 7 7\nranks ff 00-fe\n"));
	CU_ASSERT(accepts(AREA "areas 7 7\nranks 80-ff 1-7f 0\n"));
	CU_ASSERT(refuses(AREA "areas 7 7\nranks 00-fe\n", 0, "'ranks' lists 255 symbols"));
	CU_ASSERT(refuses(AREA "ranks 00-ff 10\n", 6, "symbol '10' appears twice"));
	CU_ASSERT(refuses(AREA "ranks 00 00-ff\n", 6, "symbol '00' appears twice"));
	CU_ASSERT(refuses(AREA "ranks 00-100\n", 6, "last symbol '100': must be"));
	CU_ASSERT(refuses(AREA "ranks 20-1f\n", 6, "last symbol '1f': must be"));
	CU_ASSERT(refuses(AREA "ranks 100\n", 6, "symbol '100': must be"));
	CU_ASSERT(refuses(AREA "ranks zz\n", 6, "symbol 'zz': must be"));
	CU_ASSERT(refuses(AREA "ranks 00-\n", 6, "last symbol '': must be"));
	CU_ASSERT(refuses(AREA "ranks -05\n", 6, "symbol '': must be"));
	CU_ASSERT(refuses(AREA "ranks 00-10-20\n", 6, "last symbol '10-20': must be"));
	CU_ASSERT(refuses(AREA "ranks escape\n", 6, "symbol 'escape': must be"));
}

static void
areas_that_do_not_hold_256_symbols_are_refused(void)
{
	CU_ASSERT(accepts(AREA "areas 3 8\nranks 00-ff\n"));
	CU_ASSERT(refuses(AREA "areas 7 6\nranks 00-ff\n", 0,
			"all areas hold 192 symbols: must be at least 256"));
	CU_ASSERT(refuses(AREA "areas 8 8\nranks 00-ff\n", 0,
			"the first 1 of 2 areas hold all 256 symbols"));
	CU_ASSERT(refuses(AREA "areas 7 7 0 0\nranks 00-ff\n", 0,
			"the first 2 of 4 areas hold all 256 symbols"));
	CU_ASSERT(refuses(AREA "areas 7 6 7 0\nranks 00-ff\n", 0,
			"the first 3 of 4 areas hold 320 symbols: must be below 256"));
}

static void
area_book_describes_itself(void)
{
	static const char text[] = AREA "areas 2 3 5 8\nranks 80-ff 00-7f\n";
	struct lp_codebook *cb = lp_codebook_parse(text, strlen(text), NULL);
	struct lp_codebook_info info;

	CU_ASSERT_FATAL(cb != NULL);
	lp_codebook_describe(cb, &info);
	CU_ASSERT(info.kind == LP_KIND_AREA && info.symbol == LP_SYMBOL_BYTE);
	CU_ASSERT(info.codes == 256 && info.longest_code_bits == 10 && info.element_bytes == 1);
	lp_codebook_free(cb);
}

static void
profile_numbers_are_in_range(void)
{
	CU_ASSERT(accepts(GROUPED "profile-symbols 0\nprofile-entropy 0\nprofile-code 32\n"));
	CU_ASSERT(accepts(GROUPED "profile-symbols 18446744073709551615\n"));
	CU_ASSERT(refuses(GROUPED "profile-symbols 18446744073709551616\n", 8, "profile-symbols"));
	CU_ASSERT(refuses(GROUPED "profile-symbols -1\n", 8, "profile-symbols '-1'"));
	CU_ASSERT(refuses(GROUPED "profile-entropy 32.1\n", 8,
			"profile-entropy '32.1': must be a number from 0 to 32"));
	CU_ASSERT(refuses(GROUPED "profile-entropy -0.1\n", 8, "profile-entropy '-0.1'"));
	CU_ASSERT(refuses(GROUPED "profile-code nan\n", 8, "profile-code 'nan'"));
	CU_ASSERT(refuses(GROUPED "profile-code inf\n", 8, "profile-code 'inf'"));
	CU_ASSERT(refuses(GROUPED "profile-code 1,5\n", 8, "profile-code '1,5'"));
	CU_ASSERT(refuses(GROUPED "profile-code x\n", 8, "profile-code 'x'"));
}

/* Whatever is cut off or changed: refused or accepted, never read or written out of bounds. */
static void
cut_and_mangled_books_touch_nothing_outside(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const size_t len = strlen(book[k].text);
		char text[TEST_BOOK_TEXT_MAX];
		struct lp_error error;

		for (size_t cut = 0; cut < len; cut += 1 + cut / 64)
			lp_codebook_free(parse_exact(book[k].text, cut, &error));
		for (unsigned int i = 0; i < 200; i++) {
			memcpy(text, book[k].text, len);
			text[test_random_in(0, (uint32_t)len - 1)] = (char)test_random_in(' ', '~');
			text[test_random_in(0, 400)] = (char)test_random();
			lp_codebook_free(parse_exact(text, len, &error));
		}
	}
	CU_PASS("no sanitizer or guard page stopped us");
}

/* Files. */

static char scratch[64];

static void
scratch_make(void)
{
	strcpy(scratch, "/tmp/book_parse-XXXXXX");
	CU_ASSERT_FATAL(mkdtemp(scratch) != NULL);
}

static void
scratch_path(char *path, const char *file)
{
	sprintf(path, "%s/%s", scratch, file);
}

static void
scratch_write(const char *file, const char *text, size_t len)
{
	char path[256];
	FILE *f;

	scratch_path(path, file);
	f = fopen(path, "w");
	CU_ASSERT_FATAL(f != NULL);
	CU_ASSERT(fwrite(text, 1, len, f) == len);
	fclose(f);
}

static void
scratch_remove(void)
{
	DIR *dir = opendir(scratch);
	const struct dirent *entry;
	char path[320];

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", scratch, entry->d_name);
		if (unlink(path) < 0)
			rmdir(path);
	}
	if (dir != NULL)
		closedir(dir);
	CU_ASSERT(rmdir(scratch) == 0);
}

static bool
load_refuses(const char *path, unsigned int line, const char *words)
{
	struct lp_error error;
	struct lp_codebook *cb = lp_codebook_load(path, &error);

	CU_ASSERT(lp_codebook_load(path, NULL) == NULL);
	lp_codebook_free(cb);
	if (cb == NULL && error.line == line && strstr(error.text, words) != NULL)
		return true;
	printf("\n  %s: line %u: %s, instead of %s", path, error.line, error.text, words);
	return false;
}

static void
file_that_cannot_be_read_is_refused(void)
{
	char path[256];

	scratch_make();
	CU_ASSERT(load_refuses(scratch, 0, "Is a directory"));
	scratch_path(path, "missing.book");
	CU_ASSERT(load_refuses(path, 0, "No such file"));
	scratch_write("empty.book", "", 0);
	scratch_path(path, "empty.book");
	CU_ASSERT(load_refuses(path, 0, "'linepress-codebook' is missing"));
	scratch_write("bad.book", BF16 "id 0\n", strlen(BF16 "id 0\n"));
	scratch_path(path, "bad.book");
	CU_ASSERT(load_refuses(path, 6, "id '0'"));
	scratch_remove();
}

static void
file_of_a_mebibyte_is_accepted_and_a_byte_more_is_refused(void)
{
	char *text = malloc(FILE_MAX + 1), path[256];
	struct lp_error error;

	scratch_make();
	scratch_path(path, "long.book");
	const int len = snprintf(text, FILE_MAX, "%s", GROUPED);

	memset(text + len, '\n', FILE_MAX + 1 - (size_t)len);
	scratch_write("long.book", text, FILE_MAX);
	struct lp_codebook *cb = lp_codebook_load(path, &error);

	CU_ASSERT(cb != NULL);
	lp_codebook_free(cb);
	scratch_write("long.book", text, FILE_MAX + 1);
	CU_ASSERT(load_refuses(path, 0, "longer than 1048576 bytes"));
	free(text);
	scratch_remove();
}

/* Sets. */

static void
scratch_book(const char *file, const char *name, const char *id_line)
{
	char text[512];

	sprintf(text,
			MAGIC "name %s\n%stype bf16\nkind grouped\nsymbol exponent\ngroups 0 0\n"
			      "ranks 0\n",
			name, id_line);
	scratch_write(file, text, strlen(text));
}

static bool
set_refuses(const char *dir, unsigned int line, const char *words, const char *more_words)
{
	struct lp_error error;
	struct lp_bookset *set = lp_bookset_load(dir, &error);

	CU_ASSERT(lp_bookset_load(dir, NULL) == NULL);
	lp_bookset_free(set);
	if (set == NULL && error.line == line && strstr(error.text, words) != NULL &&
			strstr(error.text, more_words) != NULL)
		return true;
	printf("\n  line %u: %s, instead of %s and %s", error.line, error.text, words, more_words);
	return false;
}

static bool
set_has(const struct lp_bookset *set, unsigned int id, const char *name)
{
	struct lp_codebook_info info;

	if (set->book[id] == NULL)
		return false;
	lp_codebook_describe(set->book[id], &info);
	return strcmp(info.name, name) == 0 &&
			set->digest[id] == lp_codebook_digest64(set->book[id]);
}

static void
shipped_directory_is_a_set_with_every_book_once(void)
{
	struct lp_error error;
	struct lp_bookset *set = lp_bookset_load(LP_CODEBOOK_DIR, &error);
	bool listed[LP_BOOK_IDS] = { false };

	CU_ASSERT_FATAL(set != NULL);
	CU_ASSERT(set->count == books);
	for (unsigned int k = 0; k < books; k++)
		CU_ASSERT(set_has(set, book[k].info.id, book[k].info.name));
	for (unsigned int k = 0; k < set->count; k++) {
		CU_ASSERT(set->book[set->id[k]] != NULL && !listed[set->id[k]]);
		listed[set->id[k]] = true;
	}
	CU_ASSERT(set->book[0] == NULL && set->digest[0] == 0);
	lp_bookset_free(set);
	lp_bookset_free(NULL);
}

static void
directory_that_is_missing_or_has_no_book_is_refused(void)
{
	char path[256];

	scratch_make();
	scratch_path(path, "missing");
	CU_ASSERT(set_refuses(path, 0, path, "No such file"));
	CU_ASSERT(set_refuses(scratch, 0, scratch, "no *.book file"));
	scratch_book("book", "a", "id 1\n");
	scratch_book(".book", "b", "id 2\n");
	scratch_book("a.book~", "c", "id 3\n");
	CU_ASSERT(set_refuses(scratch, 0, scratch, "no *.book file"));
	scratch_path(path, "book");
	CU_ASSERT(set_refuses(path, 0, path, "Not a directory"));
	scratch_remove();
}

static void
two_books_with_one_id_are_refused(void)
{
	scratch_make();
	scratch_book("a.book", "a", "id 9\n");
	scratch_book("b.book", "b", "id 9\n");
	CU_ASSERT(set_refuses(scratch, 0, "b.book", "id 9 is already that of book 'a'"));
	scratch_remove();
}

static void
two_books_with_one_name_are_refused(void)
{
	scratch_make();
	scratch_book("a.book", "same", "id 9\n");
	scratch_book("b.book", "same", "id 10\n");
	CU_ASSERT(set_refuses(scratch, 0, "b.book", "a book named 'same' is already loaded"));
	scratch_book("b.book", "same", "");
	CU_ASSERT(set_refuses(scratch, 0, scratch, "a book named 'same' is already loaded"));
	scratch_remove();
}

static void
one_bad_book_refuses_the_set_with_its_file_and_line(void)
{
	char path[256];

	scratch_make();
	scratch_book("a.book", "a", "");
	scratch_write("b.book", BF16 "id 0\n", strlen(BF16 "id 0\n"));
	scratch_book("c.book", "c", "id 3\n");
	CU_ASSERT(set_refuses(scratch, 6, "b.book:6:", "id '0'"));
	scratch_path(path, "b.book");
	CU_ASSERT(unlink(path) == 0);
	CU_ASSERT(mkdir(path, 0700) == 0);
	CU_ASSERT(set_refuses(scratch, 0, "b.book", "Is a directory"));
	scratch_remove();
}

static void
unnumbered_books_get_free_ids_from_128_in_name_order(void)
{
	struct lp_error error;

	scratch_make();
	scratch_book("d.book", "d", "");
	scratch_book("b.book", "b", "");
	scratch_book("c.book", "c", "id 129\n");
	scratch_book("a.book", "a", "id 7\n");
	scratch_book("e.txt", "e", "");
	struct lp_bookset *set = lp_bookset_load(scratch, &error);

	CU_ASSERT_FATAL(set != NULL);
	CU_ASSERT(set->count == 4);
	CU_ASSERT(set_has(set, 128, "b"));
	CU_ASSERT(set_has(set, 130, "d"));
	CU_ASSERT(set_has(set, 129, "c"));
	CU_ASSERT(set_has(set, 7, "a"));
	lp_bookset_free(set);
	scratch_remove();
}

/*
 * Two boxes may hold the same books in files of other names. If the order were that of the files,
 * they would number them differently.
 */
static void
unnumbered_books_are_ordered_by_their_own_names_not_their_files(void)
{
	struct lp_error error;

	scratch_make();
	scratch_book("a.book", "z", "");
	scratch_book("b.book", "y", "");
	struct lp_bookset *set = lp_bookset_load(scratch, &error);

	CU_ASSERT_FATAL(set != NULL);
	CU_ASSERT(set_has(set, 128, "y"));
	CU_ASSERT(set_has(set, 129, "z"));
	lp_bookset_free(set);
	scratch_remove();
}

static void
scratch_many(unsigned int count)
{
	for (unsigned int k = 0; k < count; k++) {
		char file[48], name[32];

		sprintf(name, "n%03u", k);
		sprintf(file, "%s.book", name);
		scratch_book(file, name, "");
	}
}

static void
book_129_without_a_number_is_refused(void)
{
	struct lp_error error;

	scratch_make();
	scratch_many(128);
	struct lp_bookset *set = lp_bookset_load(scratch, &error);

	CU_ASSERT_FATAL(set != NULL);
	CU_ASSERT(set->count == 128 && set_has(set, 128, "n000") && set_has(set, 255, "n127"));
	lp_bookset_free(set);
	scratch_book("m.book", "m", "id 200\n");
	CU_ASSERT(set_refuses(scratch, 0, scratch, "no free id for book 'n127'"));
	scratch_book("m.book", "m", "");
	CU_ASSERT(set_refuses(scratch, 0, "n127.book", "more than 128 books without an id"));
	scratch_remove();
}

/* Identity. */

static uint64_t
digest_of(const char *text)
{
	struct lp_error error;
	struct lp_codebook *cb = parse_exact(text, strlen(text), &error);
	uint64_t digest;

	if (cb == NULL) {
		printf("\n  %s", error.text);
		CU_FAIL("book of a digest is refused");
		return test_random();
	}
	digest = lp_codebook_digest64(cb);
	lp_codebook_free(cb);
	return digest;
}

static void
digest_changes_with_everything_that_decoding_depends_on(void)
{
	static const char *const text[] = {
		BF16 "groups 0 1 0\nranks 0 1 2\n",
		BF16 "groups 0 1 0\nranks 0 2 1\n",
		BF16 "groups 0 1 0\nranks 0 1 3\n",
		BF16 "groups 0 1 0\nranks 0 1 -2\n",
		BF16 "groups 0 1 0\nranks 0 1 zero\n",
		BF16 "groups 0 1 0\nranks zero 1 2\n",
		BF16 "groups 0 0 1\nranks 0 1 2\n",
		BF16 "groups 2\nranks 0 1 2\n",
		MAGIC
		"name n\ntype fp16\nkind grouped\nsymbol exponent\ngroups 0 1 0\nranks 0 1 2\n",
		MAGIC
		"name n\ntype fp32\nkind grouped\nsymbol exponent\ngroups 0 1 0\nranks 0 1 2\n",
		BYTES "codes 1 00\ncodes 2 01 escape\n",
		BYTES "codes 1 01\ncodes 2 00 escape\n",
		BYTES "codes 1 00\ncodes 2 02 escape\n",
		BYTES "codes 1 escape\ncodes 2 00 01\n",
		MAGIC
		"name n\ntype bytes\nkind huffman\nsymbol rotated\ncodes 1 00\ncodes 2 01 escape\n",
		MAGIC
		"name n\ntype int8\nkind huffman\nsymbol byte\ncodes 1 00\ncodes 2 01 escape\n",
		AREA_2,
		AREA "areas 7 7\nranks 01 00 02-ff\n",
		AREA "areas 7 8\nranks 00-ff\n",
		AREA "areas 6 8\nranks 00-ff\n",
		MAGIC "name n\ntype bytes\nkind area\nsymbol rotated\nareas 7 7\nranks 00-ff\n",
		MAGIC "name n\ntype int8\nkind area\nsymbol byte\nareas 7 7\nranks 00-ff\n",
	};
	const unsigned int texts = sizeof(text) / sizeof(text[0]);

	for (unsigned int a = 0; a < texts; a++)
		for (unsigned int b = 0; b < a; b++)
			CU_ASSERT(digest_of(text[a]) != digest_of(text[b]));
	for (unsigned int a = 0; a < books; a++)
		for (unsigned int b = 0; b < a; b++)
			CU_ASSERT(memcmp(book[a].info.digest, book[b].info.digest, LP_DIGEST_LEN) !=
					0);
}

static void
digest_does_not_change_with_what_is_said_about_the_book(void)
{
	const uint64_t grouped = digest_of(BF16 "groups 0 1\nranks 0 1\n");
	const uint64_t huffman = digest_of(BYTES "codes 1 00\ncodes 3 01 02 03 escape\n");

	CU_ASSERT(digest_of(AREA_2) == digest_of(AREA "ranks 0 1-7f 80-fe FF\nareas 7 7\nid 3\n"));
	CU_ASSERT(grouped == digest_of(BF16 "groups 0 1\nranks 0 1\nid 5\n"));
	CU_ASSERT(grouped ==
			digest_of("# hello\n" BF16 "groups 00 1 # x\nranks -0 +1\nsource y z\n"
				  "profile-symbols 5\nprofile-entropy 1\nprofile-code 2\n"));
	CU_ASSERT(grouped ==
			digest_of(MAGIC "symbol exponent\nkind grouped\ntype bf16\nname other\n"
					"ranks 0 1\ngroups 0 1\n"));
	CU_ASSERT(huffman ==
			digest_of(BYTES "codes 3 escape 03\ncodes 3 01\ncodes 1 0\ncodes 3 02\n"));
	CU_ASSERT(huffman ==
			digest_of(MAGIC "kind huffman\ncodes 3 3 2 1 escape\ncodes 1 0\n"
					"type bytes\nname m\nsymbol byte\nid 200\n"));
}

static uint64_t
digest_of_ranks_down(void)
{
	char text[TEXT_MAX], *out = text + sprintf(text, AREA "areas 3 8\nranks");

	for (unsigned int rank = 0; rank < 256; rank++)
		out += sprintf(out, " %02x", 255 - rank);
	memcpy(out, "\n", sizeof("\n"));
	return digest_of(text);
}

/* Golden: a digest is on the wire, so a release must not change it by accident. */
static void
digest_is_the_sha256_of_the_documented_serialisation(void)
{
	/* printf 'linepress-codebook 1\ntype bf16\nkind grouped\nsymbol exponent\n'
	 *        'groups 0 1\nranks 0 255' | sha256sum
	 */
	CU_ASSERT(digest_of(BF16 "groups 0 1\nranks 0 -1\n") == UINT64_C(0xf6b40a46687eaca4));
	/* The same with 'kind huffman', 'symbol byte' and 'lengths ' of all 257 symbols. */
	CU_ASSERT(digest_of(BYTES "codes 1 00\ncodes 2 01 escape\n") ==
			UINT64_C(0xc4b713fb68684ac8));
	/* With 'kind area', 'areas 3 8' and 'ranks ' of all symbols, from 255 down. */
	CU_ASSERT(digest_of_ranks_down() == UINT64_C(0x8515f20bd74edb28));
}

static CU_TestInfo tests[] = {
	TEST(shipped_books_load_and_describe_themselves),
	TEST(description_has_what_the_text_says),
	TEST(names_of_types_kinds_and_symbols_go_both_ways),
	TEST(smallest_books_are_accepted),
	TEST(layout_is_free),
	TEST(last_line_needs_no_newline),
	TEST(crlf_lines_are_accepted),
	TEST(text_that_is_no_codebook_is_refused),
	TEST(version_other_than_1_is_refused),
	TEST(each_missing_key_is_named),
	TEST(keys_before_those_they_depend_on_are_refused),
	TEST(repeated_keys_are_refused),
	TEST(unknown_keys_are_refused),
	TEST(bytes_that_are_not_printable_are_refused_even_in_comments),
	TEST(line_of_2048_characters_is_refused_and_of_2047_is_not),
	TEST(line_of_273_words_is_refused_and_of_272_is_not),
	TEST(name_of_48_characters_or_with_a_slash_is_refused),
	TEST(id_is_a_number_from_1_to_255),
	TEST(unknown_type_kind_and_symbol_are_refused),
	TEST(symbol_that_does_not_go_with_the_kind_is_refused),
	TEST(groups_without_as_many_places_as_ranks_are_refused),
	TEST(group_sizes_are_at_most_8_numbers_from_0_to_4),
	TEST(ranks_are_at_most_16_different_deltas_in_range),
	TEST(ranks_more_than_15_apart_are_refused),
	TEST(code_lengths_are_numbers_from_1_to_11),
	TEST(symbol_with_two_codes_is_refused),
	TEST(code_that_is_not_complete_is_refused),
	TEST(byte_without_a_code_needs_the_escape),
	TEST(areas_are_2_4_8_or_16_numbers_from_0_to_8),
	TEST(area_ranks_are_all_symbols_once),
	TEST(areas_that_do_not_hold_256_symbols_are_refused),
	TEST(area_book_describes_itself),
	TEST(profile_numbers_are_in_range),
	TEST(cut_and_mangled_books_touch_nothing_outside),
	TEST(file_that_cannot_be_read_is_refused),
	TEST(file_of_a_mebibyte_is_accepted_and_a_byte_more_is_refused),
	TEST(shipped_directory_is_a_set_with_every_book_once),
	TEST(directory_that_is_missing_or_has_no_book_is_refused),
	TEST(two_books_with_one_id_are_refused),
	TEST(two_books_with_one_name_are_refused),
	TEST(one_bad_book_refuses_the_set_with_its_file_and_line),
	TEST(unnumbered_books_get_free_ids_from_128_in_name_order),
	TEST(unnumbered_books_are_ordered_by_their_own_names_not_their_files),
	TEST(book_129_without_a_number_is_refused),
	TEST(digest_changes_with_everything_that_decoding_depends_on),
	TEST(digest_does_not_change_with_what_is_said_about_the_book),
	TEST(digest_is_the_sha256_of_the_documented_serialisation),
	TEST(book_of_17_places_is_refused),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	books = test_books_load(LP_KIND_COUNT, book);
	const int status = test_run("book_parse", tests);

	test_books_free(book, books);
	return status;
}
