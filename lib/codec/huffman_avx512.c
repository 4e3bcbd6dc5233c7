/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Huffman encoder for AVX-512.
 *
 * Codes of 64 bytes are looked up at once and put together in the lanes, first two, then four.
 * The sum of their lengths tells where each four belong, so that they are stored without waiting
 * for one another.
 */

#include <immintrin.h>

#include "huffman.h"
#include "huffman_x86.h"

/* Symbols of a block, and bytes it may write: 64 codes after 7 bits, and the rest of a word. */
#define BLOCK 64
#define BLOCK_BYTES ((7 + BLOCK * LP_HUFFMAN_BITS_MAX + 7) / 8 + 8)
#define FOURS (BLOCK / 4)

/* Fewest bits of a code here: bits held of one four must not go past the next. */
#define SHORTEST 2

struct tables {
	__m512i low[4], high[4];
};

static inline struct tables
load_tables(const struct lp_huffman *h)
{
	struct tables t;

	for (unsigned int k = 0; k < 4; k++) {
		t.low[k] = _mm512_loadu_si512(h->code_low + 64 * k);
		t.high[k] = _mm512_loadu_si512(h->code_high + 64 * k);
	}
	return t;
}

static inline __m512i
turn_symbols(struct lp_turn turn, __m512i bytes)
{
	const __m512i left = _mm512_slli_epi16(bytes, 1), right = _mm512_srli_epi16(bytes, 7);
	/* Bit by bit: the lowest of a byte from `right`, the others from `left`. */
	const __m512i rotated = _mm512_ternarylogic_epi64(_mm512_set1_epi8(1), right, left, 0xca);

	return _mm512_sub_epi8(rotated, _mm512_set1_epi8((char)turn.base));
}

/* Codes of 64 symbols, by fours. */
struct fours {
	__m512i code[2]; /* a: four 0, 1, 4, 5, 8, ...; b: four 2, 3, 6, 7, 10, ... */
	__m512i bits;	 /* 16 numbers, in order */
};

/* Returns the symbols that must be escaped. */
static inline __mmask64
look_up(const struct tables *t, __m512i symbols, __m512i *low, __m512i *high)
{
	const __mmask64 bit7 = _mm512_movepi8_mask(symbols);
	const __mmask64 bit6 = _mm512_movepi8_mask(_mm512_slli_epi16(symbols, 1));
	const __mmask64 quarter[4] = { ~bit7 & ~bit6, ~bit7 & bit6, bit7 & ~bit6, bit7 & bit6 };

	*low = _mm512_maskz_permutexvar_epi8(quarter[0], symbols, t->low[0]);
	*high = _mm512_maskz_permutexvar_epi8(quarter[0], symbols, t->high[0]);
	for (unsigned int k = 1; k < 4; k++) {
		*low = _mm512_mask_permutexvar_epi8(*low, quarter[k], symbols, t->low[k]);
		*high = _mm512_mask_permutexvar_epi8(*high, quarter[k], symbols, t->high[k]);
	}
	return _mm512_testn_epi8_mask(*high, *high);
}

/*
 * Make room for escaped symbols: each takes two places, one for the escape's code and one for the
 * symbol, as if it were a code of 8 bits. Returns how many symbols have come to lie in the block,
 * or 0 if the end of the block is between the two.
 */
static __attribute__((noinline)) unsigned int
spread(const struct lp_huffman *h, __m512i symbols, __mmask64 escaped, __m512i *low, __m512i *high)
{
	uint64_t codes = ~UINT64_C(0); /* places for codes, the others are for symbols */
	unsigned int before = 0;

	for (uint64_t m = escaped; m != 0; m &= m - 1) {
		const unsigned int place = (unsigned int)__builtin_ctzll(m) + ++before;

		if (place >= BLOCK)
			break;
		codes &= ~(UINT64_C(1) << place);
	}
	const unsigned int taken = lp_popcount64(codes);

	if (codes >> (BLOCK - 1) != 0 && (escaped >> (taken - 1) & 1) != 0)
		return 0;
	*low = _mm512_mask_mov_epi8(
			*low, escaped, _mm512_set1_epi8((char)h->code_low[LP_HUFFMAN_ESCAPE]));
	*low = _mm512_maskz_expand_epi8(codes, *low);
	*low = _mm512_mask_expand_epi8(*low, ~codes, _mm512_maskz_compress_epi8(escaped, symbols));
	*high = _mm512_mask_mov_epi8(
			*high, escaped, _mm512_set1_epi8((char)h->code_high[LP_HUFFMAN_ESCAPE]));
	*high = _mm512_mask_expand_epi8(_mm512_set1_epi8((char)(8 << 4)), codes, *high);
	return taken;
}

