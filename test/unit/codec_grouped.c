/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Grouped codes: round trips, limits, hostile bodies, and the format itself, which is pinned by a
 * decoder written here from the words in lib/codec/grouped.h: one bit after the other.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "codec_help.h"
#include "random_book.h"

#define RANDOM_BOOKS 60
#define REF_CHUNK 16384
#define REF_GROUPS_MAX 8
#define REF_RANKS_MAX 16
#define BODY_MAX (3 * LP_REGION_MAX)

static struct test_book book[TEST_BOOKS_MAX];
static unsigned int books;
static uint8_t src[LP_REGION_MAX], body[BODY_MAX], region[LP_REGION_MAX];

/* The format, read from the book's text. */

struct ref_code {
	unsigned int bytes, exponents, raw_bits;
	unsigned int groups, suffix_bits[REF_GROUPS_MAX];
	unsigned int ranks, escape; /* the escape has the rank after the last, or none has it */
	int delta[REF_RANKS_MAX];
	bool is_zero[REF_RANKS_MAX];
};

/* Copy the values of a key into `line`. */
static void
ref_values(const char *text, const char *key, char *line, size_t room)
{
	const char *values = strstr(text, key) + strlen(key);

	snprintf(line, room, "%.*s", (int)strcspn(values, "\n"), values);
}

