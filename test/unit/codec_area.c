/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Area codes: round trips, limits, hostile bodies, and the format, which a decoder written here,
 * symbol by symbol, pins.
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "codec_help.h"
#include "random_book.h"

#define AREAS_MAX 16
#define BLOCK 64
#define RANDOM_BOOKS 80
#define BODY_MAX (3 * LP_REGION_MAX)

static struct test_book book[TEST_BOOKS_MAX];
static unsigned int books;
static uint8_t src[LP_REGION_MAX], body[BODY_MAX], region[LP_REGION_MAX];

/* The code from the text of a book. */

struct ref_code {
	bool rotated;
	unsigned int prefix_bits;
	unsigned int suffix_bits[AREAS_MAX];
	unsigned int first[AREAS_MAX]; /* rank */
	uint8_t symbol[256];	       /* by rank */
};

static char *
ref_values(const char *text, const char *key, char *line, size_t room)
{
	const char *values = strstr(text, key) + strlen(key);

	snprintf(line, room, "%.*s", (int)strcspn(values, "\n"), values);
	return line;
}

static struct ref_code
ref_parse(const char *text)
{
	struct ref_code c = { .rotated = strstr(text, "\nsymbol rotated\n") != NULL };
	char line[2048], *save = NULL;
	unsigned int areas = 0, rank = 0;

	for (char *w = strtok_r(ref_values(text, "\nareas ", line, sizeof(line)), " ", &save);
			w != NULL; w = strtok_r(NULL, " ", &save)) {
		c.first[areas] = rank;
		c.suffix_bits[areas] = (unsigned int)atoi(w);
		rank += 1u << c.suffix_bits[areas++];
	}
	while (1u << c.prefix_bits < areas)
		c.prefix_bits++;
	rank = 0;
	for (char *w = strtok_r(ref_values(text, "\nranks ", line, sizeof(line)), " ", &save);
			w != NULL; w = strtok_r(NULL, " ", &save)) {
		const unsigned long first = strtoul(w, NULL, 16);
		const char *dash = strchr(w, '-');
		const unsigned long last = dash != NULL ? strtoul(dash + 1, NULL, 16) : first;

		for (unsigned long s = first; s <= last && rank < 256; s++)
			c.symbol[rank++] = (uint8_t)s;
	}
	return c;
}

/* Byte of a symbol. */
static uint8_t
ref_byte(const struct ref_code *c, uint8_t symbol, unsigned int base)
{
	const uint8_t v = (uint8_t)(symbol + base);

	return c->rotated ? (uint8_t)(v / 2 + v % 2 * 128) : symbol;
}

static unsigned int
ref_area_of(const struct ref_code *c, unsigned int rank)
{
	unsigned int area = (1u << c->prefix_bits) - 1;

	while (c->first[area] > rank)
		area--;
	return area;
}

static unsigned int
ref_bits(const uint8_t *bytes, size_t from, unsigned int count)
{
	unsigned int value = 0;

	for (unsigned int k = 0; k < count; k++)
		value |= (bytes[(from + k) / 8] >> (from + k) % 8 & 1u) << k;
	return value;
}

static size_t
ref_plane_bytes(unsigned int w, size_t n)
{
	return (n * w + 7) / 8;
}

static size_t
ref_block_bytes(const struct ref_code *c, size_t n)
{
	return c->prefix_bits == 3 ? ref_plane_bytes(2, n) + ref_plane_bytes(1, n)
				   : ref_plane_bytes(c->prefix_bits, n);
}

/* The w bits of the symbol at `i` of n in a plane. */
static unsigned int
ref_plane_value(const uint8_t *plane, unsigned int w, size_t n, size_t i)
{
	const size_t q = ref_plane_bytes(w, n);

	assert(q > 0);
	return plane[i % q] >> i / q * w & ((1u << w) - 1);
}

static unsigned int
ref_area(const struct ref_code *c, const uint8_t *block, size_t n, size_t i)
{
	if (c->prefix_bits != 3)
		return ref_plane_value(block, c->prefix_bits, n, i);
	return ref_plane_value(block, 2, n, i) |
			ref_plane_value(block + ref_plane_bytes(2, n), 1, n, i) << 2;
}

