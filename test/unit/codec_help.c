/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CUnit/Basic.h>

#include "codec_help.h"

#define POOL_BYTES (LP_REGION_MAX + 4096)
#define BODY_MAX (LP_REGION_MAX * 3)
#define CANARY_BYTES 32
#define CANARY 0xc3

double
test_random_normal(void)
{
	const double u = ((double)(test_random() >> 12) + 1) / 4503599627370497.0;
	const double v = (double)(test_random() >> 12) / 4503599627370496.0;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Numbers as bits. */

static const struct format {
	unsigned int bytes, exponent_bits, mantissa_bits;
} formats[LP_TYPE_COUNT] = {
	[LP_TYPE_BF16] = { 2, 8, 7 },
	[LP_TYPE_FP16] = { 2, 5, 10 },
	[LP_TYPE_FP32] = { 4, 8, 23 },
	[LP_TYPE_E4M3] = { 1, 4, 3 },
	[LP_TYPE_E5M2] = { 1, 5, 2 },
	[LP_TYPE_INT8] = { 1, 0, 7 },
	[LP_TYPE_BYTES] = { 1, 0, 7 },
};

unsigned int
test_exponents(enum lp_type type)
{
	return 1u << formats[type].exponent_bits;
}

static uint32_t
encode_integer(double x)
{
	const double scaled = rint(x * 24);

	return (uint8_t)(int)fmax(-127, fmin(127, scaled));
}

uint32_t
test_encode_number(enum lp_type type, double x)
{
	const struct format f = formats[type];
	const int top = (1 << f.exponent_bits) - 2, bias = top / 2;
	const uint32_t sign = (uint32_t)(x < 0) << (f.exponent_bits + f.mantissa_bits);
	int exponent;

	if (f.exponent_bits == 0)
		return encode_integer(x);
	if (x == 0)
		return 0;
	const double fraction = frexp(fabs(x), &exponent); /* in [0.5, 1) */
	const int field = exponent - 1 + bias;

	if (field > top)
		return sign | (uint32_t)top << f.mantissa_bits | ((1u << f.mantissa_bits) - 1);
	if (field < 1)
		return sign | (uint32_t)ldexp(fabs(x), bias - 1 + (int)f.mantissa_bits);
	return sign | (uint32_t)field << f.mantissa_bits |
			(uint32_t)ldexp(2 * fraction - 1, (int)f.mantissa_bits);
}

/* Infinite or not a number; the extremes of the types that have neither. */
static uint32_t
special(enum lp_type type)
{
	const struct format f = formats[type];
	const uint32_t sign = (uint32_t)(test_random() & 1) << (f.exponent_bits + f.mantissa_bits);
	const uint32_t mantissa = test_random() & 1
			? 0
			: (uint32_t)test_random() & ((1u << f.mantissa_bits) - 1);

	if (f.exponent_bits == 0)
		return sign != 0 ? 0x80 : 0x7f;
	return sign | ((1u << f.exponent_bits) - 1) << f.mantissa_bits | mantissa;
}

/* Data. */

const char *
data_name(enum data_class data)
{
	static const char *const name[DATA_COUNT] = {
		"gauss",
		"tiny",
		"scales",
		"zeros-50",
		"zeros-90",
		"zeros-99",
		"all-zero",
		"constant",
		"nan-inf",
		"noise",
		"ramp",
	};

	return name[data];
}

static double
normal_or_zero(unsigned int zeros_percent)
{
	return test_random_in(0, 99) < zeros_percent ? 0 : test_random_normal();
}

static uint32_t
make_element(enum lp_type type, enum data_class data, size_t i)
{
	static double scale;

	switch (data) {
	case DATA_TINY:
		return test_encode_number(type, ldexp(test_random_normal(), -16));
	case DATA_SCALES:
		if (i % 32 == 0)
			scale = ldexp(1, (int)test_random_in(0, 30) - 20);
		return test_encode_number(type, scale * test_random_normal());
	case DATA_ZEROS_50:
		return test_encode_number(type, normal_or_zero(50));
	case DATA_ZEROS_90:
		return test_encode_number(type, normal_or_zero(90));
	case DATA_ZEROS_99:
		return test_encode_number(type, normal_or_zero(99));
	case DATA_ALL_ZERO:
		return 0;
	case DATA_CONSTANT:
		return test_encode_number(type, -0.7071);
	case DATA_NAN_INF:
		return test_random_in(0, 9) == 0 ? special(type)
						 : test_encode_number(type, test_random_normal());
	case DATA_NOISE:
		return (uint32_t)test_random();
	case DATA_RAMP:
		return test_encode_number(type, ((double)(i % 2000) - 1000) / 250);
	default:
		return test_encode_number(type, test_random_normal());
	}
}

static const uint8_t *
data_pool(enum lp_type type, enum data_class data)
{
	static uint8_t pool[LP_TYPE_COUNT][DATA_COUNT][POOL_BYTES];
	static bool made[LP_TYPE_COUNT][DATA_COUNT];
	const size_t bytes = formats[type].bytes;
	uint8_t *p = pool[type][data];

	for (size_t i = 0; !made[type][data] && i < POOL_BYTES / bytes; i++) {
		const uint32_t element = make_element(type, data, i);

		for (size_t k = 0; k < bytes; k++)
			p[bytes * i + k] = (uint8_t)(element >> 8 * k);
	}
	made[type][data] = true;
	return p;
}

void
data_region(enum lp_type type, enum data_class data, unsigned int phase, uint8_t *dst, size_t len)
{
	const size_t bytes = formats[type].bytes;
	const size_t room = (POOL_BYTES - len - phase) / bytes;
	const size_t element = test_random() % (room + 1);

	memcpy(dst, data_pool(type, data) + element * bytes + phase, len);
}

/* Books. */

static bool
book_load(const char *dir, const char *file, struct test_book *book)
{
	struct lp_error error;
	char path[4096];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	len = fread(book->text, 1, sizeof(book->text) - 1, f);
	book->text[len] = '\0';
	fclose(f);
	book->cb = lp_codebook_load(path, &error);
	if (book->cb == NULL) {
		printf("\n  %s:%u: %s", path, error.line, error.text);
		return false;
	}
	test_use_kernel(book->cb);
	lp_codebook_describe(book->cb, &book->info);
	return true;
}

void
test_use_kernel(struct lp_codebook *cb)
{
	const char *kernel = getenv("LP_TEST_KERNEL");

	if (kernel == NULL || lp_codebook_use_kernel(cb, kernel) == 0)
		return;
	printf("skipped: this processor has no kernel %s\n", kernel);
	exit(77);
}

static unsigned int
books_load(const char *path, enum lp_kind kind, struct test_book *book, unsigned int room)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned int books = 0;

	while (dir != NULL && books < room && (entry = readdir(dir)) != NULL) {
		const size_t len = strlen(entry->d_name);

		if (len < 5 || strcmp(entry->d_name + len - 5, ".book") != 0 ||
				!book_load(path, entry->d_name, &book[books]))
			continue;
		if (book[books].info.kind == kind || kind == LP_KIND_COUNT)
			books++;
		else
			lp_codebook_free(book[books].cb);
	}
	if (dir != NULL)
		closedir(dir);
	return books;
}