static inline struct fours
join(__m512i low, __m512i high)
{
	const __m512i ones = _mm512_set1_epi16(1), zero = _mm512_setzero_si512();
	const __m512i nibble = _mm512_set1_epi8(15), words = _mm512_set1_epi32(0xffff);
	const __m512i dwords = _mm512_set1_epi64(0xffffffff);
	const __m512i bits = _mm512_and_si512(_mm512_srli_epi16(high, 4), nibble);
	const __m512i bits2 = _mm512_maddubs_epi16(bits, _mm512_set1_epi8(1));
	const __m512i top = _mm512_and_si512(high, nibble);
	/* The second code of two is moved past the first by a multiplication. */
	const __m512i factor = _mm512_sllv_epi16(
			ones, _mm512_and_si512(bits, _mm512_set1_epi16(0xff)));
	const __m512i even2 = _mm512_and_si512(bits2, words);
	struct fours f;

	for (unsigned int k = 0; k < 2; k++) {
		const __m512i codes = k == 0 ? _mm512_unpacklo_epi8(low, top)
					     : _mm512_unpackhi_epi8(low, top);
		const __m512i factors = k == 0 ? _mm512_unpacklo_epi16(ones, factor)
					       : _mm512_unpackhi_epi16(ones, factor);
		const __m512i two = _mm512_madd_epi16(codes, factors);
		const __m512i shift = k == 0 ? _mm512_unpacklo_epi32(even2, zero)
					     : _mm512_unpackhi_epi32(even2, zero);
		const __m512i second = _mm512_sllv_epi64(_mm512_srli_epi64(two, 32), shift);

		/* two & dwords | second */
		f.code[k] = _mm512_ternarylogic_epi64(two, dwords, second, 0xea);
	}
	f.bits = _mm512_madd_epi16(bits2, ones);
	return f;
}

/* Sums of all elements up to each. */
static inline __m512i
running_sum(__m512i x)
{
	const __m512i zero = _mm512_setzero_si512();

	x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
	x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
	x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
	return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}

/* The stream: as struct lp_bit_writer, but the bits held are in a vector. */
struct stream {
	__m512i held; /* in the lowest element; the others are zero */
	unsigned int count;
	uint8_t *next;
};

/* Give each four what the one before it has left of its last byte. */
static inline void
carry(__m512i *held, __m512i code[2], const __m512i rest[2])
{
	/* Before a[2k] comes b[2k - 1], before a[2k + 1] a[2k]; before b[2k] a[2k + 1]. */
	const __m512i before_a = _mm512_setr_epi64(0, 0, 8 + 1, 2, 8 + 3, 4, 8 + 5, 6);
	const __m512i a = _mm512_maskz_permutex2var_epi64(0xfe, rest[0], before_a, rest[1]);
	const __m512i b = _mm512_castpd_si512(_mm512_shuffle_pd(
			_mm512_castsi512_pd(rest[0]), _mm512_castsi512_pd(rest[1]), 0x55));

	code[0] = _mm512_ternarylogic_epi64(code[0], a, *held, 0xfe);
	code[1] = _mm512_or_si512(code[1], b);
	*held = _mm512_maskz_permutexvar_epi64(1, _mm512_set1_epi64(7), rest[1]);
}