/* It trusts its input: the bodies come from lp_encode(). Returns the bytes that were used. */
static size_t
ref_decode(const struct ref_code *c, const uint8_t *in, uint8_t *dst, size_t len)
{
	const unsigned int base = c->rotated ? in[0] : 0;
	const uint8_t *block = in + c->rotated;
	const uint8_t *suffixes = block + len / BLOCK * ref_block_bytes(c, BLOCK) +
			ref_block_bytes(c, len % BLOCK);
	size_t pos = 0;

	for (size_t i = 0; i < len; i++) {
		const size_t n = len - i / BLOCK * BLOCK < BLOCK ? len % BLOCK : BLOCK;
		const unsigned int area = ref_area(c, block, n, i % BLOCK);
		const unsigned int suffix = ref_bits(suffixes, pos, c->suffix_bits[area]);

		pos += c->suffix_bits[area];
		dst[i] = ref_byte(c, c->symbol[(c->first[area] + suffix) % 256], base);
		if (i % BLOCK == BLOCK - 1)
			block += ref_block_bytes(c, BLOCK);
	}
	return (size_t)(suffixes - in) + (pos + 7) / 8;
}

static bool
reference_agrees(const struct lp_codebook *cb, const struct ref_code *c,
		const struct lp_params *params, size_t len)
{
	const int n = lp_encode(cb, params, src, len, body, sizeof(body));

	if (n > 0 && ref_decode(c, body, region, len) == (size_t)n &&
			regions_equal(region, src, len))
		return true;
	printf("\n  region of %zu bytes, base %u, body of %d", len, params->base, n);
	return false;
}

/* Tests. */

static bool
survives(const struct test_book *b, enum data_class data, size_t len)
{
	const struct lp_params params = { 0, test_random_base(&b->info) };

	/* A book over all bytes of a wider type has no phase, but its data does. */
	data_region(b->info.type, data, len % lp_type_bytes(b->info.type), src, len);
	return region_survives(b->cb, &params, src, len);
}

static void
shipped_books_restore_every_length_to_300(void)
{
	CU_ASSERT(books >= 10);
	for (unsigned int k = 0; k < books; k++)
		for (int data = 0; data < DATA_COUNT; data++)
			for (size_t len = 1; len <= 300; len++)
				CU_ASSERT(survives(&book[k], data, len));
}

static void
shipped_books_restore_lengths_of_frames_and_the_longest(void)
{
	static const size_t length[] = { 511, 512, 513, 1408, 1448, 4096, 8948, 9000, 65535 };

	for (unsigned int k = 0; k < books; k++)
		for (int data = 0; data < DATA_COUNT; data++)
			for (unsigned int i = 0; i < sizeof(length) / sizeof(length[0]); i++)
				CU_ASSERT(survives(&book[k], data, length[i]));
}

static void
every_byte_is_restored_with_every_base(void)
{
	for (unsigned int i = 0; i < 256; i++)
		src[i] = (uint8_t)i;
	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int base = 0; base < 256; base++) {
			const struct lp_params params = { 0, (uint8_t)base };

			CU_ASSERT(region_survives(book[k].cb, &params, src, 256));
		}
	}
}

static void
exact_memory_is_enough_and_a_byte_less_is_refused(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int i = 0; i < 300; i++) {
			const size_t len = i < 150 ? i + 1 : test_random_in(1, 9000);
			const struct lp_params params = { 0, test_random_base(&book[k].info) };

			data_region(book[k].info.type, i % DATA_COUNT, 0, src, len);
			CU_ASSERT(region_survives_in_exact_memory(book[k].cb, &params, src, len));
		}
	}
}

static void
any_limit_gives_the_whole_body_or_nothing(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct lp_params params = { 0, test_random_base(&book[k].info) };

		data_region(book[k].info.type, DATA_ZEROS_50, 0, src, 700);
		const int whole = lp_encode(book[k].cb, &params, src, 700, body, sizeof(body));

		CU_ASSERT((size_t)whole <= lp_encode_bound(book[k].cb, 700));
		for (int cap = 0; cap < whole + 20; cap++) {
			uint8_t *exact = malloc((size_t)cap + 1);

			exact[cap] = 0x5a;
			CU_ASSERT(lp_encode(book[k].cb, &params, src, 700, exact, (size_t)cap) ==
					(cap < whole ? 0 : whole));
			CU_ASSERT(exact[cap] == 0x5a);
			free(exact);
		}
	}
}