unsigned int
test_books_load(enum lp_kind kind, struct test_book *book)
{
	unsigned int books;

	if (kind != LP_KIND_AREA)
		return books_load(LP_CODEBOOK_DIR, kind, book, TEST_BOOKS_MAX);
	books = books_load(LP_CODEBOOK_DIR "/area", kind, book, TEST_BOOKS_MAX);
	return books +
			books_load(LP_CODEBOOK_DIR "/papers", kind, book + books,
					TEST_BOOKS_MAX - books);
}

void
test_books_free(struct test_book *book, unsigned int books)
{
	for (unsigned int k = 0; k < books; k++)
		lp_codebook_free(book[k].cb);
}

uint8_t
test_random_base(const struct lp_codebook_info *info)
{
	const unsigned int bases = info->kind == LP_KIND_GROUPED ? test_exponents(info->type) : 256;

	return (uint8_t)test_random_in(0, bases - 1);
}

/* Guarded memory. */

struct guarded
guarded_map(size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t inside = (len + page - 1) / page * page;
	uint8_t *p = mmap(NULL, inside + 2 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, page, PROT_NONE) < 0 ||
			mprotect(p + page + inside, page, PROT_NONE) < 0) {
		perror("guarded memory");
		exit(EXIT_FAILURE);
	}
	return (struct guarded){ p + page, p + page + inside };
}

void
guarded_unmap(struct guarded *g)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(g->start - page, (size_t)(g->end - g->start) + 2 * page);
}

