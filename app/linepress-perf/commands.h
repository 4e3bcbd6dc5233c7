/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_COMMANDS_H
#define LINEPRESS_PERF_COMMANDS_H

/**
 * @file
 * The commands of linepress-perf. Each takes its own argc and argv, argv[0] being the
 * command's name, and returns the exit status.
 */

int codec_command(int argc, char **argv);

int datapath_command(int argc, char **argv);

int line_command(int argc, char **argv);

#endif /* LINEPRESS_PERF_COMMANDS_H */