static void
ref_parse_ranks(struct ref_code *c, const char *text)
{
	unsigned int deltas = 0;
	char line[512], *save = NULL;

	ref_values(text, "\nranks ", line, sizeof(line));
	for (char *w = strtok_r(line, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		c->is_zero[c->ranks] = strcmp(w, "zero") == 0;
		c->delta[c->ranks] = atoi(w);
		deltas += !c->is_zero[c->ranks++];
	}
	c->escape = deltas < c->exponents ? c->ranks : REF_RANKS_MAX + 1;
}

static struct ref_code
ref_parse(const char *text, enum lp_type type)
{
	static const unsigned int raw_bits[] = { 8, 11, 24, 4, 3 };
	struct ref_code c = { .bytes = (unsigned int)lp_type_bytes(type),
		.exponents = test_exponents(type),
		.raw_bits = raw_bits[type] };
	char line[512], *save = NULL;

	ref_values(text, "\ngroups ", line, sizeof(line));
	for (char *w = strtok_r(line, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		c.suffix_bits[c.groups++] = (unsigned int)atoi(w);
	ref_parse_ranks(&c, text);
	return c;
}

/* The decoder. It trusts its input: the bodies come from lp_encode(). */

struct ref_reader {
	const uint8_t *src;
	size_t bit;
};

static unsigned int
ref_bit(struct ref_reader *r)
{
	const unsigned int bit = r->src[r->bit / 8] >> r->bit % 8 & 1;

	r->bit++;
	return bit;
}

static void
ref_align(struct ref_reader *r)
{
	r->bit = (r->bit + 7) / 8 * 8;
}

static unsigned int
ref_byte(struct ref_reader *r)
{
	const unsigned int byte = r->src[r->bit / 8];

	r->bit += 8;
	return byte;
}

static void
ref_read_raw(const struct ref_code *c, struct ref_reader *r, size_t n, uint32_t *raw)
{
	const unsigned int whole = c->raw_bits / 8;

	memset(raw, 0, n * sizeof(*raw));
	for (size_t i = 0; i < n; i++)
		for (unsigned int k = 0; k < whole; k++)
			raw[i] |= ref_byte(r) << 8 * k;
	for (size_t i = 0; i < n; i++)
		for (unsigned int b = 8 * whole; b < c->raw_bits; b++)
			raw[i] |= ref_bit(r) << b;
	ref_align(r);
}

static unsigned int
ref_suffix_bits_extreme(const struct ref_code *c, bool greatest)
{
	unsigned int bits = c->suffix_bits[0];

	for (unsigned int g = 1; g < c->groups; g++)
		if (greatest ? c->suffix_bits[g] > bits : c->suffix_bits[g] < bits)
			bits = c->suffix_bits[g];
	return bits;
}

static void
ref_read_codes(const struct ref_code *c, struct ref_reader *r, size_t n, uint8_t *group,
		uint8_t *suffix)
{
	const unsigned int dense = ref_suffix_bits_extreme(c, false);
	const unsigned int all = ref_suffix_bits_extreme(c, true);

	memset(group, 0, n);
	memset(suffix, 0, n);
	for (size_t i = 0; c->groups > 1 && i < n; i++)
		group[i] = (uint8_t)ref_bit(r);
	ref_align(r);
	for (unsigned int b = 0; b < dense; b++, ref_align(r))
		for (size_t i = 0; i < n; i++)
			suffix[i] |= (uint8_t)(ref_bit(r) << b);
	for (unsigned int level = 1; level + 1 < c->groups; level++)
		for (size_t i = 0; i < n; i++)
			if (group[i] == level)
				group[i] = (uint8_t)(level + ref_bit(r));
	for (unsigned int b = dense; b < all; b++)
		for (size_t i = 0; i < n; i++)
			if (c->suffix_bits[group[i]] > b)
				suffix[i] |= (uint8_t)(ref_bit(r) << b);
	ref_align(r);
}

static unsigned int
ref_rank(const struct ref_code *c, unsigned int group, unsigned int suffix)
{
	unsigned int first = 0;

	for (unsigned int g = 0; g < group; g++)
		first += 1u << c->suffix_bits[g];
	return first + suffix;
}

/* Exponent, mantissa and sign back in their places. */
static void
ref_put_element(const struct ref_code *c, unsigned int exponent, uint32_t raw, uint8_t *dst)
{
	const uint32_t sign = raw & 1, mantissa = raw >> 1;
	const uint32_t element = sign << (8 * c->bytes - 1) | exponent << (c->raw_bits - 1) |
			mantissa;

	for (unsigned int k = 0; k < c->bytes; k++)
		dst[k] = (uint8_t)(element >> 8 * k);
}

static void
ref_decode_chunk(const struct ref_code *c, struct ref_reader *r, unsigned int base, size_t n,
		uint8_t *dst)
{
	static uint32_t raw[REF_CHUNK];
	static uint8_t group[REF_CHUNK], suffix[REF_CHUNK];

	ref_read_raw(c, r, n, raw);
	ref_read_codes(c, r, n, group, suffix);
	for (size_t i = 0; i < n; i++) {
		const unsigned int rank = ref_rank(c, group[i], suffix[i]);
		unsigned int exponent;

		if (rank == c->escape)
			exponent = ref_byte(r);
		else if (c->is_zero[rank])
			exponent = 0;
		else
			exponent = (unsigned int)((int)base + c->delta[rank] + 256) % c->exponents;
		ref_put_element(c, exponent, raw[i], dst + i * c->bytes);
	}
}

/* Returns the bytes of the body that were used. */
static size_t
ref_decode(const struct ref_code *c, unsigned int phase, const uint8_t *in, uint8_t *dst,
		size_t len)
{
	const size_t to_first = (c->bytes - phase) % c->bytes;
	const size_t lead = to_first < len ? to_first : len;
	const size_t count = (len - lead) / c->bytes, tail = (len - lead) % c->bytes;
	struct ref_reader r = { .src = in };
	const unsigned int base = ref_byte(&r);

	for (size_t i = 0; i < lead; i++)
		dst[i] = (uint8_t)ref_byte(&r);
	for (size_t i = len - tail; i < len; i++)
		dst[i] = (uint8_t)ref_byte(&r);
	for (size_t first = 0; first < count; first += REF_CHUNK)
		ref_decode_chunk(c, &r, base, count - first < REF_CHUNK ? count - first : REF_CHUNK,
				dst + lead + first * c->bytes);
	return r.bit / 8;
}

static bool
reference_agrees(const struct lp_codebook *cb, const struct ref_code *c,
		const struct lp_params *params, size_t len)
{
	const int n = lp_encode(cb, params, src, len, body, sizeof(body));

	if (n > 0 && ref_decode(c, params->phase, body, region, len) == (size_t)n &&
			regions_equal(region, src, len))
		return true;
	printf("\n  region of %zu bytes, phase %u, base %u, body of %d", len, params->phase,
			params->base, n);
	return false;
}

/* Books of shapes that are not shipped. */

/* Tests. */

static bool
survives_in_every_phase(const struct test_book *b, enum data_class data, size_t len)
{
	bool ok = true;

	for (unsigned int phase = 0; phase < b->info.element_bytes; phase++) {
		const struct lp_params params = { (uint8_t)phase, test_random_base(&b->info) };

		data_region(b->info.type, data, phase, src, len);
		ok = region_survives(b->cb, &params, src, len) && ok;
	}
	return ok;
}

static void
shipped_books_restore_every_length_to_300_in_every_phase(void)
{
	CU_ASSERT(books >= 5);
	for (unsigned int k = 0; k < books; k++)
		for (int data = 0; data < DATA_COUNT; data++)
			for (size_t len = 1; len <= 300; len++)
				CU_ASSERT(survives_in_every_phase(&book[k], data, len));
}

static void
shipped_books_restore_lengths_of_frames_and_the_longest(void)
{
	static const size_t length[] = { 1408, 1448, 4096, 8948, 9000, 65535 };

	for (unsigned int k = 0; k < books; k++)
		for (int data = 0; data < DATA_COUNT; data++)
			for (unsigned int i = 0; i < sizeof(length) / sizeof(length[0]); i++)
				CU_ASSERT(survives_in_every_phase(&book[k], data, length[i]));
}

static void
lengths_around_a_chunk_of_16384_elements_are_restored(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const size_t bytes = book[k].info.element_bytes;

		for (size_t n = REF_CHUNK - 2; bytes < 4 && n <= REF_CHUNK + 2; n++)
			CU_ASSERT(survives_in_every_phase(&book[k], DATA_SCALES, n * bytes));
	}
}

static void
data_of_another_type_is_restored(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (int type = 0; type < LP_TYPE_COUNT; type++) {
			const size_t len = test_random_in(1, 3000);
			const struct lp_params params = { 0, test_random_base(&book[k].info) };

			data_region(type, DATA_GAUSS, 0, src, len);
			CU_ASSERT(region_survives(book[k].cb, &params, src, len));
		}
	}
}

static void
every_base_is_restored(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int base = 0; base < test_exponents(book[k].info.type); base++) {
			const struct lp_params params = { 0, (uint8_t)base };

			data_region(book[k].info.type, DATA_NAN_INF, 0, src, 500);
			CU_ASSERT(region_survives(book[k].cb, &params, src, 500));
		}
	}
}

