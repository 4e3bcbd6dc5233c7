/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LP_BOOK_H
#define LP_BOOK_H

/**
 * @file
 * A codebook in memory: what its file says, and the tables derived from it.
 */

#include <stdbool.h>

#include "kernel.h"
#include "linepress/codec.h"

#define LP_GROUPS_MAX 8		/**< groups of a grouped code */
#define LP_GROUP_SUFFIX_MAX 4	/**< suffix bits of a group */
#define LP_GROUPED_CODES_MAX 16 /**< ranks of a grouped code, with the escape */
#define LP_GROUPED_WINDOW 16	/**< consecutive deltas within which the ranks lie */
#define LP_HUFFMAN_BITS_MAX 11	/**< longest Huffman code */
#define LP_HUFFMAN_SYMBOLS 257	/**< all bytes and the escape */
#define LP_HUFFMAN_ESCAPE 256	/**< symbol number of the escape */
#define LP_AREAS_MAX 16		/**< areas of an area code, of 1 to 4 prefix bits */
#define LP_AREA_SUFFIX_MAX 8	/**< suffix bits of an area */
#define LP_AREA_LENGTH_MAX 12	/**< longest code of an area code */
#define LP_NO_SLOT 0xff

/**
 * Groups of a grouped code. Ranks are put into *slots* of at most 4 bits, each group at a multiple
 * of its size, so that the low bits of a slot are its suffix.
 */
struct lp_shape {
	uint8_t groups;
	uint8_t suffix_bits[LP_GROUPS_MAX];
	uint8_t slot[LP_GROUPS_MAX]; /**< first slot of each group */
};

/** A grouped code. */
struct lp_grouped {
	struct lp_shape shape; /**< slots are derived, the rest is as in the file */

	/* As in the file. */
	uint8_t ranks;				  /**< without the escape */
	uint8_t rank_delta[LP_GROUPED_CODES_MAX]; /**< modulo the number of exponents */
	uint8_t zero_rank;			  /**< rank of exponent 0, or LP_NO_SLOT */

	/* Derived. */
	uint8_t codes; /**< ranks, and the escape if there is one */
	uint8_t suffix_bits_min;
	uint8_t suffix_bits_max;
	uint8_t slot_bits;
	uint8_t rank_slot[LP_GROUPED_CODES_MAX]; /**< the escape's at index `ranks` */
	uint8_t zero_slot;			 /**< or LP_NO_SLOT */
	uint8_t escape_slot;			 /**< or LP_NO_SLOT */
	uint8_t slot_delta[LP_GROUPED_CODES_MAX];
	uint8_t slot_levels[LP_GROUPED_CODES_MAX]; /**< bit j: goes beyond group j */
	uint8_t slot_suffix[LP_GROUPED_CODES_MAX];
	uint8_t slot_length[LP_GROUPED_CODES_MAX]; /**< bits, with an escaped exponent */
	/** Slot by aligned exponent, twice in a row so that any base is a mere offset. */
	uint8_t delta_slot[2 * 256];
	uint8_t longest; /**< longest slot_length, that of the escape if there is one */
	uint8_t window_saving[LP_GROUPED_WINDOW]; /**< bits below the longest, by place in it */
	/** lp_grouped_pattern() of the window's exponents, for kernels with byte look-ups. */
	uint8_t window_pattern[LP_GROUPED_WINDOW];
	uint8_t window; /**< delta at which a window that has all ranks starts */
};

/** Step of the escape: no code is so long, and a shift by it leaves at most one bit. */
#define LP_HUFFMAN_STEP_ESCAPE 63

/** A canonical Huffman code, bit-reversed for an LSB-first stream as in RFC 1951. */
struct lp_huffman {
	/* As in the file. */
	uint8_t length[LP_HUFFMAN_SYMBOLS]; /**< bits, 0: no code */

	/* Derived, to encode. An escaped byte is the escape's code and the byte. */
	uint8_t shortest;	   /**< bits of the shortest code, maybe the escape's */
	uint32_t code[256];	   /**< bits to send for a byte */
	uint8_t code_len[2 * 256]; /**< how many; twice in a row so that a base is an offset */
	uint64_t code_top[256];	   /**< the bits to send at the top, how many at the bottom */
	/** For byte look-ups: the low 8 bits of the code; 0 for escaped bytes. */
	uint8_t code_low[LP_HUFFMAN_SYMBOLS];
	/** The bits above them, and in the high nibble the bits of the code. */
	uint8_t code_high[LP_HUFFMAN_SYMBOLS];

	/* Derived, to decode; by the next bits of the stream. */
	uint8_t step[1 << LP_HUFFMAN_BITS_MAX];	  /**< bits of the code */
	uint8_t symbol[1 << LP_HUFFMAN_BITS_MAX]; /**< undefined for the escape */
	uint16_t entry[1 << LP_HUFFMAN_BITS_MAX]; /**< both, the symbol in the high byte */
	uint32_t pair[1 << LP_HUFFMAN_BITS_MAX];  /**< see LP_HUFFMAN_PAIR() */
};