static inline __attribute__((always_inline)) void
store_fours(struct stream *s, const struct fours *f)
{
	const __m512i zero = _mm512_setzero_si512();
	const __m512i sum = running_sum(f->bits);
	const __m512i start = _mm512_add_epi32(
			_mm512_sub_epi32(sum, f->bits), _mm512_set1_epi32((int)s->count));
	const __m512i shift = _mm512_and_si512(start, _mm512_set1_epi32(7));
	const __m512i whole = _mm512_and_si512(
			_mm512_add_epi32(shift, f->bits), _mm512_set1_epi32(~7));
	const __m128i last = _mm512_extracti32x4_epi32(sum, 3);
	const unsigned int end = s->count + (unsigned int)_mm_extract_epi32(last, 3);
	__m512i code[2], rest[2];
	uint64_t word[FOURS];
	uint32_t place[FOURS];

	code[0] = _mm512_sllv_epi64(f->code[0], _mm512_unpacklo_epi32(shift, zero));
	code[1] = _mm512_sllv_epi64(f->code[1], _mm512_unpackhi_epi32(shift, zero));
	rest[0] = _mm512_srlv_epi64(code[0], _mm512_unpacklo_epi32(whole, zero));
	rest[1] = _mm512_srlv_epi64(code[1], _mm512_unpackhi_epi32(whole, zero));
	carry(&s->held, code, rest);
	_mm512_storeu_si512(word, code[0]);
	_mm512_storeu_si512(word + 8, code[1]);
	_mm512_storeu_si512(place, _mm512_srli_epi32(start, 3));
	/* Otherwise the compiler takes the elements out of the vectors, which is slower. */
	__asm__("" : "+m"(word), "+m"(place));
#pragma GCC unroll 16
	for (unsigned int k = 0; k < FOURS; k++)
		lp_x86_store64(s->next + place[k], word[k / 4 * 2 + (k & 2) * 4 + (k & 1)]);
	s->next += end / 8;
	s->count = end % 8;
}

static inline struct lp_bit_writer
to_writer(struct stream s, const uint8_t *end)
{
	const __m128i held = _mm512_castsi512_si128(s.held);

	return (struct lp_bit_writer){ (uint64_t)_mm_cvtsi128_si64(held), s.count, s.next, end };
}

static inline struct stream
from_writer(struct lp_bit_writer w)
{
	const __m128i held = _mm_cvtsi64_si128((long long)w.held);

	return (struct stream){ _mm512_zextsi128_si512(held), w.count, w.next };
}

int
lp_huffman_encode_avx512(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap)
{
	const struct lp_huffman *h = &cb->huffman;
	const struct lp_turn turn = lp_turn_of(cb, params->base);
	const uint8_t *const src_end = src + len, *const end = dst + dst_cap;
	struct lp_bit_writer w;

	if (h->shortest < SHORTEST)
		return lp_huffman_encode_avx2(cb, params, src, len, dst, dst_cap);
	if (dst_cap < turn.rotated)
		return 0;
	const struct tables tables = load_tables(h);
	struct stream s = { _mm512_setzero_si512(), 0, dst + turn.rotated };

	while (src_end - src >= BLOCK && end - s.next >= BLOCK_BYTES) {
		__m512i symbols = _mm512_loadu_si512(src), low, high;
		unsigned int taken = BLOCK;

		if (turn.rotated)
			symbols = turn_symbols(turn, symbols);
		const __mmask64 escaped = look_up(&tables, symbols, &low, &high);

		if (__builtin_expect(escaped != 0, 0))
			taken = spread(h, symbols, escaped, &low, &high);
		if (__builtin_expect(taken > 0, 1)) {
			const struct fours f = join(low, high);

			store_fours(&s, &f);
			src += taken;
			continue;
		}
		w = to_writer(s, end);
		if (!lp_huffman_put(h, turn, &w, src, BLOCK))
			return 0;
		s = from_writer(w);
		src += BLOCK;
	}
	w = to_writer(s, end);
	if (!lp_huffman_put(h, turn, &w, src, (size_t)(src_end - src)))
		return 0;
	if (turn.rotated)
		dst[0] = turn.base;
	return (int)(lp_bits_finish(&w) - dst);
}
