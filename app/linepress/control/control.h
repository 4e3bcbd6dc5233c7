/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_CONTROL_H
#define LINEPRESS_APP_CONTROL_H

/**
 * @file
 * What the program does once its ports are up: command files, then the prompt or forwarding, until
 * it is asked to stop.
 */

#include "app.h"

/**
 * Control an open program until it is asked to stop; forwarding has ended then.
 *
 * @return
 *   0, or a negative errno after one line on stderr.
 */
int control_run(struct app *app);

#endif /* LINEPRESS_APP_CONTROL_H */
