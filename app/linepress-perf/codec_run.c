/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "codec_run.h"

/* A turn: several samples of a fast codec, so that it meets as many quiet moments. */
#define TURN_SECONDS 0.0005
#define TURN_SAMPLES 8

#define LATENCY_PACKETS 63
/* Prime, so that packets follow each other in no order that memory could foresee. */
#define LATENCY_STEP 7919

/* A run of packets of the working set. */
struct span {
	struct packet *packet;
	size_t count;
};

static bool
encode(const struct codec *codec, const struct span *span)
{
	for (size_t i = 0; i < span->count; i += CODEC_BURST)
		codec->encode(codec, &span->packet[i],
				RTE_MIN(span->count - i, (size_t)CODEC_BURST));
	return true;
}

static bool
decode(const struct codec *codec, const struct span *span)
{
	bool good = true;

	for (size_t i = 0; i < span->count; i += CODEC_BURST)
		good &= codec->decode(codec, &span->packet[i],
				RTE_MIN(span->count - i, (size_t)CODEC_BURST));
	return good;
}

bool
codec_verify(const struct codec *codec, struct workset *set, double *size,
		char reason[CODEC_REASON_MAX])
{
	const struct span all = { .packet = set->packet, .count = set->count };
	double coded = 0;

	encode(codec, &all);
	for (size_t i = 0; i < set->count; i++)
		memset(set->packet[i].back, (uint8_t)~set->packet[i].raw[0], set->packet_bytes);
	const bool good = decode(codec, &all);

	for (size_t i = 0; i < set->count; i++) {
		const struct packet *packet = &set->packet[i];
		size_t at = 0;

		coded += packet->coded_len + codec->header_bytes;
		while (at < set->packet_bytes && packet->raw[at] == packet->back[at])
			at++;
		if (at == set->packet_bytes)
			continue;
		snprintf(reason, CODEC_REASON_MAX,
				"packet %zu did not come back: byte %zu is 0x%02x, sent was 0x%02x",
				i, at, packet->back[at], packet->raw[at]);
		return false;
	}
	if (!good)
		snprintf(reason, CODEC_REASON_MAX, "a packet was refused by the decoder");
	*size = coded / ((double)set->count * (double)set->packet_bytes);
	return good;
}

typedef bool span_fn(const struct codec *codec, const struct span *span);

/* The parts one after the other, so that each has left the cache if the whole set is too large. */
static void
measure_set(const struct codec *codec, span_fn *fn, struct workset *set, size_t parts,
		struct timing *timing)
{
	const uint64_t turn = (uint64_t)(TURN_SECONDS * measure_tsc_hz());
	struct stopwatch watch;
	uint64_t spent = 0;

	for (int k = 0; k < TURN_SAMPLES && spent < turn; k++) {
		for (size_t part = 0; part < parts; part++) {
			const size_t first = set->count * part / parts;
			const size_t end = set->count * (part + 1) / parts;
			const struct span span = {
				.packet = set->packet + first,
				.count = end - first,
			};

			stopwatch_start(&watch);
			fn(codec, &span);
			spent += stopwatch_stop(&watch, &timing[part]);
		}
	}
}

static int
compare_cycles(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* One packet at a time, the next only when it is back. */
static void
measure_latency(const struct codec *codec, struct workset *set, size_t *next, struct timing *timing)
{
	const bool quiet = measure_is_quiet();
	uint64_t cycles[LATENCY_PACKETS];

	for (size_t k = 0; k < LATENCY_PACKETS; k++) {
		struct packet *packet = &set->packet[*next];
		const uint64_t start = rte_rdtsc_precise();

		codec->encode(codec, packet, 1);
		codec->decode(codec, packet, 1);
		const uint64_t end = rte_rdtsc_precise();
		const uint64_t spent = end - start, overhead = measure_overhead();

		cycles[k] = spent > overhead ? spent - overhead : 0;
		*next = (*next + LATENCY_STEP) % set->count;
	}
	qsort(cycles, LATENCY_PACKETS, sizeof(cycles[0]), compare_cycles);
	timing_add(timing, cycles[LATENCY_PACKETS / 2], quiet && measure_is_quiet());
}

void
codec_measure(struct block *block, struct workset *set, double deadline)
{
	size_t next = 0;

	do {
		for (size_t i = 0; i < block->codecs->count; i++) {
			const struct codec *codec = &block->codecs->codec[i];
			struct figures *f = &block->figures[i];

			measure_set(codec, encode, set, block->parts, f->encode);
			measure_set(codec, decode, set, block->parts, f->decode);
			measure_latency(codec, set, &next, &f->latency);
		}
	} while (measure_now() < deadline);
}
