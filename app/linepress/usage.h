/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_USAGE_H
#define LINEPRESS_APP_USAGE_H

/**
 * @file
 * The texts of --help and --version.
 */

/** Print how to call the program and all application arguments. Fits rte_usage_hook_t. */
void usage_print(const char *program);

/** Print the versions of linepress and DPDK. */
void usage_print_version(void);

#endif /* LINEPRESS_APP_USAGE_H */
