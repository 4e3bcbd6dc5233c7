/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_REPLAY_REPLAY_H
#define LINEPRESS_REPLAY_REPLAY_H

/** @file One capture through the boxes. */

#include <signal.h>

#include "capture.h"
#include "options.h"
#include "outfile.h"
#include "pcap_out.h"
#include "result.h"

/** What all captures of a run share. */
struct replay {
	const struct options *opt;
	const struct lp_bookset *books;
	struct lp_key key;
	struct pcap_out *line;	     /**< NULL: not written */
	struct pcap_out *restored;   /**< NULL: not written */
	struct outfile *json;	     /**< NULL: not written */
	volatile sig_atomic_t *stop; /**< set by a signal */
};

/**
 * Send a capture through the boxes, opt->loops times or until a pass fails.
 *
 * @param replay
 *   The run.
 * @param cap
 *   The capture.
 * @param res
 *   Filled; whether all came back is for result_is_good() to say.
 * @return
 *   0, or -1 having said why if the replay itself could not be finished.
 */
int replay_capture(
		const struct replay *replay, const struct capture *cap, struct replay_result *res);

#endif /* LINEPRESS_REPLAY_REPLAY_H */
