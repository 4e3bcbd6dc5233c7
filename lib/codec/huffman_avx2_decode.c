/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Huffman decoder for AVX2 and BMI2.
 *
 * A symbol can be looked up only when the length of the one before is known: seven cycles, in
 * which a processor could do much more. So several bodies are decoded side by side, each in a
 * lane; a lane that has finished takes the next body.
 *
 * Words of the stream are loaded with the highest bit set. It moves down with each step, so that
 * the place of the highest bit tells how much of the word was used. The step of the escape shifts
 * it out or to the bottom, which is found once a round.
 */

#include <errno.h>
#include <immintrin.h>

#include "huffman.h"
#include "huffman_x86.h"

#define LANES 8
#define STEP 5 /* symbols of a round: they fit in the 56 bits that are left of a word at least */
#define MARK (UINT64_C(1) << 63)
/* Bits of a round of escapes at most, and bytes that are loaded for it. */
#define ROUND_BITS (STEP * LP_HUFFMAN_SYMBOL_BITS_MAX)
#define ROUND_BYTES ((ROUND_BITS + 7) / 8 + 8)

static_assert(STEP * LP_HUFFMAN_BITS_MAX <= 56, "a round does not fit in a word");

struct lane {
	uint64_t bits;	     /* what is left of the word, and the mark */
	const uint8_t *next; /* the word */
	unsigned int used;   /* bits of the word that were used when the round began */
	uint8_t *out;
	const struct lp_huffman *h;
	uint8_t *out_end;
	const uint8_t *src, *src_end;
	struct lp_decode_job *job;
};

static inline unsigned int
mark_place(uint64_t bits)
{
	return (unsigned int)__builtin_clzll(bits);
}

static size_t
tell(const struct lane *l)
{
	return (size_t)(l->next - l->src) * 8 + mark_place(l->bits);
}

/* Returns the new bits; they must have been used as far as the mark has moved. */
static inline uint64_t
refill(struct lane *l, uint64_t bits, uint64_t mark)
{
	const unsigned int used = mark_place(bits);
	const uint8_t *const next = l->next + used / 8;

	l->next = next;
	l->used = used % 8;
	return (lp_x86_load64(next) | mark) >> used % 8;
}

static inline bool
met_escape(uint64_t bits)
{
	return bits <= 1;
}

/* Decode a round that met an escape again, loading a word anew only behind an escape. */
static __attribute__((noinline)) uint64_t
redo(struct lane *l, uint8_t *out)
{
	const struct lp_huffman *h = l->h;
	const unsigned int escape_bits = h->length[LP_HUFFMAN_ESCAPE] + 8u;
	const uint8_t *next = l->next;
	uint64_t bits = (lp_x86_load64(next) | MARK) >> l->used;

	for (unsigned int k = 0; k < STEP; k++) {
		const size_t i = _bzhi_u64(bits, LP_HUFFMAN_BITS_MAX);

		out[k] = h->symbol[i];
		if (h->step[i] != LP_HUFFMAN_STEP_ESCAPE) {
			bits >>= h->step[i] & 63;
			continue;
		}
		size_t used = mark_place(bits);
		const uint64_t word = lp_x86_load64(next + used / 8) >> used % 8;

		out[k] = (uint8_t)(word >> (escape_bits - 8));
		used += escape_bits;
		next += used / 8;
		bits = (lp_x86_load64(next) | MARK) >> used % 8;
	}
	l->next = next;
	return bits;
}

/* Look up one symbol in each lane, and put it where `place` tells. */
#define LOOK_UP(place)                                                                 \
	do {                                                                           \
		_Pragma("GCC unroll 8") for (unsigned int k = 0; k < lanes; k++)       \
		{                                                                      \
			const struct lp_huffman *const h = same ? first : lane[k].h;   \
			const size_t i = _bzhi_u64(bits[k], LP_HUFFMAN_BITS_MAX);      \
                                                                                       \
			bits[k] >>= h->step[i] & 63;                                   \
			symbols[k] = _mm_insert_epi8(symbols[k], h->symbol[i], place); \
		}                                                                      \
	} while (0)

