/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CUnit/Basic.h>

#include "frame.h"
#include "siphash.h"

#define BOOK 7
#define DIGEST 0x1122334455667788
#define TAG_OFF 10

/*
 * A tag of 16 bits lets one change in 65536 through. So each change is tried on TRIALS frames
 * and fails if it is accepted more often than chance allows (about once in 10^5 seeds).
 */
#define TRIALS 200
#define ACCEPTED_MAX 2

static struct lp_key key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
static uint64_t digests[256];
static struct test_frame original, wire, changed, restored;
static uint8_t body[TEST_FRAME_MAX];

static void
seal(enum lp_shim_type type, size_t body_len)
{
	struct lp_shim shim = {
		.type = (uint8_t)type,
		.flags = lp_shim_flags(original.data, &original.at),
		.check = (uint32_t)test_random(),
	};
	const uint8_t *const region = original.data + original.at.region_off;

	if (type == LP_SHIM_STORED) {
		frame_seal(&wire, &original, &shim, &key, 0, region, original.at.region_len);
		return;
	}
	shim.book_id = BOOK;
	shim.element_log2 = (uint8_t)test_random_in(0, 2);
	shim.phase = (uint8_t)test_random_in(0, (1u << shim.element_log2) - 1);
	test_random_bytes(body, body_len);
	frame_seal(&wire, &original, &shim, &key, DIGEST, body, body_len);
}

/* A sealed frame of a kind and a version of IP. */
static void
seal_kind(uint8_t l4, uint8_t ip_version, enum lp_shim_type type)
{
	frame_build(&original,
			&(struct frame_spec){ .ip_version = ip_version,
					.l4 = l4,
					.no_cksum = l4 == LP_L4_ROCE && test_random() % 2,
					.region_len = 120 });
	digests[BOOK] = DIGEST;
	seal(type, test_random_in(20, 80));
	frame_copy(&changed, &wire);
}

static enum lp_open
open_frame(const struct test_frame *frame)
{
	struct lp_shim shim;

	return frame_open(frame, &key, digests, &shim);
}

/* How often a sealed frame of this kind is still accepted after `change`. */
static unsigned int
accepted_after(void (*change)(void), uint8_t l4, uint8_t ip_version, enum lp_shim_type type)
{
	unsigned int accepted = 0;

	for (unsigned int i = 0; i < TRIALS; i++) {
		seal_kind(l4, ip_version, type);
		CU_ASSERT_FATAL(open_frame(&wire) == LP_OPEN_SEALED);
		change();
		accepted += open_frame(&changed) == LP_OPEN_SEALED;
	}
	return accepted;
}

#define FOR_EACH_KIND(l4, version)                                \
	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++) \
		for (uint8_t version = 4; version <= 6; version += 2)

