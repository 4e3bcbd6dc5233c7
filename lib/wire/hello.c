/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <string.h>

#include "bytes.h"
#include "fields.h"
#include "linepress/hello.h"

#define MAGIC 0x4c50484f /* "LPHO" */

/* From the magic on. */
enum {
	OFF_MAGIC = 0,
	OFF_VERSION = 4,
	OFF_SHIM_VERSION = 5,
	OFF_LENGTH = 6,
	OFF_PARSER_VERSION = 8,
	OFF_STATE = 10,
	OFF_CODING = 11,
	OFF_INTERVAL = 12,
	OFF_MTU = 14,
	OFF_BOX_ID = 16,
	OFF_NONCE = 24,
	OFF_ECHO_NONCE = 32,
	OFF_SEQ = 40,
	OFF_ECHO_SEQ = 44,
	OFF_CODED = 48,
	OFF_DECODED = 56,
	OFF_FAILED = 64,
	OFF_BOOKS_DIGEST = 72,
	OFF_INSTALLED = 80,
	OFF_FAILURE_TOTAL = 112,
	OFF_NB_FAILURES = 116,
	OFF_ZERO = 117,
	OFF_ARRIVED = 120,
	OFF_LISTS = OFF_ARRIVED + LP_FLOW_GROUPS * sizeof(uint32_t),
};

#define INSTALLED_LEN (LP_BOOK_IDS / 8)
#define ZERO_LEN 3
#define MAC_LEN sizeof(uint64_t)

/* An entry of the list of failures. */
#define FAILURE_LEN 8
#define FAILURE_OFF_BOOK 4
#define FAILURE_OFF_ZERO 5

#define BOOK_DIGEST_LEN sizeof(uint32_t)

#define SOURCE_OFF RTE_ETHER_ADDR_LEN
#define ADDRESSES_LEN (2 * RTE_ETHER_ADDR_LEN)

/* Shortest frame of any version: up to the length, and the MAC. */
#define FRAME_MIN (RTE_ETHER_HDR_LEN + OFF_PARSER_VERSION + MAC_LEN)

/* Longest frame of any version, so that a later one has room to grow. */
#define FRAME_MAX (RTE_ETHER_HDR_LEN + 1500)

static const uint8_t destination[RTE_ETHER_ADDR_LEN] = LP_HELLO_DESTINATION;

_Static_assert(LP_HELLO_MIN == RTE_ETHER_HDR_LEN + OFF_LISTS + MAC_LEN, "shortest hello");
_Static_assert(LP_HELLO_MAX <= FRAME_MAX, "a hello fits the usual MTU");

static bool
is_zero(const uint8_t *p, size_t len)
{
	uint8_t any = 0;

	for (size_t k = 0; k < len; k++)
		any |= p[k];
	return any == 0;
}

uint64_t
lp_hello_books_digest(const struct lp_key *key, const uint64_t *digest)
{
	/* No frame that is tagged or signed with the same key begins like this. */
	static const char context[] = "books";
	uint8_t message[sizeof(context) + (LP_BOOK_IDS - 1) * (1 + sizeof(uint64_t))];
	uint8_t *end = mempcpy(message, context, sizeof(context));

	for (unsigned int id = 1; id < LP_BOOK_IDS; id++) {
		if (digest[id] == 0)
			continue;
		*end++ = (uint8_t)id;
		store_be64(end, digest[id]);
		end += sizeof(uint64_t);
	}
	return lp_siphash13(key, message, (size_t)(end - message));
}

/* Bytes from the magic to the end of the MAC. */
static size_t
hello_length(const struct lp_hello *hello)
{
	return OFF_LISTS + hello->nb_failures * (size_t)FAILURE_LEN +
			lp_book_mask_count(&hello->installed) * BOOK_DIGEST_LEN + MAC_LEN;
}

