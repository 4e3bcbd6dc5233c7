/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Books and rules are replaced between bursts, and counters stay what they say they are. */

#define ALLOW_EXPERIMENTAL_API /* rte_seqcount */

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <rte_errno.h>

#include "press.h"
#include "rules_help.h"

static struct test_frame frame, wire, restored;

static struct lp_bookset *
load_books(void)
{
	struct lp_bookset *books = lp_bookset_load(LP_CODEBOOK_DIR, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(books);
	return books;
}

static int
set_policy(struct lp_press *press, const struct lp_bookset *books, const struct lp_rules *rules)
{
	const struct lp_policy policy = { .books = books, .rules = rules };

	return lp_press_set_policy(press, &policy);
}

/* Compress and restore a frame of bf16; is it equal? */
static bool
frame_comes_back(struct lp_press *press)
{
	const struct frame_spec spec = { .ip_version = 4, .l4 = LP_L4_UDP, .region_len = 1000 };

	frame_tensor(&frame, &spec, TENSOR_BF16);
	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	return frame_equal(&restored, &frame);
}

static uint64_t
rule_pkts(const struct lp_press *press, uint64_t generation, unsigned int number)
{
	struct lp_rules_stats stats;

	lp_press_rules_stats(press, &stats);
	CU_ASSERT_EQUAL(stats.generation, generation);
	return stats.rule[number].pkts;
}

static void
rules_and_books_that_do_not_fit_together_are_refused(void)
{
	struct lp_bookset *other = load_books();
	struct lp_rules *rules = rules_for("-> pass", bench.books);
	struct lp_rules *strange = rules_for("-> pass", other);
	struct lp_press_conf conf = press_conf();
	struct lp_press *press;

	conf.rules = strange;
	CU_ASSERT(lp_press_create(&conf) == NULL && rte_errno == EINVAL);
	conf.rules = rules;
	press = press_make(conf);
	CU_ASSERT_EQUAL(set_policy(press, NULL, NULL), -EINVAL);
	CU_ASSERT_EQUAL(set_policy(press, NULL, rules), -EINVAL);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, strange), -EINVAL);
	CU_ASSERT_EQUAL(set_policy(press, other, rules), -EINVAL);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(rule_pkts(press, lp_rules_generation(rules), 1), 1);
	lp_press_free(press);
	lp_rules_free(rules);
	lp_rules_free(strange);
	lp_bookset_free(other);
}

static void
policy_applies_from_the_next_burst_on(void)
{
	struct lp_rules *pass = rules_for("-> pass", bench.books);
	struct lp_rules *dry = rules_for("-> dry-run", bench.books);
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *s = compress_stats(press);

	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(s->coded_pkts, 1);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, pass), 0);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(s->passed[LP_PASS_RULE], 1);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, dry), 0);
	lp_rules_free(pass);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(s->passed[LP_PASS_DRY_RUN], 1);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, NULL), 0);
	lp_rules_free(dry);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(s->coded_pkts, 2);
	CU_ASSERT_EQUAL(s->rx_pkts, 4);
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	CU_ASSERT(pools_full());
}

static void
books_are_replaced_with_the_rules_for_them(void)
{
	struct lp_bookset *books = load_books();
	const uint8_t id = 3;
	struct lp_bookset *few = lp_bookset_subset(books, &id, 1);
	struct lp_rules *rules = rules_for("-> books 3", few);
	struct lp_press *press = press_make(press_conf());
	const struct lp_press_stats *s = compress_stats(press);

	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(s->book[1].pkts, 1);
	CU_ASSERT_EQUAL(set_policy(press, few, rules), 0);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(s->book[1].pkts, 1);
	CU_ASSERT(s->coded_pkts + s->passed[LP_PASS_NO_GAIN] == 2);

	/* The old books are not there any more, neither to code nor to decode. */
	struct lp_press *peer = press_make(press_conf());

	CU_ASSERT_FATAL(compress_frame(peer, &frame, &wire));
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	CU_ASSERT_EQUAL(restore_stats(press)->passed[LP_PASS_UNKNOWN_BOOK], 1);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, NULL), 0);
	CU_ASSERT_FATAL(restore_frame(press, &wire, &restored));
	CU_ASSERT(frame_equal(&restored, &frame));
	CU_ASSERT(stats_add_up(press));
	lp_press_free(peer);
	lp_press_free(press);
	lp_rules_free(rules);
	lp_bookset_free(few);
	lp_bookset_free(books);
}

