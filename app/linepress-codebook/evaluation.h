/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef EVALUATION_H
#define EVALUATION_H

/** @file What was measured of all inputs, and its reports. */

#include <stdbool.h>

#include "measure.h"

/** A shard, for reports by shard. */
struct shard {
	int input;
	size_t offset;
	struct figures figures;
	uint32_t count[256]; /**< bytes as they are */
};

struct evaluation {
	struct measurement measurement;
	char **inputs;
	int nb_inputs;
	struct figures *input; /**< of each */
	struct figures total;
	struct shard *shard; /**< NULL: no report by shard is wanted */
	size_t shards;
};

/** Print the line above and the line of an input, or of all if it has no name. */
void print_head(void);
void print_input(const char *path, const struct figures *f);

/** Print how many packets took which book, and, if there are schemes, what each saves. */
void print_total(const struct evaluation *ev);

/** Write files; NULL is none. 0, or -1 having said why. */
int write_json(const struct evaluation *ev, const char *path);
int write_csv(const struct evaluation *ev, const char *path);

struct figure_writer;

/**
 * Start gnuplot, to know beforehand that it is there.
 *
 * @param dir
 *   Where figures shall go; made if it does not exist.
 * @return
 *   The writer, to be released with figures_close(), or NULL having said why.
 */
struct figure_writer *figures_open(const char *dir);

/** Draw all figures; 0, or -1 having said why. */
int figures_draw(struct figure_writer *w, const struct evaluation *ev);

/**
 * Wait until gnuplot is done.
 *
 * @param keep
 *   Give the files their names; else remove them.
 * @return
 *   0, or -1 having said why.
 */
int figures_close(struct figure_writer *w, bool keep);

#endif /* EVALUATION_H */