static void
write_fixed(uint8_t *p, const struct lp_hello *hello)
{
	store_be32(p + OFF_MAGIC, MAGIC);
	p[OFF_VERSION] = LP_HELLO_VERSION;
	p[OFF_SHIM_VERSION] = hello->shim_version;
	store_be16(p + OFF_LENGTH, (uint16_t)hello_length(hello));
	store_be16(p + OFF_PARSER_VERSION, hello->parser_version);
	p[OFF_STATE] = hello->state;
	p[OFF_CODING] = hello->coding;
	store_be16(p + OFF_INTERVAL, hello->interval_ms);
	store_be16(p + OFF_MTU, hello->host_mtu);
	store_be64(p + OFF_BOX_ID, hello->box_id);
	store_be64(p + OFF_NONCE, hello->nonce);
	store_be64(p + OFF_ECHO_NONCE, hello->echo_nonce);
	store_be32(p + OFF_SEQ, hello->seq);
	store_be32(p + OFF_ECHO_SEQ, hello->echo_seq);
	store_be64(p + OFF_CODED, hello->coded);
	store_be64(p + OFF_DECODED, hello->decoded);
	store_be64(p + OFF_FAILED, hello->failed);
	store_be64(p + OFF_BOOKS_DIGEST, hello->books_digest);
	memset(p + OFF_INSTALLED, 0, INSTALLED_LEN);
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (lp_book_mask_has(&hello->installed, id))
			p[OFF_INSTALLED + id / 8] |= (uint8_t)(0x80 >> id % 8);
	store_be32(p + OFF_FAILURE_TOTAL, hello->failure_total);
	p[OFF_NB_FAILURES] = hello->nb_failures;
	memset(p + OFF_ZERO, 0, ZERO_LEN);
	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++)
		store_be32(p + OFF_ARRIVED + g * sizeof(uint32_t), hello->arrived[g]);
}

/* Returns the end of the lists, where the MAC goes. */
static uint8_t *
write_lists(uint8_t *p, const struct lp_hello *hello)
{
	p += OFF_LISTS;
	for (unsigned int k = 0; k < hello->nb_failures; k++, p += FAILURE_LEN) {
		store_be32(p, hello->failure[k].flow);
		p[FAILURE_OFF_BOOK] = hello->failure[k].book;
		memset(p + FAILURE_OFF_ZERO, 0, FAILURE_LEN - FAILURE_OFF_ZERO);
	}
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		if (!lp_book_mask_has(&hello->installed, id))
			continue;
		store_be32(p, hello->book_digest[id]);
		p += BOOK_DIGEST_LEN;
	}
	return p;
}

int
lp_hello_write(const struct lp_hello *hello, const struct lp_key *key, const uint8_t *source,
		uint8_t *frame, size_t room)
{
	uint8_t *const p = frame + RTE_ETHER_HDR_LEN;
	uint8_t *mac;

	if (lp_hello_check(hello) != LP_HELLO_OK)
		return -EINVAL;
	if (room < RTE_ETHER_HDR_LEN + hello_length(hello))
		return -ENOSPC;
	memcpy(frame, destination, sizeof(destination));
	memcpy(frame + SOURCE_OFF, source, RTE_ETHER_ADDR_LEN);
	store_be16(frame + ADDRESSES_LEN, LP_HELLO_ETHER_TYPE);
	write_fixed(p, hello);
	mac = write_lists(p, hello);
	store_be64(mac, lp_siphash13(key, frame, (size_t)(mac - frame)));
	return (int)(mac + MAC_LEN - frame);
}

static void
read_fixed(const uint8_t *p, struct lp_hello *hello)
{
	memset(hello, 0, sizeof(*hello));
	hello->shim_version = p[OFF_SHIM_VERSION];
	hello->parser_version = load_be16(p + OFF_PARSER_VERSION);
	hello->state = p[OFF_STATE];
	hello->coding = p[OFF_CODING] != 0;
	hello->interval_ms = load_be16(p + OFF_INTERVAL);
	hello->host_mtu = load_be16(p + OFF_MTU);
	hello->box_id = load_be64(p + OFF_BOX_ID);
	hello->nonce = load_be64(p + OFF_NONCE);
	hello->echo_nonce = load_be64(p + OFF_ECHO_NONCE);
	hello->seq = load_be32(p + OFF_SEQ);
	hello->echo_seq = load_be32(p + OFF_ECHO_SEQ);
	hello->coded = load_be64(p + OFF_CODED);
	hello->decoded = load_be64(p + OFF_DECODED);
	hello->failed = load_be64(p + OFF_FAILED);
	hello->books_digest = load_be64(p + OFF_BOOKS_DIGEST);
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++)
		if (p[OFF_INSTALLED + id / 8] & 0x80 >> id % 8)
			lp_book_mask_add(&hello->installed, id);
	hello->failure_total = load_be32(p + OFF_FAILURE_TOTAL);
	hello->nb_failures = p[OFF_NB_FAILURES];
	for (unsigned int g = 0; g < LP_FLOW_GROUPS; g++)
		hello->arrived[g] = load_be32(p + OFF_ARRIVED + g * sizeof(uint32_t));
}