/**
 * One or two symbols, if their codes fit in the index: bits 0-7 the bits of both, bits 8-15 how
 * many symbols, then the symbols.
 */
#define LP_HUFFMAN_PAIR(step, symbols, first, second)                            \
	((uint32_t)(step) | (uint32_t)(symbols) << 8 | (uint32_t)(first) << 16 | \
			(uint32_t)(second) << 24)

/** An area code: the number of an area, then the place of the symbol in it. */
struct lp_area {
	/* As in the file. */
	uint8_t areas;			   /**< a power of two from 2 on */
	uint8_t suffix_bits[LP_AREAS_MAX]; /**< of each area, in the order of ranks */
	uint16_t ranks;			   /**< symbols listed */
	uint8_t symbol[256];		   /**< by rank */

	/* Derived. */
	uint8_t prefix_bits;
	uint8_t first[LP_AREAS_MAX]; /**< lowest rank of each area */
	uint8_t limit[LP_AREAS_MAX]; /**< highest suffix of each area */
	uint8_t mask[LP_AREAS_MAX];  /**< suffix bits, set */
	bool full;		     /**< does the last area, too, have a symbol for each suffix? */
	bool in_turn;		   /**< is the order of ranks that of symbols, from symbol[0] on? */
	uint8_t rank[256];	   /**< by symbol */
	uint8_t rank_area[256];	   /**< by rank */
	uint8_t code_len[2 * 256]; /**< by symbol; twice in a row so that a base is an offset */
	/**
	 * For byte look-ups: ranks less 128, as signed numbers, by their high four bits. The area
	 * of the lowest of these 16 ranks, and the last rank before each area that starts among
	 * them but not with the lowest; 127 where there are no more.
	 */
	uint8_t block_area[16];
	int8_t cut[LP_AREAS_MAX - 1][16];
	uint8_t cuts; /**< how many of these rows are in use */
};

struct lp_codebook {
	struct lp_codebook_info info;
	unsigned int holders; /**< beside the first: lp_codebook_free() calls still due */
	const struct lp_kernel *kernel;
	uint8_t floor_bits; /**< fewest bits of 4 bytes: raw bits and shortest codes */
	/** Eighths of bits of 4 bytes that show a grouped book to be the right one; 0: unknown. */
	uint16_t typical_bits;
	union {
		struct lp_grouped grouped;
		struct lp_huffman huffman;
		struct lp_area area;
	};
};

/** Let a book have one more owner, who releases it with lp_codebook_free(). From any thread. */
struct lp_codebook *lp_codebook_hold(struct lp_codebook *cb);

/** Fill in a zeroed book from its text; false with an error. Tables are not derived. */
bool lp_book_parse_text(
		struct lp_codebook *cb, const char *text, size_t text_len, struct lp_error *error);

/** Derive the tables of a grouped code; false with an error if it is not complete. */
bool lp_grouped_derive(struct lp_grouped *g, unsigned int exponents, struct lp_error *error);

/** Derive the tables of a Huffman code; false with an error if it is not complete. */
bool lp_huffman_derive(struct lp_huffman *h, struct lp_error *error);

/** Derive the tables of an area code; false with an error if it is not complete. */
bool lp_area_derive(struct lp_area *a, struct lp_error *error);

/** Bits of the code of each byte or rotated byte, 256 twice in a row; not of grouped books. */
static inline const uint8_t *
lp_book_code_len(const struct lp_codebook *cb)
{
	return cb->info.kind == LP_KIND_AREA ? cb->area.code_len : cb->huffman.code_len;
}

/** A slot for byte look-ups, in the high nibble: 0 is that of the last slot, thus of the escape. */
static inline uint8_t
lp_grouped_pattern(const struct lp_grouped *g, uint8_t slot)
{
	const unsigned int last = g->shape.groups - 1u;
	const unsigned int last_slot = g->shape.slot[last] + (1u << g->shape.suffix_bits[last]) - 1;

	return (uint8_t)((slot ^ last_slot) << 4);
}

/** Assign canonical codes (RFC 1951, 3.2.2), bit-reversed, to symbols with a length. */
void lp_canonical_codes(const uint8_t *length, unsigned int symbols, uint16_t *code);

/** Compute the digest of a book whose other members are complete. */
bool lp_book_digest(struct lp_codebook *cb);

/** Fill in an error, printf style; `error` may be NULL. Returns false. */
bool lp_error_set(struct lp_error *error, unsigned int line, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/** Symbol of a name, or -EINVAL. */
int lp_symbol_from_name(const char *name);

/** The kernel of a book, which may be replaced while it is used. */
static inline const struct lp_kernel *
lp_book_kernel(const struct lp_codebook *cb)
{
	return __atomic_load_n(&cb->kernel, __ATOMIC_RELAXED);
}

#endif /* LP_BOOK_H */
