/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef COMMANDS_H
#define COMMANDS_H

/**
 * @file
 * The commands of linepress-codebook. Each takes its own argc and argv, argv[0] being the
 * command's name, and returns the exit status.
 */

int build_command(int argc, char **argv);

int show_command(int argc, char **argv);

int evaluate_command(int argc, char **argv);

int profile_command(int argc, char **argv);

int merge_command(int argc, char **argv);

int compare_command(int argc, char **argv);

int confusion_command(int argc, char **argv);

/**
 * Parse an element type of an option --type.
 *
 * @return
 *   0, or -1 after a message.
 */
int parse_type(const char *value, int *type);

/**
 * Parse an unsigned number of an option.
 *
 * @return
 *   0, or -1 after a message with the option, the value and the range.
 */
int parse_number(const char *option, const char *value, unsigned long min, unsigned long max,
		unsigned long *number);

#endif /* COMMANDS_H */