static void
exact_memory_is_enough_and_a_byte_less_is_refused(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int i = 0; i < 300; i++) {
			const size_t len = i < 150 ? i + 1 : test_random_in(1, 9000);
			const unsigned int phase = test_random_in(
					0, book[k].info.element_bytes - 1u);
			const struct lp_params params = { (uint8_t)phase,
				test_random_base(&book[k].info) };

			data_region(book[k].info.type, i % DATA_COUNT, phase, src, len);
			CU_ASSERT(region_survives_in_exact_memory(book[k].cb, &params, src, len));
		}
	}
}

static void
any_limit_gives_the_whole_body_or_nothing(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct lp_params params = { 0, test_random_base(&book[k].info) };

		data_region(book[k].info.type, DATA_ZEROS_50, 0, src, 200);
		const int whole = lp_encode(book[k].cb, &params, src, 200, body, sizeof(body));

		for (int cap = 0; cap < whole + 20; cap++) {
			uint8_t *exact = malloc((size_t)cap + 1);

			exact[cap] = 0x5a;
			CU_ASSERT(lp_encode(book[k].cb, &params, src, 200, exact, (size_t)cap) ==
					(cap < whole ? 0 : whole));
			CU_ASSERT(exact[cap] == 0x5a);
			free(exact);
		}
	}
}

