/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Huffman decoder for AVX2 and BMI2.
 *
 * A symbol can be looked up only when the length of the one before is known: six or seven cycles,
 * in which a processor could do much more. So several bodies are decoded side by side, each in a
 * lane; a lane that has finished takes the next body.
 *
 * Words of the stream are loaded with the highest bit set, the mark. It moves down with each step,
 * so that its place tells how much of the word was used. More symbols are taken from a word than
 * it is sure to have: codes that go beyond it shift the mark out, as does the step of the escape.
 * That is found before the next word is loaded, and the portable kernel decodes the round again.
 */

#include <errno.h>
#include <immintrin.h>

#include "huffman.h"
#include "huffman_x86.h"

#define LANES 8
#define MARK (UINT64_C(1) << 63)

#define STEP 7 /* symbols of a round, for which a word is loaded once */
/* Bits of a round at most: of one that does not run out, and of escapes. */
#define WORD_BITS 62
#define ROUND_BITS (STEP * LP_HUFFMAN_SYMBOL_BITS_MAX)

/* Symbols of a round of a lane alone, or twice as many. */
#define LONE_STEP 5
#define LONE_ROUND_BITS (LONE_STEP * LP_HUFFMAN_SYMBOL_BITS_MAX)
static_assert(LONE_STEP * LP_HUFFMAN_BITS_MAX <= 56, "a round does not fit in a word");

/* Rounds, and symbols of a lane, between two looks at how far all lanes have come. */
#define BATCH_ROUNDS 64
#define BATCH (BATCH_ROUNDS * STEP)

/* The last bytes of a body are decoded from a copy that zeros follow, up to the last symbols. */
#define TAIL 256
#define TAIL_ROOM (2 * TAIL)

struct lane {
	const uint8_t *src; /* the body, or its tail */
	size_t src_len;
	size_t pos;	/* bits of it that have been decoded */
	size_t skipped; /* bytes of the body before the tail */
	uint8_t *out, *out_end;
	uint8_t *symbols; /* up to out, as a lane alone leaves them: not turned back into bytes */
	const struct lp_huffman *h;
	struct lp_turn turn;
	struct lp_decode_job *job;
	uint8_t *tail; /* TAIL_ROOM bytes */
};

/* What the loop has of its lanes. */
struct heads {
	/* What is left of the word, and the mark. The next code starts at bit 1, see LOOK_UP(). */
	uint64_t bits[LANES];
	const uint8_t *next[LANES]; /* the word */
	uint32_t used[LANES];	    /* bits below bit 1 that were shifted out when it was loaded */
	const uint8_t *entry[LANES];
	uint64_t mark; /* in memory, since there are not enough registers */
	uint8_t *end;  /* of the symbols of the first lane */
	const struct lane *lane;
	/* Symbols, as there are no registers for the places where they belong. */
	uint8_t out[LANES][BATCH] __attribute__((aligned(32)));
};

static inline unsigned int
mark_place(uint64_t bits)
{
	return (unsigned int)__builtin_clzll(bits);
}

static inline bool
ran_out(uint64_t bits)
{
	return bits <= 1;
}

/* Load the word for a place. Bit 1 of the first word would be in front of the body. */
static inline void
seek(struct heads *heads, unsigned int k, size_t pos)
{
	const uint8_t *const src = heads->lane[k].src;
	const uint64_t word = pos == 0 ? lp_x86_load64(src) << 8
				       : lp_x86_load64(src + (pos - 1) / 8);

	heads->next[k] = src + pos / 8 - (pos % 8 == 0);
	heads->used[k] = (pos + 7) % 8;
	heads->bits[k] = (word | MARK) >> heads->used[k];
}

/* The place in a word of which so much was shifted out. */
static inline size_t
tell(const struct heads *heads, unsigned int k, unsigned int used)
{
	return (size_t)(heads->next[k] + 1 - heads->lane[k].src) * 8 + used - 7;
}

/* Rounds for which there are words to load, if one of them is of escapes. */
static size_t
rounds_by_bits(const struct lane *l, size_t pos, unsigned int round_bits, unsigned int word_bits)
{
	const size_t bits = l->src_len * 8, room = 64 + round_bits;

	return bits < room || pos > bits - room ? 0 : (bits - room - pos) / word_bits + 1;
}

