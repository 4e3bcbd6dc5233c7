/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_EAL_H
#define LINEPRESS_EAL_H

/**
 * Start the EAL.
 *
 * @param argc
 *   Number of the user's EAL arguments, with argv[0]; 1: none given, take the defaults.
 * @param argv
 *   The arguments.
 * @return
 *   0, or -1 having said why.
 */
int eal_start(int argc, char **argv);

/** Stop the EAL and remove what it left in the file system. */
void eal_stop(void);

#endif /* LINEPRESS_EAL_H */