/* Checks. */

bool
regions_equal(const uint8_t *got, const uint8_t *want, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (got[i] == want[i])
			continue;
		printf("\n  first difference at offset %zu: got 0x%02x, not 0x%02x", i, got[i],
				want[i]);
		return false;
	}
	return true;
}

static bool
complain(const struct lp_codebook *cb, const struct lp_params *params, size_t len, const char *what)
{
	struct lp_codebook_info info;

	lp_codebook_describe(cb, &info);
	printf("\n  book %s, region of %zu bytes, phase %u, base %u: %s", info.name, len,
			params->phase, params->base, what);
	return false;
}

static void
set_canary(uint8_t *p)
{
	memset(p, CANARY, CANARY_BYTES);
}

static bool
canary_lives(const uint8_t *p)
{
	for (size_t i = 0; i < CANARY_BYTES; i++)
		if (p[i] != CANARY)
			return false;
	return true;
}

/* Encode with a limit, watching the bytes after it. Returns -1 if those were touched. */
static int
encode_watched(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, uint8_t *dst, size_t dst_cap)
{
	set_canary(dst + dst_cap);
	const int n = lp_encode(cb, params, src, len, dst, dst_cap);

	return canary_lives(dst + dst_cap) ? n : -1;
}

/* Decode, watching the bytes after the region. Returns 1 if those were touched. */
static int
decode_watched(const struct lp_codebook *cb, unsigned int phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	set_canary(dst + len);
	const int ret = lp_decode(cb, (uint8_t)phase, body, body_len, dst, len);

	return canary_lives(dst + len) ? ret : 1;
}

static bool
limits_hold(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, const uint8_t *body, size_t body_len)
{
	static uint8_t limited[BODY_MAX + CANARY_BYTES];

	if (encode_watched(cb, params, src, len, limited, body_len) != (int)body_len)
		return complain(cb, params, len, "does not fit in its exact size");
	if (memcmp(limited, body, body_len) != 0)
		return complain(cb, params, len, "limit changes the body");
	if (encode_watched(cb, params, src, len, limited, body_len - 1) != 0)
		return complain(cb, params, len, "limit one byte too low is not noticed");
	return true;
}

static bool
other_lengths_fail(const struct lp_codebook *cb, const struct lp_params *params, uint8_t *body,
		size_t body_len, uint8_t *region, size_t len)
{
	if (decode_watched(cb, params->phase, body, body_len - 1, region, len) != -EBADMSG)
		return complain(cb, params, len, "body a byte short is accepted");
	body[body_len] = 0;
	if (decode_watched(cb, params->phase, body, body_len + 1, region, len) != -EBADMSG)
		return complain(cb, params, len, "body with a zero byte appended is accepted");
	body[body_len] = 0xff;
	if (decode_watched(cb, params->phase, body, body_len + 1, region, len) != -EBADMSG)
		return complain(cb, params, len, "body with a byte of ones appended is accepted");
	return true;
}

bool
region_survives(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len)
{
	static uint8_t body[BODY_MAX + CANARY_BYTES], region[LP_REGION_MAX + CANARY_BYTES];
	const size_t bound = lp_encode_bound(cb, len);

	if (bound > BODY_MAX)
		return complain(cb, params, len, "bound is beyond reason");
	const int n = encode_watched(cb, params, src, len, body, bound);

	if (n <= 0 || (size_t)n > bound)
		return complain(cb, params, len, "cannot be encoded within lp_encode_bound()");
	if (decode_watched(cb, params->phase, body, (size_t)n, region, len) != 0)
		return complain(cb, params, len, "its body is refused");
	if (!regions_equal(region, src, len))
		return complain(cb, params, len, "is another after the round trip");
	return limits_hold(cb, params, src, len, body, (size_t)n) &&
			other_lengths_fail(cb, params, body, (size_t)n, region, len);
}

static void *
copy_of(const void *src, size_t len)
{
	void *p = malloc(len);

	if (p == NULL)
		abort();
	return memcpy(p, src, len);
}

