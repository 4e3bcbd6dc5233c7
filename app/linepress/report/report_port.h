/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_APP_REPORT_PORT_H
#define LINEPRESS_APP_REPORT_PORT_H

/**
 * @file
 * What devices tell of themselves, in testpmd's layouts. Called by one thread.
 *
 * Clearing takes notes and leaves devices alone: their counters may not be written while lcores
 * forward, and others, such as telemetry, read them too.
 */

#include "ports.h"

/** Names of --display-xstats, at most. */
#define XSTATS_DISPLAYED_MAX 32

/** As testpmd's `show port info`. */
void report_port_info(const struct port *port);

/** As testpmd's `show port summary`, for some ports of all. */
void report_port_summary(const struct port_table *ports, const struct port_set *set);

/** As testpmd's `show port P rss-hash`. */
void report_port_rss(const struct port *port);

/** As testpmd's `show port stats`: counts since they were cleared, rates since the last call. */
void report_port_stats(const struct port *port);

/** As testpmd's `show port xstats`: counts since they were cleared. */
void report_port_xstats(const struct port *port);

/** Count what report_port_stats() prints from now on. */
void report_port_stats_clear(const struct port *port);

/** Count what report_port_xstats() prints, and report_port_stats(), from now on. */
void report_port_xstats_clear(const struct port *port);

/**
 * Choose extended statistics to print in addition.
 *
 * @param names
 *   Names, separated by commas; NULL for none.
 * @param ports
 *   The ports, which are set up.
 * @return
 *   0, or a negative errno after one line on stderr if no port has one of them.
 */
int report_xstats_choose(const char *names, const struct port_table *ports);

/** Print the chosen extended statistics, a line for each port that has some. */
void report_xstats_progress(const struct port_table *ports, double elapsed_s);

/** Print the chosen extended statistics of all ports at the end of a run. */
void report_xstats_final(const struct port_table *ports);

#endif /* LINEPRESS_APP_REPORT_PORT_H */