static void
every_flipped_bit_fails_or_gives_a_region_of_the_same_length(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (int data = 0; data < DATA_COUNT; data += 3) {
			const struct lp_params params = { 0, test_random_base(&book[k].info) };

			data_region(book[k].info.type, data, 0, src, 200);
			const int n = lp_encode(book[k].cb, &params, src, 200, body, sizeof(body));

			CU_ASSERT_FATAL(n > 50);
			CU_ASSERT(flipped_bits_stay_inside(book[k].cb, 0, body, (size_t)n, 200));
		}
	}
}

static void
random_bytes_as_body_touch_nothing_outside(void)
{
	for (unsigned int k = 0; k < books; k++)
		CU_ASSERT(random_bodies_stay_inside(book[k].cb, 2000));
}

/* Areas that claim more suffixes than there are, at each length of the stream. */
static void
suffixes_that_end_early_are_refused(void)
{
	static const size_t length[] = { 1, 63, 64, 65, 600, 4096 };

	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int i = 0; i < sizeof(length) / sizeof(length[0]); i++) {
			const struct lp_params params = { 0, 0 };
			const size_t len = length[i];

			data_region(book[k].info.type, DATA_NOISE, 0, src, len);
			const int n = lp_encode(book[k].cb, &params, src, len, body, sizeof(body));
			const size_t step = 1 + (size_t)n / 300;

			for (size_t cut = 0; cut < (size_t)n; cut += step) {
				uint8_t *exact = malloc(cut + (cut == 0));

				memcpy(exact, body, cut);
				CU_ASSERT(lp_decode(book[k].cb, 0, exact, cut, region, len) ==
						-EBADMSG);
				free(exact);
			}
		}
	}
}

static void
any_phase_but_zero_is_refused(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int phase = 1; phase < 256; phase++) {
			const struct lp_params params = { (uint8_t)phase, 0 };

			CU_ASSERT(lp_encode(book[k].cb, &params, src, 100, body, sizeof(body)) ==
					-EINVAL);
			CU_ASSERT(lp_decode(book[k].cb, (uint8_t)phase, body, 100, region, 100) ==
					-EINVAL);
		}
	}
}

static void
lengths_zero_and_65536_are_refused(void)
{
	static const size_t length[] = { 0, LP_REGION_MAX + 1, SIZE_MAX };
	const struct lp_params params = { 0, 0 };

	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int i = 0; i < 3; i++) {
			CU_ASSERT(lp_encode(book[k].cb, &params, src, length[i], body,
						  sizeof(body)) == -EINVAL);
			CU_ASSERT(lp_decode(book[k].cb, 0, body, 10, region, length[i]) == -EINVAL);
		}
		CU_ASSERT(lp_decode(book[k].cb, 0, body, 0, region, 1) == -EBADMSG);
	}
}

/* Of all bits of bodies of a symbol or three, those that stand for nothing. */
static void
padding_bit_that_is_set_is_refused(void)
{
	unsigned int padded = 0;

	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text);
		const struct lp_params params = { 0, 0 };

		for (unsigned int round = 0; round < 256; round++) {
			const size_t len = 1 + round % 3;

			data_region(LP_TYPE_BYTES, DATA_NOISE, 0, src, len);
			const int n = lp_encode(book[k].cb, &params, src, len, body, sizeof(body));
			const size_t prefix_end = 8 * (c.rotated + ref_block_bytes(&c, len));
			size_t used = 0;

			for (size_t i = 0; i < len; i++)
				used += c.suffix_bits[ref_area(&c, body + c.rotated, len, i)];
			for (size_t bit = prefix_end + used; bit < 8 * (size_t)n; bit++, padded++) {
				body[bit / 8] ^= (uint8_t)(1u << bit % 8);
				CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, len) ==
						-EBADMSG);
				body[bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
			if (c.prefix_bits != 4 || len % 2 == 0)
				continue;
			/* The last nibble of the prefixes of an odd number of symbols. */
			body[prefix_end / 8 - 1] ^= 0x10;
			CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, len) ==
					-EBADMSG);
			padded++;
		}
	}
	CU_ASSERT(padded > 1000);
}

