/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * huf0, the Huffman coder of zstd, with four streams a packet: with a table made once from the
 * profile over all bytes; the same over the exponent alone, aligned as ours is; and with a
 * table made for each packet and sent along.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "huf0.h"
#include "peer.h"
#include "split.h"
#include "workset.h"

#define TABLE_LOG 11
#define SYMBOLS 256
#define CHOICE_ROUNDS 32

/* Table and base of an aligned packet. */
#define ALIGNED_HEADER 2

/* Log of the table, in the two bytes of its description that matter. */
#define DTABLE_DESCRIPTION(log) ((HUF_DTable)(log)*0x01000001u)

/* A packet in this many may need a symbol that the table of common ones lacks. */
#define RARE_PACKETS 100

struct table {
	HUF_CElt encode[SYMBOLS + 2];
	HUF_DTable one[(1 << (TABLE_LOG + 1)) + 1]; /* a symbol per look-up */
	HUF_DTable two[(1 << (TABLE_LOG + 1)) + 1]; /* two */
	const HUF_DTable *decode;		    /* the faster of both */
};

struct huf0 {
	struct table all;    /* has a code for every symbol */
	struct table common; /* only for `width` symbols from `low` on, so those are shorter */
	uint8_t low, width;
	uint64_t work[4096];
	int flags;
	enum lp_type type;
	uint8_t exponent[]; /* of a packet */
};

/* huf0 describes neither a single symbol nor more than 128 whose codes are equally long. */
static const char no_table[] =
		"no table: huf0 can write none for the profile (one symbol, or all equally frequent)";

static int
processor_flags(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("bmi2") ? HUF0_FLAG_BMI2 : 0;
#else
	return 0;
#endif
}

static bool
make_table(struct huf0 *h, struct table *t, const unsigned int count[SYMBOLS])
{
	uint8_t header[2 * SYMBOLS];
	unsigned int last = SYMBOLS - 1;

	while (count[last] == 0)
		last--;
	const size_t bits = HUF_buildCTable_wksp(
			t->encode, count, last, TABLE_LOG, h->work, sizeof(h->work));

	if (HUF_isError(bits))
		return false;
	const size_t len = HUF_writeCTable_wksp(header, sizeof(header), t->encode, last,
			(unsigned int)bits, h->work, sizeof(h->work));

	if (HUF_isError(len))
		return false;
	t->one[0] = DTABLE_DESCRIPTION(TABLE_LOG + 1);
	t->two[0] = DTABLE_DESCRIPTION(TABLE_LOG);
	t->decode = t->one;
	return !HUF_isError(HUF_readDTableX1_wksp(
			       t->one, header, len, h->work, sizeof(h->work), h->flags)) &&
			!HUF_isError(HUF_readDTableX2_wksp(
					t->two, header, len, h->work, sizeof(h->work), h->flags));
}

/* Any symbol may turn up later. */
static bool
make_full_table(struct huf0 *h, const unsigned int count[SYMBOLS])
{
	unsigned int more[SYMBOLS];

	for (unsigned int s = 0; s < SYMBOLS; s++)
		more[s] = count[s] + 1;
	return make_table(h, &h->all, more);
}

/* Leaves out what is farthest from the base, as long as few packets of n symbols miss it. */
static bool
make_common_table(struct huf0 *h, const unsigned int count[SYMBOLS], size_t n)
{
	unsigned int some[SYMBOLS] = { 0 };
	uint64_t total = 0, lost = 0;
	int low = INT8_MIN, high = INT8_MAX;

	for (unsigned int s = 0; s < SYMBOLS; s++)
		total += count[s];
	while (low < high) {
		const bool drop_low = count[(uint8_t)low] <= count[(uint8_t)high];

		lost += count[(uint8_t)(drop_low ? low : high)];
		if (lost * n * RARE_PACKETS > total)
			break;
		low += drop_low;
		high -= !drop_low;
	}
	h->low = (uint8_t)low;
	h->width = (uint8_t)(high - low + 1 < SYMBOLS ? high - low + 1 : SYMBOLS - 1);
	for (int s = low; s <= high; s++)
		some[(uint8_t)s] = count[(uint8_t)s] + 1;
	return make_table(h, &h->common, some);
}

static struct huf0 *
allocate(const struct packets *profile)
{
	struct huf0 *h = calloc(1, sizeof(*h) + profile->packet_bytes);

	if (h == NULL)
		return NULL;
	h->flags = processor_flags();
	h->type = profile->type;
	return h;
}

static uint64_t
decode_cycles(const struct packets *profile, const struct peer *peer, struct huf0 *h,
		const uint8_t *coded, size_t coded_len, uint8_t *back)
{
	uint64_t best = UINT64_MAX;

	for (int k = 0; k < CHOICE_ROUNDS; k++) {
		const uint64_t start = rte_rdtsc();

		if (!peer->decode(h, coded, coded_len, back, profile->packet_bytes))
			return UINT64_MAX;
		const uint64_t cycles = rte_rdtsc() - start;

		best = cycles < best ? cycles : best;
	}
	return best;
}

