/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Rules as DPDK's packet classifier has them, and frames as its keys. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

#include "fields.h"
#include "press.h"
#include "rules.h"

/*
 * What of a frame can matter, in network order. The classifier takes one byte, then four at a time,
 * all of which must belong to fields.
 */
struct match_key {
	uint8_t unused[3];
	uint8_t proto;
	rte_be16_t port;
	rte_be16_t vlan;
	rte_be16_t l4_port[2]; /* source and destination, as in the frame */
	uint8_t dscp;
	uint8_t zero;
	rte_be16_t region_len;
	uint8_t address[32]; /* source and destination, as in the frame; of IPv4 the first 8 */
};

#define WORDS_IPV4 1
#define WORDS_IPV6 4
#define PLAIN_FIELDS 8
#define FIELDS_MAX (PLAIN_FIELDS + RULE_PREFIXES * WORDS_IPV6)
#define ADDRESS_INPUT 4 /* input index of the first word of an address */

RTE_ACL_RULE_DEF(match_rule, FIELDS_MAX);

/* Fields that are not addresses, in the order of the key. */
static const struct plain_field {
	uint8_t type, size, input;
	uint32_t offset;
	int key; /* enum rule_range_key, or -1: always zero */
} plain_fields[PLAIN_FIELDS] = {
	{ RTE_ACL_FIELD_TYPE_BITMASK, 1, 0, offsetof(struct match_key, proto), RULE_PROTO },
	{ RTE_ACL_FIELD_TYPE_BITMASK, 2, 1, offsetof(struct match_key, port), RULE_PORT },
	{ RTE_ACL_FIELD_TYPE_BITMASK, 2, 1, offsetof(struct match_key, vlan), RULE_VLAN },
	{ RTE_ACL_FIELD_TYPE_RANGE, 2, 2, offsetof(struct match_key, l4_port[0]), RULE_SPORT },
	{ RTE_ACL_FIELD_TYPE_RANGE, 2, 2, offsetof(struct match_key, l4_port[1]), RULE_DPORT },
	{ RTE_ACL_FIELD_TYPE_BITMASK, 1, 3, offsetof(struct match_key, dscp), RULE_DSCP },
	{ RTE_ACL_FIELD_TYPE_BITMASK, 1, 3, offsetof(struct match_key, zero), -1 },
	{ RTE_ACL_FIELD_TYPE_RANGE, 2, 3, offsetof(struct match_key, region_len), RULE_MIN_REGION },
};

static const uint8_t ip_version[RULE_FAMILIES] = { [RULE_IPV4] = 4, [RULE_IPV6] = 6 };
static const uint8_t address_words[RULE_FAMILIES] = {
	[RULE_IPV4] = WORDS_IPV4,
	[RULE_IPV6] = WORDS_IPV6,
};

/* Building */

static void
describe_fields(struct rte_acl_config *config, unsigned int words)
{
	config->num_categories = 1;
	config->num_fields = PLAIN_FIELDS + RULE_PREFIXES * words;
	for (unsigned int i = 0; i < PLAIN_FIELDS; i++)
		config->defs[i] = (struct rte_acl_field_def){
			.type = plain_fields[i].type,
			.size = plain_fields[i].size,
			.field_index = (uint8_t)i,
			.input_index = plain_fields[i].input,
			.offset = plain_fields[i].offset,
		};
	for (unsigned int i = 0; i < RULE_PREFIXES * words; i++)
		config->defs[PLAIN_FIELDS + i] = (struct rte_acl_field_def){
			.type = RTE_ACL_FIELD_TYPE_MASK,
			.size = sizeof(uint32_t),
			.field_index = (uint8_t)(PLAIN_FIELDS + i),
			.input_index = (uint8_t)(ADDRESS_INPUT + i),
			.offset = (uint32_t)(offsetof(struct match_key, address) +
					i * sizeof(uint32_t)),
		};
}

static void
set_plain_fields(struct match_rule *acl, const struct rule *rule)
{
	for (unsigned int i = 0; i < PLAIN_FIELDS; i++) {
		const struct rule_range *range;

		if (plain_fields[i].key < 0)
			continue;
		range = &rule->range[plain_fields[i].key];
		acl->field[i].value.u64 = range->low;
		if (plain_fields[i].type == RTE_ACL_FIELD_TYPE_RANGE)
			acl->field[i].mask_range.u64 = range->high;
		else if (range->given)
			acl->field[i].mask_range.u64 = UINT64_MAX;
	}
}

static void
set_prefix(struct rte_acl_field *field, const struct rule_prefix *prefix, unsigned int words)
{
	for (unsigned int i = 0; i < words; i++) {
		const unsigned int before = 32 * i;
		rte_be32_t word;

		memcpy(&word, prefix->address + i * sizeof(word), sizeof(word));
		field[i].value.u64 = rte_be_to_cpu_32(word);
		field[i].mask_range.u64 = prefix->len > before ? RTE_MIN(prefix->len - before, 32u)
							       : 0;
	}
}

/* Is there anything in this version of IP that the rule can match? */
static bool
is_for(const struct rule *rule, enum rule_family family)
{
	for (unsigned int k = 0; k < RULE_PREFIXES; k++)
		if (rule->prefix[k].ip_version != 0 &&
				rule->prefix[k].ip_version != ip_version[family])
			return false;
	return true;
}

