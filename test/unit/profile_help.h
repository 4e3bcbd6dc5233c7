/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef TEST_PROFILE_HELP_H
#define TEST_PROFILE_HELP_H

/**
 * @file
 * What the tests of fits share.
 */

#include "codec_help.h"
#include "linepress/profile.h"

#define SHARD_BYTES 4096
#define BOOKS_MAX 16

/** Load what a fit wrote, with the lines that are left to the caller. */
struct lp_codebook *book_of(enum lp_type type, enum lp_kind kind, const char *fitted);

/** A profile of so many shards of SHARD_BYTES bytes of data. */
struct lp_profile *profile_of(enum lp_type type, enum lp_symbol symbol, enum data_class data,
		unsigned int shards);

/** Bits of all symbols by the books of a set; adds up the symbols. */
double set_bits(enum lp_type type, enum lp_kind kind, char (*text)[LP_FIT_TEXT_MAX],
		unsigned int books, uint64_t *symbols);

/** 24 shards of 2048 bytes of several kinds: narrow and wide numbers, sparse ones, noise. */
struct lp_profile *mixed_profile(enum lp_type type, enum lp_symbol symbol);

#endif /* TEST_PROFILE_HELP_H */
