/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_MESSAGE_H
#define LINEPRESS_MESSAGE_H

/** Print one line, headed by the program's name, on standard error. Returns -1. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* LINEPRESS_MESSAGE_H */
