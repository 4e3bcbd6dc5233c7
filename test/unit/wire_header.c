/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "frame.h"

#define BOOK 7
#define DIGEST 0x0123456789abcdef

static const struct lp_key key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
static uint64_t digests[256] = { [BOOK] = DIGEST };
static struct test_frame original, wire, restored;

static struct lp_shim
shim_for(enum lp_shim_type type)
{
	return (struct lp_shim){
		.type = (uint8_t)type,
		.flags = lp_shim_flags(original.data, &original.at),
		.book_id = type == LP_SHIM_CODED ? BOOK : 0,
		.element_log2 = type == LP_SHIM_CODED ? 1 : 0,
		.phase = type == LP_SHIM_CODED ? 1 : 0,
		.check = (uint32_t)test_random(),
	};
}

/* Seal `original` into `wire`. */
static void
seal(enum lp_shim_type type, const uint8_t *body, size_t body_len)
{
	struct lp_shim shim = shim_for(type);

	frame_seal(&wire, &original, &shim, &key, type == LP_SHIM_CODED ? DIGEST : 0, body,
			body_len);
}

/* At least 3 bytes, or UDP over IPv4 would end in a frame of 60 bytes and not be found. */
static void
seal_random_body(void)
{
	static uint8_t body[TEST_FRAME_MAX];
	const size_t most = original.at.region_len - LP_SHIM_MAX - LP_SHIM_SAVING_MIN;
	const size_t len = test_random_in(3, (uint32_t)most);

	test_random_bytes(body, len);
	seal(LP_SHIM_CODED, body, len);
}

/* Turn `wire` into `restored`; the far box has nothing but the frame. */
static bool
restore(void)
{
	struct lp_shim shim;

	if (frame_parse(&wire, &wire.at) != LP_ELIGIBLE ||
			frame_open(&wire, &key, digests, &shim) != LP_OPEN_SEALED)
		return false;
	return frame_unseal(&restored, &wire, &shim, original.data + original.at.region_off) == 0;
}

static bool
restores_every_byte(void)
{
	return restore() && frame_equal(&restored, &original);
}

/* A random frame whose IPv4 header checksum is `cksum`, by choice of the identification. */
static void
build_with_ip_cksum(uint16_t cksum)
{
	size_t ip;
	uint32_t sum;

	frame_build_random(&original, 4, 60);
	ip = original.at.l3_off;
	frame_put16(&original, ip + 4, 0);
	frame_fix_ip_cksum(&original);
	/* ~sum without id is in the field; make the sum with id ~cksum. */
	sum = (uint32_t)frame_get16(&original, ip + 10) + (uint16_t)~cksum;
	frame_put16(&original, ip + 4, (uint16_t)(sum > 0xffff ? sum - 0xffff : sum));
	frame_put16(&original, ip + 10, cksum);
}

/* What switches and routers do: TTL, CE, DSCP; they compute the checksum as they please. */
static void
cross_the_line(struct test_frame *frame, uint64_t changes)
{
	uint8_t *const ip = frame->data + frame->at.l3_off;

	if (frame->at.ip_version == 6) {
		ip[7] -= changes & 1;
		if (changes & 2)
			ip[1] |= 0x30;
		return;
	}
	ip[8] -= changes & 1;
	if (changes & 2)
		ip[1] |= 3;
	if (changes & 4)
		ip[1] = (uint8_t)((ip[1] & 3) | (changes >> 8 & 0xfc));
	if (changes & 7)
		frame_fix_ip_cksum(frame);
}

static void
changes_on_the_line_survive_and_all_else_is_restored(void)
{
	static const uint16_t edges[] = { 0x0000, 0x0001, 0x7fff, 0x8000, 0xfffd, 0xfffe };

	for (unsigned int i = 0; i < 400000; i++) {
		const uint64_t changes = test_random();

		if (i % 8 == 0)
			build_with_ip_cksum(edges[i / 8 % 6]);
		else
			frame_build_random(&original, i % 16 == 1 ? 6 : 4, 60);
		seal_random_body();
		cross_the_line(&wire, changes);
		cross_the_line(&original, changes);
		if (!restores_every_byte()) {
			printf("\n  frame %u, changes %#llx", i, (unsigned long long)changes);
			CU_FAIL_FATAL("not restored");
		}
	}
}

static void
every_ip_checksum_but_ffff_comes_back(void)
{
	for (uint32_t cksum = 0; cksum < 0xffff; cksum++) {
		build_with_ip_cksum((uint16_t)cksum);
		CU_ASSERT_FATAL(lp_frame_sealable(original.data, &original.at));
		seal_random_body();
		CU_ASSERT_FATAL(restores_every_byte());
	}
}

static void
ip_checksum_ffff_is_not_sealable(void)
{
	build_with_ip_cksum(0xffff);
	CU_ASSERT(frame_parse(&original, &original.at) == LP_ELIGIBLE);
	CU_ASSERT(!lp_frame_sealable(original.data, &original.at));
	frame_build_random(&original, 6, 60);
	memset(original.data + original.at.l3_off + 8, 0xff, 32);
	CU_ASSERT(lp_frame_sealable(original.data, &original.at));
}

