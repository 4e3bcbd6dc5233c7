/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_ARGS_H
#define LINEPRESS_PERF_ARGS_H

/** @file Values of options; all functions that can fail say why. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most entries of a list. */
#define ARGS_LIST_MAX 32

/** Shortest and longest packet, in bytes; a whole number of elements of every type. */
#define ARGS_PACKET_MIN 64
#define ARGS_PACKET_MAX 65532
#define ARGS_PACKET_UNIT 4

/** Decimal number in a range, or -1. */
long args_number(const char *option, const char *value, long min, long max);

/**
 * List of numbers in a range, separated by commas, none twice.
 *
 * @return
 *   How many, or -1.
 */
int args_numbers(const char *option, const char *value, long min, long max,
		long numbers[ARGS_LIST_MAX]);

/**
 * Set of names, separated by commas, none twice.
 *
 * @param names
 *   Those allowed.
 * @param count
 *   How many.
 * @param set
 *   As many entries; those named are set.
 * @return
 *   0 or -1.
 */
int args_names(const char *option, const char *value, const char *const *names, int count,
		bool *set);

/**
 * List of packet sizes in bytes, separated by commas, none twice.
 *
 * @return
 *   How many, or -1.
 */
int args_packet_sizes(const char *option, const char *value, size_t sizes[ARGS_LIST_MAX]);

/** Element type, or -1. */
int args_type(const char *option, const char *value);

/**
 * Set of element types, separated by commas, none twice.
 *
 * @param types
 *   LP_TYPE_COUNT entries; those named are set.
 * @return
 *   0 or -1.
 */
int args_types(const char *option, const char *value, bool *types);

/** Refuse an option that was given before. 0 or -1. */
int args_once(const char *option, bool given);

/** Tell what is wrong with an option that getopt_long() answered with ':' or '?'. */
void args_complain(int answer, const char *arg);

#endif /* LINEPRESS_PERF_ARGS_H */