/* Which is faster depends on the lengths of the codes. */
static void
choose_decoder(struct huf0 *h, struct table *t, const struct packets *profile,
		const struct peer *peer)
{
	const size_t room = workset_coded_room(profile->packet_bytes);
	uint8_t *coded = malloc(room), *back = malloc(profile->packet_bytes);
	size_t len = 0;

	if (coded != NULL && back != NULL)
		len = peer->encode(h, profile->bytes, profile->packet_bytes, coded, room);
	if (len > 0) {
		const uint64_t one = decode_cycles(profile, peer, h, coded, len, back);

		t->decode = t->two;
		if (decode_cycles(profile, peer, h, coded, len, back) > one)
			t->decode = t->one;
	}
	free(coded);
	free(back);
}

static void *
create_fixed(const struct packets *profile, const char **reason)
{
	struct huf0 *h = allocate(profile);
	unsigned int count[SYMBOLS] = { 0 };

	if (h == NULL)
		return NULL;
	for (size_t i = 0; i < profile->count * profile->packet_bytes; i++)
		count[profile->bytes[i]]++;
	if (!make_full_table(h, count)) {
		*reason = no_table;
		free(h);
		return NULL;
	}
	choose_decoder(h, &h->all, profile, &peer_huf0_fixed);
	return h;
}

static size_t
encode_fixed(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	const struct huf0 *h = state;

	return HUF_compress4X_usingCTable(dst, cap, src, len, h->all.encode, h->flags);
}

static bool
decode_fixed(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	const struct huf0 *h = state;

	return HUF_decompress4X_usingDTable(dst, len, src, src_len, h->all.decode, h->flags) == len;
}

static bool
has_split(enum lp_type type)
{
	return split_bytes(type) > 0;
}

static void *
create_aligned(const struct packets *profile, const char **reason)
{
	const size_t len = profile->packet_bytes, n = len / lp_type_bytes(profile->type);
	struct huf0 *h = allocate(profile);
	uint8_t *rest = malloc(len);
	unsigned int count[SYMBOLS] = { 0 };
	bool good = h != NULL && rest != NULL;

	for (size_t i = 0; good && i < profile->count; i++) {
		split(profile->type, profile->bytes + i * len, n, h->exponent, rest);
		for (size_t k = 0; k < n; k++)
			count[h->exponent[k]]++;
	}
	free(rest);
	if (good && make_full_table(h, count) && make_common_table(h, count, n)) {
		choose_decoder(h, &h->common, profile, &peer_huf0_aligned);
		return h;
	}
	if (good)
		*reason = no_table;
	free(h);
	return NULL;
}

/* Which table, base, other bits, coded exponents. */
static size_t
encode_aligned(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	struct huf0 *h = state;
	const size_t n = len / lp_type_bytes(h->type), before = ALIGNED_HEADER + len - n;

	dst[1] = split(h->type, src, n, h->exponent, dst + ALIGNED_HEADER);
	dst[0] = split_is_within(h->exponent, n, h->low, h->width);
	const struct table *t = dst[0] ? &h->common : &h->all;
	const size_t coded = HUF_compress4X_usingCTable(
			dst + before, cap - before, h->exponent, n, t->encode, h->flags);

	return coded == 0 || HUF_isError(coded) ? 0 : before + coded;
}

static bool
decode_aligned(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	struct huf0 *h = state;
	const size_t n = len / lp_type_bytes(h->type), before = ALIGNED_HEADER + len - n;
	const struct table *t = src[0] ? &h->common : &h->all;

	if (src_len < before ||
			HUF_decompress4X_usingDTable(h->exponent, n, src + before, src_len - before,
					t->decode, h->flags) != n)
		return false;
	merge(h->type, src[1], h->exponent, src + ALIGNED_HEADER, n, dst);
	return true;
}

static void *
create_three_stage(const struct packets *profile, const char **reason)
{
	(void)reason;
	return allocate(profile);
}

/* One byte or none tells that all bytes are the same or that nothing is gained. */
static size_t
encode_three_stage(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	struct huf0 *h = state;
	int repeat = 0;
	const size_t coded = HUF_compress4X_repeat(dst, cap, src, len, SYMBOLS - 1, TABLE_LOG,
			h->work, sizeof(h->work), h->all.encode, &repeat, h->flags);

	return coded <= 1 || HUF_isError(coded) ? 0 : coded;
}

static bool
decode_three_stage(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	struct huf0 *h = state;

	h->all.one[0] = DTABLE_DESCRIPTION(TABLE_LOG + 1);
	return HUF_decompress4X_hufOnly_wksp(h->all.one, dst, len, src, src_len, h->work,
			       sizeof(h->work), h->flags) == len;
}

const struct peer peer_huf0_fixed = {
	.name = "huf0-fixed-4x",
	.header_bytes = PEER_HEADER_LENGTH,
	.create = create_fixed,
	.encode = encode_fixed,
	.decode = decode_fixed,
	.release = free,
};

const struct peer peer_huf0_aligned = {
	.name = "huf0-fixed-4x-aligned",
	.header_bytes = PEER_HEADER_LENGTH - 1, /* the body tells the table */
	.fits = has_split,
	.create = create_aligned,
	.encode = encode_aligned,
	.decode = decode_aligned,
	.release = free,
};

const struct peer peer_huf0_three_stage = {
	.name = "huf0-three-stage",
	.header_bytes = PEER_HEADER_LENGTH,
	.create = create_three_stage,
	.encode = encode_three_stage,
	.decode = decode_three_stage,
	.release = free,
};
