/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Loading, describing and releasing codebooks. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "type.h"

#define FILE_LEN_MAX (1u << 20)

/* Half a bit a symbol more than the tensors of the profile took. */
static uint16_t
typical_bits(const struct lp_codebook *cb)
{
	const double bits = lp_type_traits[cb->info.type].raw_bits + cb->info.profile_code_bits;

	if (cb->info.kind != LP_KIND_GROUPED || cb->info.profile_code_bits <= 0)
		return 0;
	return (uint16_t)((bits + 0.5) * 8 * 4 / lp_type_traits[cb->info.type].bytes);
}

static uint8_t
floor_bits(const struct lp_codebook *cb)
{
	const bool grouped = cb->info.kind == LP_KIND_GROUPED;
	const unsigned int codes = grouped ? cb->grouped.codes : 256;
	unsigned int shortest = UINT8_MAX;

	for (unsigned int s = 0; s < codes; s++) {
		const unsigned int length = grouped
				? cb->grouped.slot_length[cb->grouped.rank_slot[s]]
				: lp_book_code_len(cb)[s];

		if (length < shortest)
			shortest = length;
	}
	if (grouped)
		shortest += lp_type_traits[cb->info.type].raw_bits;
	return (uint8_t)(shortest * (4 / (grouped ? lp_type_bytes(cb->info.type) : 1)));
}

static double
profile_saved_percent(const struct lp_codebook_info *info)
{
	const struct lp_type_traits *type = &lp_type_traits[info->type];
	const bool is_exponent = info->symbol == LP_SYMBOL_EXPONENT;
	const unsigned int symbol_bits = is_exponent ? type->exponent_bits : 8;
	const unsigned int symbol_and_raw_bits = is_exponent ? 8u * type->bytes : 8;

	if (info->profile_code_bits <= 0)
		return 0;
	return 100 * (symbol_bits - info->profile_code_bits) / symbol_and_raw_bits;
}

static bool
derive_tables(struct lp_codebook *cb, struct lp_error *error)
{
	switch (cb->info.kind) {
	case LP_KIND_GROUPED:
		return lp_grouped_derive(&cb->grouped, lp_type_exponents(cb->info.type), error);
	case LP_KIND_HUFFMAN:
		return lp_huffman_derive(&cb->huffman, error);
	default:
		return lp_area_derive(&cb->area, error);
	}
}

static void
describe_codes(const struct lp_codebook *cb, struct lp_codebook_info *info)
{
	const struct lp_grouped *g = &cb->grouped;

	switch (info->kind) {
	case LP_KIND_GROUPED:
		info->codes = g->ranks;
		info->longest_code_bits = g->slot_length[g->rank_slot[g->ranks - 1]];
		break;
	case LP_KIND_HUFFMAN:
		for (unsigned int s = 0; s < LP_HUFFMAN_ESCAPE; s++) {
			info->codes += cb->huffman.length[s] > 0;
			if (cb->huffman.length[s] > info->longest_code_bits)
				info->longest_code_bits = cb->huffman.length[s];
		}
		break;
	default:
		info->codes = 256;
		for (unsigned int s = 0; s < 256; s++)
			if (cb->area.code_len[s] > info->longest_code_bits)
				info->longest_code_bits = cb->area.code_len[s];
	}
}

/* What the members mean together. */
static bool
finish(struct lp_codebook *cb, struct lp_error *error)
{
	struct lp_codebook_info *info = &cb->info;
	const bool exponent = info->symbol == LP_SYMBOL_EXPONENT;

	if ((info->kind == LP_KIND_GROUPED) != exponent)
		return lp_error_set(error, 0, "symbol %s does not go with kind %s",
				lp_symbol_name(info->symbol), lp_kind_name(info->kind));
	if (!derive_tables(cb, error))
		return false;
	info->element_bytes = (uint8_t)(exponent ? lp_type_bytes(info->type) : 1);
	describe_codes(cb, info);
	cb->kernel = lp_kernels;
	while (!lp_kernel_fits(cb->kernel, cb)) {
		if (cb->kernel == &lp_kernels[lp_kernel_count - 1])
			return lp_error_set(error, 0, "the book fails its self-test");
		cb->kernel++;
	}
	cb->floor_bits = floor_bits(cb);
	cb->typical_bits = typical_bits(cb);
	info->profile_saved_percent = profile_saved_percent(info);
	if (!lp_book_digest(cb))
		return lp_error_set(error, 0, "SHA-256 failed");
	return true;
}

struct lp_codebook *
lp_codebook_parse(const char *text, size_t text_len, struct lp_error *error)
{
	struct lp_codebook *cb = calloc(1, sizeof(*cb));

	if (cb == NULL) {
		lp_error_set(error, 0, "out of memory");
		return NULL;
	}
	cb->info.type = LP_TYPE_COUNT;
	cb->info.kind = LP_KIND_COUNT;
	cb->info.symbol = LP_SYMBOL_COUNT;
	if (!lp_book_parse_text(cb, text, text_len, error) || !finish(cb, error)) {
		free(cb);
		return NULL;
	}
	return cb;
}

/* Read a file of at most FILE_LEN_MAX bytes into new memory; NULL with an error. */
static char *
read_file(const char *path, size_t *len, struct lp_error *error)
{
	FILE *f = fopen(path, "re");
	char *text = f == NULL ? NULL : malloc(FILE_LEN_MAX + 1);

	if (text != NULL) {
		errno = 0;
		*len = fread(text, 1, FILE_LEN_MAX + 1, f);
	}
	if (text == NULL || ferror(f)) {
		lp_error_set(error, 0, "%s", strerror(errno));
		free(text);
		text = NULL;
	} else if (*len > FILE_LEN_MAX) {
		lp_error_set(error, 0, "longer than %u bytes", FILE_LEN_MAX);
		free(text);
		text = NULL;
	}
	if (f != NULL)
		fclose(f);
	return text;
}

struct lp_codebook *
lp_codebook_load(const char *path, struct lp_error *error)
{
	size_t len = 0;
	char *text = read_file(path, &len, error);

	if (text == NULL)
		return NULL;
	struct lp_codebook *cb = lp_codebook_parse(text, len, error);

	free(text);
	return cb;
}

struct lp_codebook *
lp_codebook_hold(struct lp_codebook *cb)
{
	__atomic_fetch_add(&cb->holders, 1, __ATOMIC_RELAXED);
	return cb;
}

void
lp_codebook_free(struct lp_codebook *cb)
{
	if (cb != NULL && __atomic_fetch_sub(&cb->holders, 1, __ATOMIC_ACQ_REL) == 0)
		free(cb);
}

void
lp_codebook_describe(const struct lp_codebook *cb, struct lp_codebook_info *info)
{
	*info = cb->info;
}

uint64_t
lp_codebook_digest64(const struct lp_codebook *cb)
{
	uint64_t digest = 0;

	for (unsigned int k = 0; k < 8; k++)
		digest = digest << 8 | cb->info.digest[k];
	return digest;
}

enum lp_type
lp_codebook_type(const struct lp_codebook *cb)
{
	return cb->info.type;
}

unsigned int
lp_codebook_element_log2(const struct lp_codebook *cb)
{
	return cb->info.element_bytes >> 1;
}
