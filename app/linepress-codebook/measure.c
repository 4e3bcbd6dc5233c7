/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <math.h>
#include <string.h>

#include "input.h"
#include "linepress/profile.h"
#include "linepress/wire.h"
#include "measure.h"
#include "quantise.h"

#define MIN_SAVING 32 /* bytes, as the appliance demands by default */
#define HUFFMAN_LIMIT 15
#define BODY_MAX (3 * PACKET_BYTES) /* more than any book makes of a packet */

static const char *const keys[METHODS] = {
	[METHOD_BYTE_SHANNON] = "byte_shannon",
	[METHOD_BYTE_HUFFMAN] = "byte_huffman",
	[METHOD_SHANNON] = "shannon",
	[METHOD_HUFFMAN] = "per_shard_huffman",
	[METHOD_FIELD_SHANNON] = "field_shannon",
	[METHOD_FIELD_HUFFMAN] = "field_huffman",
	[METHOD_SCHEME + SCHEME_FIXED] = "fixed",
	[METHOD_SCHEME + SCHEME_DUAL] = "dual",
	[METHOD_SCHEME + SCHEME_QUAD] = "quad",
	[METHOD_SCHEME + SCHEME_GROUPED] = "grouped",
	[METHOD_SCHEME + SCHEME_HUFFMAN] = "huffman",
	[METHOD_SCHEME + SCHEME_AREA] = "area",
	[METHOD_BOOKS] = "books",
};

const char *
method_key(enum method method)
{
	return keys[method];
}

/* Bits of the mantissa beside the exponent in the top byte, the sign being taken away. */
static unsigned int
bits_beside_exponent(enum lp_type type)
{
	static const uint8_t bits[LP_TYPE_COUNT] = {
		[LP_TYPE_FP16] = 3, /* the next is in the byte below */
		[LP_TYPE_E4M3] = 3,
		[LP_TYPE_E5M2] = 2,
	};

	return bits[type];
}

bool
method_is_there(const struct measurement *m, enum method method)
{
	if (method == METHOD_FIELD_SHANNON || method == METHOD_FIELD_HUFFMAN)
		return bits_beside_exponent(m->type) > 0;
	if (method < METHOD_SCHEME || method == METHOD_BOOKS)
		return true;
	return m->schemes != NULL && m->schemes->books[method - METHOD_SCHEME] > 0;
}

void
figures_add(struct figures *sum, const struct figures *f)
{
	sum->bytes += f->bytes;
	for (unsigned int k = 0; k < METHODS; k++) {
		sum->coded[k] += f->coded[k];
		sum->bare[k] += f->bare[k];
	}
	sum->quantised += f->quantised;
	sum->signal += f->signal;
	sum->noise += f->noise;
}

double
figures_saved(const struct figures *f, enum method method)
{
	return f->bytes > 0 ? 100 * (1 - f->coded[method] / f->bytes) : 0;
}

double
figures_saved_bare(const struct figures *f, enum method method)
{
	return f->bytes > 0 ? 100 * (1 - f->bare[method] / f->bytes) : 0;
}

double
figures_snr_db(const struct figures *f)
{
	return f->signal > 0 && f->noise > 0 ? 10 * log10(f->signal / f->noise) : 0;
}

/* ---- limits ---- */

static void
count_top_bytes(enum lp_type type, const uint8_t *src, size_t len, uint64_t *count)
{
	const size_t bytes = lp_type_bytes(type);
	const bool rotate = type != LP_TYPE_INT8 && type != LP_TYPE_BYTES;

	for (size_t i = bytes - 1; i < len; i += bytes)
		count[rotate ? (uint8_t)(src[i] << 1 | src[bytes > 1 ? i - 1 : i] >> 7) : src[i]]++;
}

/* Entropy and Huffman code of counted symbols, beside which some bytes are raw. */
static void
measure_limits(const uint64_t *count, double raw, enum method shannon, enum method huffman,
		struct figures *f)
{
	unsigned int first = 256, last = 0;
	uint64_t symbols = 0, bits = 0;
	uint8_t length[256];

	if (lp_huffman_lengths(count, 256, HUFFMAN_LIMIT, length) == 0)
		for (unsigned int s = 0; s < 256; s++)
			bits += count[s] * length[s];
	for (unsigned int s = 0; s < 256; s++) {
		if (count[s] == 0)
			continue;
		symbols += count[s];
		first = first == 256 ? s : first;
		last = s;
	}
	f->coded[shannon] = f->bare[shannon] = raw + (double)symbols * lp_entropy(count, 256) / 8;
	f->bare[huffman] = raw + (double)bits / 8;
	f->coded[huffman] = f->bare[huffman] + (last - first + 1) / 2.0;
}