static void
wire_frame_has_a_valid_ip_header_and_lengths(void)
{
	for (unsigned int i = 0; i < 20000; i++) {
		struct test_frame *const w = &wire;
		struct lp_frame parsed;
		uint16_t ip_cksum;

		frame_build_random(&original, 0, (uint16_t)test_random_in(60, 300));
		seal_random_body();
		CU_ASSERT_FATAL(frame_parse(w, &parsed) == LP_ELIGIBLE);
		CU_ASSERT_FATAL(parsed.region_off == original.at.region_off);
		CU_ASSERT_FATAL(parsed.region_len == w->at.region_len);
		if (w->at.ip_version == 6)
			continue;
		ip_cksum = frame_get16(w, w->at.l3_off + 10u);
		frame_fix_ip_cksum(w);
		CU_ASSERT_FATAL(ip_cksum == frame_get16(w, w->at.l3_off + 10u));
	}
}

static void
coded_frame_is_found_from_61_bytes_on(void)
{
	static const uint8_t body[3];

	frame_build(&original,
			&(struct frame_spec){ .ip_version = 4, .l4 = LP_L4_UDP, .region_len = 60 });
	seal(LP_SHIM_CODED, body, 3);
	CU_ASSERT(wire.len == 61);
	CU_ASSERT(restores_every_byte());
	seal(LP_SHIM_CODED, body, 2);
	CU_ASSERT(wire.len == 60);
	CU_ASSERT(!restore());
}

static void
stored_frames_of_every_kind_come_back(void)
{
	for (unsigned int i = 0; i < 20000; i++) {
		frame_build_random(&original, 0, (uint16_t)test_random_in(40, 300));
		seal(LP_SHIM_STORED, original.data + original.at.region_off,
				original.at.region_len);
		CU_ASSERT_FATAL(restores_every_byte());
	}
}

static void
l4_checksum_comes_back_as_it_was_right_or_wrong(void)
{
	for (unsigned int i = 0; i < 100000; i++) {
		size_t off;

		frame_build_random(&original, 0, 60);
		off = frame_l4_cksum_off(&original);
		switch (i % 4) {
		case 0:
			frame_put16(&original, off, (uint16_t)test_random());
			break;
		case 1:
			frame_put16(&original, off, 0);
			break;
		case 2:
			frame_put16(&original, off, 0xffff);
			break;
		default: /* as built */
			break;
		}
		seal_random_body();
		CU_ASSERT_FATAL(restores_every_byte());
	}
}

static bool
has_no_checksum(const struct test_frame *frame)
{
	return frame->at.l4 == LP_L4_ROCE && frame_get16(frame, frame_l4_cksum_off(frame)) == 0;
}

static void
poisoned_checksum_never_verifies(void)
{
	for (unsigned int i = 0; i < 150000; i++) {
		do {
			frame_build_random(&original, 0, (uint16_t)test_random_in(60, 200));
		} while (has_no_checksum(&original));
		seal_random_body();
		CU_ASSERT_FATAL(frame_get16(&wire, frame_l4_cksum_off(&wire)) != 0);
		CU_ASSERT_FATAL(!frame_host_accepts(&wire));
		frame_fix_l4_cksum(&wire);
		CU_ASSERT_FATAL(frame_host_accepts(&wire));
	}
}

/* The last two bytes of the body take the valid checksum through all its values. */
static void
poison_is_wrong_for_every_valid_checksum(void)
{
	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_UDP; l4++) {
		uint8_t body[21] = { 0 };

		frame_build(&original,
				&(struct frame_spec){
						.ip_version = 4, .l4 = l4, .region_len = 60 });
		for (unsigned int i = 0; i <= UINT16_MAX; i++) {
			memcpy(body + 6, &(uint16_t){ (uint16_t)i }, 2);
			seal(LP_SHIM_CODED, body, sizeof(body));
			CU_ASSERT_FATAL(frame_get16(&wire, frame_l4_cksum_off(&wire)) != 0);
			CU_ASSERT_FATAL(!frame_host_accepts(&wire));
		}
	}
}

static void
poison_is_the_valid_checksum_with_every_second_bit_flipped(void)
{
	for (unsigned int i = 0; i < 50000; i++) {
		size_t off;
		uint16_t poison;

		do {
			frame_build_random(&original, 0, (uint16_t)test_random_in(60, 200));
		} while (has_no_checksum(&original));
		seal_random_body();
		off = frame_l4_cksum_off(&wire);
		poison = frame_get16(&wire, off);
		frame_fix_l4_cksum(&wire);
		if (frame_get16(&wire, off) == 0x5555 || frame_get16(&wire, off) == 0xffff)
			continue;
		CU_ASSERT_FATAL((poison ^ frame_get16(&wire, off)) == 0x5555);
	}
}

