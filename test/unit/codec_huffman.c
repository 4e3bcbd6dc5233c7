/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Huffman codes: round trips, limits, hostile bodies, and the codes themselves, which are pinned
 * twice: by zlib, which knows how RFC 1951 assigns codes to lengths, and by a decoder written
 * here that also knows the escape.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>
#include <zlib.h>

#include "codec_help.h"
#include "random_book.h"

#define SYMBOLS 257
#define ESCAPE 256
#define BITS_MAX 11
#define RANDOM_BOOKS 60
#define BODY_MAX (3 * LP_REGION_MAX)

static struct test_book book[TEST_BOOKS_MAX];
static unsigned int books;
static uint8_t src[LP_REGION_MAX], body[BODY_MAX], region[LP_REGION_MAX];

/* Lengths from the text of a book. */

struct ref_code {
	bool rotated;
	uint8_t length[SYMBOLS];
};

static void
ref_parse_codes(struct ref_code *c, const char *values)
{
	char line[2048], *save = NULL;

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(values, "\n"), values);
	const char *length = strtok_r(line, " ", &save);

	for (const char *w = strtok_r(NULL, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		c->length[strcmp(w, "escape") == 0 ? ESCAPE : strtoul(w, NULL, 16)] = (uint8_t)atoi(
				length);
}

static struct ref_code
ref_parse(const char *text)
{
	static const char key[] = "\ncodes ";
	struct ref_code c = { .rotated = strstr(text, "\nsymbol rotated\n") != NULL };

	for (const char *at = text; (at = strstr(at, key)) != NULL; at += strlen(key))
		ref_parse_codes(&c, at + strlen(key));
	return c;
}

static uint8_t
ref_symbol(const struct ref_code *c, uint8_t byte, unsigned int base)
{
	return c->rotated ? (uint8_t)(byte * 2 + byte / 128 - base) : byte;
}

/* Byte of a symbol: the inverse of ref_symbol(). */
static uint8_t
ref_byte(const struct ref_code *c, uint8_t symbol, unsigned int base)
{
	const uint8_t v = (uint8_t)(symbol + base);

	return c->rotated ? (uint8_t)(v / 2 + v % 2 * 128) : symbol;
}

/* A bit stream, one bit after the other. */

struct ref_stream {
	uint8_t *bytes;
	size_t bit;
};

static unsigned int
ref_bit(struct ref_stream *s)
{
	const unsigned int bit = s->bytes[s->bit / 8] >> s->bit % 8 & 1;

	s->bit++;
	return bit;
}

static void
ref_put_bit(struct ref_stream *s, unsigned int bit)
{
	if (s->bit % 8 == 0)
		s->bytes[s->bit / 8] = 0;
	s->bytes[s->bit / 8] |= (uint8_t)(bit << s->bit % 8);
	s->bit++;
}

/* A number, lowest bit first. */
static void
ref_put_number(struct ref_stream *s, unsigned int value, unsigned int bits)
{
	for (unsigned int k = 0; k < bits; k++)
		ref_put_bit(s, value >> k & 1);
}

/* A code, highest bit first. */
static void
ref_put_code(struct ref_stream *s, unsigned int code, unsigned int bits)
{
	for (unsigned int k = bits; k-- > 0;)
		ref_put_bit(s, code >> k & 1);
}

/* RFC 1951, 3.2.2: the first code of a length, and those of lower symbols with the same. */
static unsigned int
ref_canonical_code(const struct ref_code *c, unsigned int symbol)
{
	unsigned int code = 0;

	for (unsigned int s = 0; s < SYMBOLS; s++) {
		if (c->length[s] == 0)
			continue;
		if (c->length[s] < c->length[symbol])
			code += 1u << (c->length[symbol] - c->length[s]);
		else if (c->length[s] == c->length[symbol] && s < symbol)
			code++;
	}
	return code;
}

/* The decoder. It trusts its input: the bodies come from lp_encode(). */

struct ref_decoder {
	unsigned int code[SYMBOLS];
	const struct ref_code *c;
};

static unsigned int
ref_decode_symbol(const struct ref_decoder *d, struct ref_stream *in)
{
	unsigned int code = 0;

	for (unsigned int bits = 1; bits <= BITS_MAX; bits++) {
		code = code << 1 | ref_bit(in);
		for (unsigned int s = 0; s < SYMBOLS; s++)
			if (d->c->length[s] == bits && d->code[s] == code)
				return s;
	}
	return SYMBOLS;
}

/* Returns the bytes of the body that were used. */
static size_t
ref_decode(const struct ref_code *c, uint8_t *in, uint8_t *dst, size_t len)
{
	struct ref_decoder d = { .c = c };
	struct ref_stream s = { .bytes = in, .bit = c->rotated ? 8 : 0 };
	const unsigned int base = c->rotated ? in[0] : 0;

	for (unsigned int k = 0; k < SYMBOLS; k++)
		d.code[k] = ref_canonical_code(c, k);
	for (size_t i = 0; i < len; i++) {
		unsigned int symbol = ref_decode_symbol(&d, &s);

		if (symbol == ESCAPE)
			for (unsigned int k = symbol = 0; k < 8; k++)
				symbol |= ref_bit(&s) << k;
		dst[i] = ref_byte(c, (uint8_t)symbol, base);
	}
	return (s.bit + 7) / 8;
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

/* zlib. */

/* Header of a dynamic block with the lengths of the book, each written as it is in 4 bits. */
static void
put_block_header(struct ref_stream *s, const struct ref_code *c)
{
	static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2,
		14, 1, 15 };

	ref_put_number(s, 1, 1);  /* last block */
	ref_put_number(s, 2, 2);  /* dynamic codes */
	ref_put_number(s, 0, 5);  /* 257 literals and lengths */
	ref_put_number(s, 0, 5);  /* 1 distance */
	ref_put_number(s, 15, 4); /* 19 code length codes */
	for (unsigned int k = 0; k < 19; k++)
		ref_put_number(s, order[k] < 16 ? 4 : 0, 3);
	for (unsigned int k = 0; k < SYMBOLS; k++)
		ref_put_code(s, c->length[k], 4);
	ref_put_code(s, 1, 4); /* the distance that never occurs */
}

/* A raw DEFLATE stream whose data are those of the body; returns its bytes. */
static size_t
wrap_body(const struct ref_code *c, uint8_t *from, size_t len, uint8_t *deflated)
{
	struct ref_stream s = { .bytes = deflated },
			  in = { .bytes = from, .bit = c->rotated ? 8 : 0 };

	put_block_header(&s, c);
	for (size_t i = 0; i < len; i++) {
		const unsigned int base = c->rotated ? from[0] : 0;

		for (unsigned int k = c->length[ref_symbol(c, src[i], base)]; k > 0; k--)
			ref_put_bit(&s, ref_bit(&in));
	}
	ref_put_code(&s, ref_canonical_code(c, ESCAPE), c->length[ESCAPE]);
	return (s.bit + 7) / 8;
}

static bool
inflates_to(uint8_t *deflated, size_t deflated_len, uint8_t *want, size_t len)
{
	z_stream z = { .next_in = deflated,
		.avail_in = (unsigned int)deflated_len,
		.next_out = region,
		.avail_out = sizeof(region) };

	if (inflateInit2(&z, -15) != Z_OK)
		return false;
	const int ret = inflate(&z, Z_FINISH);
	const char *reason = z.msg != NULL ? z.msg : "";
	const bool ended = ret == Z_STREAM_END && z.total_out == len && z.avail_in == 0;

	if (!ended)
		printf("\n  inflate: %d %s, %lu bytes instead of %zu", ret, reason, z.total_out,
				len);
	inflateEnd(&z);
	return ended && regions_equal(region, want, len);
}

/* A region without escaped symbols: short codes as frequent as they should be, or uniform. */
static void
region_without_escapes(const struct ref_code *c, unsigned int base, size_t len)
{
	const bool uniform = test_random() & 1;

	for (size_t i = 0; i < len; i++) {
		unsigned int s;

		do
			s = test_random_in(0, 255);
		while (c->length[s] == 0 ||
				(!uniform && test_random() % (1u << (c->length[s] - 1)) != 0));
		src[i] = ref_byte(c, (uint8_t)s, base);
	}
}

static bool
zlib_reads_body(const struct lp_codebook *cb, const struct ref_code *c, unsigned int base,
		size_t len)
{
	static uint8_t deflated[BODY_MAX], symbols[LP_REGION_MAX];
	const struct lp_params params = { 0, (uint8_t)base };

	region_without_escapes(c, base, len);
	for (size_t i = 0; i < len; i++)
		symbols[i] = ref_symbol(c, src[i], base);
	if (lp_encode(cb, &params, src, len, body, sizeof(body)) <= 0)
		return false;
	return inflates_to(deflated, wrap_body(c, body, len, deflated), symbols, len);
}

static struct lp_codebook *
random_code(struct ref_code *c, unsigned int symbols)
{
	char text[TEST_BOOK_TEXT_MAX];
	struct lp_codebook *cb = random_huffman_book(text, symbols);

	*c = ref_parse(text);
	return cb;
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
	CU_ASSERT(books >= 13);
	for (unsigned int k = 0; k < books; k++)
		for (int data = 0; data < DATA_COUNT; data++)
			for (size_t len = 1; len <= 300; len++)
				CU_ASSERT(survives(&book[k], data, len));
}

static void
shipped_books_restore_lengths_of_frames_and_the_longest(void)
{
	static const size_t length[] = { 1408, 1448, 4096, 8948, 9000, 65535 };

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

static void
every_flipped_bit_fails_or_gives_a_region_of_the_same_length(void)
{
	for (unsigned int k = 0; k < books; k++) {
		for (int data = 0; data < DATA_COUNT; data += 3) {
			const struct lp_params params = { 0, test_random_base(&book[k].info) };

			data_region(book[k].info.type, data, 0, src, 200);
			const int n = lp_encode(book[k].cb, &params, src, 200, body, sizeof(body));

			CU_ASSERT_FATAL(n >= 200 / 8);
			/* One bit a byte: a flipped one begins a code that has no end. */
			if (n <= 200 / 8 + 1)
				continue;
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

static void
padding_bit_that_is_set_is_refused(void)
{
	unsigned int padded = 0;

	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text);
		const struct lp_params params = { 0, 0 };

		for (unsigned int byte = 0; byte < 256; byte++) {
			const uint8_t one = (uint8_t)byte;
			const unsigned int symbol = ref_symbol(&c, one, 0);
			const unsigned int bits = c.length[symbol] > 0 ? c.length[symbol]
								       : c.length[ESCAPE] + 8u;
			const int n = lp_encode(book[k].cb, &params, &one, 1, body, sizeof(body));

			CU_ASSERT((unsigned int)n == c.rotated + (bits + 7) / 8);
			for (unsigned int bit = bits; bit % 8 != 0; bit++, padded++) {
				body[c.rotated + bit / 8] ^= (uint8_t)(1u << bit % 8);
				CU_ASSERT(lp_decode(book[k].cb, 0, body, (size_t)n, region, 1) ==
						-EBADMSG);
				body[c.rotated + bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
		}
	}
	CU_ASSERT(padded > 1000);
}

static void
format_is_that_of_the_reference_decoder(void)
{
	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text);

		CU_ASSERT(c.rotated == (book[k].info.symbol == LP_SYMBOL_ROTATED));
		for (unsigned int i = 0; i < 2 * DATA_COUNT; i++) {
			const struct lp_params params = { 0, test_random_base(&book[k].info) };
			const size_t len = test_random_in(1, 600);

			data_region(book[k].info.type, i % DATA_COUNT, 0, src, len);
			CU_ASSERT(reference_agrees(book[k].cb, &c, &params, len));
		}
	}
}

static void
zlib_decodes_bodies_of_shipped_books(void)
{
	unsigned int readable = 0;

	for (unsigned int k = 0; k < books; k++) {
		const struct ref_code c = ref_parse(book[k].text);

		/* The escape is the end of a block, which zlib insists on. */
		if (c.length[ESCAPE] == 0)
			continue;
		readable++;
		for (unsigned int i = 0; i < 20; i++)
			CU_ASSERT(zlib_reads_body(book[k].cb, &c, test_random_base(&book[k].info),
					test_random_in(1, i == 0 ? 60000 : 3000)));
	}
	CU_ASSERT(readable >= 8);
}

static void
zlib_decodes_bodies_of_random_codes(void)
{
	for (unsigned int k = 0; k < RANDOM_BOOKS; k++) {
		const unsigned int symbols = k < 3 ? 2 + k
				: k < 6		   ? SYMBOLS
						   : test_random_in(2, SYMBOLS);
		struct ref_code c;
		struct lp_codebook *cb = random_code(&c, symbols);

		CU_ASSERT_FATAL(cb != NULL);
		for (unsigned int i = 0; i < 10; i++)
			CU_ASSERT(zlib_reads_body(
					cb, &c, test_random_in(0, 255), test_random_in(1, 1500)));
		lp_codebook_free(cb);
	}
}

static void
random_codes_restore_escaped_bytes(void)
{
	for (unsigned int k = 0; k < RANDOM_BOOKS; k++) {
		const struct lp_params params = { 0, (uint8_t)test_random() };
		struct ref_code c;
		struct lp_codebook *cb = random_code(&c, test_random_in(2, SYMBOLS));

		CU_ASSERT_FATAL(cb != NULL);
		for (unsigned int i = 0; i < DATA_COUNT; i++) {
			const size_t len = test_random_in(1, 500);

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
	TEST(any_phase_but_zero_is_refused),
	TEST(lengths_zero_and_65536_are_refused),
	TEST(padding_bit_that_is_set_is_refused),
	TEST(format_is_that_of_the_reference_decoder),
	TEST(zlib_decodes_bodies_of_shipped_books),
	TEST(zlib_decodes_bodies_of_random_codes),
	TEST(random_codes_restore_escaped_bytes),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	books = test_books_load(LP_KIND_HUFFMAN, book);
	const int status = test_run("codec_huffman", tests);

	test_books_free(book, books);
	return status;
}