/* Decode the last `n` symbols of a lane again, from where the word was loaded. */
static size_t
redo(const struct heads *heads, unsigned int k, uint8_t *end, size_t n)
{
	const struct lane *const l = &heads->lane[k];
	struct lp_huffman_reader r = { l->src, l->src_len, tell(heads, k, heads->used[k]) };

	lp_huffman_get(l->h, &r, end - n, n);
	return r.pos;
}

/* A lane has run out at its turn. If it has used a lot, fewer rounds than thought may follow. */
static __attribute__((noinline)) void
repair(struct heads *heads, unsigned int k, uint8_t *out, unsigned int turn)
{
	const size_t n = out == heads->out[0] ? turn : STEP;
	const size_t pos = redo(heads, k, out + k * BATCH + turn, n);
	const size_t rounds = rounds_by_bits(&heads->lane[k], pos, ROUND_BITS, WORD_BITS);

	seek(heads, k, pos);
	if (rounds < (size_t)(heads->end - out) / STEP)
		heads->end = out + (rounds + 1) * STEP;
}

static inline __attribute__((always_inline)) uint64_t
refill(struct heads *heads, unsigned int k, uint64_t bits)
{
	const unsigned int used = mark_place(bits);
	const uint8_t *const next = heads->next[k] + used / 8;

	heads->next[k] = next;
	heads->used[k] = used % 8;
	return (lp_x86_load64(next) | heads->mark) >> used % 8;
}

static inline __attribute__((always_inline)) void
copy_bits(uint64_t *to, const uint64_t *from, unsigned int lanes)
{
#pragma GCC unroll 8
	for (unsigned int k = 0; k < lanes; k++)
		to[k] = from[k];
}

/*
 * Look up a symbol: four instructions, of which only the shift is bound to few ports. Entries are
 * of two bytes, and with codes from bit 1 on their place needs no shift, which a load with a
 * scaled index takes a cycle for. Bits are masked by ANDN, for which the compiler needs a mask
 * that it does not know. The load is written down so that its result goes where the symbol can
 * be stored from the second byte; tables are as long as the mask.
 */
#define LOOK_UP(bits, table, place)                                        \
	do {                                                               \
		uint32_t entry;                                            \
                                                                           \
		__asm__("" : "+r"(others));                                \
		__asm__("movzwl (%1,%2), %0"                               \
				: "=Q"(entry)                              \
				: "r"(table), "r"(_andn_u64(others, bits)) \
				: "memory");                               \
		bits >>= entry & 63;                                       \
		place = (uint8_t)(entry >> 8);                             \
	} while (0)

/* Lanes load their words in turn, so that there is always something to look up in the others. */
#define TURN(k, lanes) (1 + (k)*STEP / (lanes))

/* In each lane either look up a symbol, the one in this place of STEP, or load a word. */
#define SLOT(s)                                                                               \
	do {                                                                                  \
		_Pragma("GCC unroll 8") for (unsigned int k = 0; k < lanes; k++)              \
		{                                                                             \
			const unsigned int turn = TURN(k, lanes);                             \
                                                                                              \
			if ((s) != turn) {                                                    \
				LOOK_UP(bits[k], same ? first : heads->entry[k],              \
						out[k * BATCH + ((s) < turn ? (s) : (s)-1)]); \
			} else if (__builtin_expect(!ran_out(bits[k]), 1)) {                  \
				bits[k] = refill(heads, k, bits[k]);                          \
			} else {                                                              \
				copy_bits(heads->bits, bits, lanes);                          \
				repair(heads, k, out, turn);                                  \
				copy_bits(bits, heads->bits, lanes);                          \
			}                                                                     \
		}                                                                             \
	} while (0)

/* Returns how many symbols each lane has got. The last of them may have run out. */
static inline __attribute__((always_inline)) size_t
run_lanes(struct heads *heads, unsigned int lanes, bool same)
{
	const uint8_t *const first = heads->entry[0];
	uint64_t bits[LANES], others = ~(((UINT64_C(1) << LP_HUFFMAN_BITS_MAX) - 1) * 2);
	uint8_t *out = heads->out[0];

	copy_bits(bits, heads->bits, lanes);
	do {
		SLOT(0u);
		SLOT(1u);
		SLOT(2u);
		SLOT(3u);
		SLOT(4u);
		SLOT(5u);
		SLOT(6u);
		SLOT(7u);
		out += STEP;
	} while (out != heads->end);
	copy_bits(heads->bits, bits, lanes);
	return (size_t)(out - heads->out[0]);
}