/* Of the exponent field, given the counts of top bytes: rotated, the sign is their lowest bit. */
static void
measure_field(enum lp_type type, const uint64_t *top, struct figures *f)
{
	const unsigned int beside = bits_beside_exponent(type);
	const unsigned int shift = lp_type_bytes(type) == 1 ? beside + 1 : beside;
	uint64_t field[256] = { 0 };
	double elements = 0;

	if (beside == 0)
		return;
	for (unsigned int s = 0; s < 256; s++) {
		field[s >> shift] += top[s];
		elements += (double)top[s];
	}
	measure_limits(field, f->bytes - elements * (8 - shift) / 8, METHOD_FIELD_SHANNON,
			METHOD_FIELD_HUFFMAN, f);
}

/* ---- fixed books ---- */

/* The bytes of a body, 0 if there is none so short, or -1 if it does not come back. */
static int
code_packet(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, size_t limit)
{
	uint8_t body[BODY_MAX], back[PACKET_BYTES];
	const int coded = lp_encode(cb, params, src, len, body, limit);

	if (coded <= 0)
		return 0;
	if (lp_decode(cb, params->phase, body, (size_t)coded, back, len) < 0 ||
			memcmp(src, back, len) != 0)
		return -1;
	return coded;
}

/* What travels of a packet, given the bytes of its body. */
static double
on_the_line(int body, size_t len)
{
	if (body <= 0 || (size_t)body + LP_SHIM_MIN + MIN_SAVING > len)
		return (double)len;
	return body + LP_SHIM_MIN;
}

static int
measure_scheme(const struct schemes *s, unsigned int scheme, const uint8_t *src, size_t len,
		struct figures *f)
{
	struct lp_sample sample;
	struct lp_params params = { 0 };
	const struct lp_codebook *best = s->book[scheme][0];
	size_t least = SIZE_MAX;

	lp_sample_init(&sample, src, len);
	for (unsigned int k = 0; k < s->books[scheme]; k++) {
		struct lp_params p = { 0 };
		const size_t bytes = lp_codebook_choose(s->book[scheme][k], &sample, least, &p);

		if (bytes >= least)
			continue;
		least = bytes;
		best = s->book[scheme][k];
		params = p;
	}
	const int body = code_packet(best, &params, src, len, BODY_MAX);

	if (body < 0)
		return -1;
	f->bare[METHOD_SCHEME + scheme] += body;
	f->coded[METHOD_SCHEME + scheme] += on_the_line(body, len);
	return 0;
}

static int
measure_books(struct measurement *m, const uint8_t *src, size_t len, struct figures *f)
{
	const size_t overhead = LP_SHIM_MIN + MIN_SAVING;
	struct lp_params params;
	size_t estimate;
	uint8_t id = 0;
	int body = 0;

	if (len > overhead)
		id = lp_bookset_choose(m->books, src, len, len - overhead, &params, &estimate);
	if (id > 0)
		body = code_packet(m->books->book[id], &params, src, len, len - overhead);
	if (body < 0)
		return -1;
	m->packets[body > 0 ? id : 0]++;
	f->coded[METHOD_BOOKS] += on_the_line(body, len);
	f->bare[METHOD_BOOKS] += body > 0 ? body : (double)len;
	return 0;
}

static int
measure_packet(struct measurement *m, const uint8_t *src, size_t len, struct figures *f)
{
	int ret = measure_books(m, src, len, f);

	if (m->schemes == NULL)
		return ret;
	for (unsigned int scheme = 0; scheme < SCHEMES && ret == 0; scheme++)
		if (m->schemes->books[scheme] > 0)
			ret = measure_scheme(m->schemes, scheme, src, len, f);
	f->quantised += (double)quantise(m->type, src, len, &f->signal, &f->noise);
	return ret;
}

long
measure_shard(struct measurement *m, const uint8_t *src, size_t len, struct figures *f)
{
	uint64_t bytes[256] = { 0 }, top[256] = { 0 };

	*f = (struct figures){ .bytes = (double)len };
	count_top_bytes(LP_TYPE_BYTES, src, len, bytes);
	measure_limits(bytes, 0, METHOD_BYTE_SHANNON, METHOD_BYTE_HUFFMAN, f);
	count_top_bytes(m->type, src, len, top);
	measure_limits(top, (double)(len - len / lp_type_bytes(m->type)), METHOD_SHANNON,
			METHOD_HUFFMAN, f);
	measure_field(m->type, top, f);
	for (size_t off = 0; off < len; off += PACKET_BYTES)
		if (measure_packet(m, src + off,
				    len - off < PACKET_BYTES ? len - off : PACKET_BYTES, f) < 0)
			return (long)off;
	return -1;
}
