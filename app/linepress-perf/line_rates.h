/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_LINE_RATES_H
#define LINEPRESS_PERF_LINE_RATES_H

/** @file Figures that follow from counters. */

#include <stdbool.h>

#include "line_run.h"

/** What a link needs for a frame besides its bytes: preamble, gap and FCS. */
#define LINE_FRAMING_BYTES 24

/** Frames and bytes that passed one side of a box between two readings. */
struct line_flow {
	uint64_t packets;
	uint64_t bytes;
};

/** Millions of frames received a second, on all ports. */
double line_mpps(const struct line_counts *counts);

/** What passed a side of the box that a row is about. */
struct line_flow line_side_flow(const struct line_row *row, enum line_side side);

/** Gigabits a second of it, with or without what a link needs besides. */
double line_gbits(const struct line_row *row, enum line_side side, bool is_framed);

/**
 * TSC cycles of an lcore for a frame, without those in which another thread had its CPU: that is
 * not the program's fault.
 */
double line_cycles(const struct line_counts *counts, unsigned int nb_lcores);

/** Part of the frames that was lost, from 0 to 1. */
double line_lost(const struct line_row *row);

/**
 * Speed, by cycles, compared with that of the baseline: of testpmd for io, else of io.
 *
 * @return
 *   The ratio, or 0 if the baseline was not measured.
 */
double line_ratio(const struct line_result *res, const struct line_row *row);

/**
 * lcores, each with a CPU to itself, for a link of so many Gb/s that original frames fill in all
 * directions of the mode.
 */
unsigned int line_lcores_for(const struct line_row *row, double link_gbits);

/** Which speed of `linepress-perf datapath` to compare with. */
enum line_share {
	SHARE_CODEC,	/**< the codec alone */
	SHARE_CHOICE,	/**< with the choice of book, phase and base */
	SHARE_DATAPATH, /**< the loop without devices */
};

/**
 * Speed of a row, by cycles, compared with that.
 *
 * @return
 *   The ratio, or 0 if the mode is neither compress nor restore, or no frame is coded.
 */
double line_share(const struct line_result *res, const struct line_row *row, enum line_share share);

#endif /* LINEPRESS_PERF_LINE_RATES_H */