static void
siphash_gives_the_published_and_openssl_values(void)
{
	/*
	 * Key 00..0f, data 00 01 02 .., little endian, made with OpenSSL 3.0:
	 *   openssl mac -macopt hexkey:000102030405060708090a0b0c0d0e0f -macopt size:8
	 *     -macopt c-rounds:1 -macopt d-rounds:3 -in data SIPHASH
	 * Those with 2 and 4 rounds up to 16 bytes are in the authors' vectors.h too.
	 */
	static const struct {
		size_t len;
		unsigned int c_rounds, d_rounds;
		uint64_t hash;
	} expected[] = {
		{ 0, 2, 4, 0x726fdb47dd0e0e31 },
		{ 1, 2, 4, 0x74f839c593dc67fd },
		{ 7, 2, 4, 0xab0200f58b01d137 },
		{ 8, 2, 4, 0x93f5f5799a932462 },
		{ 9, 2, 4, 0x9e0082df0ba9e4b0 },
		{ 15, 2, 4, 0xa129ca6149be45e5 },
		{ 16, 2, 4, 0x3f2acc7f57c29bdb },
		{ 61, 2, 4, 0x9f626da15c9625f3 },
		{ 255, 2, 4, 0xa9c169fec74db21a },
		{ 0, 1, 3, 0xabac0158050fc4dc },
		{ 1, 1, 3, 0xc9f49bf37d57ca93 },
		{ 7, 1, 3, 0xd3927d989bb11140 },
		{ 8, 1, 3, 0x369095118d299a8e },
		{ 9, 1, 3, 0x25a48eb36c063de4 },
		{ 15, 1, 3, 0xd320d86d2a519956 },
		{ 16, 1, 3, 0xcc4fdd1a7d908b66 },
		{ 61, 1, 3, 0xaec59ad80f1837f2 },
		{ 255, 1, 3, 0xf76214e3153c4a15 },
		{ 256, 1, 3, 0x75b3e64e167de370 },
		{ 1000, 1, 3, 0x2cf8d9d4f270cadf },
		{ 2311, 1, 3, 0xedfeb49aca8f09a1 },
	};
	static const struct lp_key vector_key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const size_t len = expected[i].len;
		uint8_t *const data = malloc(len);

		for (size_t j = 0; j < len; j++)
			data[j] = (uint8_t)j;
		CU_ASSERT(lp_siphash(&vector_key, data, len, expected[i].c_rounds,
					  expected[i].d_rounds) == expected[i].hash);
		if (expected[i].c_rounds == 1)
			CU_ASSERT(lp_siphash13(&vector_key, data, len) == expected[i].hash);
		free(data);
	}
}

