/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PCAP_OUT_H
#define LINEPRESS_PCAP_OUT_H

/** @file Nanosecond pcap of Ethernet frames, complete or not there at all. */

#include <stdint.h>

#include "capture.h"

struct pcap_out;

/** Create a file; NULL having said why. */
struct pcap_out *pcap_out_open(const char *path);

/**
 * Append a frame, with the timestamp of the frame it comes from.
 *
 * @return
 *   0, or -1 having said why.
 */
int pcap_out_write(struct pcap_out *out, const struct capture_frame *origin, const uint8_t *data,
		uint32_t len);

/** Write out all that is held, before outfile_seal(). 0, or -1 having said why. */
int pcap_out_seal(struct pcap_out *out);

/** Seal the file if need be, give it its name and release it. 0, or -1 having said why; then there
 * is no file. */
int pcap_out_commit(struct pcap_out *out);

/** Remove the file and release it; NULL is allowed. */
void pcap_out_abort(struct pcap_out *out);

#endif /* LINEPRESS_PCAP_OUT_H */
