/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef COLLECT_H
#define COLLECT_H

/**
 * @file
 * Inputs as regions of elements whose type is known: tensor files cut into packets, and payloads
 * of captures.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/profiles.h"

/** Shortest payload of a capture that counts, as in the appliance. */
#define MIN_REGION 256

/** Is this the name of a profile? Judged by its end: .profile. */
bool is_profile(const char *path);

/** Load a profile; NULL having said why. */
struct lp_profiles *load_profiles(const char *path);

/** Receives regions; returns 0, or a negative number to end the walk. */
typedef int region_fn(void *arg, const uint8_t *region, size_t len);

/**
 * Hand over the packets of a tensor file, of `packet_bytes` bytes each except for the last.
 *
 * @return
 *   0, or -1 after a message, that of `fn` included.
 */
int walk_tensor(const char *path, enum lp_type type, size_t packet_bytes, region_fn *fn, void *arg);

#endif /* COLLECT_H */
