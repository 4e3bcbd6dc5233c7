/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The classifier finds the rule that a loop over all rules finds, for random rules and frames. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#include "rules_help.h"

#define ROUNDS 60
#define FRAMES 200
#define BURST_MAX 70
#define VLAN_NONE 4096
#define TEXT_MAX (LP_RULES_MAX * 256)

/* Numbers of a frame that a rule can ask for. */
enum number { PORT, VLAN, PROTO, SPORT, DPORT, DSCP, REGION, NUMBERS };

struct facts {
	unsigned int number[NUMBERS];
	uint8_t ip_version;
	uint8_t address[2][16];
};

struct model_prefix {
	uint8_t ip_version; /* 0: none */
	unsigned int len;
	uint8_t address[16];
};

struct model_rule {
	unsigned int low[NUMBERS], high[NUMBERS];
	bool given[NUMBERS];
	struct model_prefix prefix[2];
};

static const char *const names[NUMBERS] = { "port", "vlan", "proto", "sport", "dport", "dscp",
	"min-region" };
static const char *const protos[] = { "tcp", "udp", "roce" };

static struct model_rule model[LP_RULES_MAX];
static unsigned int nb_rules;
static char text[TEXT_MAX];

/* Few values, so that rules and frames meet, with some near to each other and to powers of two. */

static unsigned int
pick(const uint16_t *values, unsigned int count)
{
	return values[test_random_in(0, count - 1)];
}

#define PICK(...)                               \
	pick((const uint16_t[]){ __VA_ARGS__ }, \
			sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t))

static unsigned int
random_number(enum number which)
{
	switch (which) {
	case PORT:
		return PICK(0, 1, 31);
	case VLAN:
		return PICK(0, 1, 255, 256, 4095, VLAN_NONE);
	case PROTO:
		return test_random_in(0, 2);
	case SPORT:
		return PICK(0, 1, 255, 256, 257, 1023, 1024, 32768, 65280, 65535);
	case DPORT:
		return PICK(5000, 5001, 5119, 5120, 5121, 65534, 65535);
	case DSCP:
		return PICK(0, 1, 31, 32, 46, 63);
	default:
		return PICK(256, 257, 400, 511, 512, 513, 768, 1000);
	}
}

static void
random_address(uint8_t *address, uint8_t ip_version)
{
	static const uint8_t bytes[] = { 0x0a, 0x0b, 0x80, 0xff };

	memset(address, 0, 16);
	for (unsigned int i = 0; i < (ip_version == 4 ? 4 : 16); i++)
		if (i < 4 || i == 7 || i >= 14)
			address[i] = bytes[test_random_in(0, test_random() % 4 ? 0 : 3)];
}

static bool
bit_of(const uint8_t *address, unsigned int i)
{
	return address[i / 8] >> (7 - i % 8) & 1;
}