static __attribute__((noinline)) size_t
run_8_same(struct heads *heads)
{
	return run_lanes(heads, 8, true);
}

static __attribute__((noinline)) size_t
run_8(struct heads *heads)
{
	return run_lanes(heads, 8, false);
}

static __attribute__((noinline)) size_t
run_4(struct heads *heads)
{
	return run_lanes(heads, 4, false);
}

static __attribute__((noinline)) size_t
run_2(struct heads *heads)
{
	return run_lanes(heads, 2, false);
}

/* One lane alone waits less if it looks up two symbols at once. */
static __attribute__((noinline)) void
run_1(struct lane *l, size_t rounds)
{
	const struct lp_huffman *h = l->h;

	for (; rounds > 0; rounds--) {
		uint64_t bits = (lp_x86_load64(l->src + l->pos / 8) | MARK) >> l->pos % 8;
		uint8_t *out = l->out;

#pragma GCC unroll 8
		for (unsigned int s = 0; s < LONE_STEP; s++) {
			const uint32_t pair = h->pair[_bzhi_u64(bits, LP_HUFFMAN_BITS_MAX)];

			bits >>= pair & 63;
			lp_store16(out, (uint16_t)(pair >> 16));
			out += pair >> 8 & 3;
		}
		if (__builtin_expect(ran_out(bits), 0)) {
			struct lp_huffman_reader r = { l->src, l->src_len, l->pos };

			lp_huffman_get(h, &r, l->out, LONE_STEP);
			out = l->out + LONE_STEP;
			l->pos = r.pos;
		} else {
			l->pos = l->pos / 8 * 8 + mark_place(bits);
		}
		l->out = out;
	}
}

/* Copy symbols from where the loop has put them to where they belong, as bytes. */
static void
put_bytes(struct lane *l, const uint8_t *symbol, size_t n)
{
	const __m256i base = _mm256_set1_epi8((char)l->turn.base), low = _mm256_set1_epi8(0x7f);
	size_t i = 0;

	/* The last 32 may be some that are there already. */
	for (; n >= 32 && i < n; i = i + 32 < n && i + 64 > n ? n - 32 : i + 32) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(symbol + i));

		if (l->turn.rotated) {
			v = _mm256_add_epi8(v, base);
			v = _mm256_or_si256(_mm256_and_si256(low, _mm256_srli_epi16(v, 1)),
					_mm256_andnot_si256(low, _mm256_slli_epi16(v, 7)));
		}
		_mm256_storeu_si256((__m256i *)(void *)(l->out + i), v);
	}
	for (; i < n; i++)
		l->out[i] = lp_turn_byte(l->turn, symbol[i]);
	l->out += n;
	l->symbols = l->out;
}

static void
run(struct lane *lane, unsigned int lanes, size_t rounds)
{
	struct heads heads;
	bool same = true;
	size_t n;

	heads.mark = MARK;
	heads.lane = lane;
	heads.end = heads.out[0] + (rounds < BATCH_ROUNDS ? rounds : BATCH_ROUNDS) * STEP;
	for (unsigned int k = 0; k < lanes; k++) {
		same &= lane[k].h == lane[0].h;
		heads.entry[k] = (const uint8_t *)lane[k].h->entry;
		seek(&heads, k, lane[k].pos);
	}
	if (lanes == 8)
		n = same ? run_8_same(&heads) : run_8(&heads);
	else
		n = lanes == 4 ? run_4(&heads) : run_2(&heads);
	for (unsigned int k = 0; k < lanes; k++) {
		if (__builtin_expect(ran_out(heads.bits[k]), 0))
			lane[k].pos = redo(&heads, k, heads.out[k] + n, STEP - TURN(k, lanes));
		else
			lane[k].pos = tell(&heads, k, mark_place(heads.bits[k]));
		put_bytes(&lane[k], heads.out[k], n);
	}
}

/* Go on in a copy of the tail. Its zeros are those that the portable kernel reads there, too. */
static void
enter_tail(struct lane *l)
{
	const size_t at = l->pos == 0 ? 0 : (l->pos - 1) / 8, left = l->src_len - at;

	if (left > 0)
		memcpy(l->tail, l->src + at, left);
	memset(l->tail + left, 0, TAIL_ROOM - left);
	l->src = l->tail;
	l->src_len = TAIL_ROOM;
	l->skipped = at;
	l->pos -= at * 8;
}