static enum lp_hello_verdict
read_lists(const uint8_t *p, struct lp_hello *hello)
{
	p += OFF_LISTS;
	for (unsigned int k = 0; k < hello->nb_failures; k++, p += FAILURE_LEN) {
		hello->failure[k] = (struct lp_hello_failure){
			.flow = load_be32(p),
			.book = p[FAILURE_OFF_BOOK],
		};
		if (!is_zero(p + FAILURE_OFF_ZERO, FAILURE_LEN - FAILURE_OFF_ZERO))
			return LP_HELLO_BAD_LAYOUT;
	}
	for (unsigned int id = 0; id < LP_BOOK_IDS; id++) {
		if (!lp_book_mask_has(&hello->installed, id))
			continue;
		hello->book_digest[id] = load_be32(p);
		p += BOOK_DIGEST_LEN;
	}
	return LP_HELLO_OK;
}

/* Offset of the magic, behind at most as many VLAN tags as coded frames may have; 0 if none. */
static size_t
find_magic(const uint8_t *frame, size_t len)
{
	size_t off = ADDRESSES_LEN;

	if (len < FRAME_MIN || !lp_hello_is_likely(frame))
		return 0;
	for (unsigned int tags = 0; field_is_vlan(load_be16(frame + off)); tags++) {
		if (tags == LP_VLAN_TAGS_PARSED)
			return 0;
		off += RTE_VLAN_HLEN;
	}
	if (load_be16(frame + off) != LP_HELLO_ETHER_TYPE)
		return 0;
	off += RTE_ETHER_TYPE_LEN;
	return load_be32(frame + off + OFF_MAGIC) == MAGIC ? off : 0;
}

static bool
mac_is_right(const uint8_t *frame, const uint8_t *p, size_t length, const struct lp_key *key)
{
	uint8_t message[FRAME_MAX];
	uint8_t *end = mempcpy(message, frame, ADDRESSES_LEN);

	end = mempcpy(end, p - RTE_ETHER_TYPE_LEN, RTE_ETHER_TYPE_LEN + length - MAC_LEN);
	return load_be64(p + length - MAC_LEN) ==
			lp_siphash13(key, message, (size_t)(end - message));
}

enum lp_hello_verdict
lp_hello_read(const uint8_t *frame, size_t len, const struct lp_key *key, struct lp_hello *hello)
{
	const size_t off = find_magic(frame, len);
	const uint8_t *const p = frame + off;
	enum lp_hello_verdict verdict;
	size_t length;

	if (off == 0)
		return LP_HELLO_FOREIGN;
	length = load_be16(p + OFF_LENGTH);
	if (length < FRAME_MIN - RTE_ETHER_HDR_LEN || length > FRAME_MAX - RTE_ETHER_HDR_LEN ||
			length > len - off)
		return LP_HELLO_LENGTH;
	if (!mac_is_right(frame, p, length, key))
		return LP_HELLO_MAC;
	if (p[OFF_VERSION] != LP_HELLO_VERSION)
		return LP_HELLO_BAD_VERSION;
	if (length < LP_HELLO_MIN - RTE_ETHER_HDR_LEN)
		return LP_HELLO_BAD_LAYOUT;
	read_fixed(p, hello);
	if (hello->nb_failures > LP_HELLO_FAILURES)
		return LP_HELLO_BAD_FAILURES;
	if (length != hello_length(hello) || p[OFF_CODING] > 1 || !is_zero(p + OFF_ZERO, ZERO_LEN))
		return LP_HELLO_BAD_LAYOUT;
	verdict = read_lists(p, hello);
	return verdict == LP_HELLO_OK ? lp_hello_check(hello) : verdict;
}