static void
poison_holds_for_the_longest_packets(void)
{
	static uint8_t body[TEST_FRAME_MAX];

	for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_UDP; l4++) {
		frame_build(&original,
				&(struct frame_spec){ .ip_version = 6,
						.l4 = l4,
						.region_len = 65535 - 20 });
		for (unsigned int cut = 0; cut < 2; cut++) {
			memset(body, 0xff, sizeof(body));
			seal(LP_SHIM_CODED, body, 65535 - 20 - 32 - cut);
			CU_ASSERT(frame_get16(&wire, frame_l4_cksum_off(&wire)) != 0);
			CU_ASSERT(!frame_host_accepts(&wire));
			CU_ASSERT(restores_every_byte());
			frame_fix_l4_cksum(&wire);
			CU_ASSERT(frame_host_accepts(&wire));
		}
	}
}

static void
roce_without_udp_checksum_stays_without(void)
{
	for (uint8_t version = 4; version <= 6; version += 2) {
		frame_build(&original,
				&(struct frame_spec){ .ip_version = version,
						.l4 = LP_L4_ROCE,
						.no_cksum = true,
						.region_len = 100 });
		CU_ASSERT(lp_shim_flags(original.data, &original.at) == LP_SHIM_F_ICRC);
		seal_random_body();
		CU_ASSERT(frame_get16(&wire, frame_l4_cksum_off(&wire)) == 0);
		CU_ASSERT(restores_every_byte());
	}
}

static void
roce_with_udp_checksum_has_it_replaced(void)
{
	frame_build(&original,
			&(struct frame_spec){
					.ip_version = 4, .l4 = LP_L4_ROCE, .region_len = 100 });
	CU_ASSERT(lp_shim_flags(original.data, &original.at) == (LP_SHIM_F_ICRC | LP_SHIM_F_CKSUM));
	seal_random_body();
	CU_ASSERT(frame_get16(&wire, frame_l4_cksum_off(&wire)) != 0);
	CU_ASSERT(restores_every_byte());
}

static void
udp_without_checksum_gets_one_that_is_wrong(void)
{
	frame_build(&original,
			&(struct frame_spec){ .ip_version = 4,
					.l4 = LP_L4_UDP,
					.no_cksum = true,
					.region_len = 100 });
	CU_ASSERT(frame_host_accepts(&original));
	seal_random_body();
	CU_ASSERT(!frame_host_accepts(&wire));
	CU_ASSERT(restores_every_byte());
	CU_ASSERT(frame_get16(&restored, frame_l4_cksum_off(&restored)) == 0);
}

static void
original_longer_than_an_ip_packet_is_refused_unchanged(void)
{
	for (uint8_t version = 4; version <= 6; version += 2) {
		for (unsigned int l4 = LP_L4_TCP; l4 <= LP_L4_ROCE; l4++) {
			struct lp_shim shim = { .type = LP_SHIM_CODED, .flags = LP_SHIM_F_CKSUM };
			uint16_t headers, most;

			frame_build(&wire,
					&(struct frame_spec){ .ip_version = version,
							.l4 = l4,
							.region_len = 100 });
			headers = wire.at.region_off - wire.at.l3_off + wire.at.icrc_len;
			most = UINT16_MAX - headers + (version == 6 ? 40 : 0);
			frame_copy(&original, &wire);
			shim.orig_len = most + 1;
			CU_ASSERT(lp_frame_unseal(wire.data, &wire.at, &shim) == -EMSGSIZE);
			CU_ASSERT(frame_equal(&wire, &original));
			shim.orig_len = most;
			CU_ASSERT(lp_frame_unseal(wire.data, &wire.at, &shim) == 0);
			CU_ASSERT(frame_get16(&wire, wire.at.l3_off + (version == 4 ? 2u : 4u)) ==
					UINT16_MAX);
			if (l4 != LP_L4_TCP)
				CU_ASSERT(frame_get16(&wire, wire.at.l4_off + 4u) ==
						UINT16_MAX - (version == 4 ? 20 : 0));
		}
	}
}

static CU_TestInfo tests[] = {
	TEST(changes_on_the_line_survive_and_all_else_is_restored),
	TEST(every_ip_checksum_but_ffff_comes_back),
	TEST(ip_checksum_ffff_is_not_sealable),
	TEST(wire_frame_has_a_valid_ip_header_and_lengths),
	TEST(coded_frame_is_found_from_61_bytes_on),
	TEST(stored_frames_of_every_kind_come_back),
	TEST(l4_checksum_comes_back_as_it_was_right_or_wrong),
	TEST(poisoned_checksum_never_verifies),
	TEST(poison_is_wrong_for_every_valid_checksum),
	TEST(poison_is_the_valid_checksum_with_every_second_bit_flipped),
	TEST(poison_holds_for_the_longest_packets),
	TEST(roce_without_udp_checksum_stays_without),
	TEST(roce_with_udp_checksum_has_it_replaced),
	TEST(udp_without_checksum_gets_one_that_is_wrong),
	TEST(original_longer_than_an_ip_packet_is_refused_unchanged),
	CU_TEST_INFO_NULL,
};

int
main(int argc, char **argv)
{
	test_seed(argc, argv);
	return test_run("wire_header", tests);
}