bool
region_survives_in_exact_memory(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len)
{
	static uint8_t body[BODY_MAX];
	const int n = lp_encode(cb, params, src, len, body, sizeof(body));

	if (n <= 0)
		return complain(cb, params, len, "cannot be encoded");
	uint8_t *exact_src = copy_of(src, len), *exact_dst = copy_of(src, len);
	uint8_t *exact_body = copy_of(body, (size_t)n), *short_body = copy_of(body, (size_t)n - 1);
	bool ok = lp_encode(cb, params, exact_src, len, exact_body, (size_t)n) == n &&
			lp_encode(cb, params, exact_src, len, short_body, (size_t)n - 1) == 0;

	memset(exact_dst, 0, len);
	memcpy(short_body, body, (size_t)n - 1); /* encoding may have left a part of its own */
	ok = ok && lp_decode(cb, params->phase, exact_body, (size_t)n, exact_dst, len) == 0 &&
			regions_equal(exact_dst, src, len) &&
			lp_decode(cb, params->phase, short_body, (size_t)n - 1, exact_dst, len) ==
					-EBADMSG;
	free(exact_src);
	free(exact_dst);
	free(exact_body);
	free(short_body);
	return ok ? true : complain(cb, params, len, "fails in exact memory");
}

/* Decode a body at one edge of guarded memory, with the far side of the region watched. */
static int
decode_at_edge(const struct lp_codebook *cb, unsigned int phase, const uint8_t *body,
		size_t body_len, size_t len, bool at_end, const struct guarded *in,
		const struct guarded *out)
{
	uint8_t *b = at_end ? in->end - body_len : in->start;
	uint8_t *d = at_end ? out->end - len : out->start;
	uint8_t *watched = at_end ? d - CANARY_BYTES : d + len;

	memcpy(b, body, body_len);
	set_canary(watched);
	const int ret = lp_decode(cb, (uint8_t)phase, b, body_len, d, len);

	if (!canary_lives(watched) || memcmp(b, body, body_len) != 0)
		return 1;
	return ret;
}

int
decode_at_edges(const struct lp_codebook *cb, unsigned int phase, const uint8_t *body,
		size_t body_len, size_t len, const struct guarded *in, const struct guarded *out)
{
	const int at_start = decode_at_edge(cb, phase, body, body_len, len, false, in, out);
	const int at_end = decode_at_edge(cb, phase, body, body_len, len, true, in, out);

	if (at_start != at_end)
		return 1;
	return at_start == 0 && memcmp(out->start, out->end - len, len) != 0 ? 1 : at_start;
}

bool
flipped_bits_stay_inside(const struct lp_codebook *cb, unsigned int phase, const uint8_t *body,
		size_t body_len, size_t len)
{
	const struct lp_params params = { (uint8_t)phase, body[0] };
	struct guarded in = guarded_map(body_len), out = guarded_map(len + CANARY_BYTES);
	uint8_t *flipped = copy_of(body, body_len);
	unsigned int accepted = 0;
	bool ok = true;

	for (size_t bit = 0; ok && bit < 8 * body_len; bit++) {
		flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
		const int ret = decode_at_edges(cb, phase, flipped, body_len, len, &in, &out);

		flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
		ok = ret == 0 || ret == -EBADMSG;
		accepted += ret == 0;
	}
	free(flipped);
	guarded_unmap(&in);
	guarded_unmap(&out);
	if (!ok)
		return complain(cb, &params, len, "flipped bit is handled badly");
	return accepted > 0 ? true : complain(cb, &params, len, "no flipped bit is accepted");
}

bool
random_bodies_stay_inside(const struct lp_codebook *cb, unsigned int bodies)
{
	struct guarded in = guarded_map(4096), out = guarded_map(4096);
	struct lp_codebook_info info;
	struct lp_params params;
	uint8_t body[1024];
	bool ok = true;

	lp_codebook_describe(cb, &info);
	for (unsigned int k = 0; ok && k < bodies; k++) {
		const size_t len = test_random_in(1, 400);
		/* Mostly of a length that might be right. */
		const size_t body_len = test_random_in(0, 3) == 0
				? test_random_in(0, sizeof(body))
				: test_random_in((uint32_t)len * 3 / 8, (uint32_t)len + 8);

		params.phase = (uint8_t)test_random_in(0, info.element_bytes - 1u);
		params.base = test_random_base(&info);
		test_random_bytes(body, sizeof(body));
		body[0] = params.base;
		const int ret = decode_at_edges(cb, params.phase, body, body_len, len, &in, &out);

		ok = ret == 0 || ret == -EBADMSG
				? true
				: complain(cb, &params, len, "random body is handled badly");
	}
	guarded_unmap(&in);
	guarded_unmap(&out);
	return ok;
}

/* Suite. */
