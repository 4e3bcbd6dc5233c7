/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Regions on their way from the lcore to whoever profiles them, in slots that go round. */

#include <string.h>

#include <rte_malloc.h>
#include <rte_random.h>

#include "press.h"

#define RING_SIZE (LP_PRESS_SAMPLES + 1)

static struct rte_ring *
make_ring(int socket)
{
	const ssize_t bytes = rte_ring_get_memsize(RING_SIZE);
	struct rte_ring *ring = rte_zmalloc_socket(
			"lp_press", (size_t)bytes, RTE_CACHE_LINE_SIZE, socket);

	if (ring != NULL &&
			rte_ring_init(ring, "lp_press", RING_SIZE, RING_F_SP_ENQ | RING_F_SC_DEQ) !=
					0) {
		rte_free(ring);
		return NULL;
	}
	return ring;
}

bool
lp_samples_init(struct lp_press *press)
{
	const size_t longest = RTE_MIN(press->conf.max_frame, (uint32_t)LP_REGION_MAX);
	const size_t bytes = RTE_ALIGN_CEIL(
			sizeof(struct lp_press_sample) + longest, RTE_CACHE_LINE_SIZE);
	const int socket = press->conf.socket;
	struct lp_samples *samples = &press->samples;

	if (!press->conf.can_sample)
		return true;
	samples->slots = rte_malloc_socket(
			"lp_press", LP_PRESS_SAMPLES * bytes, RTE_CACHE_LINE_SIZE, socket);
	samples->empty = make_ring(socket);
	samples->taken = make_ring(socket);
	if (samples->slots == NULL || samples->empty == NULL || samples->taken == NULL)
		return false;
	for (size_t k = 0; k < LP_PRESS_SAMPLES; k++)
		rte_ring_sp_enqueue(samples->empty, samples->slots + k * bytes);
	lp_samples_set_rate(press, press->conf.sample_every);
	return true;
}

void
lp_samples_free(struct lp_press *press)
{
	rte_free(press->samples.slots);
	rte_free(press->samples.empty);
	rte_free(press->samples.taken);
}

void
lp_samples_set_rate(struct lp_press *press, uint32_t every)
{
	press->conf.sample_every = every;
	press->samples.every = press->conf.can_sample ? every : 0;
	press->samples.countdown = 1;
}

void
lp_sample_take(struct lp_press *press, const struct lp_press_sample *what, const uint8_t *region)
{
	struct lp_samples *samples = &press->samples;
	struct lp_press_sample *sample;
	void *slot;

	/* At random distances, so that a period in the traffic does not meet that of the rate. */
	samples->countdown = 1 + (uint32_t)rte_rand_max(2 * (uint64_t)samples->every - 1);
	if (rte_ring_sc_dequeue(samples->empty, &slot) != 0) {
		samples->missed++;
		return;
	}
	sample = slot;
	*sample = *what;
	sample->missed = samples->missed;
	samples->missed = 0;
	memcpy(sample->region, region, what->len);
	rte_ring_sp_enqueue(samples->taken, sample);
}

const struct lp_press_sample *
lp_press_sample_next(struct lp_press *press)
{
	void *sample;

	if (press->samples.taken == NULL || rte_ring_sc_dequeue(press->samples.taken, &sample) != 0)
		return NULL;
	return sample;
}

void
lp_press_sample_done(struct lp_press *press, const struct lp_press_sample *sample)
{
	rte_ring_sp_enqueue(press->samples.empty, (void *)(uintptr_t)sample);
}