/* Rounds for which a lane certainly has both symbols to write and words to load. */
static size_t
rounds_of(struct lane *l, unsigned int lanes)
{
	const size_t symbols = (size_t)(l->out_end - l->out);

	if (l->src != l->tail && l->src_len - l->pos / 8 < TAIL)
		enter_tail(l);
	const size_t by_bits = lanes > 1
			? rounds_by_bits(l, l->pos, ROUND_BITS, WORD_BITS)
			: rounds_by_bits(l, l->pos, LONE_ROUND_BITS, LONE_ROUND_BITS);
	const size_t by_symbols = lanes > 1 ? symbols / STEP
			: symbols < 3	    ? 0
					    : (symbols - 3) / (2 * LONE_STEP);

	return by_bits < by_symbols ? by_bits : by_symbols;
}

static void
turn_back(struct lp_turn turn, uint8_t *region, size_t len)
{
	for (size_t i = 0; i < len; i++)
		region[i] = lp_turn_byte(turn, region[i]);
}

static void
finish(struct lane *l)
{
	struct lp_decode_job *const job = l->job;
	struct lp_huffman_reader r = { job->body + l->turn.rotated, job->body_len - l->turn.rotated,
		l->skipped * 8 + l->pos };

	lp_huffman_get(l->h, &r, l->out, (size_t)(l->out_end - l->out));
	turn_back(l->turn, l->symbols, (size_t)(l->out_end - l->symbols));
	job->result = lp_huffman_end(&r);
}

static bool
start(struct lane *l, struct lp_decode_job *job)
{
	const bool rotated = job->cb->info.symbol == LP_SYMBOL_ROTATED;

	job->result = -EBADMSG;
	if (job->body_len < rotated)
		return false;
	*l = (struct lane){ .src = job->body + rotated,
		.src_len = job->body_len - rotated,
		.out = job->dst,
		.out_end = job->dst + job->len,
		.symbols = job->dst,
		.h = &job->cb->huffman,
		.turn = lp_turn_of(job->cb, rotated ? job->body[0] : 0),
		.job = job,
		.tail = l->tail };
	return true;
}

/* Jobs of the same book one after the other, as lanes with the same tables are faster. */
static void
sort_by_book(struct lp_decode_job **jobs, unsigned int n)
{
	for (unsigned int k = 1; k < n; k++) {
		struct lp_decode_job *const job = jobs[k];
		unsigned int at = k;

		for (; at > 0 && (uintptr_t)jobs[at - 1]->cb > (uintptr_t)job->cb; at--)
			jobs[at] = jobs[at - 1];
		jobs[at] = job;
	}
}

void
lp_huffman_decode_burst_avx2(struct lp_decode_job **jobs, unsigned int n)
{
	uint8_t tail[LANES][TAIL_ROOM];
	struct lane lane[LANES];
	unsigned int busy = 0, next = 0;

	sort_by_book(jobs, n);
	for (unsigned int k = 0; k < LANES; k++)
		lane[k].tail = tail[k];

	for (;;) {
		while (busy < LANES && next < n)
			busy += start(&lane[busy], jobs[next++]);
		if (busy == 0)
			return;
		/* As many as one loop takes, until the first of them is near its end. */
		const unsigned int lanes = busy >= 8 ? 8 : busy >= 4 ? 4 : busy >= 2 ? 2 : 1;
		size_t rounds = SIZE_MAX;
		bool finished = false;

		for (unsigned int k = lanes; k-- > 0;) {
			const size_t r = rounds_of(&lane[k], lanes);

			rounds = r < rounds ? r : rounds;
			if (r > 0)
				continue;
			finish(&lane[k]);
			const struct lane done = lane[k];

			lane[k] = lane[--busy];
			lane[busy] = done;
			finished = true;
		}
		if (finished)
			continue;
		if (lanes == 1)
			run_1(&lane[0], rounds);
		else
			run(lane, lanes, rounds);
	}
}

int
lp_huffman_decode_avx2(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body,
		size_t body_len, uint8_t *dst, size_t len)
{
	struct lp_decode_job job = {
		.cb = cb, .phase = phase, .body = body, .body_len = body_len, .dst = dst, .len = len
	};
	struct lp_decode_job *jobs[] = { &job };

	lp_huffman_decode_burst_avx2(jobs, 1);
	return job.result;
}