/* Every element escaped, in the longest group: the worst a region can be. */
static void
bound_holds_when_every_element_is_escaped(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (size_t len = 1; len <= 600; len++) {
			const struct lp_params params = { 0, 0 };

			/* Exponents half the range away from the base. */
			for (size_t i = 0; i < len; i++)
				src[i] = 0x40;
			CU_ASSERT(region_survives(book[k].cb, &params, src, len));
		}
	}
}

static void
every_flipped_bit_fails_or_gives_a_region_of_the_same_length(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (int data = 0; data < DATA_COUNT; data += 3) {
			const unsigned int phase = book[k].info.element_bytes - 1u;
			const struct lp_params params = { (uint8_t)phase,
				(uint8_t)(test_exponents(book[k].info.type) / 2) };

			data_region(book[k].info.type, data, phase, src, 270);
			const int n = lp_encode(book[k].cb, &params, src, 270, body, sizeof(body));

			CU_ASSERT_FATAL(n > 100);
			CU_ASSERT(flipped_bits_stay_inside(
					book[k].cb, phase, body, (size_t)n, 270));
		}
	}
}

static void
random_bytes_as_body_touch_nothing_outside(void)
{
	for (unsigned int k = 0; k < books; k++)
		CU_ASSERT(random_bodies_stay_inside(book[k].cb, 4000));
}

static void
base_beyond_the_exponents_is_refused(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const unsigned int exponents = test_exponents(book[k].info.type);

		data_region(book[k].info.type, DATA_GAUSS, 0, src, 100);
		for (unsigned int base = exponents; base < 256; base++) {
			struct lp_params params = { 0, (uint8_t)base };

			CU_ASSERT(lp_encode(book[k].cb, &params, src, 100, body, sizeof(body)) ==
					-EINVAL);
			params.base = 1;
			const int n = lp_encode(book[k].cb, &params, src, 100, body, sizeof(body));

			body[0] = (uint8_t)base;
			CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, 100) ==
					-EBADMSG);
		}
	}
}

/* An escaped exponent is the last byte of the body of one element. */
static void
escaped_exponent_beyond_the_exponents_is_refused(void)
{
	unsigned int refused = 0;

	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text, book[k].info.type);
		const struct lp_params params = { 0, (uint8_t)(c.exponents / 2) };

		if (c.escape > REF_RANKS_MAX)
			continue;
		memset(src, 0, c.bytes);
		const int n = lp_encode(book[k].cb, &params, src, c.bytes, body, sizeof(body));

		CU_ASSERT_FATAL(n > 0 && body[n - 1] == 0);
		for (unsigned int exponent = 0; exponent < 256; exponent++) {
			const int want = exponent < c.exponents ? 0 : -EBADMSG;

			body[n - 1] = (uint8_t)exponent;
			CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, c.bytes) ==
					want);
			refused += want != 0;
		}
	}
	CU_ASSERT(refused > 0);
}

static void
phase_of_a_whole_element_is_refused(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (unsigned int phase = book[k].info.element_bytes; phase < 256; phase++) {
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

static void
padding_bit_that_is_set_is_refused(void)
{
	/* 9 elements leave 7 bits of padding in level 0, the raw fields of narrow types too. */
	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text, book[k].info.type);
		const size_t len = 9 * c.bytes,
			     level = 1 + (9 * c.raw_bits / 8 + (9 * c.raw_bits % 8 > 0));
		const struct lp_params params = { 0, 3 };

		data_region(book[k].info.type, DATA_GAUSS, 0, src, len);
		const int n = lp_encode(book[k].cb, &params, src, len, body, sizeof(body));

		for (unsigned int bit = 1; bit < 8; bit++) {
			body[level + 1] ^= (uint8_t)(1u << bit);
			CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, len) ==
					-EBADMSG);
			body[level + 1] ^= (uint8_t)(1u << bit);
		}
		for (unsigned int bit = 9 * c.raw_bits % 8; bit > 0 && bit < 8; bit++) {
			body[level - 1] ^= (uint8_t)(1u << bit);
			CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, len) ==
					-EBADMSG);
			body[level - 1] ^= (uint8_t)(1u << bit);
		}
		CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, len) == 0);
	}
}

