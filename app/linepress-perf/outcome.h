/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_OUTCOME_H
#define LINEPRESS_PERF_OUTCOME_H

/** What to do after parsing options. */
enum options_outcome {
	OPTIONS_RUN,  /**< go on */
	OPTIONS_DONE, /**< help was printed */
	OPTIONS_BAD,  /**< told what is wrong */
};

#endif /* LINEPRESS_PERF_OUTCOME_H */
