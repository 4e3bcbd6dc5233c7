/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_ROCE_FRAMES_H
#define LINEPRESS_PERF_ROCE_FRAMES_H

#include "capture.h"
#include "dataset.h"

/** Frames that roce_frames_make() makes, and the queue pairs they are spread over. */
#define ROCE_FRAMES 1024
#define ROCE_FLOWS 64

/**
 * RoCEv2 frames, RDMA WRITE MIDDLE over IPv4 with a right ICRC, that carry packets of tensors as
 * dataset_cut() cuts them: each queue pair some of one tensor, in order. It has a UDP source port
 * of its own.
 *
 * @return
 *   The frames, to be released with capture_free(), or NULL having said why.
 */
struct capture *roce_frames_make(
		const struct dataset *data, enum lp_type type, size_t packet_bytes);

#endif /* LINEPRESS_PERF_ROCE_FRAMES_H */
