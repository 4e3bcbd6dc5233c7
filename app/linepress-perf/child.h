/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CHILD_H
#define LINEPRESS_PERF_CHILD_H

/**
 * @file
 * Other programs, run one at a time. What they print goes to files of the directory they are
 * given, which is also where the EAL keeps its own. They end with us, however we end. All functions
 * that can fail say why.
 */

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/** Most arguments of a program. */
#define CHILD_ARGS_MAX 96

/** Program and arguments. Zero it before the first is added. */
struct child_command {
	char *arg[CHILD_ARGS_MAX + 1]; /**< ends with NULL */
	int count;
	bool failed; /**< out of memory, or too many */
};

/** A program to start. */
#define CHILD(stop_flag) ((struct child){ .input = -1, .stop = (stop_flag) })

/** A running program; made by CHILD(). */
struct child {
	pid_t pid; /**< 0: none */
	const char *name;
	int input;		     /**< its standard input, or -1 if that is /dev/null */
	char output[PATH_MAX];	     /**< file with its standard output */
	char errors[PATH_MAX];	     /**< file with its standard error */
	double cpu_share;	     /**< see child_wait() */
	volatile sig_atomic_t *stop; /**< set by a signal of ours */
};

/** Add an argument; a failure is told by child_start(). */
void child_command_add(struct child_command *command, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/** Release it. */
void child_command_free(struct child_command *command);

/**
 * Find a program of ours or of DPDK: in the build tree that this program runs from, beside this
 * program, or in PATH.
 *
 * @return
 *   Whether it is there; nothing is said if not.
 */
bool child_find(const char *name, char path[PATH_MAX]);

/**
 * Start a program.
 *
 * @param child
 *   Filled.
 * @param command
 *   The first argument is the path.
 * @param dir
 *   Directory for its files.
 * @param has_input
 *   Can commands be written to it?
 * @return
 *   0 or -1.
 */
int child_start(struct child *child, const struct child_command *command, const char *dir,
		bool has_input);

/** Write a command to its standard input. 0 or -1. */
int child_say(const struct child *child, const char *line);

/**
 * Let some time pass while it runs.
 *
 * @return
 *   0, or -1 if it ended, or we are to end.
 */
int child_run_for(struct child *child, double seconds);

/** Wait until its output has at least so many times that text, as child_run_for(). */
int child_run_until(struct child *child, const char *text, int times, double timeout);

/**
 * Wait for its end, which must be a success.
 *
 * Its cpu_share is then the part of the time that its forwarding lcores were on a CPU, from 0 to 1,
 * or 0 if it has none or the kernel does not tell: other load of the machine took the rest.
 *
 * @param timeout
 *   Seconds.
 * @return
 *   0 or -1; it has ended in either case.
 */
int child_wait(struct child *child, double timeout);

/** Make an end of it if it still runs: by SIGINT, then by SIGKILL. */
void child_end(struct child *child);

#endif /* LINEPRESS_PERF_CHILD_H */
