/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

/** @file Profiles as files. */

#include "linepress/profiles.h"

/** Write a file and print what is in it, a line for each profile. 0, or -1 having said why. */
int write_profiles(const struct lp_profiles *profiles, const char *path);

#endif /* PROFILE_FILE_H */