/* The last area of the Dual Length Code holds 248 symbols in 8 bits. */
static void
suffix_beyond_the_last_symbol_is_refused(void)
{
	static const char text[] = "linepress-codebook 1\nname dual\ntype bytes\nkind area\n"
				   "symbol byte\nareas 3 8\nranks 00-ff\n";
	const struct lp_params params = { 0, 0 };

	for (size_t len = 1; len < 700; len += 9) {
		struct lp_codebook *cb = lp_codebook_parse(text, strlen(text), NULL);
		const size_t at = test_random_in(0, (uint32_t)len - 1);

		CU_ASSERT_FATAL(cb != NULL);
		test_use_kernel(cb);
		memset(src, 0xff, len);
		const int n = lp_encode(cb, &params, src, len, body, sizeof(body));
		uint8_t *suffix = body + (size_t)n - len;

		for (unsigned int value = 0; value < 256; value++) {
			suffix[at] = (uint8_t)value;
			CU_ASSERT(lp_decode(cb, 0, body, (size_t)n, region, len) ==
					(value < 248 ? 0 : -EBADMSG));
			CU_ASSERT(value >= 248 || region[at] == value + 8);
		}
		lp_codebook_free(cb);
	}
}

static void
format_is_that_of_the_reference_decoder(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text);

		CU_ASSERT(c.rotated == (book[k].info.symbol == LP_SYMBOL_ROTATED));
		for (unsigned int i = 0; i < 3 * DATA_COUNT; i++) {
			const struct lp_params params = { 0, test_random_base(&book[k].info) };
			const size_t len = test_random_in(1, 600);

			data_region(book[k].info.type, i % DATA_COUNT, 0, src, len);
			CU_ASSERT(reference_agrees(book[k].cb, &c, &params, len));
		}
	}
}

/* Each symbol takes as many bits as the text of the book says. */
static void
body_of_a_symbol_has_the_bits_of_its_area(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text);
		const struct lp_params params = { 0, 0 };

		for (unsigned int rank = 0; rank < 256; rank++) {
			const uint8_t byte = ref_byte(&c, c.symbol[rank], 0);
			const unsigned int bits = c.suffix_bits[ref_area_of(&c, rank)];

			memset(src, byte, 64);
			CU_ASSERT((unsigned int)lp_encode(book[k].cb, &params, src, 64, body,
						  sizeof(body)) ==
					c.rotated + 8 * (c.prefix_bits + bits));
		}
	}
}

static void
random_codes_restore_everything(void)
{
	char text[TEST_BOOK_TEXT_MAX];

	for (unsigned int k = 0; k < RANDOM_BOOKS; k++) {
		const struct lp_params params = { 0, (uint8_t)test_random() };
		struct lp_codebook *cb = random_area_book(text, 1 + k % 4);
		const struct ref_code c = ref_parse(text);

		CU_ASSERT_FATAL(cb != NULL);
		for (unsigned int i = 0; i < DATA_COUNT; i++) {
			const size_t len = test_random_in(1, 900);

			data_region(LP_TYPE_BYTES, i, 0, src, len);
			CU_ASSERT(region_survives(cb, &params, src, len));
			CU_ASSERT(reference_agrees(cb, &c, &params, len));
		}
		CU_ASSERT(random_bodies_stay_inside(cb, 50));
		lp_codebook_free(cb);
	}
}

static CU_TestInfo tests[] = {
	TEST(shipped_books_restore_every_length_to_300),
	TEST(shipped_books_restore_lengths_of_frames_and_the_longest),
	TEST(every_byte_is_restored_with_every_base),
	TEST(exact_memory_is_enough_and_a_byte_less_is_refused),
	TEST(any_limit_gives_the_whole_body_or_nothing),
	TEST(every_flipped_bit_fails_or_gives_a_region_of_the_same_length),
	TEST(random_bytes_as_body_touch_nothing_outside),
	TEST(suffixes_that_end_early_are_refused),
	TEST(any_phase_but_zero_is_refused),
	TEST(lengths_zero_and_65536_are_refused),
	TEST(padding_bit_that_is_set_is_refused),
	TEST(suffix_beyond_the_last_symbol_is_refused),
	TEST(format_is_that_of_the_reference_decoder),
	TEST(body_of_a_symbol_has_the_bits_of_its_area),
	TEST(random_codes_restore_everything),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	books = test_books_load(LP_KIND_AREA, book);
	const int status = test_run("codec_area", tests);

	test_books_free(book, books);
	return status;
}