static inline __attribute__((always_inline)) void
run_lanes(struct lane *lane, size_t rounds, unsigned int lanes, bool same)
{
	const struct lp_huffman *first = lane[0].h;
	uint64_t bits[LANES], mark = MARK;
	size_t done = 0;

	__asm__("" : "+r"(mark)); /* not a constant of ten bytes each time */
	for (unsigned int k = 0; k < lanes; k++)
		bits[k] = lane[k].bits;
	for (; rounds > 0; rounds--) {
		__m128i symbols[LANES];

#pragma GCC unroll 8
		for (unsigned int k = 0; k < lanes; k++) {
			bits[k] = refill(&lane[k], bits[k], mark);
			symbols[k] = _mm_setzero_si128();
		}
		LOOK_UP(0);
		LOOK_UP(1);
		LOOK_UP(2);
		LOOK_UP(3);
		LOOK_UP(4);
#pragma GCC unroll 8
		for (unsigned int k = 0; k < lanes; k++) {
			_mm_storeu_si64(lane[k].out + done, symbols[k]);
			if (__builtin_expect(met_escape(bits[k]), 0))
				bits[k] = redo(&lane[k], lane[k].out + done);
		}
		done += STEP;
	}
	for (unsigned int k = 0; k < lanes; k++) {
		lane[k].bits = bits[k];
		lane[k].out += done;
	}
}

static __attribute__((noinline)) void
run_8_same(struct lane *lane, size_t rounds)
{
	run_lanes(lane, rounds, 8, true);
}

static __attribute__((noinline)) void
run_8(struct lane *lane, size_t rounds)
{
	run_lanes(lane, rounds, 8, false);
}

static __attribute__((noinline)) void
run_4(struct lane *lane, size_t rounds)
{
	run_lanes(lane, rounds, 4, false);
}

static __attribute__((noinline)) void
run_2(struct lane *lane, size_t rounds)
{
	run_lanes(lane, rounds, 2, false);
}

/* One lane alone waits less if it looks up two symbols at once. */
static __attribute__((noinline)) void
run_1(struct lane *l, size_t rounds)
{
	const struct lp_huffman *h = l->h;
	uint64_t bits = l->bits;

	for (; rounds > 0; rounds--) {
		uint8_t *out = l->out;

		bits = refill(l, bits, MARK);
#pragma GCC unroll 8
		for (unsigned int s = 0; s < STEP; s++) {
			const uint32_t pair = h->pair[_bzhi_u64(bits, LP_HUFFMAN_BITS_MAX)];

			bits >>= pair & 63;
			lp_store16(out, (uint16_t)(pair >> 16));
			out += pair >> 8 & 3;
		}
		if (__builtin_expect(met_escape(bits), 0)) {
			bits = redo(l, l->out);
			out = l->out + STEP;
		}
		l->out = out;
	}
	l->bits = bits;
}

/* Rounds for which a lane certainly has both symbols to write and words to load. */
static size_t
rounds_of(const struct lane *l, size_t most_symbols)
{
	const size_t symbols = (size_t)(l->out_end - l->out);
	const size_t bytes = (size_t)(l->src_end - l->src), pos = tell(l);

	if (bytes < ROUND_BYTES || pos > (bytes - ROUND_BYTES) * 8 || symbols < most_symbols + 3)
		return 0;
	const size_t by_bits = ((bytes - ROUND_BYTES) * 8 - pos) / ROUND_BITS + 1;
	const size_t by_symbols = (symbols - 3) / most_symbols;

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
	struct lp_huffman_reader r = { l->src, (size_t)(l->src_end - l->src), tell(l) };

	lp_huffman_get(l->h, &r, l->out, (size_t)(l->out_end - l->out));
	l->job->result = lp_huffman_end(&r);
	if (l->job->cb->info.symbol == LP_SYMBOL_ROTATED)
		turn_back(lp_turn_of(l->job->cb, l->job->body[0]), l->job->dst, l->job->len);
}

static bool
start(struct lane *l, struct lp_decode_job *job)
{
	const bool rotated = job->cb->info.symbol == LP_SYMBOL_ROTATED;

	job->result = -EBADMSG;
	if (job->body_len < rotated)
		return false;
	*l = (struct lane){ .bits = MARK,
		.next = job->body + rotated,
		.out = job->dst,
		.h = &job->cb->huffman,
		.out_end = job->dst + job->len,
		.src = job->body + rotated,
		.src_end = job->body + job->body_len,
		.job = job };
	return true;
}

static void
run(struct lane *lane, unsigned int lanes, size_t rounds)
{
	bool same = true;

	for (unsigned int k = 1; k < lanes; k++)
		same &= lane[k].h == lane[0].h;
	if (lanes == 8 && same)
		run_8_same(lane, rounds);
	else if (lanes == 8)
		run_8(lane, rounds);
	else if (lanes == 4)
		run_4(lane, rounds);
	else if (lanes == 2)
		run_2(lane, rounds);
	else
		run_1(lane, rounds);
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
	struct lane lane[LANES];
	unsigned int busy = 0, next = 0;

	sort_by_book(jobs, n);

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
			const size_t r = rounds_of(&lane[k], lanes == 1 ? 2 * STEP : STEP);

			rounds = r < rounds ? r : rounds;
			if (r > 0)
				continue;
			finish(&lane[k]);
			lane[k] = lane[--busy];
			finished = true;
		}
		if (!finished)
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
