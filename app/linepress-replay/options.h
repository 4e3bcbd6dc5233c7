/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_REPLAY_OPTIONS_H
#define LINEPRESS_REPLAY_OPTIONS_H

/** @file Command line of the program, without the EAL's part. */

#include <stdbool.h>
#include <stdint.h>

/** Which boxes the frames go through. */
enum replay_mode {
	REPLAY_PAIR,	 /**< compress, restore, compare */
	REPLAY_COMPRESS, /**< the sender's box alone */
	REPLAY_RESTORE,	 /**< the receiver's box alone, fed with a capture of the line */
	REPLAY_MODE_COUNT,
};

/** Options; strings belong to argv. */
struct options {
	const char *codebooks; /**< directory */
	const char *json;      /**< file or NULL */
	const char *line;      /**< file or NULL */
	const char *restored;  /**< file or NULL */
	const char *kernel;    /**< name or NULL */
	const char *key_file;  /**< file or NULL */
	enum replay_mode mode;
	unsigned int loops;  /**< passes over each capture */
	uint16_t burst;	     /**< frames */
	uint16_t mbuf_size;  /**< data room in bytes, with headroom */
	uint16_t min_region; /**< bytes; 0: the library's default */
	bool skip_truncated;
	char **captures; /**< files */
	int nb_captures;
};

/** What to do after parsing. */
enum options_outcome {
	OPTIONS_RUN,  /**< go on */
	OPTIONS_DONE, /**< help or version was printed */
	OPTIONS_BAD,  /**< told what is wrong */
};

/** Parse the arguments, argv[0] being the program's name or "--". */
enum options_outcome options_parse(struct options *opt, int argc, char **argv);

/** Name of a mode as on the command line. */
const char *options_mode_name(enum replay_mode mode);

#endif /* LINEPRESS_REPLAY_OPTIONS_H */