static void
format_is_that_of_the_reference_decoder(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text, book[k].info.type);

		for (unsigned int i = 0; i < 40 * DATA_COUNT; i++) {
			const size_t len = i < 2 * DATA_COUNT ? test_random_in(1, LP_REGION_MAX)
							      : test_random_in(1, 1000);
			const unsigned int phase = test_random_in(0, c.bytes - 1);
			const struct lp_params params = { (uint8_t)phase,
				test_random_base(&book[k].info) };

			data_region(book[k].info.type, i % DATA_COUNT, phase, src, len);
			CU_ASSERT(reference_agrees(book[k].cb, &c, &params, len));
		}
	}
}

static void
random_book_is_restored(enum lp_type type)
{
	struct lp_codebook_info info;
	char text[1024];
	struct lp_codebook *cb = random_book(text, type);

	CU_ASSERT_FATAL(cb != NULL);
	lp_codebook_describe(cb, &info);
	const struct ref_code c = ref_parse(text, type);

	for (unsigned int i = 0; i < 5 * DATA_COUNT; i++) {
		const size_t len = test_random_in(1, i < DATA_COUNT ? 300 : 2000);
		const unsigned int phase = test_random_in(0, c.bytes - 1);
		const struct lp_params params = { (uint8_t)phase, test_random_base(&info) };
		bool ok;

		data_region(type, i % DATA_COUNT, phase, src, len);
		ok = region_survives(cb, &params, src, len);
		ok = reference_agrees(cb, &c, &params, len) && ok;
		CU_ASSERT(ok);
		if (!ok)
			printf("\n%s", text);
	}
	CU_ASSERT(random_bodies_stay_inside(cb, 50));
	lp_codebook_free(cb);
}

/* Dense suffixes, one group, a rank for zero, no escape: the shipped books have none of these. */
static void
books_of_random_shape_are_restored_and_keep_the_format(void)
{
	for (unsigned int k = 0; k < RANDOM_BOOKS; k++)
		for (int type = LP_TYPE_BF16; type <= LP_TYPE_E5M2; type++)
			random_book_is_restored(type);
}

static CU_TestInfo tests[] = {
	TEST(shipped_books_restore_every_length_to_300_in_every_phase),
	TEST(shipped_books_restore_lengths_of_frames_and_the_longest),
	TEST(lengths_around_a_chunk_of_16384_elements_are_restored),
	TEST(data_of_another_type_is_restored),
	TEST(every_base_is_restored),
	TEST(exact_memory_is_enough_and_a_byte_less_is_refused),
	TEST(any_limit_gives_the_whole_body_or_nothing),
	TEST(bound_holds_when_every_element_is_escaped),
	TEST(every_flipped_bit_fails_or_gives_a_region_of_the_same_length),
	TEST(random_bytes_as_body_touch_nothing_outside),
	TEST(base_beyond_the_exponents_is_refused),
	TEST(escaped_exponent_beyond_the_exponents_is_refused),
	TEST(phase_of_a_whole_element_is_refused),
	TEST(lengths_zero_and_65536_are_refused),
	TEST(padding_bit_that_is_set_is_refused),
	TEST(format_is_that_of_the_reference_decoder),
	TEST(books_of_random_shape_are_restored_and_keep_the_format),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	books = test_books_load(LP_KIND_GROUPED, book);
	const int status = test_run("codec_grouped", tests);

	test_books_free(book, books);
	return status;
}
