/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Frames and hellos that share a transmit queue, of a device that is played here. */

#include <string.h>

#include <rte_ethdev.h>

#include "burst.h"
#include "press_help.h"

#define PORT 3
#define FRAMES 32

/* The device: what it takes, and what it has taken. */
static struct {
	unsigned int room;
	unsigned int full_calls; /* as many more find it full */
	const struct rte_mbuf *unwanted;
	unsigned int frames, hellos;
	unsigned int frames_before_hello;
} device;

static struct hello_line line;
static struct stream stream;
static struct rte_mbuf *hello;

static uint16_t
take(void *queue, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	uint16_t taken = 0;

	(void)queue;
	if (device.full_calls > 0) {
		device.full_calls--;
		return 0;
	}
	for (; taken < nb_pkts && device.room > 0; taken++, device.room--) {
		if (pkts[taken] == device.unwanted)
			break;
		if (pkts[taken] == hello) {
			device.hellos++;
			device.frames_before_hello = device.frames;
		} else {
			device.frames++;
		}
		rte_pktmbuf_free(pkts[taken]);
	}
	return taken;
}

static void
begin(unsigned int room)
{
	static const struct lp_key key = { { 1 } };
	static void *queues[RTE_MAX_QUEUES_PER_PORT], *callbacks[RTE_MAX_QUEUES_PER_PORT];
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[PORT];

	memset(&device, 0, sizeof(device));
	device.room = room;
	ops->tx_pkt_burst = take;
	ops->txq.data = queues;
	ops->txq.clbk = callbacks;
	CU_ASSERT_FATAL(hello_line_open(&line, &key, SOCKET_ID_ANY) == 0);
	stream = (struct stream){ .tx_port = PORT, .hellos_out = &line };
	hello = rte_pktmbuf_alloc(bench.pool);
	CU_ASSERT_FATAL(hello != NULL && rte_ring_sp_enqueue(line.out, hello) == 0);
	hello_line_transmit(&stream);
}

static void
end(void)
{
	hello_line_close(&line);
	CU_ASSERT(pools_full());
}

/* What is not sent is counted. */
static void
transmit(void)
{
	struct rte_mbuf *pkts[FRAMES];
	const struct stream_counters *c = &stream.counters;
	const uint64_t before = c->tx_pkts + c->tx_full_pkts;

	CU_ASSERT_FATAL(rte_pktmbuf_alloc_bulk(bench.pool, pkts, FRAMES) == 0);
	burst_transmit(&stream, pkts, FRAMES);
	CU_ASSERT_EQUAL(c->tx_pkts + c->tx_full_pkts, before + FRAMES);
	CU_ASSERT_EQUAL(c->tx_pkts, device.frames);
	CU_ASSERT_EQUAL(c->hello_tx_pkts, device.hellos);
}

static void
hello_that_waits_goes_first(void)
{
	begin(0);
	CU_ASSERT(line.next == hello);
	transmit();
	CU_ASSERT(line.next == hello && stream.counters.tx_full_pkts == FRAMES);
	device.room = FRAMES;
	transmit();
	CU_ASSERT(line.next == NULL && device.hellos == 1);
	CU_ASSERT_EQUAL(device.frames_before_hello, 0);
	CU_ASSERT_EQUAL(device.frames, FRAMES - 1);
	end();
}

static void
hello_waits_as_long_as_the_queue_is_full(void)
{
	begin(0);
	device.full_calls = 5 * BURST_TX_TRIES + 10;
	device.room = 2 * FRAMES;
	while (device.full_calls > 0)
		transmit();
	CU_ASSERT_EQUAL(device.hellos, 1);
	CU_ASSERT_EQUAL(device.frames_before_hello, 0);
	end();
}

/* It may be longer than the MTU, or something behind the device may not let it through. */
static void
hello_that_the_device_never_takes_stops_no_frames(void)
{
	begin(0);
	device.room = 3 * FRAMES;
	device.unwanted = hello;
	for (unsigned int k = 1; k <= 3; k++) {
		transmit();
		CU_ASSERT_EQUAL(device.frames, k * FRAMES);
		CU_ASSERT(line.next == NULL);
	}
	CU_ASSERT_EQUAL(device.hellos, 0);
	end();
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(hello_that_waits_goes_first),
		TEST(hello_waits_as_long_as_the_queue_is_full),
		TEST(hello_that_the_device_never_takes_stops_no_frames),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "transmit", tests);
}
