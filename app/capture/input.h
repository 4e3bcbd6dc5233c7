/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_INPUT_H
#define LINEPRESS_INPUT_H

/**
 * @file
 * Inputs of the programs: tensor files, and the regions of captures.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a packet's region when a tensor file is cut into packets. */
#define PACKET_BYTES 4096

/** Does a name end so? */
bool input_ends_with(const char *name, const char *end);

/** Is this the name of a capture? Judged by its end: .pcap, .pcapng or .cap. */
bool input_is_capture(const char *path);

/**
 * Read a tensor file.
 *
 * @param path
 *   Path of a file with at least one element.
 * @param element_bytes
 *   The file's length must be a multiple of it.
 * @param len
 *   Receives the length in bytes.
 * @return
 *   The bytes, to be released with free(), or NULL after a message.
 */
uint8_t *input_read(const char *path, size_t element_bytes, size_t *len);

/** Receives a region; a negative result ends the walk. */
typedef int input_region_fn(void *arg, const uint8_t *region, size_t len);

/**
 * Hand over the regions of all eligible frames of a capture.
 *
 * @return
 *   Regions handed over, or -1 after a message.
 */
long input_regions(const char *path, size_t min_region, input_region_fn *fn, void *arg);

#endif /* LINEPRESS_INPUT_H */