static int
add_rules(struct rte_acl_ctx *acl, const struct lp_rules *rules, enum rule_family family)
{
	const unsigned int words = address_words[family];
	int ret = 0;

	for (unsigned int number = 1; number <= rules->count && ret == 0; number++) {
		const struct rule *rule = &rules->rule[number];
		struct match_rule match = {
			.data = {
				.category_mask = 1,
				.priority = (int32_t)(RTE_ACL_MIN_PRIORITY + LP_RULES_MAX - number),
				.userdata = number,
			},
		};

		if (!is_for(rule, family))
			continue;
		set_plain_fields(&match, rule);
		for (unsigned int k = 0; k < RULE_PREFIXES; k++)
			set_prefix(&match.field[PLAIN_FIELDS + k * words], &rule->prefix[k], words);
		ret = rte_acl_add_rules(acl, (const struct rte_acl_rule *)&match, 1);
	}
	return ret;
}

static bool
has_rules_for(const struct lp_rules *rules, enum rule_family family)
{
	for (unsigned int number = 1; number <= rules->count; number++)
		if (is_for(&rules->rule[number], family))
			return true;
	return false;
}

static int
build_family(struct lp_rules *rules, enum rule_family family)
{
	const unsigned int words = address_words[family];
	char name[RTE_ACL_NAMESIZE];
	const struct rte_acl_param param = {
		.name = name,
		.socket_id = SOCKET_ID_ANY,
		.rule_size = RTE_ACL_RULE_SZ(PLAIN_FIELDS + RULE_PREFIXES * words),
		.max_rule_num = rules->count,
	};
	struct rte_acl_config config = { 0 };
	int ret;

	snprintf(name, sizeof(name), "lp_%" PRIu64 "_%u", rules->generation, ip_version[family]);
	rules->acl[family] = rte_acl_create(&param);
	if (rules->acl[family] == NULL)
		return -rte_errno;
	ret = add_rules(rules->acl[family], rules, family);
	if (ret < 0)
		return ret;
	describe_fields(&config, words);
	return rte_acl_build(rules->acl[family], &config);
}

int
rules_build(struct lp_rules *rules)
{
	int ret = 0;

	for (unsigned int family = 0; family < RULE_FAMILIES && ret == 0; family++)
		if (has_rules_for(rules, (enum rule_family)family))
			ret = build_family(rules, (enum rule_family)family);
	return ret;
}

/* Matching */

/* A tag that the port took off is told by the mbuf. */
static uint16_t
outermost_vlan(const struct lp_work *work)
{
	const struct rte_mbuf *m = work->mbuf;
	rte_be16_t tci;

	if ((m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED) != 0)
		return m->vlan_tci_outer & (RULE_VLAN_NONE - 1);
	if ((m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0)
		return m->vlan_tci & (RULE_VLAN_NONE - 1);
	if (work->frame.vlan_tags == 0)
		return RULE_VLAN_NONE;
	memcpy(&tci, work->head + RTE_ETHER_HDR_LEN, sizeof(tci));
	return rte_be_to_cpu_16(tci) & (RULE_VLAN_NONE - 1);
}

/* Six bits: the upper ones of the second byte of IPv4, after the version in IPv6. */
static uint8_t
dscp_of(const struct lp_work *work)
{
	const uint8_t *ip = work->head + work->frame.l3_off;

	if (work->frame.ip_version == 4)
		return ip[1] >> 2;
	return (uint8_t)((ip[0] & 0x0f) << 2 | ip[1] >> 6);
}

static void
make_key(struct match_key *key, const struct lp_work *work, uint16_t port)
{
	const uint8_t *addresses;
	size_t len;

	key->proto = work->frame.l4;
	key->port = rte_cpu_to_be_16(port);
	key->vlan = rte_cpu_to_be_16(outermost_vlan(work));
	memcpy(key->l4_port, work->head + work->frame.l4_off, sizeof(key->l4_port));
	key->dscp = dscp_of(work);
	key->zero = 0;
	key->region_len = rte_cpu_to_be_16(work->frame.region_len);
	addresses = field_addresses(work->head, &work->frame, &len);
	memcpy(key->address, addresses, len);
}

/* The frames of a burst that are of one version of IP. */
struct family_batch {
	unsigned int count;
	const uint8_t *key[RULES_BATCH];
	uint8_t index[RULES_BATCH]; /* in the burst */
};

static void
match_family(const struct rte_acl_ctx *acl, struct family_batch *batch, uint32_t *number)
{
	uint32_t found[RULES_BATCH];

	if (batch->count == 0 || acl == NULL)
		return;
	/* Fails for wrong arguments only. */
	rte_acl_classify(acl, batch->key, found, batch->count, 1);
	for (unsigned int i = 0; i < batch->count; i++)
		number[batch->index[i]] = found[i];
}

void
rules_match(const struct lp_rules *rules, uint16_t port, const struct lp_work *const *work,
		unsigned int count, uint32_t *number)
{
	struct match_key key[RULES_BATCH];
	struct family_batch batch[RULE_FAMILIES];

	for (unsigned int family = 0; family < RULE_FAMILIES; family++)
		batch[family].count = 0;
	for (unsigned int i = 0; i < count; i++) {
		struct family_batch *b =
				&batch[work[i]->frame.ip_version == 4 ? RULE_IPV4 : RULE_IPV6];

		number[i] = 0;
		make_key(&key[i], work[i], port);
		b->index[b->count] = (uint8_t)i;
		b->key[b->count++] = (const uint8_t *)&key[i];
	}
	for (unsigned int family = 0; family < RULE_FAMILIES; family++)
		match_family(rules->acl[family], &batch[family], number);
}