static struct model_prefix
random_prefix(uint8_t ip_version)
{
	const unsigned int bits = ip_version == 4 ? 32 : 128;
	struct model_prefix prefix = { .ip_version = ip_version };

	random_address(prefix.address, ip_version);
	prefix.len = test_random() % 2 ? test_random_in(0, bits) : test_random_in(0, 4) * bits / 4;
	for (unsigned int i = prefix.len; i < 128; i++)
		prefix.address[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
	return prefix;
}

static void
random_rule(struct model_rule *rule)
{
	const uint8_t version = test_random() % 2 ? 4 : 6;
	const unsigned int density = test_random_in(2, 6);

	memset(rule, 0, sizeof(*rule));
	for (unsigned int k = 0; k < NUMBERS; k++) {
		unsigned int a = random_number((enum number)k), b = a;

		if (k == SPORT || k == DPORT)
			b = test_random() % 2 ? random_number((enum number)k) : a;
		rule->given[k] = test_random() % density == 0;
		rule->low[k] = a < b ? a : b;
		rule->high[k] = k == REGION ? UINT16_MAX : a < b ? b : a;
	}
	for (unsigned int k = 0; k < 2; k++)
		if (test_random() % 2 == 0)
			rule->prefix[k] = random_prefix(version);
}

static size_t
write_rule(char *out, const struct model_rule *rule)
{
	size_t len = 0;

	for (unsigned int k = 0; k < NUMBERS; k++) {
		if (!rule->given[k])
			continue;
		len += (size_t)sprintf(out + len, "%s ", names[k]);
		if (k == PROTO)
			len += (size_t)sprintf(out + len, "%s ", protos[rule->low[k]]);
		else if (k == VLAN && rule->low[k] == VLAN_NONE)
			len += (size_t)sprintf(out + len, "none ");
		else if (k == SPORT || k == DPORT)
			len += (size_t)sprintf(out + len, "%u-%u ", rule->low[k], rule->high[k]);
		else
			len += (size_t)sprintf(out + len, "%u ", rule->low[k]);
	}
	for (unsigned int k = 0; k < 2; k++) {
		const struct model_prefix *prefix = &rule->prefix[k];
		char address[INET6_ADDRSTRLEN];

		if (prefix->ip_version == 0)
			continue;
		inet_ntop(prefix->ip_version == 4 ? AF_INET : AF_INET6, prefix->address, address,
				sizeof(address));
		len += (size_t)sprintf(out + len, "%s %s/%u ", k == 0 ? "src" : "dst", address,
				prefix->len);
	}
	return len + (size_t)sprintf(out + len, "-> pass\n");
}

static void
random_rules(unsigned int count)
{
	size_t len = 0;

	nb_rules = count;
	for (unsigned int k = 0; k < count; k++) {
		random_rule(&model[k]);
		len += write_rule(text + len, &model[k]);
	}
}

static bool
prefix_matches(const struct model_prefix *prefix, const struct facts *facts, const uint8_t *address)
{
	if (prefix->ip_version == 0)
		return true;
	if (prefix->ip_version != facts->ip_version)
		return false;
	for (unsigned int i = 0; i < prefix->len; i++)
		if (bit_of(prefix->address, i) != bit_of(address, i))
			return false;
	return true;
}

static unsigned int
first_match(const struct facts *facts)
{
	for (unsigned int k = 0; k < nb_rules; k++) {
		const struct model_rule *rule = &model[k];
		bool ok = true;

		for (unsigned int n = 0; n < NUMBERS && ok; n++)
			ok = !rule->given[n] ||
					(facts->number[n] >= rule->low[n] &&
							facts->number[n] <= rule->high[n]);
		for (unsigned int p = 0; p < 2 && ok; p++)
			ok = prefix_matches(&rule->prefix[p], facts, facts->address[p]);
		if (ok)
			return k + 1;
	}
	return 0;
}

/* Frames */

static void
random_facts(struct facts *facts, unsigned int port)
{
	facts->ip_version = test_random() % 2 ? 4 : 6;
	for (unsigned int k = 0; k < NUMBERS; k++)
		facts->number[k] = random_number((enum number)k);
	facts->number[PORT] = port;
	if (facts->number[PROTO] == LP_L4_ROCE)
		facts->number[DPORT] = 4791;
	for (unsigned int k = 0; k < 2; k++)
		random_address(facts->address[k], facts->ip_version);
}

static struct rte_mbuf *
frame_of(const struct facts *facts)
{
	static struct test_frame frame;
	const bool tagged = facts->number[VLAN] != VLAN_NONE, v4 = facts->ip_version == 4;
	const struct frame_spec spec = {
		.tpid = { tagged ? 0x8100 : 0, tagged && test_random() % 2 ? 0x8100 : 0 },
		.ip_version = facts->ip_version,
		.l4 = (uint8_t)facts->number[PROTO],
		.region_len = (uint16_t)facts->number[REGION],
	};

	frame_build(&frame, &spec);
	uint8_t *const ip = frame.data + frame.at.l3_off;

	if (tagged)
		frame_put16(&frame, 14,
				(uint16_t)(test_random_in(0, 15) << 12 | facts->number[VLAN]));
	if (v4)
		ip[1] = (uint8_t)(facts->number[DSCP] << 2 | test_random_in(0, 3));
	else
		frame_put16(&frame, frame.at.l3_off,
				(uint16_t)(0x6000 | facts->number[DSCP] << 6 |
						test_random_in(0, 63)));
	for (unsigned int k = 0; k < 2; k++)
		memcpy(ip + (v4 ? 12 + 4 * k : 8 + 16 * k), facts->address[k], v4 ? 4 : 16);
	frame_put16(&frame, frame.at.l4_off, (uint16_t)facts->number[SPORT]);
	frame_put16(&frame, frame.at.l4_off + 2u, (uint16_t)facts->number[DPORT]);
	frame_fix_ip_cksum(&frame);
	frame_fix_l4_cksum(&frame);
	return mbuf_from(&frame);
}

struct count {
	uint64_t pkts, region_bytes;
};

static bool
counters_are(const struct lp_press *press, const struct count *expected)
{
	static struct lp_rules_stats stats;
	bool ok = true;

	lp_press_rules_stats(press, &stats);
	for (unsigned int k = 0; k <= nb_rules; k++) {
		if (stats.rule[k].pkts == expected[k].pkts &&
				stats.rule[k].region_bytes == expected[k].region_bytes)
			continue;
		printf("\n  rule %u: %" PRIu64 " frames, %" PRIu64 " expected", k,
				stats.rule[k].pkts, expected[k].pkts);
		ok = false;
	}
	return ok;
}

/* Send frames in bursts of random sizes; how many matched a rule? */
static unsigned int
check_frames(const struct lp_rules *rules, uint16_t port)
{
	struct count expected[LP_RULES_MAX + 1] = { 0 };
	struct lp_press *press = press_with(rules, port);
	unsigned int matched = 0;

	for (unsigned int sent = 0; sent < FRAMES;) {
		struct rte_mbuf *pkts[BURST_MAX];
		const uint16_t burst = (uint16_t)test_random_in(
				1, test_random() % 2 ? BURST_MAX : 4);

		for (uint16_t i = 0; i < burst; i++) {
			struct facts facts;

			random_facts(&facts, port);
			pkts[i] = frame_of(&facts);
			const unsigned int rule = first_match(&facts);

			expected[rule].pkts++;
			expected[rule].region_bytes += facts.number[REGION];
			matched += rule != 0;
		}
		rte_pktmbuf_free_bulk(pkts, lp_press_compress(press, pkts, burst));
		sent += burst;
		CU_ASSERT_FATAL(counters_are(press, expected));
	}
	CU_ASSERT(stats_add_up(press));
	lp_press_free(press);
	return matched;
}

static void
check_rules(unsigned int count, unsigned int *matched)
{
	struct lp_rules *rules;

	random_rules(count);
	rules = rules_for(text, bench.books);
	CU_ASSERT_EQUAL_FATAL(lp_rules_count(rules), count);
	*matched += check_frames(rules, (uint16_t)random_number(PORT));
	lp_rules_free(rules);
}

static void
few_rules_match_as_a_loop_over_them(void)
{
	unsigned int matched = 0;

	for (unsigned int round = 0; round < ROUNDS; round++)
		check_rules(test_random_in(1, 12), &matched);
	CU_ASSERT(matched > ROUNDS * FRAMES / 20);
	CU_ASSERT(matched < ROUNDS * FRAMES);
	CU_ASSERT(pools_full());
}

static void
many_rules_match_as_a_loop_over_them(void)
{
	unsigned int matched = 0;

	for (unsigned int round = 0; round < ROUNDS / 6; round++)
		check_rules(test_random_in(50, LP_RULES_MAX), &matched);
	check_rules(LP_RULES_MAX, &matched);
	CU_ASSERT(matched > ROUNDS / 6 * FRAMES / 4);
	CU_ASSERT(pools_full());
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(few_rules_match_as_a_loop_over_them),
		TEST(many_rules_match_as_a_loop_over_them),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_rules_match", tests);
}
