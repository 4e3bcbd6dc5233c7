/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_ROCE_H
#define LINEPRESS_WIRE_ROCE_H

/**
 * @file
 * Where the region of a RoCEv2 packet begins: the opcodes of the InfiniBand architecture.
 */

#include <stdint.h>

/* Bytes of the RoCE transport headers. */
enum {
	BTH = 12,
	DETH = 8,
	XRCETH = 4,
	RETH = 16,
	AETH = 4,
	IMMDT = 4,
	IETH = 4,
	ICRC = 4,
};

/* Transports, the upper three bits of an opcode. */
enum {
	RC = 0x00,
	UC = 0x20,
	UD = 0x60,
	XRC = 0xa0,
};

enum {
	SEND_FIRST = 0x00,
	SEND_MIDDLE = 0x01,
	SEND_LAST = 0x02,
	SEND_LAST_IMM = 0x03,
	SEND_ONLY = 0x04,
	SEND_ONLY_IMM = 0x05,
	WRITE_FIRST = 0x06,
	WRITE_MIDDLE = 0x07,
	WRITE_LAST = 0x08,
	WRITE_LAST_IMM = 0x09,
	WRITE_ONLY = 0x0a,
	WRITE_ONLY_IMM = 0x0b,
	READ_RESPONSE_FIRST = 0x0d,
	READ_RESPONSE_MIDDLE = 0x0e,
	READ_RESPONSE_LAST = 0x0f,
	READ_RESPONSE_ONLY = 0x10,
	SEND_LAST_INVALIDATE = 0x16,
	SEND_ONLY_INVALIDATE = 0x17,
};

/* clang-format off: one opcode a line */
#define SENDS_AND_WRITES(transport, base)                                                          \
	[(transport) | SEND_FIRST] = (base), [(transport) | SEND_MIDDLE] = (base),                 \
		       [(transport) | SEND_LAST] = (base),                                         \
		       [(transport) | SEND_LAST_IMM] = (base) + IMMDT,                             \
		       [(transport) | SEND_ONLY] = (base),                                         \
		       [(transport) | SEND_ONLY_IMM] = (base) + IMMDT,                             \
		       [(transport) | WRITE_FIRST] = (base) + RETH,                                \
		       [(transport) | WRITE_MIDDLE] = (base), [(transport) | WRITE_LAST] = (base), \
		       [(transport) | WRITE_LAST_IMM] = (base) + IMMDT,                            \
		       [(transport) | WRITE_ONLY] = (base) + RETH,                                 \
		       [(transport) | WRITE_ONLY_IMM] = (base) + RETH + IMMDT

#define SENDS_INVALIDATE(transport, base)                     \
	[(transport) | SEND_LAST_INVALIDATE] = (base) + IETH, \
		       [(transport) | SEND_ONLY_INVALIDATE] = (base) + IETH

#define READ_RESPONSES(transport)                                       \
	[(transport) | READ_RESPONSE_FIRST] = BTH + AETH,               \
		       [(transport) | READ_RESPONSE_MIDDLE] = BTH,      \
		       [(transport) | READ_RESPONSE_LAST] = BTH + AETH, \
		       [(transport) | READ_RESPONSE_ONLY] = BTH + AETH

/*
 * Bytes from the BTH to the region by opcode; 0: carries no tensor bytes. XRC has its XRCETH in
 * requests only, as a response goes to a queue pair and not to a shared receive queue.
 */
static const uint8_t roce_region_off[UINT8_MAX + 1] = {
	SENDS_AND_WRITES(RC, BTH),
	SENDS_INVALIDATE(RC, BTH),
	READ_RESPONSES(RC),
	SENDS_AND_WRITES(UC, BTH),
	[UD | SEND_ONLY] = BTH + DETH,
	[UD | SEND_ONLY_IMM] = BTH + DETH + IMMDT,
	SENDS_AND_WRITES(XRC, BTH + XRCETH),
	SENDS_INVALIDATE(XRC, BTH + XRCETH),
	READ_RESPONSES(XRC),
};
/* clang-format on */

#endif /* LINEPRESS_WIRE_ROCE_H */
