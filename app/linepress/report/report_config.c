/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <inttypes.h>
#include <stdio.h>

#include "books.h"
#include "report.h"

void
report_books(const struct lp_bookset *books)
{
	printf("Codebooks: %u, kernel %s\n", books->count, books_kernel(books));
	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		struct lp_codebook_info info;

		if (books->book[id] == NULL)
			continue;
		lp_codebook_describe(books->book[id], &info);
		printf("  codebook %u: %s (%s, %s, %s) digest %08" PRIx32 "\n", id, info.name,
				lp_type_name(info.type), lp_kind_name(info.kind),
				lp_symbol_name(info.symbol), (uint32_t)(books->digest[id] >> 32));
	}
}

static int
socket_of(const struct port_table *ports, uint16_t port_id)
{
	return ports->port[ports_position(ports, port_id)].socket;
}

static void
report_worker(const struct fwd_lcore *lcore, const struct fwd_lcore *polling)
{
	printf("Logical Core %u (socket %d) presses its share of the flows that core %u forwards\n",
			lcore->lcore_id, lcore->socket, polling->lcore_id);
}

static void
report_lcore_streams(const struct port_table *ports, const struct fwd_lcore *lcore)
{
	printf("Logical Core %u (socket %d) forwards packets on %u streams:\n", lcore->lcore_id,
			lcore->socket, lcore->nb_streams);
	for (uint32_t i = 0; i < lcore->nb_streams; i++) {
		const struct stream *s = lcore->stream[i];

		printf("  RX P=%u/Q=%u (socket %d) -> TX P=%u/Q=%u (socket %d) %s\n", s->rx_port,
				s->rx_queue, socket_of(ports, s->rx_port), s->tx_port, s->tx_queue,
				socket_of(ports, s->tx_port), stream_action_name(s->action));
	}
}

void
report_streams(const struct port_table *ports, const struct stream_map *map)
{
	printf("%s packet forwarding - ports=%u - cores=%u - streams=%u - topology=%s%s\n",
			fwd_mode_name(map->mode), map->nb_ports, map->nb_lcores, map->nb_streams,
			port_topology_name(map->topology),
			map->distribution == DISTRIBUTION_FLOW ? " - distribution=flow" : "");
	for (uint32_t i = 0; i < map->nb_lcores; i++) {
		if (map->lcore[i]->role == LCORE_WORKS)
			report_worker(map->lcore[i], map->lcore[0]);
		else
			report_lcore_streams(ports, map->lcore[i]);
	}
	printf("\n");
}

void
report_forwarding_lcores(const struct stream_map *map)
{
	printf("List of forwarding lcores: ");
	for (uint32_t i = 0; i < map->nb_lcores; i++)
		printf(" %u", map->lcore[i]->lcore_id);
	printf("\n");
}

/* How one in so many is told: as it is set. */
static const char *
rate_text(uint32_t every, char *text, size_t size)
{
	if (every == 0)
		snprintf(text, size, "off");
	else
		snprintf(text, size, "1/%" PRIu32, every);
	return text;
}

void
report_pressing(const struct options *opts, const struct lp_bookset *books,
		const struct lp_rules *rules)
{
	char rate[16];

	if (books == NULL)
		printf("  codebooks: none, mode io needs none\n");
	else
		printf("  codebooks: %u - kernel=%s\n", books->count, books_kernel(books));
	if (rules == NULL)
		printf("  rules: none, all eligible frames are coded\n");
	else
		printf("  rules: %u\n", lp_rules_count(rules));
	printf("  verify: %s\n",
			opts->check_every == 1 ? "on"
					       : rate_text(opts->check_every, rate, sizeof(rate)));
	printf("  profile: %s\n", rate_text(opts->sample_every, rate, sizeof(rate)));
	printf("  link-propagation: %s\n", opts->no_link_propagation ? "off" : "on");
}