static void
counters_by_rule_start_anew_only_if_the_rules_are_others(void)
{
	struct lp_rules *a = rules_for("-> pass", bench.books);
	struct lp_rules *b = rules_for("proto tcp -> pass\n-> dry-run", bench.books);
	struct lp_press *press = press_with(a, 0);

	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(set_policy(press, bench.books, a), 0);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(rule_pkts(press, lp_rules_generation(a), 1), 2);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, b), 0);
	CU_ASSERT_EQUAL(rule_pkts(press, lp_rules_generation(b), 1), 0);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(rule_pkts(press, lp_rules_generation(b), 1), 0);
	CU_ASSERT_EQUAL(rule_pkts(press, lp_rules_generation(b), 2), 1);
	CU_ASSERT_EQUAL(set_policy(press, bench.books, NULL), 0);
	CU_ASSERT_EQUAL(rule_pkts(press, 0, 2), 0);
	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(rule_pkts(press, 0, 0), 1);
	CU_ASSERT_EQUAL(compress_stats(press)->eligible_pkts, 4);
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	lp_rules_free(a);
	lp_rules_free(b);
}

static void
counters_by_rule_add_only_within_a_generation(void)
{
	struct lp_rules_stats sum = { .generation = 7 }, stats = { .generation = 7 };

	stats.rule[0].pkts = 1;
	stats.rule[LP_RULES_MAX].would_coded_pkts = 2;
	CU_ASSERT_EQUAL(lp_rules_stats_add(&sum, &stats), 0);
	CU_ASSERT_EQUAL(lp_rules_stats_add(&sum, &stats), 0);
	stats.generation = 8;
	CU_ASSERT_EQUAL(lp_rules_stats_add(&sum, &stats), -ESTALE);
	CU_ASSERT_EQUAL(sum.generation, 7);
	CU_ASSERT_EQUAL(sum.rule[0].pkts, 2);
	CU_ASSERT_EQUAL(sum.rule[LP_RULES_MAX].would_coded_pkts, 4);
}

/* A reader in another thread, and what it read. */
struct reader {
	struct lp_press *press;
	struct lp_rules_stats stats;
	bool done;
};

static void *
read_counters(void *arg)
{
	struct reader *r = arg;

	lp_press_rules_stats(r->press, &r->stats);
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* As lcores do. */
static void
count(struct lp_press *press, uint64_t n)
{
	__atomic_store_n(&press->rules_stats.generation, n, __ATOMIC_RELAXED);
	__atomic_store_n(&press->rules_stats.rule[LP_RULES_MAX].pkts, n, __ATOMIC_RELAXED);
}

static void
reader_waits_while_counters_become_those_of_other_rules(void)
{
	struct reader reader = { .press = press_make(press_conf()) };
	pthread_t thread;

	rte_seqcount_write_begin(&reader.press->rules_change);
	count(reader.press, 1);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, read_counters, &reader), 0);
	usleep(50000);
	CU_ASSERT(!__atomic_load_n(&reader.done, __ATOMIC_ACQUIRE));
	count(reader.press, 2);
	rte_seqcount_write_end(&reader.press->rules_change);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(reader.stats.generation, 2);
	CU_ASSERT_EQUAL(reader.stats.rule[LP_RULES_MAX].pkts, 2);
	lp_press_free(reader.press);
}

static void
readers_are_told_of_other_rules_and_of_nothing_else(void)
{
	struct lp_rules *rules = rules_for("-> pass", bench.books);
	struct lp_press *press = press_make(press_conf());
	const uint32_t before = rte_seqcount_read_begin(&press->rules_change);

	CU_ASSERT(frame_comes_back(press));
	CU_ASSERT_EQUAL(set_policy(press, bench.books, NULL), 0);
	CU_ASSERT(!rte_seqcount_read_retry(&press->rules_change, before));
	CU_ASSERT_EQUAL(set_policy(press, bench.books, rules), 0);
	CU_ASSERT(rte_seqcount_read_retry(&press->rules_change, before));
	lp_press_free(press);
	lp_rules_free(rules);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(rules_and_books_that_do_not_fit_together_are_refused),
		TEST(policy_applies_from_the_next_burst_on),
		TEST(books_are_replaced_with_the_rules_for_them),
		TEST(counters_by_rule_start_anew_only_if_the_rules_are_others),
		TEST(counters_by_rule_add_only_within_a_generation),
		TEST(reader_waits_while_counters_become_those_of_other_rules),
		TEST(readers_are_told_of_other_rules_and_of_nothing_else),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_policy", tests);
}