/* Bit by bit, from the polynomial. */
static uint32_t
crc32c(const uint8_t *p, size_t len, uint32_t crc)
{
	crc = ~crc;
	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void
check_gives_the_published_values(void)
{
	static const uint8_t digits[] = "123456789";
	uint8_t zeros[32], ones[32], up[32], down[32];

	memset(zeros, 0, 32);
	memset(ones, 0xff, 32);
	for (uint8_t i = 0; i < 32; i++)
		up[i] = down[31 - i] = i;
	CU_ASSERT(lp_region_check(digits, 9, 0) == 0xe3069283);
	/* RFC 3720, B.4; its bytes are in the order of the wire. */
	CU_ASSERT(lp_region_check(zeros, 32, 0) == 0x8a9136aa);
	CU_ASSERT(lp_region_check(ones, 32, 0) == 0x62a8ab43);
	CU_ASSERT(lp_region_check(up, 32, 0) == 0x46dd794e);
	CU_ASSERT(lp_region_check(down, 32, 0) == 0x113fdb5c);
}

/* The longest regions have other loops than the shortest. */
static size_t
next_len(size_t len)
{
	return len < 300 ? len + 1 : len + test_random_in(1, 200);
}

/*
 * The region ends at the end of a page, or starts at the start of one, and its neighbours cannot be
 * read: the code is assembly, which AddressSanitizer does not see.
 */
static void
check_is_crc32c_seeded_with_the_digest(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 10240 / page * page + page;
	uint8_t *const map = mmap(
			NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *const data = map + page;

	CU_ASSERT_FATAL(map != MAP_FAILED);
	CU_ASSERT_FATAL(mprotect(data, room, PROT_READ | PROT_WRITE) == 0);
	test_random_bytes(data, room);
	for (size_t len = 0; len <= 9000; len = next_len(len)) {
		for (size_t off = 0; off < 8; off++) {
			const uint8_t *const first = data + off;
			const uint8_t *const last = data + room - len - off;

			CU_ASSERT(lp_region_check(first, len, DIGEST) ==
					crc32c(first, len, 0x11223344 ^ 0x55667788));
			CU_ASSERT(lp_region_check(last, len, 0) == crc32c(last, len, 0));
		}
	}
	munmap(map, room + 2 * page);
}

static size_t
from_hex(uint8_t *p, const char *hex)
{
	size_t n = 0;

	for (; hex[0] != '\0'; hex += 2) {
		const char digits[] = { hex[0], hex[1], '\0' };

		p[n++] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

/*
 * Frames written down byte by byte from the description of the format, with sums of their own
 * and the tag from openssl: 64 bytes 00..3f, body 21 bytes a5.
 */
static void
check_golden(const char *original_hex, const char *wire_hex, struct lp_shim shim)
{
	struct lp_shim opened;
	struct lp_frame parsed;

	original.len = from_hex(original.data, original_hex);
	changed.len = from_hex(changed.data, wire_hex);
	CU_ASSERT_FATAL(frame_parse(&original, &original.at) == LP_ELIGIBLE);
	memset(body, 0xa5, 21);
	shim.flags = lp_shim_flags(original.data, &original.at);
	shim.check = lp_region_check(original.data + original.at.region_off, 64, DIGEST);
	frame_seal(&wire, &original, &shim, &key, DIGEST, body, 21);
	CU_ASSERT(frame_equal(&wire, &changed));

	digests[shim.book_id] = DIGEST;
	CU_ASSERT_FATAL(frame_parse(&changed, &parsed) == LP_ELIGIBLE);
	changed.at = parsed;
	CU_ASSERT_FATAL(frame_open(&changed, &key, digests, &opened) == LP_OPEN_SEALED);
	CU_ASSERT(opened.book_id == shim.book_id && opened.phase == shim.phase);
	CU_ASSERT(opened.element_log2 == shim.element_log2 && opened.orig_len == 64);
	if (shim.flags & LP_SHIM_F_CHECK)
		CU_ASSERT(opened.check == shim.check);
	CU_ASSERT(frame_unseal(&restored, &changed, &opened,
				  original.data + original.at.region_off) == 0);
	CU_ASSERT(frame_equal(&restored, &original));
}

static void
golden_frame_udp_ipv4_vlan(void)
{
	check_golden("0202000000010202000000028100000a0800"
		     "4502005c12344000401114590a0000010a000002"
		     "1b581f400048ccbf"
		     "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
		     "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
			"0202000000010202000000028100000a0800"
			"4502004112344000401114740a0000010a000002"
			"1b581f40002d3ca5"
			"9dc7119007500040ccbf9cfc4bf0bcfb"
			"a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5",
			(struct lp_shim){ .type = LP_SHIM_CODED,
					.book_id = 7,
					.element_log2 = 1,
					.phase = 1 });
}

static void
golden_frame_roce_ipv6(void)
{
	check_golden("02020000000102020000000286dd"
		     "6020000000581140"
		     "fd000000000000000000000000000001fd000000000000000000000000000002"
		     "c00112b700580000"
		     "0700ffff00abcdef80000007"
		     "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
		     "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
		     "deadbeef",
			"02020000000102020000000286dd"
			"6020000000391140"
			"fd000000000000000000000000000001fd000000000000000000000000000002"
			"c00112b700390000"
			"0700ffff00abcdef80000007"
			"9dc71140c8b000400000f667"
			"a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"
			"deadbeef",
			(struct lp_shim){ .type = LP_SHIM_CODED,
					.book_id = 200,
					.element_log2 = 2,
					.phase = 3 });
}

static void
flags_follow_from_the_frame(void)
{
	FOR_EACH_KIND(l4, version)
	{
		const uint8_t tcp_udp = LP_SHIM_F_CKSUM | LP_SHIM_F_CHECK;

		frame_build(&original,
				&(struct frame_spec){ .ip_version = version,
						.l4 = l4,
						.region_len = 100 });
		CU_ASSERT(lp_shim_flags(original.data, &original.at) ==
				(l4 == LP_L4_ROCE ? LP_SHIM_F_ICRC | LP_SHIM_F_CKSUM : tcp_udp));
		frame_put16(&original, frame_l4_cksum_off(&original), 0);
		CU_ASSERT(lp_shim_flags(original.data, &original.at) ==
				(l4 == LP_L4_ROCE ? LP_SHIM_F_ICRC : tcp_udp));
	}
}

static void
lookalike_is_escaped_and_comes_back(void)
{
	FOR_EACH_KIND(l4, version)
	{
		struct lp_shim shim;

		/* A coded frame that a host replays is an ordinary frame to the box... */
		seal_kind(l4, version, LP_SHIM_CODED);
		frame_copy(&original, &wire);
		for (unsigned int depth = 0; depth < 3; depth++) {
			const size_t len = original.len;

			CU_ASSERT(open_frame(&original) == LP_OPEN_SEALED);
			/* ... and goes out as STORED, itself a lookalike for the next round. */
			seal(LP_SHIM_STORED, 0);
			CU_ASSERT(wire.len == len + (l4 == LP_L4_ROCE ? 12 : 16));
			CU_ASSERT_FATAL(frame_open(&wire, &key, digests, &shim) == LP_OPEN_SEALED);
			CU_ASSERT(shim.type == LP_SHIM_STORED);
			CU_ASSERT(frame_unseal(&restored, &wire, &shim,
						  wire.data + wire.at.region_off +
								  lp_shim_len(shim.flags)) == 0);
			CU_ASSERT(frame_equal(&restored, &original));
			frame_copy(&original, &wire);
		}
	}
}

static void
escape_of_a_coded_lookalike_is_not_longer_than_its_claimed_original(void)
{
	for (uint16_t saved = 14; saved < 20; saved++) {
		frame_build(&original,
				&(struct frame_spec){ .ip_version = 4,
						.l4 = LP_L4_UDP,
						.region_len = 100 });
		digests[BOOK] = DIGEST;
		seal(LP_SHIM_CODED, 60);
		/* Claim another length, with a tag that is right for it. */
		for (uint32_t tag = 0; tag <= UINT16_MAX; tag++) {
			frame_put16(&wire, wire.at.region_off + 6u, (uint16_t)(76 + saved));
			frame_put16(&wire, wire.at.region_off + TAG_OFF, (uint16_t)tag);
			if (open_frame(&wire) == LP_OPEN_SEALED)
				break;
		}
		CU_ASSERT((open_frame(&wire) == LP_OPEN_SEALED) == (saved >= 16));
	}
}

static void
exactly_one_tag_of_65536_is_accepted(void)
{
	FOR_EACH_KIND(l4, version)
	{
		unsigned int sealed = 0, bad = 0;

		seal_kind(l4, version, LP_SHIM_CODED);
		for (uint32_t tag = 0; tag <= UINT16_MAX; tag++) {
			frame_put16(&changed, changed.at.region_off + TAG_OFF, (uint16_t)tag);
			sealed += open_frame(&changed) == LP_OPEN_SEALED;
			bad += open_frame(&changed) == LP_OPEN_BAD_TAG;
		}
		CU_ASSERT(sealed == 1 && bad == 65535);
	}
}

static void
use_another_key(void)
{
	key.k[test_random() % 2] ^= 1ull << test_random() % 64;
}

static void
frame_sealed_with_another_key_is_refused(void)
{
	const struct lp_key saved = key;

	FOR_EACH_KIND(l4, version)
	{
		CU_ASSERT(accepted_after(use_another_key, l4, version, LP_SHIM_CODED) <=
				ACCEPTED_MAX);
		CU_ASSERT(accepted_after(use_another_key, l4, version, LP_SHIM_STORED) <=
				ACCEPTED_MAX);
	}
	key = saved;
}

static void
use_another_book(void)
{
	digests[BOOK] ^= 1ull << test_random() % 64;
}

static void
frame_coded_with_another_book_of_the_same_number_is_refused(void)
{
	FOR_EACH_KIND(l4, version)
	{
		CU_ASSERT(accepted_after(use_another_book, l4, version, LP_SHIM_CODED) <=
				ACCEPTED_MAX);
		CU_ASSERT(accepted_after(use_another_book, l4, version, LP_SHIM_STORED) == TRIALS);
	}
}

static void
book_that_is_not_installed_is_told_from_a_bad_tag(void)
{
	struct lp_shim shim;

	seal_kind(LP_L4_UDP, 4, LP_SHIM_CODED);
	digests[BOOK] = 0;
	CU_ASSERT(frame_open(&wire, &key, digests, &shim) == LP_OPEN_UNKNOWN_BOOK);
	CU_ASSERT(shim.book_id == BOOK && shim.orig_len == 120);
	digests[BOOK] = DIGEST + 1;
	memset(&shim, 0, sizeof(shim));
	CU_ASSERT(frame_open(&wire, &key, digests, &shim) == LP_OPEN_BAD_TAG);
	CU_ASSERT(shim.book_id == BOOK && shim.orig_len == 120);
	seal_kind(LP_L4_UDP, 4, LP_SHIM_STORED);
	digests[BOOK] = 0;
	CU_ASSERT(open_frame(&wire) == LP_OPEN_SEALED);
}

static size_t bit_to_flip;

static void
flip_shim_bit(void)
{
	changed.data[changed.at.region_off + bit_to_flip / 8] ^= (uint8_t)(1 << bit_to_flip % 8);
}

static void
no_single_flipped_bit_of_a_shim_is_accepted(void)
{
	FOR_EACH_KIND(l4, version)
	{
		const size_t bits = l4 == LP_L4_ROCE ? 96 : 128;

		for (bit_to_flip = 0; bit_to_flip < bits; bit_to_flip++) {
			CU_ASSERT(accepted_after(flip_shim_bit, l4, version, LP_SHIM_CODED) <=
					ACCEPTED_MAX);
			CU_ASSERT(accepted_after(flip_shim_bit, l4, version, LP_SHIM_STORED) <=
					ACCEPTED_MAX);
		}
	}
}

/* Offset and mask of what to change, and whether the tag covers it. */
static size_t field_off;
static uint8_t field_mask;

static void
change_field(void)
{
	changed.data[field_off] ^= field_mask;
	frame_fix_ip_cksum(&changed);
}

static unsigned int
accepted_with_field_changed(uint8_t l4, uint8_t version, size_t off, uint8_t mask)
{
	field_off = off;
	field_mask = mask;
	return accepted_after(change_field, l4, version, LP_SHIM_CODED);
}

static void
changed_address_is_refused(void)
{
	for (size_t off = 26; off < 34; off++)
		CU_ASSERT(accepted_with_field_changed(LP_L4_UDP, 4, off, 0x10) <= ACCEPTED_MAX);
	for (size_t off = 22; off < 54; off++)
		CU_ASSERT(accepted_with_field_changed(LP_L4_TCP, 6, off, 0x10) <= ACCEPTED_MAX);
	for (size_t off = 22; off < 54; off++)
		CU_ASSERT(accepted_with_field_changed(LP_L4_ROCE, 6, off, 0x10) <= ACCEPTED_MAX);
}

static void
changed_port_or_queue_pair_is_refused(void)
{
	for (size_t off = 34; off < 38; off++) {
		CU_ASSERT(accepted_with_field_changed(LP_L4_TCP, 4, off, 0x01) <= ACCEPTED_MAX);
		CU_ASSERT(accepted_with_field_changed(LP_L4_UDP, 4, off, 0x01) <= ACCEPTED_MAX);
	}
	for (size_t off = 47; off < 50; off++)
		CU_ASSERT(accepted_with_field_changed(LP_L4_ROCE, 4, off, 0x80) <= ACCEPTED_MAX);
}

static void
roce_source_port_and_sequence_number_are_not_in_the_tag(void)
{
	CU_ASSERT(accepted_with_field_changed(LP_L4_ROCE, 4, 34, 0x01) == TRIALS);
	CU_ASSERT(accepted_with_field_changed(LP_L4_ROCE, 4, 53, 0x01) == TRIALS);
}

static void
ttl_tos_and_ip_id_changed_on_the_line_are_accepted(void)
{
	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++) {
		CU_ASSERT(accepted_with_field_changed(l4, 4, 15, 0xff) == TRIALS);
		CU_ASSERT(accepted_with_field_changed(l4, 4, 18, 0xff) == TRIALS);
		CU_ASSERT(accepted_with_field_changed(l4, 4, 22, 0xff) == TRIALS);
		CU_ASSERT(accepted_with_field_changed(l4, 6, 15, 0xff) == TRIALS);
		CU_ASSERT(accepted_with_field_changed(l4, 6, 21, 0xff) == TRIALS);
	}
}

/* Cut bytes off the body and all lengths, as packet trimming does. */
static void
trim_body(void)
{
	const uint16_t cut = (uint16_t)test_random_in(1, 10);
	const size_t ip_length = changed.at.l3_off + (changed.at.ip_version == 4 ? 2u : 4u);
	const size_t udp_length = changed.at.l4_off + 4u;

	frame_put16(&changed, ip_length, frame_get16(&changed, ip_length) - cut);
	if (changed.at.l4 != LP_L4_TCP)
		frame_put16(&changed, udp_length, frame_get16(&changed, udp_length) - cut);
	frame_fix_ip_cksum(&changed);
	changed.len -= cut;
}

static void
changed_region_length_is_refused(void)
{
	FOR_EACH_KIND(l4, version)
	CU_ASSERT(accepted_after(trim_body, l4, version, LP_SHIM_CODED) <= ACCEPTED_MAX);
	seal_kind(LP_L4_UDP, 4, LP_SHIM_CODED);
	trim_body();
	CU_ASSERT(open_frame(&changed) == LP_OPEN_BAD_TAG);
	seal_kind(LP_L4_UDP, 4, LP_SHIM_STORED);
	trim_body();
	CU_ASSERT(open_frame(&changed) == LP_OPEN_RAW);
}

static void
udp_checksum_of_zero_on_the_line_is_raw(void)
{
	seal_kind(LP_L4_UDP, 4, LP_SHIM_CODED);
	frame_put16(&wire, frame_l4_cksum_off(&wire), 0);
	CU_ASSERT(open_frame(&wire) == LP_OPEN_RAW);
}

static void
roce_checksum_must_agree_with_the_flag(void)
{
	for (unsigned int i = 0; i < 20; i++) {
		size_t off;

		seal_kind(LP_L4_ROCE, 4, LP_SHIM_CODED);
		off = frame_l4_cksum_off(&wire);
		frame_put16(&wire, off, frame_get16(&wire, off) == 0 ? 1 : 0);
		CU_ASSERT(open_frame(&wire) == LP_OPEN_RAW);
	}
}

/* What the tag is worth alone is one guess in 65536. */
static void
check_word_is_required_of_tcp_and_udp_whatever_the_tag(void)
{
	digests[BOOK] = DIGEST;
	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_UDP; l4++) {
		for (uint8_t ip_version = 4; ip_version <= 6; ip_version += 2) {
			for (unsigned int type = LP_SHIM_CODED; type <= LP_SHIM_STORED; type++) {
				const bool is_coded = type == LP_SHIM_CODED;
				struct lp_shim shim = { .type = type,
					.flags = LP_SHIM_F_CKSUM,
					.book_id = is_coded ? BOOK : 0 };

				frame_build(&original,
						&(struct frame_spec){ .ip_version = ip_version,
								.l4 = l4,
								.region_len = 100 });
				frame_seal(&wire, &original, &shim, &key, is_coded ? DIGEST : 0,
						body, is_coded ? 50 : 100);
				CU_ASSERT(open_frame(&wire) == LP_OPEN_NO_CHECK);
				shim.flags |= LP_SHIM_F_CHECK;
				frame_seal(&wire, &original, &shim, &key, is_coded ? DIGEST : 0,
						body, is_coded ? 50 : 100);
				CU_ASSERT(open_frame(&wire) == LP_OPEN_SEALED);
			}
		}
	}
}

static void
check_word_is_optional_for_roce(void)
{
	struct lp_shim shim = { .type = LP_SHIM_CODED, .book_id = BOOK };

	digests[BOOK] = DIGEST;
	frame_build(&original,
			&(struct frame_spec){
					.ip_version = 4, .l4 = LP_L4_ROCE, .region_len = 100 });
	shim.flags = LP_SHIM_F_CKSUM | LP_SHIM_F_ICRC;
	frame_seal(&wire, &original, &shim, &key, DIGEST, body, 50);
	CU_ASSERT(open_frame(&wire) == LP_OPEN_SEALED);
	shim.flags = LP_SHIM_F_CKSUM | LP_SHIM_F_ICRC | LP_SHIM_F_CHECK;
	frame_seal(&wire, &original, &shim, &key, DIGEST, body, 50);
	CU_ASSERT(open_frame(&wire) == LP_OPEN_SEALED);
}

/* With any value in one byte of a shim: RAW where a field of the format is violated. */
static void
each_field_of_the_format_is_checked_before_the_tag(void)
{
	for (unsigned int value = 0; value <= UINT8_MAX; value++) {
		const unsigned int element = value >> 6, phase = value >> 4 & 3;

		for (size_t off = 0; off < 6; off++) {
			bool raw = true;

			seal_kind(LP_L4_UDP, 4, LP_SHIM_CODED);
			changed.data[changed.at.region_off + off] = (uint8_t)value;
			switch (off) {
			case 0:
				raw = value != 0x9d;
				break;
			case 1:
				raw = value != 0xc7;
				break;
			case 2:
				raw = value != 0x11;
				break;
			case 3:
				raw = value != 0x80 && value != 0x90;
				break;
			case 4:
				raw = value == 0;
				break;
			default:
				raw = (value & 0x0f) != 0 || element > 2 || phase >= 1u << element;
			}
			CU_ASSERT((open_frame(&changed) == LP_OPEN_RAW) == raw);
		}
	}
}

static void
stored_shim_with_book_layout_or_other_length_is_raw(void)
{
	seal_kind(LP_L4_UDP, 4, LP_SHIM_STORED);
	for (size_t off = 4; off < 8; off++) {
		for (unsigned int value = 0; value <= UINT8_MAX; value++) {
			const uint8_t was = changed.data[changed.at.region_off + off];

			changed.data[changed.at.region_off + off] = (uint8_t)value;
			CU_ASSERT((open_frame(&changed) == LP_OPEN_RAW) == (value != was));
			changed.data[changed.at.region_off + off] = was;
		}
	}
}

/* The head ends with the region: AddressSanitizer sees a read behind it. */
static void
region_too_short_for_a_shim_is_raw(void)
{
	for (uint16_t len = 1; len <= 17; len++) {
		for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_UDP; l4++) {
			for (unsigned int check = 0; check < 2; check++) {
				uint8_t shim[LP_SHIM_MAX + 1] = { 0x9d, 0xc7, 0x11, 0x80, BOOK, 0,
					1 };
				enum lp_open expected = LP_OPEN_RAW;

				frame_build(&changed,
						&(struct frame_spec){ .ip_version = 6,
								.l4 = l4,
								.region_len = len });
				shim[3] |= check ? LP_SHIM_F_CHECK : 0;
				memcpy(changed.data + changed.at.region_off, shim, len);
				if (len > (check ? LP_SHIM_MAX : LP_SHIM_MIN))
					expected = check ? LP_OPEN_BAD_TAG : LP_OPEN_NO_CHECK;
				CU_ASSERT(open_frame(&changed) == expected);
			}
		}
	}
}

static void
shim_after_the_longest_headers_is_read_within_the_head(void)
{
	frame_build(&original,
			&(struct frame_spec){ .tpid = { 0x88a8, 0x8100 },
					.ip_version = 6,
					.l4 = LP_L4_TCP,
					.tcp_options = 40,
					.region_len = 1000 });
	CU_ASSERT(original.at.region_off == 122);
	digests[BOOK] = DIGEST;
	seal(LP_SHIM_CODED, 900);
	CU_ASSERT(open_frame(&wire) == LP_OPEN_SEALED);
	seal(LP_SHIM_CODED, 1);
	CU_ASSERT(open_frame(&wire) == LP_OPEN_SEALED);
}

static void
sealed_frame_cut_at_any_byte_is_raw(void)
{
	FOR_EACH_KIND(l4, version)
	{
		seal_kind(l4, version, LP_SHIM_CODED);
		for (changed.len = 0; changed.len < wire.len; changed.len++)
			CU_ASSERT(open_frame(&changed) == LP_OPEN_RAW);
	}
}

static void
random_regions_are_never_taken_for_sealed(void)
{
	static const uint8_t begin[] = { 0x9d, 0xc7, 0x11 };
	unsigned int sealed = 0, not_raw = 0;

	for (unsigned int i = 0; i < 256; i++)
		digests[i] = test_random() | 1;
	for (unsigned int i = 0; i < 1000000; i++) {
		struct lp_key any = { { test_random(), test_random() } };
		struct lp_shim shim;
		uint8_t *region;
		enum lp_open outcome;

		if (i % 16 == 0)
			frame_build_random(&changed, 0, 60);
		region = changed.data + changed.at.region_off;
		test_random_bytes(region, LP_SHIM_MAX);
		if (i % 2 == 0)
			memcpy(region, begin, sizeof(begin));
		outcome = lp_frame_open(changed.data, &changed.at, &any, digests, &shim);
		sealed += outcome == LP_OPEN_SEALED;
		not_raw += outcome != LP_OPEN_RAW;
	}
	CU_ASSERT(sealed == 0);
	CU_ASSERT(not_raw > 0);
	memset(digests, 0, sizeof(digests));
}

static CU_TestInfo tests[] = {
	TEST(siphash_gives_the_published_and_openssl_values),
	TEST(check_gives_the_published_values),
	TEST(check_is_crc32c_seeded_with_the_digest),
	TEST(golden_frame_udp_ipv4_vlan),
	TEST(golden_frame_roce_ipv6),
	TEST(flags_follow_from_the_frame),
	TEST(lookalike_is_escaped_and_comes_back),
	TEST(escape_of_a_coded_lookalike_is_not_longer_than_its_claimed_original),
	TEST(exactly_one_tag_of_65536_is_accepted),
	TEST(frame_sealed_with_another_key_is_refused),
	TEST(frame_coded_with_another_book_of_the_same_number_is_refused),
	TEST(book_that_is_not_installed_is_told_from_a_bad_tag),
	TEST(no_single_flipped_bit_of_a_shim_is_accepted),
	TEST(changed_address_is_refused),
	TEST(changed_port_or_queue_pair_is_refused),
	TEST(roce_source_port_and_sequence_number_are_not_in_the_tag),
	TEST(ttl_tos_and_ip_id_changed_on_the_line_are_accepted),
	TEST(changed_region_length_is_refused),
	TEST(udp_checksum_of_zero_on_the_line_is_raw),
	TEST(roce_checksum_must_agree_with_the_flag),
	TEST(check_word_is_required_of_tcp_and_udp_whatever_the_tag),
	TEST(check_word_is_optional_for_roce),
	TEST(each_field_of_the_format_is_checked_before_the_tag),
	TEST(stored_shim_with_book_layout_or_other_length_is_raw),
	TEST(region_too_short_for_a_shim_is_raw),
	TEST(shim_after_the_longest_headers_is_read_within_the_head),
	TEST(sealed_frame_cut_at_any_byte_is_raw),
	TEST(random_regions_are_never_taken_for_sealed),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("wire_shim", tests);
}
