/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_CODEBOOK_DIR_H
#define LINEPRESS_CODEBOOK_DIR_H

/**
 * Directory of the codebooks shipped with the program: those of the source tree it was built
 * from, if that is there, else the installed ones.
 */
const char *codebook_dir(void);

#endif /* LINEPRESS_CODEBOOK_DIR_H */
