/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_FLOW_H
#define LINEPRESS_FLOW_H

/**
 * @file
 * The flow of a frame, to spread frames over lcores without changing the order within a flow.
 */

#include <stdint.h>

#include <rte_mbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A number that is the same for all frames of a flow, coded or not, eligible or not. VLAN tags,
 * and all that a switch or router on the way may change, do not count. What counts:
 *
 * | frame | fields |
 * |---|---|
 * | TCP, UDP, SCTP | addresses, protocol, ports |
 * | RoCEv2 | addresses, destination queue pair; its UDP source port differs within a flow |
 * | any fragment | addresses, protocol: only the first one has ports |
 * | other IP | addresses, protocol |
 * | not IP | MAC addresses, EtherType |
 *
 * So the fragments of a flow stay in order among themselves, not with its whole packets. The two
 * directions of a connection are two flows. A header that the frame is too short for counts as
 * absent.
 *
 * Reads the frame in any number of segments and changes nothing; safe from any thread.
 *
 * @param m
 *   The frame, from its Ethernet header on.
 * @return
 *   The number; all of its bits differ from flow to flow, so take it modulo the lcores.
 */
uint32_t lp_flow_hash(const struct rte_mbuf *m);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_FLOW_H */
