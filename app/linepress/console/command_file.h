/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_COMMAND_FILE_H
#define LINEPRESS_APP_COMMAND_FILE_H

/**
 * Execute the commands of a file, one a line, until one fails, `quit` or a stop signal. Each is
 * printed with file and line before.
 *
 * @param path
 *   The file. Files may load others, up to a depth of 8.
 * @return
 *   0, or a negative errno after a message on stderr with file and line.
 */
int command_file_run(const char *path);

#endif /* LINEPRESS_APP_COMMAND_FILE_H */
